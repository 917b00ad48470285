"""The scenarios that a folder of logs belongs to: the scenarios.json of the build that made the tests."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from regc.errors import DataFileError
from regc.model.scenario import Scenario

_NAME = "scenarios.json"


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


def read_suite(path: Path) -> tuple[Scenario, ...]:
    """The scenarios of a build, in its order. Raises DataFileError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return tuple(Scenario.model_validate(item) for item in data["scenarios"])
    except (OSError, ValueError, KeyError, TypeError, ValidationError) as problem:
        raise DataFileError(
            f"{path}: not the scenarios of a build: {problem}", hint="build again with this version of regc"
        ) from problem
