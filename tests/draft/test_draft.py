"""A profile drafted from a document alone: the tests that come out, that every place in it reads, that nothing is guessed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from regc.cache import Cache
from regc.draft import Drafted, draft
from regc.lang.lint import lint
from regc.lang.load import load_profile
from regc.model.document import Document
from regc.model.scenario import Scenario
from regc.pipeline.documents import read
from tests.conftest import Outcome
from tests.lang.documents import REGULATIONS, SHARED, official

TEXTS = {"un131": "02.md", "un152": "02.md", "un130": "00.md", "fmvss127": "2024.md", "un171": "00.md"}


@cache
def text(regulation: str) -> Document:
    return read(REGULATIONS / regulation / TEXTS[regulation], Cache(), id=regulation, edition="", title="")


@cache
def drafted(regulation: str) -> Drafted:
    return draft(text(regulation), regulation)


def scenarios(found: Drafted) -> tuple[Scenario, ...]:
    assert found.suite is not None, found.reason
    return found.suite.scenarios


def small(tmp_path: Path, body: str) -> Document:
    """A regulation of a few lines."""
    path = tmp_path / "small.md"
    path.write_text(f"# Regulation No. 999 on lane changes\n\n{body}", "utf-8")
    return read(path, Cache(), id="small", edition="", title="")


def speeds(found: Drafted, clause: str, status: str = "mandatory") -> list[str]:
    """Prescribed subject speeds of a clause's tests, each once, as cited."""
    held = [each.number("subject") for each in scenarios(found) if each.clause == clause and each.status == status]
    return sorted({f"{value.lo} to {value.hi}" if value.lo != value.hi else f"{value.lo}" for value in held if value is not None})


# ---------------------------------------------------------------- what comes out


def test_vehicle_targets_of_a_list_of_speeds() -> None:
    """UN R131, 6.4: 20 km/h, the highest speed without an impact by class (35, 50, 70), and that + 8 km/h or the design speed."""
    tests = [each for each in scenarios(drafted("un131")) if each.clause == "6.4" and each.status == "mandatory"]
    first = {str(each.number("relative").lo) for each in tests if each.number("relative").lo is not None}  # type: ignore[union-attr]
    assert first >= {"20", "35", "50", "70"}
    assert {each.manoeuvre for each in tests} == {"in_lane"}
    assert len({each.axes["class"].value for each in tests}) == 4


def test_speeds_of_a_table_with_tolerance() -> None:
    """UN R152, 6.4: M1 20, 40/42, 60; N1 20, 38/42, 60 km/h."""
    assert speeds(drafted("un152"), "6.4") == ["20", "38", "40", "42", "60"]
    tests = [each for each in scenarios(drafted("un152")) if each.clause == "6.4" and each.status == "mandatory"]
    found = {
        (str(v.lo), str(v.tolerance.plus), str(v.tolerance.minus)) for each in tests if (v := each.number("subject")) and v.tolerance
    }
    assert ("20", "2", "0") in found
    assert ("60", "0", "2") in found
    assert len(tests) == 12


@pytest.mark.parametrize(
    ("clause", "ranges"), [("S7.3", ["10 to 80", "70 to 100"]), ("S7.4", ["40 to 80", "70 to 100"]), ("S7.5", ["50", "80"])]
)
def test_rows_of_a_list_of_tests(clause: str, ranges: list[str]) -> None:
    assert speeds(drafted("fmvss127"), clause) == ranges


def test_drift_test() -> None:
    """UN R130, 6.5: 65 km/h +-3, 0.1 to 0.8 m/s, both sides, once more at a different rate; the lane wider than 3.5 m."""
    tests = scenarios(drafted("un130"))
    assert len(tests) == 4
    assert Counter(each.axes["side"].value for each in tests) == {"left": 2, "right": 2}
    for each in tests:
        subject, rate, lane = each.number("subject"), each.number("rate"), each.number("lane_width")
        assert subject is not None
        assert rate is not None
        assert lane is not None
        assert (str(subject.lo), subject.unit, str(subject.tolerance and subject.tolerance.plus)) == ("65", "km/h", "3")
        assert (str(rate.lo), str(rate.hi), rate.unit) == ("0.1", "0.8", "m/s")
        assert (str(lane.lo), lane.bound) == ("3.5", "gt")
        assert each.require[0].form == "before"
    assert sum(bool(value and value.differs) for value in (each.number("rate") for each in tests)) == 2


