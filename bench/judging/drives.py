"""Drives whose verdict is known by construction, calculated from the words of the clause with none of regc's code."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from bench.judging.asked import Asked

#: s between the points of a drive
FINE = 0.0005
Truth = str  # pass, fail, invalid
Dense = dict[str, np.ndarray[Any, Any]]


@dataclass
class Drive:
    """A drive over fine points: channels in SI, flags as 0 and 1, its truth and why. `functional`, `contact`, `ends`: s when the
    functional part starts, when the bodies first touch, and when the drive is over."""

    asked: Asked
    channels: Dense
    flags: Dense
    truth: Truth
    why: str
    functional: float
    ends: float
    contact: float | None
    sidecar: dict[str, Any] = field(default_factory=dict)
    marked: bool = True


def near(rng: random.Random, bound: float, spread: float, least: float) -> float:
    """A number around a bound, but not nearer than what a bench resolves."""
    off = rng.uniform(least, spread) if rng.random() < 0.7 else rng.uniform(least, least * 3)
    return bound + off * rng.choice((-1, 1))


def inside(rng: random.Random, low: float, high: float, margin: float) -> float:
    """A value within two bounds, often near one of them."""
    if high - low <= 2 * margin:
        return (low + high) / 2
    return rng.choice((low + margin, high - margin, rng.uniform(low + margin, high - margin)))


def braked(time: np.ndarray[Any, Any], speed: float, floor: float, onset: float, rate: float, ramp: float) -> np.ndarray[Any, Any]:
    """Speed (m/s) of a vehicle that brakes from `onset` on, its deceleration rising over `ramp` s, down to `floor`."""
    since = np.maximum(time - onset, 0.0)
    lost = np.where(since < ramp, rate * since**2 / (2 * ramp) if ramp else 0.0, rate * (since - ramp / 2))
    return np.maximum(speed - lost, floor)


def driven(time: np.ndarray[Any, Any], speed: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.concatenate(([0.0], np.cumsum((speed[1:] + speed[:-1]) / 2 * np.diff(time))))


def limit_at(asked: Asked, relative: float) -> float | None:
    """The limit of the row of a speed, or of the next higher one (both regulations say so)."""
    rows = [(row, limit) for row, limit in asked.limits if row >= round(relative, 1) - 1e-6]
    return rows[0][1] if rows else None


def towards(asked: Asked, rng: random.Random) -> Drive | None:
    """A vehicle that drives at a target that stands, moves ahead of it, or crosses."""
    crossing, invalid = asked.family == "crossing", ""
    own = inside(rng, *asked.subject, 0.04)
    if own * 0 == 0 and asked.subject[1] - asked.subject[0] > 20 and rng.random() < 0.5:
        own = rng.uniform(*asked.subject)
    target = inside(rng, *asked.target, 0.02) if asked.target[1] else 0.0
    ttc = asked.ttc + rng.choice((0.005, 0.05, 0.3, 0.6)) if asked.ttc else rng.uniform(3.0, 6.0)
    approach = asked.straight + rng.choice((0.01, 0.1, 0.5, 2.0, 4.0)) if asked.straight else rng.uniform(1.0, 4.0)
    offset = rng.uniform(-1, 1) * max(asked.offset - 0.005, 0.0) if asked.offset < 1 else rng.uniform(-0.3, 0.3)
    driver, start_early = False, 0.0
    fault = rng.choice(("speed", "ttc", "approach", "offset", "driver", "target", "start")) if rng.random() < 0.2 else ""
    if fault == "speed" and asked.subject[1] - asked.subject[0] < 60 and asked.subject[0] != asked.subject[1]:
        own, invalid = rng.choice((asked.subject[0] - rng.uniform(0.12, 3), asked.subject[1] + rng.uniform(0.12, 3))), "speed"
    elif fault == "ttc" and asked.ttc and not asked.bicycle and asked.ttc != 5.0:
        ttc, invalid = asked.ttc - rng.choice((0.02, 0.1, 0.6)), "ttc"
    elif fault == "approach" and asked.straight:
        approach, invalid = asked.straight - rng.choice((0.02, 0.2, 1.0)), "approach"
    elif fault == "offset" and asked.offset < 1:
        offset, invalid = (asked.offset + rng.choice((0.01, 0.05, 0.3))) * rng.choice((-1, 1)), "offset"
    elif fault == "driver" and asked.most_demand is None:
        driver, invalid = True, "driver"
    elif fault == "target" and asked.target[1] and asked.target[1] > asked.target[0]:
        target, invalid = rng.choice((asked.target[0] - rng.uniform(0.15, 1), asked.target[1] + rng.uniform(0.15, 1))), "target"
    elif fault == "start" and asked.starts_after:
        start_early, invalid = rng.uniform(0.25, 0.8), "start"
    v, vt = own / 3.6, target / 3.6
    closing = v if crossing else v - vt
    hit_at, functional = approach + ttc, approach
    rate = rng.choice(
        (rng.uniform(3.0, 9.5), near(rng, asked.demand or 5.0, 1.5, 0.05), near(rng, asked.most_demand or 5.0, 1.5, 0.05))
    )
    rate = max(rate, 1.0)
    ramp = rng.choice((0.0, 0.1, 0.3))
    needed = closing / (2 * rate) + ramp / 2
    brake_ttc = rng.choice((needed + rng.uniform(0.1, 0.5), needed - rng.uniform(0.05, 0.6), rng.uniform(0.3, 2.6)))
    brakes = rng.random() < 0.92
    # the truth needs room: never braking before the functional part
    brake_ttc = min(max(brake_ttc, 0.15), hit_at - functional - 1.3)
    demanded_at = hit_at - brake_ttc
    lag = rng.choice((0.0, 0.05, 0.15))
    warned = rng.random() < 0.93
    lead = near(rng, asked.lead, 1.0, 0.02) if asked.lead is not None and asked.lead > 0 else rng.choice((0.02, 0.3, 1.2, -0.05, -0.4))
    warned_at = demanded_at - lead
    if warned_at < functional + 0.05:
        warned_at = functional + 0.05
        lead = demanded_at - warned_at
    ends = hit_at + 6.0 + (closing / rate if brakes else 0)
    time = np.arange(0.0, ends, FINE)
    speed = braked(time, v, 0.0 if crossing else vt, demanded_at + lag, rate, ramp) if brakes else np.full(time.shape, v)
    way = driven(time, speed)
    plane = v * hit_at if crossing else None
    boxes = (rng.uniform(3.8, 5.0), rng.uniform(1.6, 2.0), 1.8 if asked.bicycle else 0.5, 0.6 if asked.bicycle else 0.5)
    if crossing:
        assert plane is not None
        gap = plane - way
        side = rng.choice((-1.0, 1.0))
        # straight across at constant speed, so that its reference point would be `offset` off where the front reaches it
        take = rng.choice((0.0, 0.3, 0.8))
        begin = functional + 2 * FINE - start_early if asked.starts_after else max(functional - rng.uniform(0.2, 1.5), 0.0)
        pace = vt * np.clip((time - begin) / take if take else np.where(time >= begin, 1.0, 0.0), 0.0, 1.0)
        along = driven(time, pace)
        lateral = side * (along - np.interp(hit_at, time, along)) + offset
        half = (boxes[1] + boxes[2]) / 2
        touch = (gap <= 0) & (gap >= -(boxes[0] + boxes[3])) & (np.abs(lateral) <= half)
        target_speed = pace
    else:
        target_speed = np.full(time.shape, vt)
        gap = closing * hit_at + driven(time, target_speed) - way
        lateral = np.full(time.shape, offset)
        touch = gap <= 0
    relative = speed if crossing else speed - target_speed
    touched = np.flatnonzero(touch)
    contact = float(time[touched[0]]) if touched.size else None
    impact = float(relative[max(touched[0] - 1, 0)]) * 3.6 if touched.size else 0.0
    if contact is not None and contact <= functional + 0.3:
        return None
    # ---- the truth
    why: list[str] = []
    demand = np.where((time >= demanded_at) & brakes & (relative > 0.0), rate, 0.0)
    modes = rng.choice((2, 2, 2, 3, 1)) if asked.modes else 2
    if asked.limits:
        said = [
            limit for limit in (limit_at(asked, asked.nominal), limit_at(asked, own if crossing else own - target)) if limit is not None
        ]
        if not said:
            return None
        strict, lax = min(said), max(said)
        if strict < impact <= lax or (contact is not None and min(abs(impact - limit) for limit in said) < 0.05) or 0 < impact < 0.3:
            return None
        if contact is None and float(gap[touch.size - 1]) < 0.1 and not crossing:
            return None
        if impact > strict:
            why.append(f"impact {impact:.2f}")
    before = contact if contact is not None else ends
    does_brake = brakes and demanded_at < before
    does_warn = warned and warned_at < before
    if (does_brake and contact is not None and abs(demanded_at - before) < 0.02) or (does_warn and abs(warned_at - before) < 0.02):
        return None
    if asked.demand is not None and (not does_brake or rate < asked.demand):
        why.append("demand")
    if asked.most_demand is not None and does_brake and rate > asked.most_demand:
        why.append("demand")
    if asked.lead is not None and (not does_warn or (does_brake and lead < asked.lead)):
        why.append("warning")
    if asked.modes and (not does_warn or modes < asked.modes):
        why.append("modes")
    if asked.lead is None:
        warned = False
    driver_at = functional + rng.uniform(0.3, min(1.2, before - functional - 0.1)) if driver else None
    truth = "invalid" if invalid else "fail" if why else "pass"
    on = (time >= warned_at) if warned else np.zeros(time.shape, dtype=bool)
    flags = {"warning_acoustic": on, "warning_optical": on if modes >= 2 else np.zeros(time.shape, dtype=bool)}
    if modes == 3:
        flags["warning_haptic"] = on
    flags["contact"] = touch if rng.random() < 0.7 or not touched.size else time >= contact
    flags["driver_input"] = (
        (time >= driver_at) & (time < driver_at + 0.4) if driver_at is not None else np.zeros(time.shape, dtype=bool)
    )
    flags["driver_brake"] = np.zeros(time.shape, dtype=bool)
    stands = np.flatnonzero(relative <= 1e-9)
    over = contact if contact is not None else float(time[stands[0]]) if stands.size else ends - 2.0
    sidecar: dict[str, Any] = {
        "subject_box": {"length": boxes[0], "width": boxes[1]},
        "target_box": {"length": boxes[2], "width": boxes[3]},
        "target_reference": 0.0,
    } if crossing else {}  # fmt: skip
    channels = {
        "subject_speed": speed, "target_speed": target_speed, "gap": gap, "lateral_offset": lateral, "braking_demand": demand,
        "deceleration": np.concatenate((-np.diff(speed) / FINE, [0.0])),
    }  # fmt: skip
    if asked.id.startswith("FMVSS"):
        channels.update(posed(time, way, rng))
        sidecar["subject_box"] = {"length": 4.6, "width": 1.85}
    told = invalid or ", ".join(why) or "all met"
    told += (
        f" [own {own:.2f}, target {target:.2f}, impact {impact:.2f}, lead {lead:.3f}, rate {rate:.2f}, ttc {ttc:.3f}, modes {modes}]"
    )
    return Drive(asked, channels, {name: np.asarray(flag, dtype=float) for name, flag in flags.items()}, truth, told, functional,
                 min(over + rng.uniform(0.6, 2.5), ends - 0.1), contact, sidecar)  # fmt: skip


def line(asked: Asked, rng: random.Random) -> Drive | None:
    """A vehicle that drifts over a marking at a constant rate: warned at the latest 0.3 m past the outer edge (UN R130, 6.5.2)."""
    own, rate, invalid = rng.uniform(62.1, 67.9), inside(rng, 0.1, 0.8, 0.005), ""
    fault = rng.choice(("speed", "rate", "", "", "", ""))
    if fault == "speed":
        own, invalid = rng.choice((61.8, 60.0, 68.2, 72.0)), "speed"
    elif fault == "rate":
        rate, invalid = rng.choice((0.08, 0.09, 0.815, 0.9)), "rate"
    start = rng.uniform(0.4, 1.2)
    begins = rng.uniform(1.0, 3.0)
    ends = begins + (start + 0.6) / rate
    time = np.arange(0.0, ends, FINE)
    distance = start - rate * np.maximum(time - begins, 0.0)
    warned, past = rng.random() < 0.9, near(rng, 0.3, 0.4, 0.004)
    warned_at = begins + (start + past) / rate
    modes = rng.choice((2, 2, 2, 1))
    why = [] if warned and past < 0.3 else ["warning"]
    why += [] if warned and modes >= 2 else ["modes"]
    on = (time >= warned_at).astype(float) if warned else np.zeros(time.shape)
    flags = {"warning_acoustic": on, "warning_optical": on if modes > 1 else np.zeros(time.shape)}
    truth = "invalid" if invalid else "fail" if why else "pass"
    channels = {"subject_speed": np.full(time.shape, own / 3.6), "line_distance": distance}
    told = f"{invalid or ', '.join(why) or 'all met'} [own {own:.2f}, rate {rate:.3f}, warned at {past:.3f} m past, modes {modes}]"
    return Drive(asked, channels, flags, truth, told, begins, ends - 0.05, None, {"conditions": {"lane_width": "3.6 m"}}, marked=False)


def passing(asked: Asked, rng: random.Random) -> Drive | None:
    """Between two standing vehicles, or over a plate: no warning and no braking, or less than 0.25 g (2.452 m/s2) of it."""
    plate = asked.family == "plate"
    own, invalid = inside(rng, *asked.subject, 0.04), ""
    way = 60.0 + rng.uniform(0.2, 30)
    if rng.random() < 0.15:
        own, invalid = rng.choice((asked.subject[0] - rng.uniform(0.2, 3), asked.subject[1] + rng.uniform(0.2, 3))), "speed"
    elif not plate and rng.random() < 0.15:
        way, invalid = rng.uniform(30.0, 59.0), "approach"
    v = own / 3.6
    begins = 0.0
    if plate:
        begins = rng.uniform(1.0, 3.0)
        way = v * (5.0 + begins)
    at = way / v
    reacts = rng.random() < 0.5
    rate = near(rng, 2.452, 2.0, 0.06) if plate else rng.choice((0.6, 1.0, 3.0, 6.0))
    onset, held = begins + rng.uniform(0.5, at - begins - 1.0), rng.uniform(0.25, 0.6)
    time = np.arange(0.0, at + 3.0, FINE)
    braking = (time >= onset) & (time < onset + held) & reacts
    speed = v - np.concatenate(([0.0], np.cumsum(np.where(braking, rate, 0.0))[:-1] * FINE))
    gap = way - driven(time, speed)
    warned = not plate and rng.random() < 0.2
    on = ((time >= onset + 0.1) & (time < onset + 0.7)).astype(float) if warned else np.zeros(time.shape)
    why = (["deceleration"] if plate and reacts and rate >= 2.452 else []) + (["braking"] if not plate and reacts else [])
    why += ["warning"] if warned else []
    passed = float(np.interp(0.0, -gap, time))
    truth = "invalid" if invalid else "fail" if why else "pass"
    channels = {
        "subject_speed": speed,
        "gap": gap,
        "braking_demand": np.where(braking, rate, 0.0),
        "deceleration": np.where(braking, rate, 0.0),
    }
    flags = {"warning_acoustic": on, "warning_optical": on, "contact": np.zeros(time.shape), "driver_input": np.zeros(time.shape)}
    conditions = {"gap_between": "4.5 m"}
    boxes = {"subject_box": {"length": 4.5, "width": 1.8}, "boxes": {"pair_left": {"length": 4.5, "width": 1.8}}}
    if plate:
        channels.update(posed(time, driven(time, speed), rng))
    told = f"{invalid or ', '.join(why) or 'all met'} [own {own:.2f}, way {way:.1f}, rate {rate if reacts else 0:.3f} for {held:.2f} s]"
    return Drive(asked, channels, flags, truth, told, begins, min(passed + 1.5, time[-1]), None, {"conditions": conditions, **boxes},
                 marked=plate)  # fmt: skip


def posed(time: np.ndarray[Any, Any], way: np.ndarray[Any, Any], rng: random.Random) -> Dense:
    """Poses of a vehicle that drives along a line in any direction, at any place."""
    heading, x, y = rng.uniform(-3.1, 3.1), rng.uniform(-500, 500), rng.uniform(-500, 500)
    return {
        "subject_x": x + way * np.cos(heading), "subject_y": y + way * np.sin(heading), "subject_heading": np.full(time.shape, heading),
    }  # fmt: skip


def braking_lead(asked: Asked, rng: random.Random) -> Drive | None:
    """A lead vehicle at the same speed that brakes at 0.3 to 0.5 g, reached within 1.5 s (FMVSS 127, S7.5): no contact, a warning."""
    own, lead, invalid = inside(rng, *asked.subject, 0.04), inside(rng, *asked.target, 0.04), ""
    ahead, rate, rise = inside(rng, 12.0, 40.0, 0.05), inside(rng, 0.31, 0.49, 0.0) * 9.80665, rng.choice((0.2, 0.8, 1.3))
    fault = rng.choice(("gap", "rate", "rise", "speed")) if rng.random() < 0.25 else ""
    begins = rng.uniform(3.05, 4.0)
    if fault == "gap":
        ahead, invalid = rng.choice((rng.uniform(9.0, 11.7), rng.uniform(40.4, 45.0))), "gap"
    elif fault == "rate":
        rate, invalid = rng.choice((0.24, 0.27, 0.53, 0.6)) * 9.80665, "rate"
    elif fault == "rise":
        rise, invalid = rng.uniform(2.0, 2.4), "rise"
    elif fault == "speed":
        own, invalid = rng.choice((47.5, 48.2, 51.8, 53.0)), "speed"
    time = np.arange(0.0, begins + 14.0, FINE)
    front = braked(time, lead / 3.6, 0.0, begins, rate, rise)
    onset = begins + rng.uniform(0.4, 2.5)
    hard = rng.uniform(4.0, 9.0)
    brakes = rng.random() < 0.9
    speed = braked(time, own / 3.6, 0.0, onset, hard, 0.1) if brakes else np.full(time.shape, own / 3.6)
    start = ahead + (own - lead) / 3.6 * begins
    gap = start + driven(time, front) - driven(time, speed)
    touched = np.flatnonzero(gap <= 0)
    contact = float(time[touched[0]]) if touched.size else None
    if (contact is not None and contact < begins + rise + 0.6) or (contact is None and float(gap.min()) < 0.3):
        return None
    lead_time = rng.choice((0.3, 1.0, -0.2))
    warned, warned_at = rng.random() < 0.85, max(onset - lead_time, begins + 0.1)
    over = contact if contact is not None else float(time[np.flatnonzero(speed <= 0)[0]])
    does_warn, does_brake = warned and warned_at < over - 0.02, brakes and onset < over - 0.02
    if any(abs(moment - over) < 0.03 for moment in (warned_at, onset)):
        return None
    why = (["contact"] if contact is not None else []) + ([] if does_warn and (not does_brake or warned_at <= onset) else ["warning"])
    on = (time >= warned_at).astype(float) if warned else np.zeros(time.shape)
    flags = {
        "warning_acoustic": on, "warning_optical": on, "contact": (gap <= 0).astype(float), "driver_input": np.zeros(time.shape),
    }  # fmt: skip
    channels = {
        "subject_speed": speed, "target_speed": front, "gap": gap, "lateral_offset": np.full(time.shape, 0.02),
        "braking_demand": np.where((time >= onset) & brakes & (speed > 0), hard, 0.0),
        "deceleration": np.concatenate((-np.diff(speed) / FINE, [0.0])), **posed(time, driven(time, speed), rng),
    }  # fmt: skip
    heading = channels["subject_heading"]
    channels["target_x"] = channels["subject_x"] + (gap + 4.6) * np.cos(heading)
    channels["target_y"] = channels["subject_y"] + (gap + 4.6) * np.sin(heading)
    channels["target_heading"] = heading
    sidecar = {"subject_box": {"length": 4.6, "width": 1.85}, "target_box": {"length": 4.6, "width": 1.8}}
    truth = "invalid" if invalid else "fail" if why else "pass"
    told = (
        f"{invalid or ', '.join(why) or 'all met'} [own {own:.2f}, lead {lead:.2f}, gap {ahead:.2f}, rate {rate:.2f}, rise {rise:.2f}]"
    )
    return Drive(asked, channels, flags, truth, told, begins, min(over + rng.uniform(0.6, 2.0), time[-1]), contact, sidecar)


def cut_in(asked: Asked, rng: random.Random) -> Drive | None:
    """A slower vehicle changes into the lane of the subject vehicle (UN R171, Annex 4, 4.2.5.2.6), as poses: no contact, no braking by
    the driver, at most 5 m/s2."""
    v, vt = asked.subject[0] / 3.6, asked.target[0] / 3.6
    begins, takes = rng.uniform(2.2, 4.0), 14.0 / vt
    time = np.arange(0.0, begins + 16.0, FINE)
    share = np.clip((time - begins) / takes, 0.0, 1.0)
    target_y = 3.5 * (0.5 + 0.5 * np.cos(np.pi * share)) * rng.choice((-1.0, 1.0)) + rng.uniform(-0.1, 0.1)
    target_x = vt * time
    heading = np.arctan2(np.gradient(target_y, FINE), vt)
    rate, onset, brakes = near(rng, 5.0, 2.5, 0.05), begins + rng.uniform(0.6, 3.0), rng.random() < 0.9
    speed = braked(time, v, vt, onset, rate, 0.1) if brakes else np.full(time.shape, v)
    ahead = (v - vt) * rng.uniform(begins + 1.5, begins + 6.0)
    x = driven(time, speed) - ahead - 4.6
    gap = target_x - 2.3 - (x + 2.3)
    aside = np.abs(target_y)
    reach = (1.85 + 1.8) / 2
    touch = (gap <= 0) & (gap >= -9.2) & (aside <= reach)
    doubtful = (gap <= 0.4) & (gap >= -9.6) & (aside <= reach + 0.4)
    touched = np.flatnonzero(touch)
    contact = float(time[touched[0]]) if touched.size else None
    if (contact is None and doubtful.any()) or (contact is not None and float(gap[touched[0]]) < -0.05):
        return None
    driver = rng.random() < 0.1
    why = (["contact"] if contact is not None else []) + (
        ["demand"] if brakes and rate > 5.0 and (contact is None or onset < contact - 0.03) else []
    )
    why += ["driver"] if driver else []
    before = contact or time[-1]
    if contact is not None and (abs(onset - contact) < 0.05 or contact < begins + 0.5):
        return None
    driven_at = begins + rng.uniform(0.2, 0.4)
    flags = {
        "driver_brake": ((time > driven_at) & (time < driven_at + 0.4) & driver).astype(float),
        "contact": touch.astype(float), "driver_input": np.zeros(time.shape),
    }  # fmt: skip
    channels = {
        "subject_speed": speed, "target_speed": np.hypot(vt, np.gradient(target_y, FINE)),
        "braking_demand": np.where((time >= onset) & brakes & (speed > vt + 1e-9), rate, 0.0),
        "deceleration": np.concatenate((-np.diff(speed) / FINE, [0.0])),
        "subject_x": x, "subject_y": np.zeros(time.shape), "subject_heading": np.zeros(time.shape),
        "target_x": target_x, "target_y": target_y, "target_heading": heading,
    }  # fmt: skip
    conditions = {"lateral_acceleration": "0.5 m/s2", "change_length": "14 m", "radius": "15 m", "displacement": "3.5 m"}
    sidecar = {"subject_box": {"length": 4.6, "width": 1.85}, "target_box": {"length": 4.6, "width": 1.8}, "conditions": conditions}
    equal = np.flatnonzero(speed <= vt + 1e-9)
    over = contact if contact is not None else float(time[equal[0]]) if equal.size else float(before) - 1.0
    told = (
        f"{', '.join(why) or 'all met'} [brakes {brakes} at {onset:.2f} with {rate:.2f}, cut-in at {begins:.2f}, {ahead:.1f} m ahead]"
    )
    return Drive(asked, channels, flags, "fail" if why else "pass", told, begins, min(over + 2.0, time[-1] - 0.1), contact, sidecar)


MAKERS: dict[str, Callable[[Asked, random.Random], Drive | None]] = {
    "car": towards, "moving car": towards, "crossing": towards, "line": line, "false reaction": passing, "plate": passing,
    "braking lead": braking_lead, "cut-in": cut_in,
}  # fmt: skip
