"""mypy holds every module that is chosen by name to the protocol of its kind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from regc import plugins
from regc.plugins import Kind, built_in
from tests.conftest import ROOT

KINDS = {name: kind for name, kind in vars(plugins).items() if isinstance(kind, Kind)}
#: A module of commands/ that is the application, and formats among the modules of report/.
MODULES = {"COMMANDS": sorted(built_in("commands")), "REPORTS": sorted(built_in("report"))}


def checked(folder: Path, text: str) -> str:
    file = folder / "seams.py"
    file.write_text(text, "utf-8")
    call = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")]
    return subprocess.run([*call, str(file)], cwd=ROOT, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_every_module_keeps_the_protocol_of_its_kind(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    assert len(KINDS) == 6
    imports = ["from typing import TypeVar", "from regc.plugins import Kind", f"from regc.plugins import {', '.join(KINDS)}"]
    body = ['M = TypeVar("M")', "def held(kind: Kind[M], module: M) -> None: ..."]
    for name, kind in KINDS.items():
        for module in MODULES.get(name, kind.names()):
            imports.append(f"import {kind.module(module)}")
            body.append(f"held({name}, {kind.module(module)})")
    said = checked(tmp_path, "\n".join([*imports, *body, ""]))
    assert "Success" in said, said
    # and it can fail: a target is no reader
    assert 'Cannot infer value of type parameter "M"' in checked(
        tmp_path, "\n".join([*imports, *body, "held(READERS, regc.targets.csv)", ""])
    )