@pytest.mark.parametrize(("regulation", "count"), [("un131", 249), ("un152", 168), ("un130", 4), ("un171", 40)])
def test_number_of_tests(regulation: str, count: int) -> None:
    assert len(scenarios(drafted(regulation))) == count


FORM = """## 5. What is declared

| Scenario | Highest speed at which a collision is avoided (km/h) | Remark |
|---|---|---|
| Standing vehicle ahead (see 6.1.) | | |
| Slower vehicle ahead (see 6.10.) | 90 | |

5.1. The system shall avoid a collision without driver intervention.

## 6. Tests

## 6.1. Standing vehicle ahead

6.1.1. The vehicle shall approach the stationary target for at least 2 seconds in a straight line, offset by not more than 0.5 m.

6.1.2. Extended test: the strategy shall not be changed unreasonably with:

(a) A target of a different type;

(b) A target with a larger offset;

(c) A target of another colour.
"""


def test_the_empty_cell_of_a_form_is_a_declared_speed(tmp_path: Path) -> None:
    """No sentence of 6.1 gives a speed; the form's row that names 6.1 (not 6.10) leaves it to the manufacturer."""
    found = draft(small(tmp_path, FORM), "small")
    assert 'v_standing_vehicle_ahead = "speed [5#1: Standing vehicle ahead & ' in found.profile
    tests = [each for each in scenarios(found) if each.status == "mandatory"]
    assert [(each.number("subject") or each.number("relative")).symbol for each in tests] == ["v_standing_vehicle_ahead"]  # type: ignore[union-attr]


def test_listed_changes_are_extended_tests_for_an_assessor(tmp_path: Path) -> None:
    """(a) another target, (b) more than the 0.5 m of the base test; (c) changes nothing that the test binds."""
    further = [each for each in scenarios(draft(small(tmp_path, FORM), "small")) if each.entry == "further"]
    assert [each.status for each in further] == ["evidence", "evidence"]
    assert [each.require[0].form for each in further] == ["assess", "assess"]
    assert further[0].actors[0].differs
    offset = further[1].number("offset")
    assert offset is not None
    assert (str(offset.lo), offset.bound) == ("0.5", "gt")


def test_a_false_reaction_test_asks_that_nothing_happens() -> None:
    (test,) = [each for each in scenarios(drafted("un131")) if each.clause == "6.10"]
    assert test.manoeuvre == "pass_between"
    assert {(criterion.form, criterion.a and criterion.a.name) for criterion in test.require} == {
        ("never", "warning"),
        ("never", "braking"),
    }


# ---------------------------------------------------------------- what is sure


@pytest.mark.parametrize("regulation", TEXTS)
def test_every_place_of_a_draft_reads_strictly(regulation: str, tmp_path: Path) -> None:
    """No error of the compiler, with every citation held to the words."""
    path = tmp_path / "profile.toml"
    path.write_text(drafted(regulation).profile, "utf-8")
    if drafted(regulation).suite is None:
        assert "test = []" in drafted(regulation).profile
        return
    errors = [finding for finding in lint(load_profile(path), text(regulation)) if finding.severity == "error"]
    assert errors == []


