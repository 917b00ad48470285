"""A road user comes up from behind in the lane beside and passes."""

from __future__ import annotations

from regc.manoeuvres import sequence
from regc.manoeuvres.plan import Plan
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """The functional part begins with the road user at its distance behind; the run ends when it has passed."""
    return sequence.alone(plan)
