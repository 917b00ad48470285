"""What must hold of every stage: numbers are lines, formulas give them, boxes are apart at the start, an end comes."""

from __future__ import annotations

from itertools import combinations
from typing import get_args

import pytest
from tests.manoeuvres.examples import EXAMPLES

from regc.manoeuvres import stage
from regc.manoeuvres.data import load
from regc.manoeuvres.plan import Ego, Options
from regc.model.formula import evaluate
from regc.model.stage import Stage, numbers
from regc.motion import corners, play, touching

DATA = load()
EVERY = pytest.mark.parametrize("name", sorted(EXAMPLES))


def staged(name: str, ego: Ego = "none", **options: float) -> Stage:
    """The stage of an example."""
    return stage(EXAMPLES[name], DATA, Options(ego=ego, **options))  # type: ignore[arg-type]


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
    boxes = {mover.role: corners(mover.box, mover.start) for mover in (made.subject, *made.others, *made.things)}
    assert [pair for pair in combinations(boxes, 2) if touching(boxes[pair[0]], boxes[pair[1]])] == []
    # who crosses or drives ahead does not go through what stands there
    run = play(made)
    for mover in made.others:
        for thing in made.things:
            for sample in range(0, run.time.size, 10):
                assert not touching(corners(mover.box, run.tracks[mover.role].pose(sample)), boxes[thing.role]), (mover.role, sample)


@EVERY
def test_a_run_reaches_its_functional_part_and_ends_before_the_last_bound(name: str) -> None:
    run = play(staged(name))
    assert "functional_part" in run.events
    assert run.end is not None
    assert run.end.kind != "time"


@EVERY
def test_the_reference_meets_its_criteria_and_late_does_not(name: str) -> None:
    made = staged(name, "reference")
    late = play(staged(name, "late"))
    run = play(made)
    limits = [item.limit.value for item in made.require if item.signal == "impact_speed" and item.limit]
    if limits or any(item.form == "never" and item.a and item.a.name == "contact" for item in made.require):
        limit = float(limits[0].number) / 3.6 if limits else 0.0
        assert run.contact is None or run.contact.speed <= limit
        assert late.contact is not None
        assert late.contact.speed > limit
        if made.impact is None and made.system.brakes is not None and made.system.brakes.kind == "ttc":
            assert late.contact.speed == pytest.approx(limit + 5 / 3.6, abs=0.4)
    else:
        assert not {"warning", "braking"} & set(run.events)
        assert {"warning", "braking"} <= set(late.events)


@EVERY
def test_the_player_of_the_other_side_of_the_road_has_the_same_numbers(name: str) -> None:
    right, left = (stage(EXAMPLES[name], DATA, Options(right_hand=hand)) for hand in (True, False))
    same = {line: number for line, number in numbers(right) if not line.endswith((".y", "heading"))}
    assert {line: number for line, number in numbers(left) if not line.endswith((".y", "heading"))} == same
