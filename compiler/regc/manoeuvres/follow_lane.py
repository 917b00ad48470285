"""The subject vehicle goes along its lane."""

from __future__ import annotations

from regc.manoeuvres import sequence
from regc.manoeuvres.plan import Plan
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """The functional part begins after the straight approach, and lasts as long as layouts.toml says."""
    return sequence.alone(plan)
