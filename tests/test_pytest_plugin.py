"""pytest --regc in a team's own project: what passes, what a failure tells, and how golden builds are refreshed."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from regc import files
from regc.model import machine_files
from regc.model.scenario import Scenario
from regc.report import golden_builds  # imported once: pytester would import it anew for each run
from tests import suites
from tests.suites import stationary

pytest_plugins = ["pytester"]


def build(folder: Path, *scenarios: Scenario, text: str = "a line\nspeed 40\n") -> None:
    """A build folder as regc leaves it, small."""
    import hashlib

    contents = {
        "scenarios.json": files.json_bytes(machine_files.packed(suites.suite(*scenarios))),
        "openscenario/one.xosc": text.encode(),
    }
    entries = {path: {"target": "regc", "sha256": hashlib.sha256(content).hexdigest()} for path, content in contents.items()}
    for path, content in (contents | {files.MANIFEST: files.json_bytes({"files": entries})}).items():
        files.write(folder / path, content)


@pytest.fixture
def team(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Callable[..., pytest.RunResult]:
    """A project with out/un152-02 and the same build as golden/un152-02; runs pytest in it."""
    root = pytester.path
    build(root / "out" / "un152-02", stationary(), stationary("40"))
    shutil.copytree(root / "out" / "un152-02", root / "golden" / "un152-02")

    # only our plugin: others of the environment would be loaded anew for each run
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*arguments: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess("-p", "regc.pytest_plugin", "-p", "no:cacheprovider", *arguments)

    return run


def test_nothing_happens_without_the_flag(team: Callable[..., pytest.RunResult]) -> None:
    result = team()
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_pytest_finds_the_plugin_by_itself() -> None:
    found = {entry.name: entry.value for entry in metadata.entry_points(group="pytest11")}
    assert found.get("regc") == "regc.pytest_plugin"


def test_equal_builds_pass(team: Callable[..., pytest.RunResult]) -> None:
    """Two scenarios, the list of scenarios, and one file."""
    team("--regc").assert_outcomes(passed=4)


def test_a_changed_number_tells_both_places_and_the_way_out(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    one = stationary()
    limit = one.require[0].limit
    assert limit is not None
    place = limit.value.sources[0].model_copy(update={"row": "45"})
    number = limit.value.number + 5
    changed = limit.model_copy(update={"value": limit.value.model_copy(update={"lo": number, "hi": number, "sources": (place,)})})
    first = one.require[0].model_copy(update={"limit": changed})
    build(pytester.path / "out" / "un152-02", one.model_copy(update={"require": (first, *one.require[1:])}), stationary("40"))
    result = team("--regc=out", "--regc-golden=golden")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(
        [
            f"{one.id}: require.impact.limit",
            "*golden:   * 0.00 km/h*5.2*row 20*",
            "*artefact: * 5.00 km/h*5.2*row 45*",
            "*refresh: pytest --regc=out --regc-golden=golden --regc-refresh",
        ]
    )
    result.stdout.no_fnmatch_line("*Traceback*")


def test_missing_and_further_scenarios(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    build(pytester.path / "out" / "un152-02", stationary(), stationary("40", "run"))
    result = team("--regc")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines([f"*{stationary('40').id}: golden has it, un152-02 does not"])
    result.stdout.fnmatch_lines([f"*{stationary('40', 'run').id}: un152-02 has it, golden does not"])


def test_a_changed_file_shows_the_line(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    (pytester.path / "out" / "un152-02" / "openscenario" / "one.xosc").write_text("a line\nspeed 41\n", "utf-8")
    result = team("--regc")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*one.xosc: differs", "*line 2", "*golden:   speed 40", "*artefact: speed 41"])


def test_a_golden_file_edited_by_hand(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    for name in ("golden", "out"):
        (pytester.path / name / "un152-02" / "openscenario" / "one.xosc").write_text("forged\n", "utf-8")
    result = team("--regc")
    result.assert_outcomes(passed=3, failed=1)
    result.stdout.fnmatch_lines(["*it was edited by hand"])


def test_a_file_or_a_whole_build_that_is_gone(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    (pytester.path / "out" / "un152-02" / "openscenario" / "one.xosc").unlink()
    team("--regc").assert_outcomes(passed=3, failed=1)
    shutil.rmtree(pytester.path / "out")
    result = team("--regc")
    result.assert_outcomes(failed=4)
    result.stdout.fnmatch_lines(["*scenarios.json: cannot be read*"])


def test_refresh_takes_the_new_build_and_drops_what_is_gone(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    kept = pytester.path / "golden" / "un152-02"
    shutil.rmtree(pytester.path / "out")
    build(pytester.path / "out" / "un152-02", stationary("40", "run"))
    (kept / "NOTES.txt").write_text("the team's own\n", "utf-8")
    team("--regc", "--regc-refresh").assert_outcomes(passed=1)
    team("--regc").assert_outcomes(passed=3)
    assert (kept / "NOTES.txt").is_file()


def test_no_golden_build_names_the_next_step(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    shutil.rmtree(pytester.path / "golden")
    result = team("--regc")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no golden build*", "*--regc-refresh*"])


def test_folders_from_the_ini_file_and_beside_own_tests(team: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    (pytester.path / "golden").rename(pytester.path / "reference")
    pytester.makeini("[pytest]\nregc_golden = reference\n")
    pytester.makepyfile("def test_own():\n    assert 1 + 1 == 2\n")
    team("--regc").assert_outcomes(passed=5)


def test_real_build_against_itself(built: Any, pytester: pytest.Pytester) -> None:
    checks = golden_builds.checks(built.folder, built.folder)
    assert len(checks) > 184
    assert [name for name, check in checks if check()] == []


def test_chosen_by_name(team: Callable[..., pytest.RunResult]) -> None:
    team("--regc", "-k", stationary().id).assert_outcomes(passed=1, deselected=3)
