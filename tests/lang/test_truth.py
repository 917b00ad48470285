"""The tests that a profile makes of its document against the truth that was typed by hand, field by field."""

from __future__ import annotations

import csv
from decimal import Decimal

import pytest

from regc.lang import evaluate, lint, load_profile
from regc.model.document import Document
from regc.model.scenario import Scenario
from regc.model.suite import Suite
from regc.model.value import Value, Word
from tests.lang import truth
from tests.lang.documents import REGULATIONS, ROOT, embedded, official

#: Column of fields.csv -> where the test IR has it.
BINDINGS = {
    "subject_speed": "subject", "target_speed": "target", "relative_speed": "relative", "min_ttc": "ttc",
    "min_straight_time": "straight_time", "max_lateral_offset": "offset", "impact_point_tolerance": "impact_tolerance",
}  # fmt: skip
STATUS = {"mandatory": "mandatory", "option": "ts_option", "guidance": "guidance"}
UN152 = {
    "embedded": lambda: embedded("un152", "02.md"),
    "pdf": lambda: official("un152-r2/un152-r2.pdf"),
    "mineru": lambda: official("un152-r2/un152-r2.mineru.md"),
    "mineru flash": lambda: official("un152-r2/un152-r2.mineru4-flash.md"),
    "mineru layout": lambda: official("un152-r2/un152-r2_middle.json"),
}


def rows(file: str) -> list[dict[str, str]]:
    with (ROOT / "golden" / file).open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def digits(value: Value | Word | None) -> str:
    return format(value.lo, "f") if isinstance(value, Value) and value.lo is not None else ""


def fields(test: Scenario) -> dict[str, str]:
    """A test in the columns of fields.csv."""
    found = {column: digits(test.bind.get(name)) for column, name in BINDINGS.items()}
    if test.status == "guidance" and "target" not in test.bind:
        found["target_speed"] = "0"  # the truth's word for a target that stands, a signboard too
    for name, prefix in (("subject", "speed"), ("target", "target")):
        bound = test.number(name)
        tolerance = bound.tolerance if bound else None
        for side in ("plus", "minus"):
            found[f"{prefix}_{side}"] = format(getattr(tolerance, side), "f") if tolerance else ""
    criteria = {criterion.label: criterion for criterion in test.require}
    limits = {label: criterion.limit.value for label, criterion in criteria.items() if criterion.limit}
    found["max_impact_speed"] = digits(limits.get("impact"))
    found["min_braking_demand"] = digits(limits.get("demand"))
    found["min_warning_lead_time"] = digits(criteria["warning"].by) if "warning" in criteria else ""
    found["runs"], found["max_failed_share"] = digits(test.runs.get("count")), digits(test.runs.get("failed_share"))
    return {**found, "status": STATUS[test.status]}


def differences(suite: Suite, file: str) -> list[str]:
    """Fields that differ from the truth; a test that is missing or too much is one."""
    truth = {row["id"]: row for row in rows(file)}
    got = {test.id: fields(test) for test in suite.scenarios}
    found = [f"missing {id}" for id in truth.keys() - got.keys()] + [f"not in the truth: {id}" for id in got.keys() - truth.keys()]
    for id in truth.keys() & got.keys():
        found += [f"{id} {key}: {value!r}, not {truth[id][key]!r}" for key, value in got[id].items() if value != truth[id][key]]
    return sorted(found)


@pytest.fixture(params=UN152)
def un152(request: pytest.FixtureRequest) -> Document:
    return UN152[request.param]()


def test_un152_is_as_the_truth_from_every_rendering(un152: Document) -> None:
    suite = evaluate(load_profile(REGULATIONS / "un152" / "profile.toml"), un152)
    assert differences(suite, "un152/02/truth/fields.csv") == []


