"""Every step that the documents show is done, in its order, and gives what they show."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.docs.shown import ROOT, Step, Tour, fits, quoted, steps

DOCUMENTS = ("docs/language.md", "docs/a-regulation-in-an-hour.md", "docs/architecture.md", "CONTRIBUTING.md")
REGULATIONS = ROOT / "compiler" / "regc" / "regulations"
TEXTS = {name: (ROOT / name).read_text("utf-8") for name in DOCUMENTS}
STEPS = [(name, index, step) for name, text in TEXTS.items() for index, step in enumerate(steps(text))]


def prepared(folder: Path) -> None:
    """What docs/language.md says is there before it begins: the text of UN R131, and the part that it shares with UN R152."""
    (folder / "r131").mkdir()
    shutil.copy(REGULATIONS / "un131" / "02.md", folder / "r131" / "02.md")
    shutil.copytree(REGULATIONS / "parts", folder / "parts")


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tour]:
    """A reader's folder for each document."""
    made: dict[str, Tour] = {}
    for name, text in TEXTS.items():
        folder = tmp_path_factory.mktemp("reader")
        prepared(folder)
        made[name] = Tour(folder, text)
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("name", "index", "step"), STEPS, ids=[f"{name}:{step}" for name, _, step in STEPS])
def test_step(name: str, index: int, step: Step, tours: dict[str, Tour]) -> None:
    done = tours[name].run(index)
    if done.code is None:
        pytest.skip("no official document at hand: ../shared is absent")
    assert "internal error" not in done.err
    if step.kind == "shows":
        assert done.code == 0, done.err
    if step.kind in ("command", "shows") and step.text:
        assert fits(step.text, done.printed), done.printed
    elif step.kind == "command":
        assert done.code == 0, done.printed


@pytest.mark.parametrize(("name", "line"), [pair for text in TEXTS.values() for pair in quoted(text)])
def test_a_line_of_a_shipped_profile_stands_there(name: str, line: str) -> None:
    files = REGULATIONS.glob("parts/*.toml") if name == "parts" else REGULATIONS.joinpath(name).glob("*.toml")
    assert line in {held.strip() for file in files for held in file.read_text("utf-8").splitlines()}