@pytest.mark.parametrize("regulation", ["un131", "fmvss127", "un130"])
def test_check_accepts_the_folder(regulation: str, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    source = REGULATIONS / regulation / TEXTS[regulation]
    assert cli("draft", source, "--out", tmp_path / "new").code == 0
    checked = cli("check", tmp_path / "new", "--source", source)
    assert checked.code == 0, checked.out + checked.err


def test_a_profile_that_is_there_is_not_written_over(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    source = REGULATIONS / "un130" / "00.md"
    (tmp_path / "profile.toml").write_text("# mine\n")
    refused = cli("draft", source, "--out", tmp_path)
    assert refused.code == 2
    assert "there already" in refused.err
    assert (tmp_path / "profile.toml").read_text() == "# mine\n"
    assert cli("draft", source, "--out", tmp_path, "--force").code == 0


def test_no_number_of_a_test_stands_in_a_draft() -> None:
    """Places only: a literal would be a number that the document does not say."""
    for regulation in TEXTS:
        blocks = drafted(regulation).profile.split("[[test]]")[1:]
        for line in (
            line for block in blocks for line in block.splitlines() if re.match(r"(bind|tol|require|conditions|runs)\.", line)
        ):
            bare = re.sub(r"\[[^\[\]]*\]|last\(\w+, 0\)|limit_\d", "", line)
            assert not re.search(r"\d", bare), line


def test_the_draft_follows_the_text() -> None:
    """Another number in the document is another number in the draft's tests; nothing is remembered."""
    document = text("un130")
    changed = document.model_copy(
        update={
            "clauses": tuple(
                clause.model_copy(update={"text": clause.text.replace("65 km/h", "72 km/h")}) if clause.id == "6.5.1" else clause
                for clause in document.clauses
            )
        }
    )
    found = scenarios(draft(changed, "un130"))
    assert {str(value.lo) for each in found if (value := each.number("subject"))} == {"72"}


def test_two_numbers_for_one_thing_are_a_comment(tmp_path: Path) -> None:
    """The temperature of two sentences that differ: both with their places, and none is taken."""
    body = (
        "## 6. Test procedure\n\n6.1. During the test the ambient temperature shall lie between 0 °C and 45 °C.\n\n"
        "6.2. For trucks the ambient temperature shall lie between 5 °C and 30 °C.\n\n## 6.3. Lane departure test\n\n"
        "The vehicle shall be driven at a speed of 65 km/h. Gently drift the vehicle at a rate of departure of 0.5 m/s. "
        "There the system shall give a warning when the tyre crosses a line 0.3 m beyond the marking.\n"
    )
    profile = draft(small(tmp_path, body), "small").profile
    assert "# temperature: not decided; the choices: 0 to 45 degC [6.1]; 5 to 30 degC [6.2]" in profile
    assert "conditions.temperature" not in profile
    assert 'bind.rate = "[at: ' in profile


def test_prescriptive_sentences_that_nothing_uses_are_listed() -> None:
    found = drafted("un131")
    assert any(line.startswith("[6.10.2]") for line in found.unused)
    assert all(f"# {line}" in found.profile for line in found.unused)


# ---------------------------------------------------------------- texts of another sort


def test_a_text_without_drives_gives_no_tests_and_the_reason(tmp_path: Path) -> None:
    document = small(
        tmp_path,
        "## 1. Scope\n\nVehicles of category M1.\n\n## 2. Tests\n\n2.1. The manufacturer shall test its servers against intrusion "
        "within 30 days.\n\n2.2. Pads shall be pressed at 20 kN for 5 s; the test shall be performed three times.\n",
    )
    found = draft(document, "small")
    assert found.suite is None
    assert found.reason.startswith("no clause of it prescribes a drive")
    assert "test = []" in found.profile
    assert found.unused == ()


@pytest.mark.parametrize("file", ["un155.pdf", "un156.pdf", "un90.pdf", "un89.pdf", "un24-oj2006.pdf"])
def test_official_texts_of_another_sort_give_no_tests(file: str) -> None:
    found = draft(official(f"distractors/{file}"), file.partition(".")[0])
    assert found.suite is None
    assert found.reason.startswith("no clause of it prescribes a drive")


def test_a_drive_that_cannot_be_completed_is_told_with_its_choices(tmp_path: Path) -> None:
    document = small(
        tmp_path,
        "## 1. Lane change test\n\n1.1. The vehicle shall perform a full lane change (3.5 m lateral displacement). The tests shall be "
        "performed on a dry road.\n",
    )
    found = draft(document, "small")
    assert found.suite is None
    (refused,) = found.refused
    assert "lane_change needs 'subject'" in refused
    assert "bind.subject: no speed found" in refused


# ---------------------------------------------------------------- official texts


@pytest.mark.skipif(not SHARED.is_dir(), reason="the official documents are not here")
@pytest.mark.parametrize(
    ("file", "regulation", "count"),
    [
        ("un131/un131.pdf", "un131", 249), ("un152-r2/un152-r2.pdf", "un152", 168), ("distractors/un130.pdf", "un130", 4),
        ("un152-r2/un152-r2.mineru.md", "un152", 168), ("fmvss127/fmvss127.xml", "fmvss127", 24),
    ],
)  # fmt: skip
def test_official_texts(file: str, regulation: str, count: int) -> None:
    assert len(scenarios(draft(official(file), regulation))) == count
