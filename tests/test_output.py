"""Output folders: the same bytes whatever the seed, nothing done twice, only the targets asked for replaced."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from regc import files
from regc.errors import UnknownNameError
from regc.model.result import Finding
from regc.pipeline import build_folder
from regc.pipeline.build import build
from regc.pipeline.request import Built, Compiled, Request, Staging
from regc.plugins import TARGETS
from tests.conftest import INVENTED, ROOT, all_targets


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def some(*names: str) -> dict[str, object]:
    return {name: TARGETS.load(name).Options() for name in names}


def request(*names: str, **changes: object) -> Request:
    return Request(str(INVENTED), targets=some(*names), **changes)  # type: ignore[arg-type]


# ---------------------------------------------------------------- determinism

_BUILD = """
import sys
from pathlib import Path
from regc.pipeline.build import build
from regc.pipeline.request import Request
from tests.conftest import all_targets
print(build(Request(sys.argv[1], targets=all_targets()), Path(sys.argv[2])).folder)
"""


def python(code: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "compiler"), str(ROOT)])} | environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.mark.parametrize("regulation", [str(INVENTED), pytest.param("un152", marks=pytest.mark.slow)], ids=["invented", "un152"])
def test_two_hash_seeds_give_the_same_bytes(regulation: str, tmp_path: Path) -> None:
    """Every target, built cold in another process under another seed, another time zone and another language."""
    first = build(Request(regulation, targets=all_targets()), tmp_path / "first").folder
    done = python(
        _BUILD,
        regulation,
        tmp_path / "second",
        PYTHONHASHSEED="4242",
        TZ="Pacific/Auckland",
        LC_ALL="C",
        REGC_CACHE_DIR=str(tmp_path / "cache"),
    )
    assert done.returncode == 0, done.stderr
    assert contents(Path(done.stdout.strip())) == contents(first)


def test_no_artefact_holds_a_path_a_clock_or_a_carriage_return(built: Built) -> None:
    own = [str(ROOT).encode(), str(built.folder.parent).encode(), str(Path.home()).encode()]
    year = time.strftime("%Y-%m-%d").encode()
    for path in built.folder.rglob("*"):
        if not path.is_file():
            continue
        content = path.read_bytes()
        assert b"\r" not in content, path.name
        assert year not in content, path.name
        assert not any(name in content for name in own if len(name) > 1), path.name


def test_every_artefact_of_an_embedded_edition_says_so(built: Built) -> None:
    """In a header, or as the `wording` of a file that other tools read."""
    silent = []
    for path in sorted(built.folder.rglob("*")):
        if path.suffix in (".xosc", ".xodr", ".md", ".json") and b"embedded" not in path.read_bytes():
            silent.append(path.relative_to(built.folder).as_posix())
    assert silent == []


# ---------------------------------------------------------------- manifest, up to date


def test_manifest_names_every_file_with_its_hash(built: Built) -> None:
    manifest = files.read_manifest(built.folder)
    found = contents(built.folder)
    del found[files.MANIFEST]
    assert {path: entry["sha256"] for path, entry in manifest["files"].items()} == found
    assert {entry["target"] for entry in manifest["files"].values()} == {"regc", *manifest["targets"]}
    assert manifest["source"]["sha256"] == built.compiled.document.sha256
    assert (manifest["regulation"], manifest["edition"], manifest["wording"]) == ("un152", "02", "embedded")
    assert not any(Path(path).is_absolute() or "\\" in path or ".." in path for path in manifest["files"])


def test_second_build_does_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(request("text", "openscenario"), tmp_path)
    assert not first.up_to_date
    before = {path: path.stat().st_mtime_ns for path in first.folder.rglob("*")}

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("written again")

    monkeypatch.setattr(files, "replace_folder", forbidden)
    second = build(request("text", "openscenario"), tmp_path)
    assert second.up_to_date
    assert {path: path.stat().st_mtime_ns for path in second.folder.rglob("*")} == before
    assert second.findings == first.findings


def test_up_to_date_build_still_tells_what_a_target_could_not_express(tmp_path: Path) -> None:
    options = TARGETS.load("openscenario").Options(profile="esmini-3")
    wanted = Request(str(INVENTED), sweep="mandatory", targets={"openscenario": options})
    first, second = build(wanted, tmp_path), build(wanted, tmp_path)
    assert second.up_to_date
    lost = {(loss.code, loss.message) for item in first.artifacts for loss in item.losses}
    assert any("friction" in message for _, message in lost)
    assert {(finding.code, finding.message) for finding in second.findings} >= lost
    assert second.findings == first.findings


def test_an_edited_source_is_built_again(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INVENTED, tmp_path / "own"))
    wanted = Request(str(folder), targets=some("csv"))  # type: ignore[arg-type]
    first = build(wanted, tmp_path / "out")
    text = (folder / "rules.md").read_text("utf-8")
    (folder / "rules.md").write_text(text.replace("at least 5 seconds", "at least 7 seconds"), encoding="utf-8")
    second = build(wanted, tmp_path / "out")
    assert not second.up_to_date
    for made, seconds in ((first, "5"), (second, "7")):
        assert {str(item.number("ttc").number) for item in made.compiled.suite.scenarios} == {seconds}  # type: ignore[union-attr]


def test_an_edited_profile_is_built_again(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INVENTED, tmp_path / "own"))
    wanted = Request(str(folder), targets=some("csv"))  # type: ignore[arg-type]
    build(wanted, tmp_path / "out")
    text = (folder / "profile.toml").read_text("utf-8")
    (folder / "profile.toml").write_text(text.replace('token = "ShToStand"', 'token = "Stands"'), encoding="utf-8")
    second = build(wanted, tmp_path / "out")
    assert not second.up_to_date
    assert any("_Stands_" in item.id for item in second.compiled.suite.scenarios)


@pytest.mark.parametrize("damage", ["edited", "deleted"])
def test_a_touched_artefact_is_made_again(damage: str, tmp_path: Path) -> None:
    first = build(request("csv"), tmp_path)
    path = first.folder / "csv" / "test_cases.csv"
    good = path.read_bytes()
    if damage == "edited":
        path.write_bytes(good + b"x")
    else:
        path.unlink()
    second = build(request("csv"), tmp_path)
    assert not second.up_to_date
    assert path.read_bytes() == good


def test_another_template_is_built_again(tmp_path: Path) -> None:
    own = tmp_path / "templates" / "text"
    own.mkdir(parents=True)
    template = own / "test_case.md.j2"
    template.write_text("# {{ s.id }} first\n")
    options = TARGETS.load("text").Options(templates=tmp_path / "templates")
    wanted = Request(str(INVENTED), targets={"text": options})
    build(wanted, tmp_path / "out")
    assert build(wanted, tmp_path / "out").up_to_date
    template.write_text("# {{ s.id }} second\n")
    second = build(wanted, tmp_path / "out")
    assert not second.up_to_date
    text = next((second.folder / "text").glob("*ShTo*.md")).read_text("utf-8")
    assert text.endswith("second\n")


def test_a_build_replaces_its_own_targets_only(tmp_path: Path) -> None:
    first = build(request("text"), tmp_path)
    before = contents(first.folder)
    (first.folder / "notes.txt").write_text("mine")
    second = build(request("csv"), tmp_path)
    after = contents(second.folder)
    kept = {path for path in before if path.startswith("text/")}
    assert kept
    assert all(after[path] == before[path] for path in kept)
    assert "notes.txt" in after
    assert "csv/test_cases.csv" in after
    third = build(request("text", tests=("rolling_cart",)), tmp_path)
    left = contents(third.folder)
    assert "notes.txt" in left
    assert "csv/test_cases.csv" in left
    assert not any("ShToStand" in path for path in left if path.startswith("text/"))


# ---------------------------------------------------------------- filters


def test_filters_take_scenarios_and_leave_the_coverage(tmp_path: Path) -> None:
    whole = build(request("csv"), tmp_path / "whole").compiled.suite
    made = build(request("csv", categories=("HS",), sweep="mandatory"), tmp_path / "part")
    part = made.compiled.suite
    wanted = [item for item in whole.scenarios if item.axes["category"].value == "HS" and item.status == "mandatory"]
    assert len(wanted) == 6
    assert part.selected == tuple(wanted)
    assert (part.scenarios, part.coverage) == (whole.scenarios, whole.coverage)
    rows = (made.folder / "csv" / "test_cases.csv").read_text("utf-8").splitlines()
    assert len(rows) == 1 + len(wanted)


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"tests": ("rolling_cart",)}, 14),
        ({"tests": ("ShToRoll",)}, 14),
        ({"categories": ("hs",)}, 12),
        ({"where": {"load": "empty"}}, 15),
        ({"where": {"load": "empty", "category": "LS"}, "sweep": "mandatory"}, 3),
    ],
    ids=str,
)
def test_what_each_filter_keeps(changes: dict[str, Any], kept: int, invented: Compiled) -> None:
    chosen = build_folder.chosen(invented.suite, Request(str(INVENTED), **changes))
    assert (len(chosen.selected), len(chosen.scenarios)) == (kept, 29)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"tests": ("roling_cart",)}, "rolling_cart"),
        ({"categories": ("HZ",)}, "HS"),
        ({"where": {"lode": "empty"}}, "load"),
        ({"where": {"load": "emty"}}, "empty"),
    ],
    ids=str,
)
def test_a_filter_that_names_nothing_is_refused(changes: dict[str, Any], says: str, invented: Compiled) -> None:
    with pytest.raises(UnknownNameError) as refused:
        build_folder.chosen(invented.suite, Request(str(INVENTED), **changes))
    assert says in refused.value.hint


def test_folder_names_say_regulation_edition_and_source(built: Built, tmp_path: Path) -> None:
    assert built.folder.name == "un152-02"
    made = build(Request(str(INVENTED), source=INVENTED / "rules.md", targets=some("csv")), tmp_path)  # type: ignore[arg-type]
    assert made.folder.name == f"shuttles-2nd-rules-{made.compiled.document.sha256[:4]}"


# ---------------------------------------------------------------- death and recovery

_KILLED = """
import os, signal, sys, time
from pathlib import Path
from regc.pipeline.build import build
from regc.pipeline.request import Request
from regc.plugins import TARGETS
rename = Path.rename
def slow(self, target):
    if self.name.endswith(".staging"):
        print("now", flush=True)
        time.sleep(60)
    return rename(self, target)
