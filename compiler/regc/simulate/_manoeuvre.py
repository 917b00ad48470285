"""Runs in which the system must not brake: what the manoeuvre showed against the document's numbers, and what the system did.

The moments are those of the quantities' names: "..._at_overlap" when the overlap falls to the document's overlap ratio,
"..._at_offset" when the offset reaches its offset ratio, any other "..._at_..." when steering begins; a speed without a moment
holds from there on.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from regc.model.scenario import NamedQuantity, Scenario
from regc.model.units import si
from regc.simulate._criteria import braking
from regc.simulate._geometry import lateral_offset, overlap
from regc.simulate._limits import kmh
from regc.simulate._validity import place
from regc.simulate.runlog import RunLog
from regc.simulate.verdict import Check, CheckResult


def manoeuvre_checks(scenario: Scenario, log: RunLog) -> Iterator[Check]:
    """Evidence: nothing here fails a run. The driver's own braking is part of the scenario, so a deceleration does not stand in for
    a demand of the system."""
    clause = f"{scenario.regulation} {scenario.clause}"
    yield _demand(log, clause)
    warnings = sum(int(flags[0]) + int((flags[1:] & ~flags[:-1]).sum()) for flags in log.warnings.values())
    seen = str(warnings) if log.warnings else "not logged"
    note = "" if log.warnings else "the log has no warning channel; that is not the same as no warning"
    yield Check(part="false_reaction", name="warnings", result="not_applicable", measured=seen, clause=clause, note=note)
    if log.contact is None:
        yield Check(part="false_reaction", name="contact", result="missing", clause=clause, note="the log has no contact")
    else:
        hit = bool(log.contact.any())
        yield _check("contact", "not_met" if hit else "met", "yes" if hit else "none", "none", clause)
    begins = log.info.events.get("steering")
    if begins is None:
        return
    at = {"steering": int(np.searchsorted(log.time, begins - log.step / 2)), "overlap": None, "offset": None}
    if at["steering"] is not None and at["steering"] < log.time.size:
        at |= _moments(scenario, log, at["steering"])
        for named in scenario.manoeuvre:
            yield from _numbers(named, log, at, clause)


def _demand(log: RunLog, clause: str) -> Check:
    name = "braking demand of the system"
    if log.info.ego == "none":
        return _check(name, "not_applicable", "no system in this run", "", clause)
    if log.demand is None and "braking" in log.info.events:
        return _check(name, "not_met", f"at {log.info.events['braking']:.2f} s", "none", clause)
    if log.demand is None:
        note = "the log has no braking demand of the system; the vehicle's deceleration is the driver's too"
        return Check(part="false_reaction", name=name, result="missing", clause=clause, note=note)
    _, noise, _ = braking(log)
    top = float(log.demand.max())
    return _check(name, "met", "none", "none", clause) if top <= noise else _check(name, "not_met", f"{top:.2f} m/s2", "none", clause)


def _check(name: str, result: CheckResult, measured: str, required: str, clause: str) -> Check:
    return Check(part="false_reaction", name=name, result=result, measured=measured, required=required, clause=clause)


def _moments(scenario: Scenario, log: RunLog, steering: int) -> dict[str, int | None]:
    """Samples at which the overlap ends and the offset is reached, by the document's own ratios; None where they never are."""
    ratios = {named.name: float(si(named.quantity)) for named in scenario.manoeuvre if named.name.endswith("_ratio")}
    found: dict[str, int | None] = {}
    if log.tracks is None:
        return found
    subject, target = log.tracks
    if "overlap_ratio" in ratios:
        above = overlap(subject, target)[steering:] > ratios["overlap_ratio"] + 1e-9
        ends = np.flatnonzero(above[:-1] & ~above[1:])
        found["overlap"] = steering + int(ends[0]) if ends.size else None
    if "offset_ratio" in ratios:
        offset = lateral_offset(subject, target)[steering:] / (subject.box.width / 2)
        reached = np.flatnonzero(np.abs(offset) >= abs(ratios["offset_ratio"]) - 1e-9)
        found["offset"] = steering + int(reached[0]) if reached.size else None
    return found


def _numbers(named: NamedQuantity, log: RunLog, at: dict[str, int | None], clause: str) -> Iterator[Check]:
    name, quantity = named.name, named.quantity
    title = name.replace("_", " ")
    where, required = place(quantity, clause), f"{'>=' if quantity.bound == 'ge' else '<='} {quantity.value} {quantity.unit}"
    moment = next((at[key] for key in ("overlap", "offset") if name.endswith(f"_at_{key}")), at["steering"])
    if moment is None or quantity.bound not in ("ge", "le"):
        return
    if name.startswith("max_ttc_at_") and log.gap is not None and log.closing_speed is not None:
        ttc = float(log.gap[moment]) / max(float(log.closing_speed[moment]), 1e-9)
        met = 0 <= ttc <= float(si(quantity)) + 1e-6
        yield _check(title, "met" if met else "not_met", f"{ttc:.2f} s", required, where)
    elif name.startswith("min_speed_") and log.subject_speed is not None:
        speed = float(log.subject_speed[moment] if "_at_" in name else log.subject_speed[moment:].min())
        met = kmh(speed) >= kmh(float(si(quantity)))
        yield _check(title, "met" if met else "not_met", f"{kmh(speed)} km/h", required, where)
