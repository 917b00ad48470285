"""Bad input through the command line: exit code, a message with place, value and next step, and nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.model.result import Finding
from tests.conftest import INVENTED, Outcome
from tests.edits import RULES, TEXT, compile_text, edited
from tests.readers.pdf_maker import Sheet, pdf

Cli = Callable[..., Outcome]


def build(cli: Cli, source: Path, out: Path, *more: object) -> Outcome:
    return cli("build", "un152", "--source", source, "--out", out, "--target", "csv", *more)


def plain_sheet() -> Sheet:
    return Sheet().words(60, 100, "1.").words(120, 100, "Scope").words(60, 130, "1.1.").words(120, 130, "These rules hold for carts.")


UNREADABLE = {
    "empty": (b"", "0 bytes", "download"),
    "truncated": (pdf(plain_sheet())[:400], "truncated", "download"),
    "encrypted": (pdf(plain_sheet(), encrypted=True), "encrypted", "password"),
    "scanned": (pdf(Sheet().box(50, 50, 400, 600), Sheet().box(50, 50, 400, 600)), "no text", "OCR"),
    "no pdf": (b"PK\x03\x04 something else entirely", "not a PDF", "suffix"),
    "no regulation": (pdf(Sheet().words(60, 100, "Dear reader, thank you for your letter.")), "no numbered paragraph", "regulation"),
    "another regulation": (pdf(plain_sheet()), "does not name", "right file"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_compiled_ends_with_2_and_writes_nothing(name: str, cli: Cli, tmp_path: Path) -> None:
    content, says, hint = UNREADABLE[name]
    source = tmp_path / "official.pdf"
    source.write_bytes(content)
    done = build(cli, source, tmp_path / "out")
    assert done.code == 2
    first, second = done.err.splitlines()[:2]
    assert first.startswith("error: official.pdf: ")
    assert says.lower() in first.lower()
    assert second.startswith("  next: ")
    assert hint.lower() in second.lower()
    assert "Traceback" not in done.err
    assert done.out == ""
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "says", "hint"),
    [
        (("build", "un125"), "no 'un125'", "did you mean 'un1"),
        (("build", "un152", "--edition", "2"), "no edition '2'", "02"),
        (("build", "un152", "--target", "openscenari"), "no 'openscenari'", "did you mean 'openscenario'"),
        (("build", "un152", "--family", "bicycl"), "no 'bicycl'", "did you mean 'bicycle'"),
        (("build", "un152", "--where", "load=maximum"), "no 'maximum'", "max"),
        (("build", "un131", "--declare", "v_desing=90km/h"), "v_desing", "did you mean 'v_design'"),
        (("build", "un152", "--category", "M2"), "no 'M2'", "M1"),
        (("build", "un152", "--source", "missing.pdf"), "missing.pdf", "check the path"),
        (("build", "un152", "--source", "notes.xyz"), "notes.xyz", "readers take"),
        (("show", "un152", "5.2.1.44"), "no clause '5.2.1.44'", "5.2.1.4"),
        (("explain", "T3041"), "no 'T3041'", "did you mean"),
        (("bild", "un152"), "no 'bild'", "did you mean 'build'"),
    ],
    ids=lambda value: value[-1] if isinstance(value, tuple) else "",
)
def test_a_wrong_name_says_which_is_meant(
    arguments: tuple[str, ...], says: str, hint: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.xyz").write_text("1. Scope")
    done = cli(*arguments)
    assert done.code == 2
    assert says in done.err
    assert hint in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("command", [("check",), ("build", "--target", "text"), ("cite", "[3.1]")])
@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize(("key", "named"), [("text", 'text = "rulez.md"'), ("use", 'text = "rules.md"\nuse = ["rulez.md"]')])
def test_a_file_that_a_profile_names_and_that_is_not_there(
    command: tuple[str, ...], source: bool, key: str, named: str, cli: Cli, tmp_path: Path
) -> None:
    """The line of the profile and the next step are told, also where the text is given with --source."""
    folder = tmp_path / "relays"
    shutil.copytree(Path(__file__).parent / "fixtures" / "regulations" / "relays", folder)
    profile = (folder / "profile.toml").read_text("utf-8").replace('text = "rules.md"', named)
    (folder / "profile.toml").write_text(profile, "utf-8")
    name, *rest = command
    given = ("--source", str(folder / "rules.md")) if source else ()
    done = cli(name, folder, *rest, *given)
    said = done.out + done.err
    assert done.code in (1, 2)
    assert "P100: there is no file rulez.md in relays/" in said
    line = next(count for count, held in enumerate(profile.splitlines(), 1) if held.startswith(key))
    assert f"profile.toml:{line}" in said
    assert "next: " in said


def test_an_output_folder_that_cannot_be_written(cli: Cli, tmp_path: Path) -> None:
    """A file stands where the folder should be: the same for root, who may write everywhere."""
    (tmp_path / "out").write_text("mine")
    done = cli("build", INVENTED, "--target", "csv", "--out", tmp_path / "out")
    assert done.code == 2
    assert "cannot be written" in done.err
    assert "--out" in done.err
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_an_output_folder_without_permission(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir(mode=0o500)
    done = cli("build", INVENTED, "--target", "csv", "--out", tmp_path / "out")
    assert done.code == 2
    assert "Permission denied" in done.err
    assert list((tmp_path / "out").iterdir()) == []


# ---------------------------------------------------------------- content that is wrong


def of(findings: tuple[Finding, ...], code: str) -> list[Finding]:
    return [finding for finding in findings if finding.code == code]


def findings_of(text: str, folder: Path) -> tuple[Finding, ...]:
    return compile_text(text, folder).suite.findings


def test_a_limit_table_with_a_missing_row(cli: Cli, tmp_path: Path) -> None:
    """The footnote's worked example tells that row 55 must be there; between listed speeds the next higher row would hold."""
    text = edited(TEXT, "**M1 vehicles: maximum relative", "<tr><td>55</td><td>30.00</td><td>30.00</td></tr>\n", "")
    (tmp_path / "official.md").write_text(text, encoding="utf-8")
    done = build(cli, tmp_path / "official.md", tmp_path / "out", "--json")
    assert done.code == 1
    data = json.loads(done.out)
    findings = tuple(Finding.model_validate(item) for item in data["findings"])
    example, row = of(findings, "X501")[0], of(findings, "T313")[0]
    assert (example.severity, row.severity) == ("error", "warning")
    assert "the text says otherwise" in example.message
    assert "between 50 and 60 a row may be missing" in row.message
    assert example.hint
    assert row.hint
    assert data["files"] == 0
    assert not (tmp_path / "out").exists()