Path.rename = slow
build(Request(sys.argv[1], targets={"text": TARGETS.load("text").Options()}), Path(sys.argv[2]))
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_build_killed_in_mid_swap_is_put_right_by_the_next(tmp_path: Path) -> None:
    first = build(request("csv"), tmp_path)
    good = contents(first.folder)
    process = subprocess.Popen(
        [sys.executable, "-c", _KILLED, str(INVENTED), str(tmp_path)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "compiler"), str(ROOT)])},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=30)
    process.stdout.close()
    assert not first.folder.exists()  # the one moment between two renames
    again = build(request("csv"), tmp_path)
    assert again.up_to_date
    assert contents(again.folder) == good
    assert "O690" in {finding.code for finding in again.findings}
    assert {path.name for path in tmp_path.iterdir()} == {first.folder.name}


def test_a_target_that_fails_leaves_the_last_good_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = build(request("csv"), tmp_path)
    good = contents(first.folder)

    def broken(*_: object) -> None:
        raise RuntimeError("a bug in a target")

    monkeypatch.setattr(TARGETS.load("text"), "emit", broken)
    with pytest.raises(RuntimeError, match="a bug in a target"):
        build(request("csv", "text"), tmp_path)
    assert contents(first.folder) == good


def test_findings_are_written_once_each(built: Built) -> None:
    data = json.loads((built.folder / build_folder.FINDINGS).read_text("utf-8"))
    findings = [Finding.model_validate(item) for item in data["findings"]]
    keys = [(finding.code, finding.message, finding.scenario, finding.field) for finding in findings]
    assert len(set(keys)) == len(keys)
    assert tuple(findings) == built.findings


def test_manifest_says_what_was_declared_and_how_it_was_staged(tmp_path: Path) -> None:
    made = build(request("csv", staging=Staging(ego="reference", step=0.02)), tmp_path)
    manifest = files.read_manifest(made.folder)
    assert (manifest["declared"], manifest["staging"]["ego"], manifest["staging"]["step"]) == ({}, "reference", 0.02)
    again = build(request("csv"), tmp_path)
    assert not again.up_to_date
    assert files.read_manifest(again.folder)["staging"]["ego"] == "none"
