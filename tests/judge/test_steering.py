"""Criteria on steering systems and on phases, on closed-form logs: 36 km/h towards something 200 m away, at rest from 9 s on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.judge.suites import event, value
from tests.judge.test_criteria import asked, criterion, log, run_of

from regc.model.criterion import Criterion, Event, Limit
from regc.model.scenario import Phase
from regc.model.value import Word

PHASES = tuple(Phase(name=name, manoeuvre="leave_lane", bind={}) for name in ("first", "second", "third"))
BEGINS = {"phase_first": 1.0, "phase_second": 4.0, "phase_third": 7.0}


def no_contact(label: str = "other") -> Criterion:
    return criterion("never", a=event("contact")).model_copy(update={"label": label})


@pytest.mark.parametrize("name", ["procedure", "second_action", "lateral_movement", "intervention", "deactivation"])
def test_a_marked_event_is_found(tmp_path: Path, name: str) -> None:
    asks = criterion("happens", a=event(name))
    log(tmp_path, **{name: (3.0, 4.0)})
    assert (asked(tmp_path, asks).result, asked(tmp_path, asks).measured) == ("met", "at 3.000 s")
    log(tmp_path, **{name: (20.0, 21.0)})
    assert asked(tmp_path, asks).result == "not_met"
    log(tmp_path, {"events": {name: 3.2}})
    assert asked(tmp_path, asks).measured == "at 3.200 s"


def test_what_no_log_shows_is_incomplete_in_a_record_run_and_not_judged_in_a_models(tmp_path: Path) -> None:
    asks = criterion("happens", a=event("procedure"))
    log(tmp_path)
    found = asked(tmp_path, asks)
    assert (found.result, found.note) == ("missing", "the start of the procedure is not logged (channel or event procedure)")
    log(tmp_path, {"simulated": True, "parameters": {"seed": 1.0}})
    assert asked(tmp_path, asks).result == "not_applicable"


def test_a_lane_change_begins_some_time_after_the_procedure(tmp_path: Path) -> None:
    # the driver asks at 2.5 s, the change begins at 6 s: 3.5 s later
    log(tmp_path, procedure=(2.5, 2.6))
    after = {"a": event("lane_change"), "b": event("procedure")}
    assert asked(tmp_path, criterion("after", **after, by=value("3", "s", "ge"))).result == "met"
    assert asked(tmp_path, criterion("after", **after, by=value("4", "s", "ge"))).result == "not_met"
    assert asked(tmp_path, criterion("within", **after, by=value("5", "s", "le"))).result == "met"
    assert asked(tmp_path, criterion("within", **after, by=value("3", "s", "le"))).result == "not_met"


def test_a_lane_change_ends_where_its_flag_goes_off(tmp_path: Path) -> None:
    ends = {"a": event("lane_change_end"), "b": event("lane_change")}
    log(tmp_path, lane_change=(3.0, 7.0))
    assert asked(tmp_path, criterion("within", **ends, by=value("5", "s", "le"))).result == "met"
    assert asked(tmp_path, criterion("within", **ends, by=value("3", "s", "le"))).result == "not_met"
    log(tmp_path, lane_change=(3.0, 11.0))
    assert asked(tmp_path, criterion("happens", a=event("lane_change_end"))).result == "missing"


def test_an_intervention_by_its_number(tmp_path: Path) -> None:
    log(tmp_path, intervention=(3.0, 4.0))
    first, second = (criterion("happens", a=event("intervention", value(str(count), ""))) for count in (1, 2))
    assert asked(tmp_path, first).result == "met"
    assert asked(tmp_path, second).result == "not_met"


def test_the_distance_at_which_something_is_detected(tmp_path: Path) -> None:
    # 200 m away at the beginning, detected at 2 s: 182.2 m, and 182.6 m a sample earlier
    def distance(least: str) -> Criterion:
        return criterion("measure", signal="detection_distance", sign=">=", limit=Limit(value=value(least, "m")))

    log(tmp_path, detected=(2.0, 10.0))
    assert asked(tmp_path, distance("180")).result == "met"
    assert asked(tmp_path, distance("183")).result == "not_met"
    assert asked(tmp_path, distance("182.4")).result == "missing"
    log(tmp_path, detected=(20.0, 21.0))
    assert asked(tmp_path, distance("180")).result == "not_met"
    log(tmp_path)
    assert asked(tmp_path, distance("180")).result == "missing"


def test_an_emergency_signal_is_no_mode_of_the_warning(tmp_path: Path) -> None:
    modes = criterion("measure", signal="warning_modes", sign=">=", limit=Limit(value=value("2", "")))
    log(tmp_path, warning=None, warning_acoustic=(2.0, 4.0), warning_emergency=(5.0, 6.0))
    assert asked(tmp_path, modes).result == "not_met"
    lasts = criterion("duration", a=event("warning", Word(word="emergency")), sign=">=", limit=Limit(value=value("0.8", "s")))
    assert asked(tmp_path, lasts).result == "met"


# ---------------------------------------------------------------- one of several


def twice(folder: Path, first: tuple[float, float], second: tuple[float, float]) -> None:
    """A log in which the acoustic warning comes twice."""
    log(folder, warning=None, warning_acoustic=first)
    lines = (folder / "T__r1.csv").read_text("utf-8").splitlines()
    column = lines[0].split(",").index("warning_acoustic")
    rows = [line.split(",") for line in lines[1:]]
    for row in rows:
        if second[0] <= float(row[0]) < second[1]:
            row[column] = "1"
    (folder / "T__r1.csv").write_text("\n".join([lines[0], *(",".join(row) for row in rows)]) + "\n", "utf-8")


def acoustic(occurrence: int) -> Event:
    return Event(name="warning", argument=Word(word="acoustic"), occurrence=occurrence)


def test_the_second_warning_is_not_the_first(tmp_path: Path) -> None:
    twice(tmp_path, (1.0, 2.0), (5.0, 8.0))
    assert [asked(tmp_path, criterion("happens", a=acoustic(count))).measured for count in (1, 2)] == ["at 1.000 s", "at 5.000 s"]
    third = asked(tmp_path, criterion("happens", a=acoustic(3)))
    assert third.result == "not_met"
    after = criterion("after", a=event("lane_change"), b=acoustic(2), by=value("0.9", "s", "ge"))  # at 6 s
    assert asked(tmp_path, after).result == "met"
    assert asked(tmp_path, after.model_copy(update={"by": value("1.1", "s", "ge")})).result == "not_met"


def test_one_lasts_longer_than_another(tmp_path: Path) -> None:
    # 1 s and 3 s: 2 s longer, and a sample at each end
    twice(tmp_path, (1.0, 2.0), (5.0, 8.0))
    longer = criterion("longer", a=acoustic(2), b=acoustic(1))
    results = {by: asked(tmp_path, longer.model_copy(update={"by": value(by, "s", "ge")})).result for by in ("1.8", "2", "2.2")}
    assert results == {"1.8": "met", "2": "missing", "2.2": "not_met"}
    assert asked(tmp_path, longer).result == "met"
    assert asked(tmp_path, criterion("longer", a=acoustic(1), b=acoustic(2))).result == "not_met"
    twice(tmp_path, (1.0, 2.0), (20.0, 21.0))
    assert asked(tmp_path, longer).result == "not_met"


# ---------------------------------------------------------------- phases


def in_phase(folder: Path, item: Criterion, phase: str, **phases: object) -> tuple[str, str]:
    """Result and note of a criterion that is asked in a phase."""
    run = run_of(folder, item.model_copy(update={"phase": phase}), no_contact(), manoeuvre="sequence", **{"phases": PHASES, **phases})
    found = run.criterion("asked")
    assert found is not None
    return found.result, found.note


def test_a_criterion_of_a_phase_is_asked_in_it_alone(tmp_path: Path) -> None:
    # first: 1 to 4 s, second: 4 to 7 s, third: from 7 s on; the warning lasts from 5 to 6 s
    log(tmp_path, {"events": BEGINS}, warning=(5.0, 6.0))
    warns = criterion("happens", a=event("warning"))
    assert [in_phase(tmp_path, warns, name)[0] for name in ("first", "second", "third")] == ["not_met", "met", "not_met"]
    never = criterion("never", a=event("warning"))
    assert [in_phase(tmp_path, never, name)[0] for name in ("first", "second", "third")] == ["met", "not_met", "met"]


def test_what_lasts_from_the_phase_before_does_not_begin_in_this_one(tmp_path: Path) -> None:
    log(tmp_path, {"events": BEGINS}, warning=(3.0, 6.0))
    warns = criterion("happens", a=event("warning"))
    assert [in_phase(tmp_path, warns, name)[0] for name in ("first", "second")] == ["met", "not_met"]


def test_an_event_of_the_sidecar_is_of_the_phase_in_which_it_came(tmp_path: Path) -> None:
    log(tmp_path, {"events": {**BEGINS, "warning": 5.0}}, warning=None)
    warns = criterion("happens", a=event("warning"))
    assert [in_phase(tmp_path, warns, name)[0] for name in ("first", "second")] == ["not_met", "met"]


def test_a_phase_that_the_log_does_not_mark_is_open(tmp_path: Path) -> None:
    log(tmp_path, {"events": {"phase_first": 1.0}}, warning=(5.0, 6.0))
    warns = criterion("happens", a=event("warning"))
    assert in_phase(tmp_path, warns, "first") == ("missing", "the log does not show when the phase first ends")
    result, note = in_phase(tmp_path, warns, "second")
    assert (result, note) == ("missing", "the log marks no beginning of the phase second (event phase_second in the run's sidecar)")


def test_a_phase_ends_with_what_it_lasts_until_and_the_next_begins_there(tmp_path: Path) -> None:
    # the first phase lasts until the hands are off (3 s); nothing marks the second
    first = PHASES[0].model_copy(update={"until": criterion("happens", a=event("hands_off"))})
    log(tmp_path, {"events": {"phase_first": 1.0}}, hands_off=(3.0, 5.0), warning=(3.5, 6.0))
    warns = criterion("happens", a=event("warning"))
    phases = (first, PHASES[1])
    assert [in_phase(tmp_path, warns, name, phases=phases)[0] for name in ("first", "second")] == ["not_met", "met"]
