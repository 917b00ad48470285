"""Manoeuvres: one module each, named as the vocabulary names it, with `stage(plan) -> Stage`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from types import ModuleType

from regc.errors import StagingError
from regc.manoeuvres.data import StageData
from regc.manoeuvres.plan import Options, Plan
from regc.model.scenario import Scenario
from regc.model.stage import Stage


def known() -> tuple[str, ...]:
    """The manoeuvres that can be staged."""
    return _known()


@lru_cache(maxsize=1)
def _known() -> tuple[str, ...]:
    return tuple(sorted(name for _, name, _ in pkgutil.iter_modules(__path__) if hasattr(_module(name), "stage")))


def stage(scenario: Scenario, data: StageData, options: Options | None = None) -> Stage:
    """A test laid out for driving, in right-hand traffic (`Stage.mirrored` for the other). A binding that the test leaves open takes a
    number that stands in `free`. Raises StagingError for a test that cannot be laid out, DataFileError for a data file at fault."""
    if scenario.manoeuvre not in known():
        raise StagingError(f"{scenario.id}: no way is known to drive {scenario.manoeuvre}", hint=f"known: {', '.join(known())}")
    made: Stage = _module(scenario.manoeuvre).stage(Plan(scenario, data, options or Options()))
    return made


def variants(scenario: Scenario, data: StageData) -> tuple[Scenario, ...]:
    """The test once for each who may play its target, where the manoeuvre leaves that open ("an object"); else itself."""
    module = _module(scenario.manoeuvre) if scenario.manoeuvre in known() else None
    return module.variants(scenario, data) if module is not None and hasattr(module, "variants") else (scenario,)


def _module(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")
