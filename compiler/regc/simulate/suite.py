"""The scenarios that a folder of logs belongs to: the scenarios.json of the build that made the tests, and what lies beside it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regc.errors import DataFileError
from regc.files import json_bytes
from regc.model.scenario import Scenario

_NAME, _COVERAGE = "scenarios.json", "coverage.json"
#: Beside the logs of regc simulate: which scenarios of the suite were asked for.
CHOSEN = "chosen.json"


@dataclass(frozen=True)
class Suite:
    """Scenarios in the order of the build. `complete`: whether they are all of the edition's, as the coverage beside them says; only
    then are rows between two scenarios known. `chosen`: ids of those that were asked to be driven (None: not told)."""

    scenarios: tuple[Scenario, ...]
    complete: bool
    chosen: frozenset[str] | None = None


def find_suite(paths: Sequence[Path]) -> Path:
    """The scenarios.json in one of the folders, or in the nearest folder above. Raises DataFileError."""
    for path in paths:
        start = path.resolve() if path.is_dir() else path.resolve().parent
        for folder in (start, *start.parents[:4]):
            if (folder / _NAME).is_file():
                return folder / _NAME
    raise DataFileError(
        f"no {_NAME} in or above {', '.join(str(path) for path in paths)}", hint=f"--scenarios FILE: the {_NAME} of the build"
    )


def read_suite(path: Path) -> Suite:
    """The scenarios of a build, in its order. Raises DataFileError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        scenarios = tuple(Scenario.model_validate(item) for item in data["scenarios"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as problem:
        raise DataFileError(
            f"{path}: not the scenarios of a build: {problem}", hint="build again with this version of regc"
        ) from problem
    ids = {scenario.id for scenario in scenarios}
    return Suite(scenarios, _complete(path.with_name(_COVERAGE), data, ids), _chosen(path.with_name(CHOSEN), ids))


def scenario_key(scenario: Scenario) -> str:
    """What a log is a log of: a hash of the scenario, so that runs of an older build or another source are told apart."""
    return hashlib.sha256(scenario.model_dump_json().encode()).hexdigest()[:16]


def chosen_bytes(folder: Path, scenarios: Sequence[Scenario], chosen: Iterable[str]) -> bytes:
    """chosen.json for a folder of logs: these scenarios, and those that were chosen there before and have not changed."""
    keys = {scenario.id: scenario_key(scenario) for scenario in scenarios}
    before = _json(folder / CHOSEN).get("scenarios")
    kept = {id for id, key in before.items() if keys.get(id) == key} if isinstance(before, dict) else set()
    wanted = kept | set(chosen)
    return json_bytes({"scenarios": {id: key for id, key in keys.items() if id in wanted}})


def _complete(path: Path, head: dict[str, Any], ids: set[str]) -> bool:
    """Whether no scenario that a limit cell of the edition led to is missing. The coverage of a filtered build is the whole one's."""
    coverage = _json(path)
    if any(coverage.get(name) != head.get(name) for name in ("regulation", "edition", "wording")):
        return False
    try:
        cells = [
            (set(cell.get("scenarios", ())), cell.get("reason")) for cell in coverage["coverage"]["cells"] if cell["role"] == "limit"
        ]
    except (KeyError, TypeError):
        return False
    return bool(cells) and all(used <= ids and (used or reason) for used, reason in cells)


def _chosen(path: Path, ids: set[str]) -> frozenset[str] | None:
    found = _json(path).get("scenarios")
    return frozenset(found) & ids if isinstance(found, dict) else None


def _json(path: Path) -> dict[str, Any]:
    """A JSON object; empty when there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