def test_errors_are_written_over_only_by_force_and_every_file_says_so(cli: Cli, tmp_path: Path) -> None:
    text = edited(TEXT, "**M1 vehicles: maximum relative", "<tr><td>55</td><td>30.00</td><td>30.00</td></tr>\n", "")
    (tmp_path / "official.md").write_text(text, encoding="utf-8")
    done = build(cli, tmp_path / "official.md", tmp_path / "out", "--target", "text", "--target", "openscenario", "--force")
    assert done.code == 1
    assert "X501" in done.out
    (folder,) = (tmp_path / "out").iterdir()
    made = [path for path in folder.rglob("*") if path.suffix in (".md", ".xosc", ".xodr", ".csv") or path.match("concrete/*.json")]
    assert len(made) > 200
    assert [path.name for path in made if b"Made with --force over " not in path.read_bytes()] == []


def test_a_missing_row_that_no_example_speaks_of(tmp_path: Path) -> None:
    text = edited(TEXT, "**N1 vehicles: maximum impact", "<tr><td>30</td><td>0.00</td><td>0.00</td></tr>\n", "")
    found = of(findings_of(text, tmp_path), "T313")
    assert any("5.2.2.4#2" in finding.message and "between 25 and 35" in finding.message for finding in found)


def test_swapped_captions_are_an_error(tmp_path: Path) -> None:
    """The captions of 5.2.1.4 change places, footnote marks and all: what the tables hold gives them away."""
    first, second = (
        "**M1 vehicles: maximum relative impact speed (km/h)**[^3]",
        "**N1 vehicles: maximum relative impact speed (km/h)**[^4]",
    )
    assert first in TEXT
    assert second in TEXT
    findings = findings_of(TEXT.replace(first, "@").replace(second, first).replace("@", second), tmp_path)
    errors = [finding for finding in findings if finding.severity == "error"]
    assert {finding.code for finding in errors} == {"X501"}
    assert any("limit^" in finding.message for finding in errors)


