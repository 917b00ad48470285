"""Stages of every kind of test, and the suite that they belong to."""

from __future__ import annotations

from functools import lru_cache

from regc.errors import StagingError
from regc.manoeuvres import data, stage
from regc.manoeuvres.plan import Options
from regc.model.scenario import Scenario
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from tests.manoeuvres.examples import EXAMPLES


@lru_cache(maxsize=1)
def tests() -> tuple[Scenario, ...]:
    """One test of each kind, with an id of its own."""
    return tuple(
        test.model_copy(update={"id": f"MADE_{name.replace(' ', '-')}", "test": name.replace(" ", "_"), "title": name})
        for name, test in EXAMPLES.items()
    )


def suite() -> Suite:
    """All of them."""
    return Suite(regulation="made", edition="1", wording="official", title="Made by hand", stem="MADE", scenarios=tests())


@lru_cache(maxsize=8)
def staged(ego: str = "none", *, right_hand: bool = True) -> Staged:
    """Their stages; what leaves something open is logical."""
    given = data.load()
    made: list[Stage] = []
    left_out: dict[str, str] = {}
    for test in tests():
        try:
            laid_out = stage(test, given, Options(ego=ego, right_hand=right_hand))  # type: ignore[arg-type]
            made.append(laid_out if right_hand else laid_out.mirrored())
        except StagingError as error:
            left_out[test.id] = str(error)
    return Staged(
        stages=tuple(each for each in made if not each.free), logical=tuple(each for each in made if each.free), left_out=left_out
    )
