"""One run: is the log whole, was the test valid, and is each criterion met.

In a test whose subject vehicle turns before it meets a crossing target the gap along the heading says nothing before the turn is
over: with poses, the way that was driven until the end of the run (or until the first contact) and the gap that was left there
give the distance to the impact point at every sample before, as if the path were straight.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from regc.judge.comparison import JudgedLimit, LimitTables, place
from regc.judge.criteria import Asked, criterion_checks, in_kmh, lookup, within_phase
from regc.judge.declarations import SET_UP, Declarations
from regc.judge.driven_values import Run
from regc.judge.moments import window
from regc.judge.validity import has_manual_braking, validity_checks
from regc.judge.verdict import Check, CheckResult, RunVerdict, Verdict
from regc.model.scenario import Scenario
from regc.model.value import Value
from regc.runs import geometry
from regc.runs.geometry import Track
from regc.runs.log import RunLog
from regc.signals import EVENTS
from regc.signals.contact import closing_speed, find_contact, outcome
from regc.signals.measurement import Contact, Motion, Outcome, Reading, motion_of

#: Statuses whose runs are shown to a person and get no verdict.
SHOWN_ONLY = ("guidance", "evidence")


@dataclass(frozen=True)
class Bench:
    """What all runs of a campaign are judged by. `bases`: logs of runs without a system by their names. `extra_mass`: by scenario id,
    what a vehicle may weigh beyond its running order and still be in it."""

    tables: LimitTables
    declarations: Declarations = field(default_factory=Declarations)
    bases: dict[str, RunLog] = field(default_factory=dict)
    extra_mass: dict[str, Value] = field(default_factory=dict)


def seen(scenario: Scenario, log: RunLog) -> tuple[RunLog, Motion]:
    """A log as it is judged, and how its target moves along the subject vehicle's path."""
    motion = motion_of(scenario.manoeuvre)
    return (unrolled(log), "across") if motion == "turned" else (log, motion)


def reading_of(scenario: Scenario, log: RunLog, motion: Motion, bench: Bench) -> tuple[Reading | None, Contact]:
    """A run as signals read it, None where its functional part cannot be found or contact came before it; and its contact."""
    if not readable(log):
        return None, Contact()
    contact = find_contact(log, motion)
    at = window(scenario, log, motion, contact.first)
    if at is None or (at.contact is not None and at.contact <= at.functional):
        return None, contact
    result = outcome(log, motion, at, contact)
    return Reading(log, motion, at, result, has_manual_braking(scenario), _base(scenario, log, bench)), contact


def _base(scenario: Scenario, log: RunLog, bench: Bench) -> tuple[RunLog, float] | None:
    """The log of the same run without a system, and when its functional part begins."""
    base = bench.bases.get(log.info.without_system) if log.info.without_system else None
    if base is None or not readable(base):
        return None
    base, motion = seen(scenario, base)
    at = window(scenario, base, motion, find_contact(base, motion).first)
    return None if at is None else (base, at.begins)


def judge_run(scenario: Scenario, log: RunLog, bench: Bench, vehicle_type: str = "") -> RunVerdict:
    """The log, its validity, then every criterion of the scenario."""
    recorded = log
    log, motion = seen(scenario, log) if readable(log) else (log, motion_of(scenario.manoeuvre))
    reading, contact = reading_of(scenario, log, motion, bench)
    checks: list[Check] = list(log_checks(log, motion, contact))
    result, at, rows = Outcome(None), None, list[JudgedLimit]()
    if not any(check.result == "not_met" for check in checks):
        if reading is None:
            checks.append(_no_reading(scenario, log, contact))
        else:
            result = reading.outcome
            asked = Asked(scenario, reading, bench.tables, bench.declarations)
            at, rows = lookup(asked)
            checks.extend(validity_checks(_run(scenario, reading, bench), lambda phase: within_phase(asked, phase)))
            if log.info.ego != "none":
                checks.extend(criterion_checks(asked))
    verdict, decisive = _verdict(scenario, log, checks)
    if verdict == "pass" and not any(check.part == "criterion" and check.result == "met" for check in checks):
        note = "the scenario states no criterion that the log could meet, so nothing was passed"
        decisive = Check(part="outcome", name="criterion", result="missing", clause=_clause(scenario), note=note)
        checks.append(decisive)
        verdict = "incomplete"
    return RunVerdict(
        scenario=scenario.id,
        run=log.info.run,
        vehicle_type=vehicle_type,
        engine=log.info.engine,
        verdict=verdict,
        clause=(decisive.clause if decisive else "") or _clause(scenario),
        reason=_reason(decisive, verdict, log, result) + _also_failed(checks, verdict),
        checks=tuple(checks),
        log=log.info.log,
        baseline=log.info.ego == "none",
        simulated=log.info.simulated,
        collided=result.collided,
        impact_speed=in_kmh(result.impact_speed),
        contact_time=None if result.contact_time is None else round(result.contact_time, 4),
        lookup_speed=in_kmh(at),
        limit_rows=tuple((row.label, row.digits) for row in rows),
        fingerprint=_fingerprint(recorded),
        set_up=bench.declarations.reason(SET_UP, scenario, log.info) if verdict == "fail" else "",
        counts=verdict in ("pass", "fail", "incomplete") and log.info.ego != "none",
    )


