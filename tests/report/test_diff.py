"""The diff of two editions, worked by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from lxml import html as parser

from regc.job import Compiled
from regc.model.scenario import Scenario
from regc.report.diff import changes, diff, text
from regc.report.diff_html import page
from tests.factories import checked, cited, scenario
from tests.report.inputs import HOSTILE


def limited(limit: str, **arguments: Any) -> Scenario:
    one = scenario(**arguments)
    held = one.criteria.max_impact_speed
    assert held is not None
    changed = held.model_copy(update={"value": Decimal(limit)})
    return one.model_copy(update={"criteria": one.criteria.model_copy(update={"max_impact_speed": changed})})


def test_the_same_scenarios_differ_in_nothing() -> None:
    found = diff(checked(scenario(), scenario(speed="42")), checked(scenario(), scenario(speed="42")))
    assert found.counts() == {"added": 0, "removed": 0, "changed": 0, "reworded": 0, "same": 2}


def test_added_removed_and_changed() -> None:
    before = checked(scenario(speed="40"), scenario(speed="45"))
    after = checked(limited("5.00", speed="40"), scenario(speed="50"))
    found = diff(before, after)
    assert found.counts() == {"added": 1, "removed": 1, "changed": 1, "reworded": 0, "same": 0}
    assert [test.id for test in found.added] == [scenario(speed="50").id]
    assert [test.id for test in found.removed] == [scenario(speed="45").id]
    (change,) = found.pairs[0].changes
    assert (change.field, change.before.text, change.after.text) == ("criteria.max_impact_speed", "<= 0.00 km/h", "<= 5.00 km/h")
    assert "5.2.1.4" in change.before.where()
    assert "row 40" in change.after.where()


def test_another_id_is_the_same_test() -> None:
    other = scenario().model_copy(update={"id": "OTHER", "edition": "03"})
    (pair,) = diff(checked(scenario()), checked(other)).pairs
    assert (pair.after, pair.changes) == ("OTHER", ())


def test_digits_do_not_count_but_bounds_and_tolerances_do() -> None:
    one = scenario()
    speed = one.subject.test_speed
    for change, number in (
        ({"value": Decimal("40.00")}, 0),
        ({"bound": "le"}, 1),
        ({"tolerance": None}, 1),
        ({"unit": "m/s"}, 1),
    ):
        other = one.model_copy(
            update={"trigger": one.trigger, "subject": one.subject.model_copy(update={"test_speed": speed.model_copy(update=change)})}
        )
        assert len(changes(one, other)) == number, change


def test_wording_alone_is_reworded() -> None:
    one = scenario()
    assert one.load_state is not None
    other = one.model_copy(update={"load_state": one.load_state.model_copy(update={"term": "laden"})})
    assert diff(checked(one), checked(other)).pairs[0].kind == "reworded"


def test_a_dropped_distinction_pairs_each_with_the_one_that_covers_it() -> None:
    split = [scenario().model_copy(update={"id": f"G{number}", "group": f"alpha {number}"}) for number in (1, 2)]
    found = diff(checked(*split), checked(scenario()))
    assert found.counts()["added"] == found.counts()["removed"] == 0
    assert [(pair.before, pair.after) for pair in found.pairs] == [("G1", scenario().id), ("G2", scenario().id)]
    assert [change.field for change in found.pairs[0].changes] == ["group"]


def test_a_field_that_one_side_lacks() -> None:
    one = scenario()
    other = one.model_copy(update={"runs": one.runs.model_copy(update={"count": None})})
    (change,) = changes(other, one)
    assert (change.field, change.before.text, change.after.text) == ("runs.count", "-", "2 1")


def test_text_of_a_quantity() -> None:
    assert text(cited("20", "km/h", "6.5", bound="ge", tolerance=("0", "2"))) == ">= 20 km/h (+0/-2)"
    assert text(None) == "-"


def test_real_editions(literature: Compiled, embedded: Compiled) -> None:
    """02 brings in bicycles and false reactions, and moves the loaded M1 test at 42 km/h from 10 km/h to its own row."""
    found = diff(literature.checked, embedded.checked)
    families = {test.id.split("_")[2] for test in found.added}
    assert {"CtoB", "FR"} <= families
    assert found.removed == ()
    assert found.notes
    assert {pair.after for pair in found.pairs} | {test.id for test in found.added} == {item.id for item in embedded.checked.scenarios}


def test_page_escapes_and_fetches_nothing() -> None:
    other = limited("5.00").model_copy(update={"group": HOSTILE})
    content = page(diff(checked(scenario()), checked(other))).decode()
    assert "<img src=x" not in content
    tree = parser.fromstring(content)
    assert tree.xpath("//*[@src]") == []
    assert "<= 5.00 km/h" in tree.text_content()


def test_command(cli: Any, tmp_path: Any) -> None:
    import json

    outcome = cli("diff", "un152@eu2020-1597", "un152@02", "--json", "--html", tmp_path / "d.html")
    assert outcome.code == 0, outcome.err
    counts = json.loads(outcome.out)["counts"]
    assert counts["added"] > 0
    assert (tmp_path / "d.html").stat().st_size > 10_000
    assert cli("diff", "un152@eu2020-1597", "un152@03").code == 2


def test_command_keeps_its_lines_short(cli: Any) -> None:
    outcome = cli("diff", "un152@eu2020-1597", "un152@02")
    assert outcome.code == 0, outcome.err
    assert max(map(len, outcome.out.splitlines())) <= 180
    assert "--json or --html" in outcome.out