def test_swapped_categories_in_captions_alone_are_told(tmp_path: Path) -> None:
    """Only M1 and N1 change places in the captions of 5.2.2.4: the test speeds of the categories do not fit any more."""
    start, end = TEXT.index("#### 5.2.2.4."), TEXT.index("### 5.2.3.")
    part = TEXT[start:end].replace("**M1 vehicles", "**@").replace("**N1 vehicles", "**M1 vehicles").replace("**@", "**N1 vehicles")
    found = of(findings_of(TEXT[:start] + part + TEXT[end:], tmp_path), "T318")
    assert any("5.2.2.4" in finding.message and "38 km/h" in finding.message for finding in found)


def test_a_test_speed_below_the_range(tmp_path: Path) -> None:
    """5.2.2.3 holds from 20 km/h; the lowest row of the table's limit would be taken for 5 km/h."""
    text = edited(TEXT, "stationary target, M1 category", "<td>20</td><td>20</td>", "<td>20</td><td>5</td>")
    findings = findings_of(text, tmp_path)
    (row,) = of(findings, "T318")
    assert "no row for the prescribed test speed 5 km/h (test stationary, category M1, load run)" in row.message
    (outside,) = of(findings, "T325")
    assert outside.severity == "error"
    assert (
        "test stationary, category M1, load run, subject 5 km/h: prescribed, and outside the stated range 10 to 60 km/h"
        in outside.message
    )


def test_a_dangling_reference(tmp_path: Path) -> None:
    # without what calls it regc's own wording, of which parts are left out
    official = TEXT.split("-->", 1)[1].replace("), reworded", ")", 1)
    text = edited(official, "5.3.1. By means", "By means", "By means of paragraph 5.9.9., which")
    found = [finding for finding in findings_of(text, tmp_path) if finding.code.startswith("R2") and "5.9.9" in finding.message]
    assert len(found) == 1
    assert "5.3.1" in found[0].message
    assert found[0].hint


def test_a_file_of_another_edition(tmp_path: Path) -> None:
    """It names no series of amendments: nothing says that it is the edition asked for."""
    found = of(findings_of(TEXT.replace("02 series of amendments", "07 series of amendments"), tmp_path), "R181")
    assert len(found) == 1
    assert found[0].severity == "error"
    assert "copy.md" in found[0].message
    assert "--edition" in found[0].hint


def test_other_regulations_are_refused(cli: Cli, shared: Path, tmp_path: Path) -> None:
    done = build(cli, shared / "regulations" / "distractors" / "un130.pdf", tmp_path / "out")
    assert done.code == 2
    assert "un130.pdf: this is not UN Regulation No. 152" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_five_hundred_pages_through_the_whole_pipeline(cli: Cli, tmp_path: Path) -> None:
    sheets = []
    for number in range(1, 501):
        sheet = Sheet().words(60, 100, f"{number}.", bold=True).words(120, 100, f"Heading of part {number}", bold=True)
        if number == 1:
            sheet.words(120, 70, "UN Regulation No. 152", bold=True)
        for line in range(12):
            sheet.words(60, 130 + 30 * line, f"{number}.{line + 1}.").words(
                120, 130 + 30 * line, f"Paragraph {line} says nothing at all."
            )
        sheets.append(sheet)
    source = tmp_path / "long.pdf"
    source.write_bytes(pdf(*sheets))
    start = time.process_time()
    done = build(cli, source, tmp_path / "out")
    assert time.process_time() - start < 60  # a fraction of it on a quiet machine
    assert done.code == 1
    assert "L201" in done.out
    assert not (tmp_path / "out").exists()


# ---------------------------------------------------------------- exit codes


def test_exit_codes(cli: Cli, tmp_path: Path) -> None:
    assert cli("build", INVENTED, "--target", "csv", "--out", tmp_path).code == 0
    falling = RULES.replace("<td>14.0</td>", "<td>5.0</td>")
    (tmp_path / "falling.md").write_text(falling, encoding="utf-8")
    arguments = ("build", INVENTED, "--source", tmp_path / "falling.md", "--target", "csv", "--out", tmp_path)
    assert cli(*arguments).code == 0  # a warning: T311
    assert cli(*arguments, "--strict").code == 1
    (tmp_path / "wrong.md").write_text(RULES.replace("6.5/4.0 mph", "6.0/4.0 mph"), encoding="utf-8")
    assert cli("build", INVENTED, "--source", tmp_path / "wrong.md", "--target", "csv", "--out", tmp_path).code == 1  # X501
    assert cli("build", tmp_path, "--target", "csv", "--out", tmp_path).code == 2  # no profile.toml there
