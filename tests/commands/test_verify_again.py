"""`regc verify` builds a second time: what no content check can know is named too, whoever wrote the manifest's hashes."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import INVENTED, Outcome, all_targets

from regc.model.machine import seal
from regc.pipeline.build import build
from regc.pipeline.request import Built, Request


@pytest.fixture(scope="module")
def shuttles(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The invented regulation with every target."""
    return build(Request(str(INVENTED), targets=all_targets()), tmp_path_factory.mktemp("shuttles"))


@pytest.fixture
def copy(shuttles: Built, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shuttles.folder, tmp_path / "copy"))


def resealed(folder: Path) -> None:
    """The manifest as somebody writes it who wants no change to be seen."""
    path = folder / "manifest.json"
    data = json.loads(path.read_text("utf-8"))
    for name, entry in data["files"].items():
        entry["sha256"] = hashlib.sha256((folder / name).read_bytes()).hexdigest()
    path.write_text(json.dumps({**data, "seal": seal(data)}), "utf-8")


def test_every_file_is_that_of_a_second_build(copy: Path, cli: Callable[..., Outcome]) -> None:
    done = cli("verify", copy, "--profile", INVENTED)
    assert done.code == 0
    count = len(json.loads((copy / "manifest.json").read_text("utf-8"))["files"])
    assert f"{count} of {count} files are those of a second build" in " ".join(done.out.split())


def test_a_report_that_was_written_later_changes_nothing(copy: Path, cli: Callable[..., Outcome]) -> None:
    assert cli("report", INVENTED, "--out", copy.parent, "--build", copy, "--format", "csv").code == 0
    done = cli("verify", copy, "--profile", INVENTED, "--json")
    assert (done.code, json.loads(done.out)["differences"]) == (0, [])


@pytest.mark.parametrize(
    ("pattern", "change"),
    [
        ("openscenario/roads/*.xodr", (r'length="(\d)', r'length="9\1')),
        ("openscenario/concrete/*.xosc", (r'rule="greaterThan"', 'rule="lessThan"')),
        ("neutral/*.json", (r'"sun_elevation": 0\.\d+', '"sun_elevation": 0.1')),
        ("carla/*.py", (r"= (\d)", r"= 7\1")),
        ("carmaker/Data/TestRun/**/*", (r"Velocity = ", "Velocity = 1")),
        ("coverage.json", (r'"waived": \d+', '"waived": 7')),
        ("findings.json", (r"kg\"", '0 kg"')),
        ("index.html", (r"1200 600</pre>", "1200 900</pre>")),
        ("pictures/*.svg", (r'="(\d+)"', r'="1\1"')),
    ],
)
def test_a_change_under_new_hashes_is_named(copy: Path, pattern: str, change: tuple[str, str], cli: Callable[..., Outcome]) -> None:
    path, text = next(
        (path, text) for path in sorted(copy.glob(pattern)) if path.is_file() and re.search(change[0], text := path.read_text("utf-8"))
    )
    path.write_text(re.sub(*change, text, count=1), "utf-8")
    resealed(copy)
    done = cli("verify", copy, "--profile", INVENTED, "--json")
    assert done.code == 1
    told = {item["file"]: item for item in json.loads(done.out)["differences"]}
    assert set(told) == {path.relative_to(copy).as_posix()}
    (item,) = told.values()
    assert item["code"] != "V572" or (item["path"].startswith("line ") and "a second build writes" in item["held"])


def test_what_cannot_be_built_again_is_told(copy: Path, cli: Callable[..., Outcome]) -> None:
    path = copy / "manifest.json"
    data = json.loads(path.read_text("utf-8")) | {"regc": "0.0.1"}
    path.write_text(json.dumps({**data, "seal": seal(data)}), "utf-8")
    done = cli("verify", copy, "--profile", INVENTED)
    assert done.code == 0
    assert "not built again: regc 0.0.1 made it" in " ".join(done.out.split())
