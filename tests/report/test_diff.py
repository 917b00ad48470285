"""The diff of two editions, worked by hand."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

from lxml import html as parser

from regc.model.criterion import Criterion, Limit
from regc.model.scenario import AxisValue, Scenario
from regc.model.value import Word
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request
from regc.report.diff import changes, diff, page, text
from tests import suites
from tests.suites import child, stationary, suite


def limited(limit: str, **arguments: Any) -> Scenario:
    """A test with another limit."""
    one = stationary(**arguments)
    held = one.require[0]
    assert held.limit is not None
    number = Decimal(limit)
    value = held.limit.value.model_copy(update={"lo": number, "hi": number})
    first: Criterion = held.model_copy(update={"limit": Limit(value=value, table=held.limit.table, key=held.limit.key)})
    return one.model_copy(update={"require": (first, *one.require[1:])})


def test_the_same_tests_differ_in_nothing() -> None:
    assert diff(suite(), suite()).counts() == {"added": 0, "removed": 0, "changed": 0, "reworded": 0, "same": 5}


def test_added_removed_and_changed() -> None:
    found = diff(suite(stationary("20"), child()), suite(limited("5.00", speed="20"), stationary("40")))
    assert found.counts() == {"added": 1, "removed": 1, "changed": 1, "reworded": 0, "same": 0}
    assert [test.id for test in found.added] == [stationary("40").id]
    assert [test.id for test in found.removed] == [child().id]
    (change,) = found.pairs[0].changes
    assert (change.field, change.before.text, change.after.text) == ("require.impact.limit", "≤ 0.00 km/h", "≤ 5.00 km/h")
    assert "5.2" in change.before.where()
    assert "row 20" in change.after.where()


def test_a_chosen_part_is_compared_alone() -> None:
    part = suite().model_copy(update={"chosen": (stationary("20").id,)})
    assert diff(part, suite()).counts()["same"] == 1


def test_another_id_is_the_same_test() -> None:
    other = stationary().model_copy(update={"id": "OTHER", "edition": "03"})
    (pair,) = diff(suite(stationary()), suite(other)).pairs
    assert (pair.after, pair.changes) == ("OTHER", ())


def test_digits_do_not_count_but_bounds_and_tolerances_do() -> None:
    one = stationary("40")
    speed = one.bind["subject"]
    for change, number in (
        ({"lo": Decimal("40.00"), "hi": Decimal("40.00")}, 0),
        ({"bound": "le"}, 1),
        ({"tolerance": None}, 1),
        ({"unit": "m/s"}, 1),
    ):
        other = one.model_copy(update={"bind": one.bind | {"subject": speed.model_copy(update=change)}})
        assert len(changes(one, other)) == number, change


def test_wording_alone_is_reworded() -> None:
    one = stationary()
    axes = {"load": one.axes["load"].model_copy(update={"words": "laden"})}
    assert diff(suite(one), suite(one.model_copy(update={"axes": axes}))).pairs[0].kind == "reworded"


def test_a_word_of_the_vocabulary_is_a_rule() -> None:
    one = stationary()
    (change,) = changes(one, one.model_copy(update={"conditions": {"mass": Word(word="run")}}))
    assert (change.field, change.kind, change.after.text) == ("conditions.mass", "rule", "mass in running order")


def test_a_dropped_axis_pairs_each_with_the_one_that_covers_it() -> None:
    split = [
        stationary().model_copy(update={"id": f"G{number}", "axes": stationary().axes | {"light": AxisValue(value=f"L{number}")}})
        for number in (1, 2)
    ]
    found = diff(suite(*split), suite(stationary()))
    assert found.counts()["added"] == found.counts()["removed"] == 0
    assert [(pair.before, pair.after) for pair in found.pairs] == [("G1", stationary().id), ("G2", stationary().id)]
    assert {change.field for change in found.pairs[0].changes} == {"axes.light", "axes.light words"}


def test_an_axis_of_another_name_is_matched_by_its_conditions() -> None:
    """Before, the axis is "laden" with the values laden and unladen; the mass of the conditions tells which is which."""
    other = [
        stationary("20", load).model_copy(update={"id": f"O{load}", "axes": {"laden": AxisValue(value=value)}})
        for load, value in (("run", "unladen"), ("max", "laden"))
    ]
    found = diff(suite(*other), suite(stationary("20", "max"), stationary("20", "run")))
    assert [(pair.before, pair.after) for pair in found.pairs] == [
        ("Omax", stationary("20", "max").id),
        ("Orun", stationary("20", "run").id),
    ]


def test_a_field_that_one_side_lacks() -> None:
    one = stationary()
    (change,) = changes(one.model_copy(update={"runs": {}}), one)
    assert (change.field, change.before.text, change.after.text) == ("runs.count", "-", "2")


def test_text_of_a_value() -> None:
    assert text(stationary("40").number("subject")) == "40 km/h (+0/-2 km/h)"
    assert text(stationary().number("ttc")) == "≥ 4 s"
    assert text(child().number("set_up")) == "d_start"
    assert text(None) == "-"


def test_page_escapes_and_fetches_nothing() -> None:
    other = limited("5.00").model_copy(update={"title": suites.HOSTILE})
    content = page(diff(suite(stationary()), suite(other))).decode()
    assert "<img src=x" not in content
    tree = parser.fromstring(content)
    assert tree.xpath("//*[@src]") == []
    assert "≤ 5.00 km/h" in tree.text_content()


def test_real_editions() -> None:
    """Edition 02 brings in bicycles, category N1 and false reactions; every test of the earlier one goes on."""
    before, after = (compile_regulation(Request("un152", edition=edition)).suite for edition in ("eu2020-1597", "02"))
    found = diff(before, after)
    assert found.removed == ()
    assert len(found.pairs) == len(before.scenarios) == 59
    assert {pair.after for pair in found.pairs} | {test.id for test in found.added} == {item.id for item in after.scenarios}
    assert {"CtoB", "FR"} <= {test.id.split("_")[2] for test in found.added}
    assert found.notes


def test_command(cli: Any, tmp_path: Path) -> None:
    """An edition against itself, and against one that it does not have."""
    outcome = cli("diff", "un152@02", "R152", "--json", "--html", tmp_path / "d.html")
    assert outcome.code == 0, outcome.err
    counts = json.loads(outcome.out)["counts"]
    assert counts == {"added": 0, "removed": 0, "changed": 0, "reworded": 0, "same": 184}
    assert (tmp_path / "d.html").stat().st_size > 10_000
    outcome = cli("diff", "un152", "un152@02")
    assert max(map(len, outcome.out.splitlines())) <= 180
    assert "--json or --html" in outcome.out
    assert cli("diff", "un152@02", "un152@99").code == 2
    assert cli("diff", "un152@02", "un152@02", "--exit-code").code == 0
    assert cli("diff", "un152@eu2020-1597", "un152@02", "--exit-code").code == 1
