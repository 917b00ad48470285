"""What must hold of every stage: numbers are lines, formulas give them, boxes are apart at the start, an end comes."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest
from tests.manoeuvres.examples import EXAMPLES

from regc.lang.vocabulary import vocabulary
from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Ego, Options
from regc.model.formula import evaluate
from regc.model.stage import Stage, numbers
from regc.motion import corners, length, play, touching

DATA = load()
EVERY = pytest.mark.parametrize("name", sorted(EXAMPLES))
#: Manoeuvres made of phases: test_sequence.py has their examples.
OF_PHASES = {"approach_from_rear", "follow_lane", "leave_lane", "sequence"}


def staged(name: str, ego: Ego = "none", **options: float) -> Stage:
    """The stage of an example."""
    return stage(EXAMPLES[name], DATA, Options(ego=ego, **options))  # type: ignore[arg-type]


def test_every_manoeuvre_of_the_vocabulary_has_an_example() -> None:
    assert set(vocabulary().manoeuvres) == {example.manoeuvre for example in EXAMPLES.values()} | OF_PHASES


@EVERY
@pytest.mark.parametrize("ego", get_args(Ego))
def test_every_number_is_a_line_of_the_sheet(name: str, ego: Ego) -> None:
    made = staged(name, ego)
    lines = {line: entry.value for line, entry in made.sheet.items()}
    missing = {line: number for line, number in numbers(made) if lines.get(line) != number}
    assert missing == {}


@EVERY
def test_every_formula_gives_its_number_from_lines_above(name: str) -> None:
    known: dict[str, float] = {}
    for line, entry in staged(name, "reference").sheet.items():
        if entry.basis == "assumed":
            assert entry.assumption, line
            assert entry.reason, line
            assert entry.key, line
        elif entry.formula:
            assert evaluate(entry.formula, known) == pytest.approx(entry.value), line
        else:
            assert entry.sources, line
        known[line] = entry.value


@EVERY
def test_boxes_are_apart_at_the_start_and_things_stay_apart(name: str) -> None:
    made = staged(name, step=0.01)
    solid = [mover for mover in (made.subject, *made.others, *made.things) if not mover.passable]
    boxes = {mover.role: corners(mover.box, mover.start) for mover in solid}
    assert [pair for pair in combinations(boxes, 2) if touching(boxes[pair[0]], boxes[pair[1]])] == []
    # who crosses or drives ahead does not go through what stands there
    run = play(made)
    for mover in made.others:
        for thing in (thing for thing in made.things if not thing.passable):
            for sample in range(0, run.time.size, 10):
                assert not touching(corners(mover.box, run.tracks[mover.role].pose(sample)), boxes[thing.role]), (mover.role, sample)


@EVERY
def test_a_run_reaches_its_functional_part_and_ends_before_the_last_bound(name: str) -> None:
    run = play(staged(name))
    assert "functional_part" in run.events
    assert run.end is not None
    assert run.end.kind != "time"


@EVERY
@pytest.mark.parametrize("ego", get_args(Ego))
def test_nobody_comes_to_the_end_of_a_path_before_the_run_ends(name: str, ego: Ego) -> None:
    """What happens behind it is a player's own choice."""
    made = staged(name, ego)
    run = play(made)
    for mover in (made.subject, *made.others):
        if mover.path:
            assert run.tracks[mover.role].travelled[-1] <= length(mover.path), mover.role


@EVERY
def test_the_reference_meets_its_criteria_and_late_does_not(name: str) -> None:
    made = staged(name, "reference")
    run, late = play(made), play(staged(name, "late"))
    for item in made.require:
        event = item.a.name if item.a else ""
        if item.signal == "impact_speed" or (item.form, event) == ("never", "contact"):
            limit = float(item.limit.value.number) / 3.6 if item.limit else 0.0
            assert run.contact is None or run.contact.speed <= limit
            assert late.contact is not None
            assert late.contact.speed > limit
        elif item.form == "never" or item.signal == "added_deceleration":
            assert not {"warning", "braking"} & set(run.events)
            assert {"warning", "braking"} <= set(late.events)
        elif item.b is not None and item.b.name == "line_crossed":
            assert run.events["warning"] <= run.events["line_reached"] + 1e-9
            assert late.events["warning"] > late.events["line_reached"]
        elif (item.form, event) == ("before", "warning"):
            assert run.events["braking"] - run.events["warning"] >= 0.8
            assert late.events["braking"] - late.events["warning"] < 0.8
        else:
            assert item.signal == "braking_demand" or event == "lane_change"


@pytest.mark.parametrize("name", ["standing car", "slower car", "standing adult at night"])
def test_late_is_five_kilometres_an_hour_over_the_limit(name: str) -> None:
    made = staged(name, "late")
    limit = next((float(item.limit.value.number) for item in made.require if item.signal == "impact_speed" and item.limit), 0.0)
    contact = play(made).contact
    assert contact is not None
    assert contact.speed * 3.6 == pytest.approx(limit + 5, abs=1.5)


@EVERY
def test_on_the_other_side_of_the_road_all_is_mirrored(name: str) -> None:
    right, left = stage(EXAMPLES[name], DATA), stage(EXAMPLES[name], DATA, Options(right_hand=False)).mirrored()
    assert {line: abs(number) for line, number in numbers(left)} == {line: abs(number) for line, number in numbers(right)}
    assert [line for line, number in numbers(left) if left.sheet[line].value != number] == []
    known: dict[str, float] = {}
    for line, entry in left.sheet.items():
        if entry.formula:
            assert evaluate(entry.formula, known) == pytest.approx(entry.value), line
        known[line] = entry.value
    # what is said to come from the left comes from the left
    if EXAMPLES[name].word("side") or "side" in EXAMPLES[name].axes:
        assert dict(numbers(left)) == dict(numbers(right))