@pytest.mark.parametrize(("profile", "wording"), [("profile", "embedded"), ("profile", "pdf"), ("eu2020-1597", "embedded")])
def test_nothing_of_un152_is_left_unread(profile: str, wording: str) -> None:
    document = embedded("un152", "eu2020-1597.md") if profile != "profile" else UN152[wording]()
    found = lint(load_profile(REGULATIONS / "un152" / f"{profile}.toml"), document)
    assert [finding.message for finding in found if finding.severity != "info"] == []


#: Regulation -> its truth, its embedded file, its official file, and columns that are another column's number in words.
REGULATIONS_AND_TRUTH = {
    "un131": (("un131/02/truth/truth.csv",), "02.md", "un131/un131.pdf", ()),
    "fmvss127": (("fmvss127/2024/truth/truth.csv",), "2024.md", "fmvss127/fmvss127.xml", ("axis.overlap",)),
    "un130": (("un130/00/truth/truth.csv",), "00.md", "distractors/un130.pdf", ()),
    "un171": (("un171/00/truth/truth.csv",), "00.md", "distractors/un171.pdf", ()),
}


@pytest.mark.parametrize("wording", ["embedded", "official"])
@pytest.mark.parametrize("regulation", REGULATIONS_AND_TRUTH)
def test_a_regulation_is_as_its_truth(regulation: str, wording: str) -> None:
    files, text, original, skip = REGULATIONS_AND_TRUTH[regulation]
    document = embedded(regulation, text) if wording == "embedded" else official(original)
    profile = load_profile(REGULATIONS / regulation / "profile.toml")
    suite = evaluate(profile, document)
    assert truth.differences(suite, *files, skip=skip) == []
    assert [finding.message for finding in suite.findings] == []
    assert [finding.message for finding in lint(profile, document) if finding.severity != "info"] == []


@pytest.mark.parametrize("regulation", ["un131", "fmvss127", "un130"])
def test_cards_are_as_the_truth(regulation: str) -> None:
    files, text, _, _ = REGULATIONS_AND_TRUTH[regulation]
    suite = evaluate(load_profile(REGULATIONS / regulation / "profile.toml"), embedded(regulation, text))
    got = {(clause, card.kind) for card in suite.cards for clause in card.clauses}
    said = {(row["clause"], row["kind"]) for row in truth.rows(files[0].replace("truth.csv", "cards.csv"))}
    assert got == said
    assert all(card.steps for card in suite.cards)


def test_the_edition_of_2020_is_as_its_truth() -> None:
    suite = evaluate(load_profile(REGULATIONS / "un152" / "eu2020-1597.toml"), embedded("un152", "eu2020-1597.md"))
    assert differences(suite, "un152/eu2020-1597/truth/fields.csv") == []
    assert [test.id for test in suite.scenarios] == [row["id"] for row in rows("un152/eu2020-1597/truth/fields.csv")]
    assert suite.findings == ()


def test_tests_stand_in_the_order_of_the_truth() -> None:
    suite = evaluate(load_profile(REGULATIONS / "un152" / "profile.toml"), embedded("un152", "02.md"))
    assert [test.id for test in suite.scenarios] == [row["id"] for row in rows("un152/02/truth/fields.csv")]


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
    assert differences(suite, "un152/02/truth/fields.csv") == [
        "UNR152-02_p6.4_CtoStC_M1_MaxMass_060 max_impact_speed: '36.00', not '35.00'"
    ]


def test_every_number_names_the_place_that_carries_it() -> None:
    suite = evaluate(load_profile(REGULATIONS / "un152" / "profile.toml"), embedded("un152", "02.md"))
    for test in suite.scenarios:
        for name, value in test.values():
            assert value.sources, f"{test.id} {name}"
            if value.basis == "cited" and value.lo is not None and value.lo != 0 and not name.startswith(("runs", "require.modes")):
                quoted = " ".join(source.quote for source in value.sources)
                assert any(form in quoted for form in (format(value.lo, "f"), format(value.lo, ",f"), words(value.lo))), (
                    f"{test.id} {name}: {quoted}"
                )


def words(number: Decimal) -> str:
    return {Decimal(2): "two", Decimal(1): "once"}.get(number, "no word")
