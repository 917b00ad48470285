"""Templates of a user's own: what they may do, how long, and whose mistake it is."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from regc import files, templating
from regc.errors import DataFileError, OutputError, TemplateFailedError
from regc.pipeline.build import build
from regc.pipeline.request import Request
from regc.plugins import TARGETS
from regc.templating import render
from tests.conftest import INVENTED, Outcome, all_targets

CSV = "csv/full/any.txt.j2"


def own(folder: Path, text: str) -> Path:
    """A folder with one template of the user's."""
    path = folder / "own" / CSV
    path.parent.mkdir(parents=True)
    path.write_text(text, "utf-8")
    return folder / "own"


def test_a_template_of_ones_own_is_rendered(tmp_path: Path) -> None:
    folder = own(tmp_path, "{{ a }} and {{ b | upper }}")
    assert [render("un152", CSV, folder, a=1, b=word) for word in ("x", "y")] == ["1 and X", "1 and Y"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}", "not done in 1 s"),
        ("{% set x = [0] * 100000 %}{% for i in x %}{% for j in x %}{% endfor %}{% endfor %}", "not done in 1 s"),
        ("{{ 'x' * 10 ** 11 }}", "MemoryError"),
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "unsafe"),
        ("{{ x.append(1) }}", "unsafe"),
        ("{% macro turn() %}{{ turn() }}{% endmacro %}{{ turn() }}", "RecursionError|recursion"),
        ("{% for i in range(99999) %}{% for j in range(99999) %}{% set y = i ** j %}{% endfor %}{% endfor %}", "not done in 1 s"),
        ("{% include '/etc/hostname' %}", "/etc/hostname"),
        ("{% include '../../secret.txt' %}", "secret.txt"),
        ("{{ x.__init__.__globals__['os'].listdir('/') }}", "unsafe"),
        ("{{ self._TemplateReference__context.environment.loader.searchpath }}", "unsafe|undefined"),
        ("{{ missing }}", "'missing' is undefined"),
        ("{% if %}", "line 1"),
    ],
)
def test_what_a_template_may_not_do(text: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = own(tmp_path, text)
    monkeypatch.setattr(templating, "LIMIT", 1.0)
    start = time.monotonic()
    with pytest.raises(DataFileError, match=says):
        render("un152", CSV, folder, x=[])
    assert time.monotonic() - start < 8


def test_after_one_that_was_stopped_the_next_is_rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = own(tmp_path, "{% for i in range(n) %}{% for j in range(n) %}{% endfor %}{% endfor %}done")
    monkeypatch.setattr(templating, "LIMIT", 2.0)
    with pytest.raises(DataFileError, match="not done"):
        render("un152", CSV, folder, n=90_000)
    assert render("un152", CSV, folder, n=1) == "done"


def test_a_template_of_regcs_own_never_blames_the_user(tmp_path: Path) -> None:
    with pytest.raises(TemplateFailedError, match="regc's own template") as caught:
        render("un152", CSV, None, s=None)
    assert "report it" in caught.value.hint
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(TemplateFailedError, match="regc's own template"):
        render("un152", CSV, empty, s=None)


def test_one_target_that_fails_stops_no_other(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail(*_: object) -> None:
        raise TemplateFailedError("regc's own template x: no tolerance", hint="report it")

    monkeypatch.setattr(TARGETS.load("csv"), "emit", fail)
    targets = {name: options for name, options in all_targets().items() if name in ("csv", "text")}
    request = Request(str(INVENTED), targets=targets)
    for _ in range(2):  # the second finds the first one's folder
        made = build(request, tmp_path / "out")
        failed = [finding for finding in made.findings if finding.code == "O694"]
        assert [(finding.severity, finding.message) for finding in failed] == [
            ("error", "csv: not written: regc's own template x: no tolerance")
        ]
        assert list((made.folder / "text").glob("*.md"))


def test_a_dash_for_a_tolerance_stops_nothing(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    from regc.pipeline.profiles import profile_folder

    text = (profile_folder("un152") / "02.md").read_text("utf-8")
    old = "<tr><td>40</td><td>42</td><td>+0/-2</td></tr>"
    assert text.count(old) >= 1
    source = tmp_path / "dash.md"
    source.write_text(text.replace(old, "<tr><td>40</td><td>42</td><td>-</td></tr>", 1), "utf-8")
    done = cli("build", "un152", "--source", source, "--target", "text", "--target", "csv", "--out", tmp_path / "out")
    assert done.code == 1
    assert "T315" in done.out
    assert "6.4#1: row 2: '-' is no tolerance" in done.out
    (folder,) = (tmp_path / "out").iterdir()
    assert (folder / "csv" / "test_cases.csv").is_file()
    assert list((folder / "text").glob("*.md"))


def test_processes_that_build_into_one_folder_take_turns(tmp_path: Path) -> None:
    """Three at once, each with a target of its own and one that all have, laid out otherwise: none is lost, and each file is whole."""
    ways = (["-t", "csv", "--traffic", "lht"], ["-t", "openscenario", "--points", "2"], ["-t", "neutral", "--ego", "reference"])
    command = [sys.executable, "-m", "regc", "build", str(INVENTED), "-t", "text", "--out", str(tmp_path / "out")]
    running = [subprocess.Popen([*command, *way], stdout=subprocess.DEVNULL) for way in ways]
    assert [each.wait(120) for each in running] == [0, 0, 0]
    (folder,) = (each for each in (tmp_path / "out").iterdir() if each.is_dir())
    listed = files.read_manifest(folder)["files"]
    assert {entry["target"] for entry in listed.values()} == {"text", "csv", "openscenario", "neutral", "regc"}
    for name, entry in listed.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == entry["sha256"]


def test_a_build_and_a_report_into_one_folder_take_turns(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    assert cli("build", INVENTED, "-t", "csv", "--out", tmp_path / "out").code == 0
    command = [sys.executable, "-m", "regc"]
    ways = (["build", str(INVENTED), "-t", "text"], ["report", str(INVENTED), "--format", "csv"])
    running = [subprocess.Popen([*command, *way, "--out", str(tmp_path / "out")], stdout=subprocess.DEVNULL) for way in ways]
    assert [each.wait(120) for each in running] == [0, 0]
    (folder,) = (each for each in (tmp_path / "out").iterdir() if each.is_dir())
    targets = {entry["target"] for entry in files.read_manifest(folder)["files"].values()}
    assert targets == {"csv", "text", "report", "regc"}


def test_a_build_that_waits_too_long_is_told(tmp_path: Path) -> None:
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with files.locked(tmp_path / "out"):
            held.set()
            done.wait(10)

    other = threading.Thread(target=hold)
    other.start()
    held.wait(10)
    with pytest.raises(OutputError, match="another build has been writing there"), files.locked(tmp_path / "out", wait=0.2):
        pass
    done.set()
    other.join()
    with files.locked(tmp_path / "out", wait=0.2):
        pass
