"""Was the run a valid one? What the test binds, phase by phase, and the driver, load state and surroundings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from regc.judge.comparison import place, si
from regc.judge.driven_values import Run, binding_checks, recorded
from regc.judge.verdict import Check, CheckResult
from regc.model.scenario import Phase, Scenario
from regc.model.value import Value, Word
from regc.signals.measurement import FLOAT_NOISE, Reading, motion_of, thresholds
from regc.wording import amount

#: The run within a phase by its name, or why the log does not show it.
PartOf = Callable[[str], Reading | str]


def validity_checks(run: Run, part: PartOf) -> Iterator[Check]:
    """The conditions of a valid run: every binding, those of phases too (`part`: the run within one), then the driver, load state and
    surroundings.

    A binding that this log could show, but has no channel for, is missing. One that no log shows (the width of an object) is taken
    from the record where it is there; else it is listed as not shown, and it leaves a record's run open where it belongs to the
    approach or the functional part."""
    if not run.at.marked and run.at.functional:
        ttc = run.scenario.number("ttc")
        note = "not marked in the log: found from " + ("the time to collision" if ttc is not None else "the braking of the target")
        shown, clause = f"{run.log.time[run.at.functional]:.3f} s", place(ttc.sources, run.clause) if ttc else run.clause
        yield Check(part="validity", name="functional part", result="met", measured=shown, clause=clause, note=note)
    yield from binding_checks(run, run.scenario.bind)
    yield from _phase_checks(run, part)
    yield _driver(run)
    for name, value in run.scenario.conditions.items():
        if name == "mass":
            yield from _load(run, value)
        elif name != "extra_mass" or "mass" not in run.scenario.conditions:
            yield recorded(run, name, value, surroundings=True)


def _phase_checks(run: Run, part: PartOf) -> Iterator[Check]:
    """What each phase binds beside the test. One that the run did not come to, since it was over before, was not driven otherwise."""
    over = ""
    for phase in run.scenario.phases:
        own = {name: value for name, value in phase.bind.items() if run.scenario.bind.get(name) != value}
        seen = part(phase.name)
        if isinstance(seen, str):
            yield from _not_seen(run, phase, own, over or seen, missing=not over)
            continue
        at = replace(seen.at, approach=seen.at.functional)
        scenario = run.scenario.model_copy(update={"manoeuvre": phase.manoeuvre, "bind": phase.bind, "actors": phase.actors})
        cut = replace(run, scenario=scenario, log=seen.log, motion=motion_of(phase.manoeuvre), at=at)
        for check in binding_checks(cut, own):
            yield check.model_copy(update={"name": f"{check.name} (phase {phase.name})"})
        if seen.at.last == run.at.last:
            over = f"the run was over in the phase {phase.name}"


def _not_seen(run: Run, phase: Phase, own: dict[str, Value | Word], note: str, *, missing: bool) -> Iterator[Check]:
    result: CheckResult = "missing" if missing else "not_applicable"
    for name, value in own.items():
        if isinstance(value, Value) and value.basis != "derived":
            title, clause = f"{name.replace('_', ' ')} (phase {phase.name})", place(value.sources, run.clause)
            yield Check(part="validity", name=title, result=result, clause=clause, note=note)


# ------------------------------------------------------------ driver and load state


def _driver(run: Run) -> Check:
    """The driver does nothing from the functional part on, unless the test has the driver brake."""
    log, at = run.log, run.at
    if has_manual_braking(run.scenario) or run.scenario.manoeuvre in thresholds().driven_by_hand:
        note = "the driver acts in this test"
        return Check(part="validity", name="driver input", result="not_applicable", clause=run.clause, note=note)
    if "driver_input" not in log.flags:
        if log.info.simulated:
            return Check(
                part="validity", name="driver input", result="not_applicable", clause=run.clause, note="no driver in a simulated run"
            )
        return _driver_unlogged(run)
    used = np.flatnonzero(log.flags["driver_input"][at.functional : at.last + 1])
    return Check(
        part="validity",
        name="driver input",
        result="not_met" if used.size else "met",
        measured=f"at {log.time[at.functional + used[0]]:.2f} s" if used.size else "none",
        required="none from the functional part on",
        clause=run.clause,
    )


def _driver_unlogged(run: Run) -> Check:
    """Without a channel of the driver: whether the system's demand explains all the speed that the vehicle lost in the functional
    part. If not, somebody else may have braked, and the run is not shown to be a valid one."""
    log, rules = run.log, thresholds()
    part, wanted = slice(run.at.functional, run.at.last + 1), "none from the functional part on"
    speed, demand = log.get("subject_speed"), log.get("braking_demand")
    if speed is None or speed[part].size < 2:
        note = "the log has no driver_input, and no speed that shows who braked"
        return Check(part="validity", name="driver input", result="missing", required=wanted, clause=run.clause, note=note)
    time, lost = log.time[part], speed[part][0] - speed[part]
    asked = np.zeros_like(time) if demand is None else np.maximum(demand[part], 0.0)
    steps = np.diff(time)
    # The demand of a sample may have held from the sample before on.
    demanded = np.concatenate(([0.0], np.cumsum(steps * np.maximum(asked[1:], asked[:-1]))))
    beyond = lost - demanded * (1 + rules.undemanded_share) - rules.undemanded_speed
    at = int(beyond.argmax())
    shown = f"{lost[at]:.2f} m/s slower by {time[at]:.3f} s, {demanded[at]:.2f} m/s demanded by the system"
    if beyond[at] > 0:
        channels = "driver_input" if demand is not None else "driver_input or braking_demand"
        note = f"the driver may have braked: log {channels}"
        return Check(
            part="validity", name="driver input", result="missing", measured=shown, required=wanted, clause=run.clause, note=note
        )
    note = "not observed (the log has no driver_input), but the vehicle slows down by no more than the system demands"
    return Check(part="validity", name="driver input", result="met", required=wanted, clause=run.clause, note=note)


def has_manual_braking(scenario: Scenario) -> bool:
    """Whether the driver brakes in a test."""
    return scenario.word("driver_brake") == "manual" or any(
        name in scenario.bind for name in ("brake_deceleration", "brake_delay", "brake_ttc")
    )


def _load(run: Run, state: Value | Word) -> Iterator[Check]:
    """Whether the run's mass is one of the scenario's load state: running order up to the additional mass that the document allows,
    maximum mass above that."""
    info, extra = run.log.info, run.extra_mass
    mass, empty = info.mass, info.running_order_mass
    if not isinstance(state, Word) or mass is None or empty is None:
        return
    limit = empty + (si(extra.hi, extra.unit) if extra is not None and extra.hi is not None else 0.0)
    most = info.maximum_mass or thresholds().mass_ratio * empty
    if state.word == "run":
        inside = empty - FLOAT_NOISE <= mass <= min(limit, most) + FLOAT_NOISE
        wanted = f"running order: {empty:g} to {min(limit, most):g} kg"
    else:
        # A vehicle whose maximum mass is hardly more than that has no masses between the two.
        inside = (mass > limit + FLOAT_NOISE or mass >= most - FLOAT_NOISE) and mass <= most + FLOAT_NOISE
        wanted = f"maximum mass: over {min(limit, most):g} to {most:g} kg"
    yield Check(
        part="validity",
        name="load state",
        result="met" if inside else "not_met",
        measured=f"{mass:g} kg",
        required=wanted,
        clause=place((extra or state).sources, run.clause),
        note=f"running order is {empty:g} kg" + (f" + at most {amount(extra)}" if extra is not None else ""),
    )
