"""Lazy lookup by file name: a module in a stage's folder is an option of that stage; nothing is listed twice."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from types import ModuleType

from regc.errors import UnknownNameError


def names(stage: str) -> tuple[str, ...]:
    """Public module names of `regc.<stage>` in alphabetical order, found without importing them."""
    package = importlib.import_module(f"regc.{stage}")
    return tuple(sorted(found.name for found in pkgutil.iter_modules(package.__path__) if not found.name.startswith("_")))


def load(stage: str, name: str) -> ModuleType:
    """Import `regc.<stage>.<name>`; raises UnknownNameError with the nearest names for a typing error."""
    module = name.replace("-", "_")
    check(module, names(stage), what=stage)
    return importlib.import_module(f"regc.{stage}.{module}")


def check(name: str, known: tuple[str, ...], *, what: str) -> str:
    """`name` when it is known, else an UnknownNameError that says "did you mean"."""
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownNameError(f"{what}: no {name!r}", hint=f"{hint}known: {', '.join(known) or 'none'}")
