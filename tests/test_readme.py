"""Every command of the README's tour runs, in its order, and prints what the README shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
OFFICIAL = ROOT.parent / "shared" / "regulations" / "un152-r2" / "un152-r2.pdf"


@dataclass(frozen=True)
class Shown:
    """A command of the README and the output under it ("" where none is shown)."""

    command: str
    output: str


def shown() -> list[Shown]:
    """All `$ regc ...` lines of console blocks."""
    found: list[Shown] = []
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append(Shown(command, output.strip()))
    return found


class Tour:
    """A user's folder in which the steps run in their order, each once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: list[subprocess.CompletedProcess[str] | None] = []

    def run(self, index: int) -> subprocess.CompletedProcess[str] | None:
        """What a step gave, after all before it: it may need what they wrote. None for one that needs an official file."""
        for step in shown()[len(self.runs) : index + 1]:
            self.runs.append(self._run(step))
        return self.runs[index]

    def _run(self, step: Shown) -> subprocess.CompletedProcess[str] | None:
        if "r152.pdf" in step.command and not (self.folder / "r152.pdf").is_file():
            return None
        return subprocess.run(
            [sys.executable, "-m", "regc.commands.main", *step.command.split()[1:]],
            cwd=self.folder,
            env=os.environ | {"COLUMNS": "180"},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Tour:
    """The golden truth beside the user's folder, and an official file where one is at hand."""
    made = tmp_path_factory.mktemp("tour")
    shutil.copytree(ROOT / "golden", made / "golden")
    if OFFICIAL.is_file():
        shutil.copy(OFFICIAL, made / "r152.pdf")
    return Tour(made)


def test_the_tour_is_not_empty() -> None:
    assert len(shown()) >= 15


@pytest.mark.parametrize("index", range(len(shown())), ids=lambda index: shown()[index].command)
def test_command(index: int, tour: Tour) -> None:
    step = shown()[index]
    assert step.command.split()[0] == "regc"
    run = tour.run(index)
    if run is None:
        pytest.skip("no official document at hand: ../shared is absent")
    assert run.returncode == 0, run.stdout[-2000:] + run.stderr[-2000:]
    printed = [line.rstrip() for line in run.stdout.strip().splitlines()]
    if step.output:
        assert printed == [line.rstrip() for line in step.output.splitlines()]


def test_install_and_test_commands_are_those_of_ci() -> None:
    """`.ci/run` installs and tests as the README says."""
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'pip install -e ".[test]"' in README
    assert 'install -q --disable-pip-version-check -e ".[test]"' in ci
    assert "pytest -q" in README
    assert "pytest -q" in ci
