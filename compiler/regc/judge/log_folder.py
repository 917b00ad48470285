"""The suite that a folder of logs belongs to: the scenarios.json of the build that made the tests, and what was chosen of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from regc.errors import DataFileError
from regc.files import json_bytes
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.suitefile import unpacked

_NAME = "scenarios.json"
#: Beside the logs of regc simulate: which scenarios of the suite were asked for.
CHOSEN = "chosen.json"


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


def read_suite(path: Path) -> tuple[Suite, frozenset[str] | None]:
    """The suite of a build, and the ids that were asked to be driven (None: not told). Raises DataFileError."""
    try:
        suite = unpacked(json.loads(path.read_text(encoding="utf-8")))
    except OSError as problem:
        raise DataFileError(
            f"{path}: {problem.strerror or problem}", hint="--scenarios FILE: the scenarios.json of a build"
        ) from problem
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as problem:
        raise DataFileError(
            f"{path}: not the scenarios of a build: {problem}", hint="build again with this version of regc"
        ) from problem
    told = _json(path.with_name(CHOSEN)).get("scenarios")
    keys = {scenario.id: scenario_key(scenario) for scenario in suite.scenarios} if isinstance(told, dict) else {}
    chosen = frozenset(id for id, key in told.items() if keys.get(id) == key) if isinstance(told, dict) else None
    return suite, chosen if chosen is not None else (frozenset(suite.chosen) if suite.chosen is not None else None)


def scenario_key(scenario: Scenario) -> str:
    """What a log is a log of: a hash of the scenario, so that runs of an older build or another source are told apart."""
    data = json.dumps(scenario.model_dump(mode="json"), sort_keys=True)
    return hashlib.sha256(data.encode()).hexdigest()[:16]


def chosen_bytes(folder: Path, scenarios: Sequence[Scenario], chosen: Iterable[str]) -> bytes:
    """chosen.json for a folder of logs: these scenarios, and those that were chosen there before and have not changed."""
    keys = {scenario.id: scenario_key(scenario) for scenario in scenarios}
    before = _json(folder / CHOSEN).get("scenarios")
    kept = {id for id, key in before.items() if keys.get(id) == key} if isinstance(before, dict) else set()
    wanted = kept | set(chosen)
    return json_bytes({"scenarios": {id: key for id, key in keys.items() if id in wanted}})


def _json(path: Path) -> dict[str, Any]:
    """A JSON object; empty when there is none."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
