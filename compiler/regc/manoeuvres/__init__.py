"""Manoeuvres: one module each, named as the vocabulary names it, with `stage(plan) -> Stage`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from types import ModuleType

from regc.errors import StagingError
from regc.manoeuvres.data import StageData
from regc.manoeuvres.plan import Options, Plan
from regc.model.scenario2 import Scenario
from regc.model.stage import Stage


def known() -> tuple[str, ...]:
    """The manoeuvres that can be staged."""
    return _known()


@lru_cache(maxsize=1)
def _known() -> tuple[str, ...]:
    return tuple(sorted(name for _, name, _ in pkgutil.iter_modules(__path__) if hasattr(_module(name), "stage")))


def stage(scenario: Scenario, data: StageData, options: Options | None = None, variant: str = "") -> Stage:
    """A test laid out for driving. A binding that the test leaves open takes a number that stands in `free`. `variant`: one of
    `variants`. Raises StagingError for a test that cannot be laid out, DataFileError for a data file at fault."""
    if scenario.manoeuvre not in known():
        raise StagingError(f"{scenario.id}: no way is known to drive {scenario.manoeuvre}", hint=f"known: {', '.join(known())}")
    plan = Plan(scenario, data, options or Options())
    module = _module(scenario.manoeuvre)
    made: Stage = module.stage(plan, variant) if variant else module.stage(plan)
    return made if plan.options.right_hand else made.mirrored()


def variants(scenario: Scenario, data: StageData) -> tuple[str, ...]:
    """The stages that a test has, told apart by what stands there; one with no name for most."""
    module = _module(scenario.manoeuvre) if scenario.manoeuvre in known() else None
    return module.variants(Plan(scenario, data)) if module is not None and hasattr(module, "variants") else ("",)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")