def _run(scenario: Scenario, reading: Reading, bench: Bench) -> Run:
    braking = EVENTS["braking"].find(reading, 0.0)
    driver = reading.log.flags.get("driver_input")
    by_system = not braking.proxy or (driver is not None and not driver[reading.part].any())
    begun = braking.onset.latest if braking.seen and by_system else None
    warning, driven = EVENTS["warning"].find(reading, 0.0), EVENTS["driver_brake"].find(reading, 0.0)
    return Run(
        scenario,
        reading.log,
        reading.motion,
        reading.at,
        warned=warning.onset.latest if warning.seen else None,
        braking=begun,
        braking_shown=braking.seen is not None,
        driver=driven.onset.latest if driven.seen else None,
        declarations=bench.declarations,
        extra_mass=bench.extra_mass.get(scenario.id),
    )


def _clause(scenario: Scenario) -> str:
    return f"{scenario.regulation} {scenario.clause}"


def _verdict(scenario: Scenario, log: RunLog, checks: Sequence[Check]) -> tuple[Verdict, Check | None]:
    """Invalid before failed, failed before incomplete; pass only when nothing is missing. A run that is not shown to be a valid one has
    not failed: it is incomplete. Guidance is shown, whatever its checks say; what a person assesses is no pass."""
    unproven = any(check.part == "validity" and check.result == "missing" for check in checks)
    orders: tuple[tuple[tuple[str, ...], str, Verdict], ...] = (
        (("log", "validity"), "not_met", "invalid"),
        (("log", "validity") if unproven else (), "missing", "incomplete"),
        (("criterion",), "not_met", "fail"),
        (("log", "validity", "criterion"), "missing", "incomplete"),
    )
    for parts, result, verdict in orders:
        decisive = next((check for check in checks if check.part in parts and check.result == result), None)
        if decisive is None or (log.info.ego == "none" and verdict == "incomplete"):
            continue
        if scenario.status in SHOWN_ONLY and decisive.part != "log":
            break
        return verdict, decisive
    if scenario.status in SHOWN_ONLY or log.info.ego == "none" or any(item.form == "assess" for item in scenario.require):
        return "evidence", None
    return "pass", None


def _reason(decisive: Check | None, verdict: Verdict, log: RunLog, result: Outcome) -> str:
    if decisive is not None:
        measured = f"{decisive.measured} ({decisive.bracket})" if decisive.bracket else decisive.measured
        parts = [measured, f"required {decisive.required}" if decisive.required else "", decisive.note]
        return ": ".join((decisive.name, ", ".join(part for part in parts if part)))
    if log.info.ego == "none":
        return "baseline without a system: " + ("collides" if result.collided else "does not collide")
    return "evidence for the assessment" if verdict == "evidence" else "every requirement met"


def _also_failed(checks: Sequence[Check], verdict: Verdict) -> str:
    """What an incomplete run would fail by, if it is a valid one."""
    failed = next((check for check in checks if check.part == "criterion" and check.result == "not_met"), None)
    if verdict != "incomplete" or failed is None:
        return ""
    return f"; not met if the run is valid: {failed.name}" + (f": {failed.measured}" if failed.measured else "")


def _no_reading(scenario: Scenario, log: RunLog, contact: Contact) -> Check:
    if contact.first is not None and window(scenario, log, seen(scenario, log)[1], contact.first) is not None:
        early, marked = f"{log.time[contact.first]:.3f} s", log.functional_part is not None
        note = "" if marked else "the log marks no start of the functional part (functional_part)"
        result: CheckResult = "not_met" if marked else "missing"
        return Check(part="validity", name="contact before the functional part", result=result, measured=early, note=note)
    ttc = scenario.number("ttc")
    return Check(
        part="validity",
        name="functional part",
        result="missing",
        clause=place(ttc.sources, _clause(scenario)) if ttc is not None else _clause(scenario),
        note="the log marks no start of the functional part (functional_part), and none can be found from its channels",
    )


def _fingerprint(log: RunLog) -> str:
    digest = hashlib.sha256(log.time.round(9).tobytes())
    for name in sorted(log.channels):
        digest.update(name.encode())
        digest.update(log.channels[name].round(9).tobytes())
    return digest.hexdigest()[:16]


