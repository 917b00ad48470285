"""What a profile makes of its document: nothing left unread in any rendering, and a changed cell changes its own tests alone."""

from __future__ import annotations

import pytest

from regc.lang import evaluate, lint, load_profile
from regc.model.document import Document
from regc.truth import compare_fields, read_truth
from tests.lang.documents import REGULATIONS, ROOT, embedded, official

TRUTH = ROOT / "golden" / "un152" / "02" / "truth" / "fields.csv"
UN152 = {
    "embedded": lambda: embedded("un152", "02.md"),
    "pdf": lambda: official("un152-r2/un152-r2.pdf"),
    "mineru": lambda: official("un152-r2/un152-r2.mineru.md"),
    "mineru flash": lambda: official("un152-r2/un152-r2.mineru4-flash.md"),
    "mineru layout": lambda: official("un152-r2/un152-r2_middle.json"),
}
#: Regulation -> its embedded file and its official one.
OTHERS = {
    "un131": ("02.md", "un131/un131.pdf"),
    "fmvss127": ("2024.md", "fmvss127/fmvss127.xml"),
    "un130": ("00.md", "distractors/un130.pdf"),
    "un171": ("00.md", "distractors/un171.pdf"),
}


def unread(regulation: str, document: Document, profile: str = "profile.toml") -> list[str]:
    """What the lint and the evaluation say that is no note."""
    return [f.message for f in lint(load_profile(REGULATIONS / regulation / profile), document) if f.severity != "info"]


@pytest.fixture(params=UN152)
def un152(request: pytest.FixtureRequest) -> Document:
    return UN152[request.param]()


def test_un152_is_as_the_truth_from_every_rendering(un152: Document) -> None:
    suite = evaluate(load_profile(REGULATIONS / "un152" / "profile.toml"), un152)
    result = compare_fields(read_truth(TRUTH), suite.scenarios)
    assert (result.differences, result.missing, result.extra) == ((), (), ())
    assert [test.id for test in suite.scenarios] == [row.id for row in read_truth(TRUTH)]


@pytest.mark.parametrize("wording", ["embedded", "pdf"])
def test_nothing_of_un152_is_left_unread(wording: str) -> None:
    assert unread("un152", UN152[wording]()) == []


def test_nothing_of_the_edition_of_2020_is_left_unread() -> None:
    assert unread("un152", embedded("un152", "eu2020-1597.md"), "eu2020-1597.toml") == []


@pytest.mark.parametrize("wording", [0, 1], ids=["embedded", "official"])
@pytest.mark.parametrize("regulation", OTHERS)
def test_nothing_of_a_regulation_is_left_unread(regulation: str, wording: int) -> None:
    file = OTHERS[regulation][wording]
    assert unread(regulation, official(file) if wording else embedded(regulation, file)) == []


def test_a_changed_cell_changes_the_limit_of_its_tests_alone() -> None:
    document = embedded("un152", "02.md")
    table = document.table("5.2.1.4#1")
    assert table is not None
    cells = [list(row) for row in table.rows]
    assert cells[-1][1].text == "35.00"
    cells[-1][1] = cells[-1][1].model_copy(update={"text": "36.00"})
    changed = table.model_copy(update={"rows": tuple(map(tuple, cells))})
    document = document.model_copy(update={"tables": tuple(changed if held.id == table.id else held for held in document.tables)})
    suite = evaluate(load_profile(REGULATIONS / "un152" / "profile.toml"), document)
    result = compare_fields(read_truth(TRUTH), suite.scenarios)
    assert [(item.scenario, item.field, item.truth, item.built) for item in result.differences] == [
        ("UNR152-02_p6.4_CtoStC_M1_MaxMass_060", "require.impact.limit", "35.00 km/h", "36.00 km/h")
    ]


def test_every_number_names_the_place_that_carries_it() -> None:
    suite = evaluate(load_profile(REGULATIONS / "un152" / "profile.toml"), embedded("un152", "02.md"))
    for test in suite.scenarios:
        for name, value in test.values():
            assert value.sources, f"{test.id} {name}"
