"""Writes what the OpenSCENARIO target emits to a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from regc.model.result import Checked
from regc.targets import openscenario


def write(folder: Path, checked: Checked, **options: Any) -> dict[str, Path]:
    """All artefacts under `folder`; the scenario files by their ids."""
    concrete: dict[str, Path] = {}
    for artifact in openscenario.emit(checked, openscenario.Options(**options)):
        path = folder / artifact.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(artifact.content)
        if "/concrete/" in artifact.path and artifact.path.endswith(".xosc"):
            concrete[path.stem] = path
    return concrete