# ---- is the log itself whole: samples, numbers, time, units, and channels that do not contradict each other.


#: A gap may not change by more or less than this share of what the closing speed says before the log's units are doubted.
_UNIT_DOUBT = 0.1
#: A step that is longer than so many usual ones, and than this time (s), is a hole.
_HOLE_STEPS, _HOLE_TIME = 5, 0.05


def log_checks(log: RunLog, motion: Motion, contact: Contact) -> Iterator[Check]:
    """What is wrong with the log itself, before any question of the regulation."""
    for kind, message in log.problems:
        yield Check(part="log", name="log", result="not_met" if kind == "invalid" else "missing", note=message)
    if log.time.size < 3:
        yield _wrong("samples", str(log.time.size), "a log of less than 3 samples")
        return
    bad = not_finite(log)
    if bad:
        yield _wrong("finite numbers", "", f"not a number in: {', '.join(bad)}")
        return
    steps = np.diff(log.time)
    if (steps <= 0).any():
        where = int(np.flatnonzero(steps <= 0)[0])
        yield _wrong("time", f"{log.time[where + 1]:.3f} s after {log.time[where]:.3f} s", "time does not run forward")
        return
    if steps.max() > max(_HOLE_STEPS * float(np.median(steps)), _HOLE_TIME):
        where = int(steps.argmax())
        yield _wrong("holes", f"{steps[where]:.3f} s", f"a hole after {log.time[where]:.3f} s")
        return
    yield from _units(log, motion, contact.first)
    for name, measured, against in contact.contradictions:
        yield _wrong(name, measured, against)


def readable(log: RunLog) -> bool:
    """Whether a log has numbers over time at all."""
    return log.time.size >= 3 and not not_finite(log) and bool((np.diff(log.time) > 0).all())


def not_finite(log: RunLog) -> list[str]:
    """Channels that hold something that is no number."""
    series = {"time": log.time, **log.channels}
    return [name for name, values in series.items() if not np.isfinite(values).all()]


def _wrong(name: str, measured: str, note: str) -> Check:
    return Check(part="log", name=name, result="not_met", measured=measured, note=note)


def _units(log: RunLog, motion: Motion, contact: int | None) -> Iterator[Check]:
    """Whether the gap closes by what the speeds say, up to the first contact, or until it is gone: some sensors stop there."""
    until = log.time.size if contact is None else contact
    gap, closing = log.get("gap"), closing_speed(log, motion)
    if gap is not None and gap[0] > 0 and (gap[:until] <= 0).any():
        until = int((gap[:until] <= 0).argmax())
    if gap is None or closing is None or until < 2 or motion == "":
        return
    travelled = float(gap[0] - gap[until - 1])
    said = float((np.diff(log.time[:until]) * (closing[1:until] + closing[: until - 1]) / 2).sum())
    slack = abs(float(closing[0])) * 2 * float(np.diff(log.time).max()) + 0.1
    if abs(travelled - said) <= _UNIT_DOUBT * abs(said) + slack:
        return
    ratio = said / travelled if travelled else float("inf")
    near = "km/h read as m/s" if 3 < ratio < 4.2 else "m/s read as km/h" if 0.23 < ratio < 0.33 else "another scale"
    yield _wrong("units", f"gap closes by {travelled:.2f} m, the speeds say {said:.2f} m", f"speeds and gap do not agree: {near}")


_OF_THE_HEADING = ("gap", "lateral_offset", "closing_speed")
#: how far from a right angle the paths may lie where the run ends, rad
_ASKEW = 0.02


def unrolled(log: RunLog) -> RunLog:
    """The log with gap (m) and lateral offset (m, left positive) along the driven path. Without poses, or where the run ends before the
    subject vehicle faces the target's path, it has neither."""
    channels = {name: values for name, values in log.channels.items() if name not in _OF_THE_HEADING}
    subject, target = log.tracks.get("subject"), log.tracks.get("target")
    if subject is None or target is None:
        return replace(log, channels=channels)
    touched = np.flatnonzero(log.touching) if log.touching is not None else np.array([], dtype=np.intp)
    last = int(touched[0]) if touched.size else log.time.size - 1
    if abs(math.cos(float(target.heading[last] - subject.heading[last]))) > _ASKEW:
        return replace(log, channels=channels)
    way = np.concatenate(([0.0], np.cumsum(np.hypot(np.diff(subject.x), np.diff(subject.y)))))
    channels["gap"] = float(geometry.gap(subject, target)[last]) + way[last] - way
    there = np.full(log.time.shape, last)
    at_the_end = Track(subject.x[there], subject.y[there], subject.heading[there], subject.speed, subject.box)
    channels["lateral_offset"] = geometry.lateral_offset(at_the_end, target, log.info.target_reference)
    return replace(log, channels=channels)
