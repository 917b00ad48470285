"""Copies of the embedded texts with something changed, and what compiles from them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from regc.model.scenario import Scenario
from regc.model.value import Value
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Compiled, Request
from regc.resources import package_data
from tests.conftest import INVENTED

TEXT = package_data("regulations", "un152", "02.md").read_text("utf-8")
RULES = (INVENTED / "rules.md").read_text("utf-8")
PROFILE = (INVENTED / "profile.toml").read_text("utf-8")


def edited(text: str, anchor: str, old: str, new: str) -> str:
    """`text` with the first `old` behind `anchor` replaced; both must be there."""
    place = text.index(old, text.index(anchor))
    return text[:place] + new + text[place + len(old) :]


def compile_text(text: str, folder: Path, regulation: str = "un152", **options: Any) -> Compiled:
    """A text given as the user's file."""
    path = folder / "copy.md"
    path.write_text(text, encoding="utf-8", newline="\n")
    return compile_regulation(Request(regulation, source=path, **options))


def own_regulation(folder: Path, *changes: tuple[str, str], rules: str = RULES, profile: str = PROFILE) -> Path:
    """A copy of the invented regulation in `folder`, with changes (old, new) to its profile."""
    for old, new in changes:
        assert old in profile, old
        profile = profile.replace(old, new, 1)
    shutil.copytree(INVENTED, folder, dirs_exist_ok=True)
    (folder / "rules.md").write_text(rules, encoding="utf-8", newline="\n")
    (folder / "profile.toml").write_text(profile, encoding="utf-8", newline="\n")
    return folder


def numbers(scenarios: tuple[Scenario, ...], *prefixes: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    """(scenario, field) -> digits, unit, bound, tolerance, basis, formula of every value."""
    return {
        (scenario.id, field): _held(value)
        for scenario in scenarios
        for field, value in scenario.values()
        if not prefixes or field.startswith(prefixes)
    }


def _held(value: Value) -> tuple[Any, ...]:
    around = value.tolerance
    digits = tuple(None if end is None else format(end, "f") for end in (value.lo, value.hi))
    tolerance = around and (format(around.plus, "f"), format(around.minus, "f"), around.assumption)
    return (*digits, value.symbol, value.unit, value.bound, tolerance, value.basis, value.formula)
