"""Every command of the README's tour runs, in its order, and prints what the README shows."""

from __future__ import annotations

import shutil

import pytest

from tests.docs.shown import ROOT, Tour, fits, steps

README = (ROOT / "README.md").read_text("utf-8")
STEPS = steps(README)


@pytest.fixture(scope="module")
def tour(tmp_path_factory: pytest.TempPathFactory) -> Tour:
    """The golden truth beside the user's folder, and an official file where one is at hand."""
    made = tmp_path_factory.mktemp("tour")
    shutil.copytree(ROOT / "golden", made / "golden")
    return Tour(made, README)


def test_the_tour_is_not_empty() -> None:
    assert len(STEPS) >= 15


@pytest.mark.parametrize("index", range(len(STEPS)), ids=lambda index: STEPS[index].name)
def test_command(index: int, tour: Tour) -> None:
    step = STEPS[index]
    done = tour.run(index)
    if done.code is None:
        pytest.skip("no official document at hand: ../shared is absent")
    assert done.code == 0, done.printed[-2000:]
    if step.text:
        assert fits(step.text, done.out), done.out


def test_install_and_test_commands_are_those_of_ci() -> None:
    """`.ci/run` installs and tests as the README says."""
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    assert 'pip install -e ".[test]"' in README
    assert 'install -q --disable-pip-version-check -e ".[test]"' in ci
    assert "pytest -q" in README
    assert "pytest -q" in ci


def test_the_tour_leaves_nothing_that_git_would_list(tour: Tour) -> None:
    """Whoever follows it in a checkout has a clean `git status`: what it writes lies in a folder that .gitignore names."""
    if len(tour.done) < len(STEPS):
        pytest.skip("the tour ran in parts")
    ignored = {line.strip("/") for line in (ROOT / ".gitignore").read_text("utf-8").splitlines()}
    given = {"golden", "r152.pdf"}
    assert {path.name for path in tour.folder.iterdir()} - given <= ignored
