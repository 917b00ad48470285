"""Stages of every manoeuvre, one suite around them, for the targets."""

from __future__ import annotations

from collections.abc import Sequence

from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Ego, Options
from regc.model.scenario import Scenario
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from tests.manoeuvres.examples import EXAMPLES

DATA = load()


def scenario(name: str) -> Scenario:
    """An example with an id of its own."""
    return EXAMPLES[name].model_copy(update={"id": name.replace(" ", "_")})


def staged(*names: str, ego: Ego = "none", mirrored: bool = False, approach: float | None = None) -> tuple[Suite, Staged]:
    """The suite of some examples (all without names) and their stages."""
    tests = tuple(scenario(name) for name in names or sorted(EXAMPLES))
    stages = [stage(test, DATA, Options(ego=ego, approach=approach)) for test in tests]
    return suite(tests), Staged(stages=tuple(made.mirrored() if mirrored else made for made in stages))


def one(name: str, ego: Ego = "none") -> Stage:
    """The stage of an example."""
    return staged(name, ego=ego)[1].stages[0]


def suite(tests: Sequence[Scenario]) -> Suite:
    """A suite of tests made by hand."""
    return Suite(regulation="made", edition="1", wording="official", title="Tests made by hand", stem="made", scenarios=tuple(tests))
