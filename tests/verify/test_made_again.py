"""`regc verify` builds and reports a second time: what no content check can know is named too, whoever wrote the manifest's hashes."""

from __future__ import annotations

import hashlib
import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.model.machine_files import seal
from regc.pipeline.build import build
from regc.pipeline.request import Built, Request
from regc.report.html import print_pdf
from tests.conftest import INVENTED, Outcome, all_targets

#: A digit that stands alone, or at the end of a number.
_NUMBER = re.compile(r"(?<![\w.#&-])(\d+(?:\.\d+)?)(?![\w.;])")
#: What differs because another file was changed: a sidecar's scenario file, a test that one of the machine files tells of.
_FOLLOWING: set[str] = set()


@pytest.fixture(scope="module")
def shuttles(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The invented regulation with every target."""
    return build(Request(str(INVENTED), targets=all_targets()), tmp_path_factory.mktemp("shuttles"))


@pytest.fixture(scope="module")
def reported(tmp_path_factory: pytest.TempPathFactory, cli_of_module: Callable[..., Outcome]) -> Path:
    """The tests of one family, so that a second build is quick, with every target and every report."""
    out = tmp_path_factory.mktemp("reported")
    assert (
        cli_of_module("build", INVENTED, "--family", "rolling_cart", "--out", out, *(f"--target={name}" for name in all_targets())).code
        == 0
    )
    (folder,) = out.iterdir()
    assert cli_of_module("report", INVENTED, "--build", folder, "--number", "7", "--date", "2026-03-01").code == 0
    return folder


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


def kinds(folder: Path) -> dict[str, Path]:
    """One file for each folder and ending that holds a number, by that kind."""
    listed = json.loads((folder / "manifest.json").read_text("utf-8"))["files"]
    kinds: dict[str, Path] = {}
    for name in sorted(listed):
        path = folder / name
        kind = f"{'/'.join(name.split('/')[:-1])} {path.suffix}".strip()
        if path.suffix in (".xlsx", ".pdf") or _NUMBER.search(path.read_text("utf-8")):
            kinds.setdefault(kind, path)
    return kinds


def change_a_number(path: Path, rng: random.Random) -> None:
    """Another last digit of one number of a file, wherever it stands."""
    if path.suffix == ".xlsx":
        _change_a_cell(path, rng)
        return
    text = path.read_bytes().decode("utf-8")
    place = rng.choice(list(_NUMBER.finditer(text)))
    digits = place[1][:-1] + str((int(place[1][-1]) + 1) % 10)
    path.write_bytes((text[: place.start(1)] + digits + text[place.end(1) :]).encode())


def _change_a_cell(path: Path, rng: random.Random) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(path)
    cells = [cell for sheet in book.worksheets for row in sheet.iter_rows() for cell in row]
    cell = rng.choice([cell for cell in cells if re.search(r"\d$", str(cell.value))])
    cell.value = f"{cell.value}7" if isinstance(cell.value, str) else cell.value + 1
    book.save(path)


@pytest.mark.parametrize("sealed", [True, False], ids=["new hashes", "old hashes"])
@pytest.mark.parametrize("seed", [1, 2])
def test_one_changed_number_in_every_kind_of_file_is_named(
    seed: int, sealed: bool, reported: Path, tmp_path: Path, cli: Callable[..., Outcome]
) -> None:
    folder, rng = Path(shutil.copytree(reported, tmp_path / reported.name)), random.Random(seed)
    changed = kinds(folder)
    for path in changed.values():
        change_a_number(path, rng)
    if sealed:
        resealed(folder)
    done = cli("verify", folder, "--profile", INVENTED, "--json")
    told = json.loads(done.out)["differences"]
    assert done.code == 1
    assert {path.relative_to(folder).as_posix() for path in changed.values()} == {item["file"] for item in told} - _FOLLOWING
    if sealed:
        unsaid = [item for item in told if not (item["path"] and item["held"]) and item["code"] not in ("V566", "V569")]
        assert unsaid == []


@pytest.mark.skipif(shutil.which("chromium") is None, reason="a report is printed by Chromium")
@pytest.mark.slow
def test_a_number_of_the_printed_report_is_named(reported: Path, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    folder = Path(shutil.copytree(reported, tmp_path / reported.name))
    asked = ("report", INVENTED, "--build", folder, "--format", "html", "--pdf")
    assert cli(*asked).code == 0
    assert cli("verify", folder, "--profile", INVENTED).code == 0
    page = folder / "report" / "report.html"
    before = page.read_text("utf-8")
    page.write_text(before.replace("12 mph", "13 mph"), "utf-8")
    print_pdf(page, folder / "report" / "report.pdf")
    page.write_text(before, "utf-8", newline="")
    resealed(folder)
    (item,) = json.loads(cli("verify", folder, "--profile", INVENTED, "--json").out)["differences"]
    assert (item["code"], item["file"], item["path"]) == ("V573", "report/report.pdf", "page 1")
    assert "13 mph" in item["said"]
    assert "12 mph" in item["held"]


def test_every_file_is_that_of_a_second_build(copy: Path, cli: Callable[..., Outcome]) -> None:
    done = cli("verify", copy, "--profile", INVENTED)
    assert done.code == 0
    count = len(json.loads((copy / "manifest.json").read_text("utf-8"))["files"])
    assert f"{count} of {count} files are those of a second build" in " ".join(done.out.split())


@pytest.mark.parametrize("again", [False, True], ids=["report last", "report, then another build"])
def test_a_report_is_no_matter_of_the_order(again: bool, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    """A front page that was made after the report lists it; the report then is of the build before, and names its hashes."""
    assert cli("build", INVENTED, "--family", "rolling_cart", "--out", tmp_path).code == 0
    (folder,) = tmp_path.iterdir()
    assert cli("report", INVENTED, "--build", folder, "--format", "csv,xlsx,reqif").code == 0
    if again:
        assert cli("build", INVENTED, "--family", "rolling_cart", "--out", tmp_path, "--target", "neutral").code == 0
    done = cli("verify", folder, "--profile", INVENTED, "--json")
    assert (done.code, json.loads(done.out)["differences"]) == (0, [])


def test_files_of_ones_own_are_given_again(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    record, layouts = tmp_path / "record.toml", tmp_path / "own layouts.toml"
    record.write_text('vehicle = "shuttle 17"\n', "utf-8")
    layouts.write_text("", "utf-8")
    assert cli("build", INVENTED, "--family", "rolling_cart", "--out", tmp_path / "out", "--layouts", layouts).code == 0
    (folder,) = (tmp_path / "out").iterdir()
    assert cli("report", INVENTED, "--build", folder, "--format", "html", "--record", record, "--family", "rolling_cart").code == 0
    page = folder / "report" / "report.html"
    assert "shuttle 17" in page.read_text("utf-8")
    page.write_text(page.read_text("utf-8").replace("shuttle 17", "shuttle 18"), "utf-8", newline="")
    resealed(folder)

    def verified(*own: object) -> tuple[str, list[tuple[str, str]]]:
        told = json.loads(cli("verify", folder, "--profile", INVENTED, *own, "--json").out)
        return told["again"], [(item["file"], item["said"]) for item in told["differences"]]

    assert verified() == ("not built again: it was made with files of one's own: layouts own layouts.toml (give each by --with)", [])
    line, told = verified("--with", layouts)
    assert line.endswith(
        "report/report.html is made with files of one's own and was not made again: record record.toml (give each by --with)"
    )
    assert told == []
    line, ((file, said),) = verified("--with", layouts, "--with", record)
    assert file == "report/report.html"
    assert "shuttle 18" in said


def test_a_report_whose_making_is_not_told_is_no_success(reported: Path, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    folder = Path(shutil.copytree(reported, tmp_path / reported.name))
    path = folder / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"reports": {}}), "utf-8")
    resealed(folder)
    told = json.loads(cli("verify", folder, "--profile", INVENTED, "--json").out)["differences"]
    assert {(item["code"], item["file"].partition("/")[0], item["held"]) for item in told} == {
        ("V573", "report", "a second report does not write this file")
    }


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
    assert item["code"] != "V572" or (item["path"] and "a second build writes" in item["held"])


def test_what_cannot_be_built_again_is_told(copy: Path, cli: Callable[..., Outcome]) -> None:
    path = copy / "manifest.json"
    data = json.loads(path.read_text("utf-8")) | {"regc": "0.0.1"}
    path.write_text(json.dumps({**data, "seal": seal(data)}), "utf-8")
    done = cli("verify", copy, "--profile", INVENTED)
    assert done.code == 0
    assert "not built again: regc 0.0.1 made it" in " ".join(done.out.split())
