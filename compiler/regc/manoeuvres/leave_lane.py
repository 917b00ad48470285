"""The driver lets the subject vehicle drift out of its lane, at a rate that the text leaves open, and steers back."""

from __future__ import annotations

from regc.manoeuvres import sequence
from regc.manoeuvres.plan import Plan
from regc.model.stage import Stage


def stage(plan: Plan) -> Stage:
    """The functional part begins with the drift; the run ends in the middle of the lane."""
    return sequence.alone(plan)
