"""Verdicts on logs that nobody has seen: drives whose verdict is known by construction, recorded as benches record, well and badly.

    python bench/judge.py [--count 3000] [--seed 1] [--family WORDS] [--damage WORDS] [--list]

A drive is calculated here from the words of the clause (a vehicle drives, warns, brakes, stands or hits; a target stands, moves,
crosses; a tyre nears a marking) with none of regc's code, and its bounds are typed here or in golden/un152/02/truth. Then it is
recorded: at 0.001 to 0.2 s, in other units, orders and names of columns, with jitter, few digits, lost samples, empty cells, late or
missing flags, a log that ends early, a sign or a unit that is wrong. A verdict is

    right           what the drive is, or incomplete where the record is damaged
    open            incomplete, although the record is whole (its samples may leave a bound open)
    false pass      pass, although the drive fails or is no valid test
    false fail      fail, although the drive passes or is no valid test
    wrong invalid   invalid, although the drive is a valid test and its record whole
    traceback
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from regc.judge.campaign import bench_of
from regc.judge.declarations import Declarations
from regc.judge.run import Bench, judge_run
from regc.model.scenario import Scenario
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request
from regc.runs.mapping import LogMapping, read_mapping
from regc.runs.read import read_logs

OUTCOMES = ("right", "open", "false pass", "false fail", "wrong invalid", "traceback")
WRONG = OUTCOMES[2:]
FINE = 0.0005  # s between the points of a drive
DECLARED = Declarations(
    values={
        "v_design": "120 km/h", "urban": "no", "avoids_up_to": "10 km/h", "v_set": "60 km/h", "v_stationary": "60 km/h",
        "v_slower": "70 km/h", "v_pedestrian": "40 km/h", "v_bicycle": "50 km/h", "v_crossing_pedestrian": "40 km/h",
        "v_crossing_bicycle": "40 km/h",
    }
)  # fmt: skip


# ------------------------------------------------------------ what the clauses ask, typed by hand


@dataclass(frozen=True)
class Asked:
    """A test as its clause words it; speeds in km/h, [low, high] with their tolerance. `limits`: most relative speed at impact by
    relative speed. `lead`: s that the warning comes before braking (None: no warning is asked). `offset`: most m beside the
    centreline, or of the impact point of what crosses. `most_demand`, `most_added`: m/s2 that braking may not exceed."""

    id: str
    family: str
    subject: tuple[float, float]
    nominal: float
    target: tuple[float, float] = (0.0, 0.0)
    limits: tuple[tuple[float, float], ...] = ()
    lead: float | None = None
    modes: int = 0
    demand: float | None = None
    most_demand: float | None = None
    ttc: float = 4.0
    straight: float = 2.0
    offset: float = 0.2
    starts_after: bool = False
    bicycle: bool = False


def asked_of_152() -> Iterator[Asked]:
    path = Path(__file__).parents[1] / "golden" / "un152" / "02" / "truth" / "fields.csv"
    rows = [row for row in csv.DictReader(path.open(encoding="utf-8")) if row["category"] in ("M1", "N1")]
    for row in rows:
        if row["family"] not in ("car_to_stationary_car", "car_to_moving_car", "car_to_pedestrian", "car_to_bicycle"):
            continue
        like = [other for other in rows if all(other[key] == row[key] for key in ("family", "category", "load_kind"))]
        if row["family"] == "car_to_moving_car":  # its limits are those of the stationary one
            like = [
                other for other in rows
                if other["family"] == "car_to_stationary_car" and all(other[key] == row[key] for key in ("category", "load_kind"))
            ]  # fmt: skip
        speed, target = float(row["subject_speed"]), float(row["target_speed"])
        crossing = row["family"] in ("car_to_pedestrian", "car_to_bicycle")
        if target and not crossing:
            target_range = (target - float(row["target_minus"] or 2), target + float(row["target_plus"] or 0))
        else:
            target_range = {0.0: (0.0, 0.0), 5.0: (4.6, 5.0), 15.0: (14.0, 15.0)}[target]
        yield Asked(
            id=row["id"],
            family={"car_to_stationary_car": "car", "car_to_moving_car": "moving car"}.get(row["family"], "crossing"),
            subject=(speed - float(row["speed_minus"]), speed + float(row["speed_plus"])),
            nominal=float(row["relative_speed"]),
            target=target_range,
            limits=tuple(sorted((float(other["relative_speed"]), float(other["max_impact_speed"])) for other in like)),
            lead=0.0 if crossing else 0.8,
            modes=2,
            demand=5.0,
            offset=0.1 if crossing else 0.2,
            starts_after=row["family"] == "car_to_pedestrian",
            bicycle=row["family"] == "car_to_bicycle",
        )


def asked_of_others() -> Iterator[Asked]:
    for speed, limit in ((20, 0), (50, 0), (80, 49), (90, 60)):  # UN R131, 6.4 and 5.2.1.4, +/- 2 km/h
        id = f"UNR131-02_p6.4_VtoStV_DerM1N1_MaxMass_{speed:03d}"
        yield Asked(
            id, "car", (speed - 2, speed + 2), speed, limits=((speed, limit),), lead=0.8, modes=2, demand=4.0,
        )  # fmt: skip
    yield Asked(
        "UNR131-02_p6.6.1_VtoP_DerM1N1_MaxMass_020", "crossing", (18, 22), 20, (4.6, 5.0), ((20, 0),), 0.0, 2, 4.0, offset=0.1,
        starts_after=True,
    )  # fmt: skip
    any_speed = ((0.0, 0.0), (200.0, 0.0))  # no contact
    yield Asked(
        "FMVSS127-2024_pS7.3_StopLead_NoBrake_010to080",
        "car",
        (8.4, 81.6),
        40,
        limits=any_speed,
        lead=0.0,
        ttc=5.0,
        straight=0.0,
        offset=9.0,
    )
    yield Asked("UNR171-00_A4-4.2.5.2.1_StatStraight", "car", (60, 60), 60, limits=any_speed, most_demand=5.0, offset=0.5, ttc=0.0)
    yield Asked(
        "UNR171-00_A4-4.2.5.2.3_Slower", "moving car", (70, 70), 50, (20, 20), limits=any_speed, most_demand=5.0, offset=0.5, ttc=0.0
    )
    yield Asked(
        "UNR171-00_A4-4.2.5.2.9_CrossPedestrian", "crossing", (40, 40), 40, (4.6, 5.0), any_speed, most_demand=5.0, offset=0.2,
        straight=0.0, starts_after=True,
    )  # fmt: skip
    for side in ("Left", "Right"):  # UN R130, 6.5 and 5.2.1
        yield Asked(f"UNR130-00_p6.5_Drift_{side}_0.1to0.8", "line", (62, 68), 65, modes=2)
    yield Asked("UNR131-02_p6.10_FalseReaction_050", "false reaction", (48, 52), 50)  # 6.10
    yield Asked("FMVSS127-2024_pS9.3_PassThrough_NoBrake_080", "plate", (78.4, 81.6), 80)  # S9: 0.25 g
    yield Asked("FMVSS127-2024_pS7.5_BrakeLead_NoBrake_050", "braking lead", (48.4, 51.6), 0, (48.4, 51.6), any_speed, 0.0)  # S7.5
    yield Asked("UNR171-00_A4-4.2.5.2.6_CutIn_Type1", "cut-in", (50, 50), 40, (10, 10), any_speed, most_demand=5.0)


# ------------------------------------------------------------ drives


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


# ------------------------------------------------------------ records


#: SI -> other units of a header, and what a number there is times SI
UNITS: dict[str, tuple[tuple[str, float], ...]] = {
    "subject_speed": (("m_s", 1.0), ("kmh", 3.6), ("km/h", 3.6), ("mph", 1 / 0.44704)),
    "target_speed": (("m_s", 1.0), ("kmh", 3.6), ("kph", 3.6)),
    "gap": (("m", 1.0), ("cm", 100.0), ("mm", 1000.0)),
    "lateral_offset": (("m", 1.0), ("cm", 100.0)),
    "line_distance": (("m", 1.0), ("mm", 1000.0)),
    "braking_demand": (("m_s2", 1.0), ("m/s^2", 1.0), ("g", 1 / 9.80665)),
    "deceleration": (("m_s2", 1.0), ("g", 1 / 9.80665)),
    **{f"{role}_{part}": (("m", 1.0),) for role in ("subject", "target") for part in ("x", "y")},
    **{f"{role}_heading": (("rad", 1.0), ("deg", 180 / np.pi)) for role in ("subject", "target")},
}
#: ruinous: what may turn any run into an invalid or incomplete one, but never into a pass or a fail that it is not
RUINOUS = (
    "unit lie", "reversed sign", "duplicate rows", "hole", "clipped start", "ends early", "empty numbers", "time back",
    "text in a cell", "held gap", "zero sample", "stuck contact", "held speed", "lost speed",
)  # fmt: skip
#: what leaves the record worse, so that a run may be incomplete
POOR = (
    "no contact flag", "empty contact", "empty warning", "no demand", "neither", "no driver flag", "one warning flag",
    "no lateral offset", "no gap", "no boxes", "no target speed", "late contact", "unmarked", "crash", "cut at contact", "lost samples",
    "clamped gap", "bounce",
)  # fmt: skip
GOOD = ("", "", "", "jitter", "few digits", "foreign names", "time offset", "noise", "junk columns")


@dataclass(frozen=True)
class Record:
    """A log as text, with its mapping, and what was done to it."""

    name: str
    text: str
    sidecar: dict[str, Any]
    mapping: str
    done: tuple[str, ...]
    step: float


def recorded(drive: Drive, rng: random.Random, only: str = "") -> Record:
    """One record of a drive."""
    done = [kind for kind in (rng.choice(GOOD), rng.choice(GOOD)) if kind]
    if only == "whole":
        done = []
    elif only:
        done += only.split(",")
    else:
        if rng.random() < 0.5:
            done.append(rng.choice(POOR))
        if rng.random() < 0.25:
            done.append(rng.choice(RUINOUS))
    done = list(dict.fromkeys(done))
    step = rng.choice((0.001, 0.002, 0.005, 0.01, 0.01, 0.02, 0.025, 0.04, 0.05, 0.1, 0.2))
    fine = np.arange(0.0, next(iter(drive.channels.values())).size) * FINE
    contact, ends = drive.contact, drive.ends
    if "cut at contact" in done and contact is not None:
        ends = contact + rng.uniform(0.0, 0.1)
    if "ends early" in done:
        ends = drive.functional + rng.uniform(0.3, 0.95) * ((contact or drive.ends) - drive.functional)
    begin = rng.uniform(0.0, min(step, 0.004)) if drive.asked.family != "false reaction" else 0.0
    for kind in (
        "unmarked",
        "no driver flag",
    ):  # what was wrong would lie before the latest start that the clause allows, or in no channel
        if kind in done and drive.truth == "invalid":
            done.remove(kind)
    if "clipped start" in done:
        begin = rng.uniform(0.2, max(drive.functional - 0.1, 0.3))
    time = np.arange(begin, ends, step)
    if "jitter" in done:
        time = time + np.array([rng.uniform(0.0, 0.3) * step for _ in time])
    channels = dict(drive.channels)
    if "crash" in done and contact is not None and "gap" in channels:
        after = fine >= contact
        channels["subject_speed"] = np.where(after, channels["subject_speed"] * 0.4, channels["subject_speed"])
        channels["gap"] = np.where(after, np.minimum(channels["gap"], 0.0) * 0.05, channels["gap"])
        channels["deceleration"] = np.where(after & (fine < contact + 0.02), 200.0, channels["deceleration"])
    late = rng.uniform(0.0, 0.1) if "late contact" in done else 0.0
    cells: dict[str, list[float | None]] = {}
    for name, values in channels.items():
        cells[name] = list(np.interp(time, fine, values))
    for name in ("braking_demand",):
        if name in cells:  # a demand is held, not drawn from point to point
            cells[name] = list(channels[name][np.searchsorted(fine, time - 1e-9).clip(0, fine.size - 1)])
    for name, flag in drive.flags.items():
        shift = late if name == "contact" else 0.0
        cells[name] = [float(flag[min(max(int((at - shift) / FINE + 1e-6), 0), flag.size - 1)]) for at in time]
    if drive.marked and "unmarked" not in done:
        cells["functional_part"] = [float(at >= drive.functional - 1e-9) for at in time]
    # what does not lie beside the time that a bench of this rate would have
    drop: set[str] = {"driver_brake"} if drive.asked.most_demand is None else set()
    if rng.random() < 0.6 and drive.asked.family != "plate":
        drop.add("deceleration")
    for kind, names in (
        ("no contact flag", ("contact",)), ("no demand", ("braking_demand",)), ("neither", ("braking_demand", "deceleration")),
        ("no driver flag", ("driver_input",)), ("no lateral offset", ("lateral_offset",)), ("no gap", ("gap",)),
        ("no target speed", ("target_speed",)),
    ):  # fmt: skip
        if kind in done:
            drop |= set(names)
    if "no demand" in done:
        drop.discard("deceleration")
    if "one warning flag" in done and "warning_acoustic" in cells:
        cells["warning"] = cells.pop("warning_acoustic")
        cells.pop("warning_optical", None)
        cells.pop("warning_haptic", None)
    for name in drop:
        cells.pop(name, None)
    sidecar = dict(drive.sidecar)
    conditions = {"release_time": "300 ms", **({"reaction_time": "4.5 s"} if "StatStraight" in drive.asked.id else {})}
    sidecar["conditions"] = {**conditions, **sidecar.get("conditions", {})}
    if "no boxes" in done:
        for key in ("subject_box", "target_box", "boxes"):
            sidecar.pop(key, None)
    if "noise" in done:
        for name, size in (("subject_speed", 0.004), ("gap", 0.01)):
            if name in cells:
                cells[name] = [value + rng.uniform(-size, size) for value in cells[name] if value is not None]
    if "clamped gap" in done and "gap" in cells:
        cells["gap"] = [max(value or 0.0, 0.0) for value in cells["gap"]]
    if "held gap" in done and "gap" in cells:  # a radar that loses what is near
        below = rng.uniform(0.3, 3.0)
        at = next((index for index, value in enumerate(cells["gap"]) if value is not None and value < below), None)
        if at is not None:
            cells["gap"][at:] = [cells["gap"][at]] * (len(time) - at)
    if "stuck contact" in done and "contact" in cells:
        cells["contact"] = [0.0] * len(time)
    if "bounce" in done and contact is not None and "contact" in cells:
        cells["contact"] = [
            float((value or 0.0) > 0 and (at - contact) % 0.3 < 0.1 + step) for value, at in zip(cells["contact"], time, strict=True)
        ]
    if "zero sample" in done:
        at = rng.randrange(len(time))
        cells["subject_speed"][at] = 0.0
    if "held speed" in done or "lost speed" in done:
        at = int(np.searchsorted(time, rng.uniform(drive.functional + 0.5, drive.ends)))
        if at < len(time):
            cells["subject_speed"][at:] = [cells["subject_speed"][at] if "held speed" in done else 0.0] * (len(time) - at)
    if "empty contact" in done and "contact" in cells:
        cells["contact"] = [None] * len(time)
    if "empty warning" in done:
        for name in ("warning_acoustic", "warning"):
            if name in cells:
                cells[name] = [None if rng.random() < 0.3 else value for value in cells[name]]
    if "empty numbers" in done:
        name = rng.choice([name for name in ("gap", "subject_speed", "braking_demand", "line_distance") if name in cells])
        share = rng.choice((0.01, 0.5))
        cells[name] = [None if rng.random() < share else value for value in cells[name]]
    if "reversed sign" in done:
        name = rng.choice(
            [
                name
                for name in ("gap", "subject_speed", "braking_demand", "deceleration", "line_distance", "lateral_offset")
                if name in cells
            ]
        )
        cells[name] = [None if value is None else -value for value in cells[name]]
        done[done.index("reversed sign")] = f"reversed sign of {name}"
    lie = ""
    if "unit lie" in done:
        lie = rng.choice([name for name in ("subject_speed", "gap", "braking_demand", "line_distance") if name in cells])
        done[done.index("unit lie")] = f"unit lie of {lie}"
    shift = rng.choice((0.0, 12.5, -3.0, 86400.0, 1.7e9)) if "time offset" in done else 0.0
    cells = {"time": [float(at) + shift for at in time], **cells}
    if "junk columns" in done:
        cells["Gierrate_Sensor"] = [rng.uniform(-1, 1) for _ in time]
    # ---- units, digits, names, order
    digits = rng.choice((3, 4)) if "few digits" in done else 7
    foreign = "foreign names" in done
    header: dict[str, str] = {}
    mapped: list[str] = []
    columns: dict[str, list[str]] = {}
    decimal = rng.choice((".", ",")) if foreign else "."
    for name, values in cells.items():
        unit, factor = rng.choice(UNITS.get(name, (("", 1.0),)))
        if name == "time":
            unit, factor = rng.choice((("s", 1.0), ("ms", 1000.0)))
        if name == lie:
            units = {"subject_speed": ("kmh", "m_s"), "gap": ("cm", "m"), "braking_demand": ("g", "m_s2"), "line_distance": ("mm", "m")}
            unit = units[name][0 if factor == 1.0 else 1]
        sign = -1.0 if foreign and name in ("gap", "lateral_offset", "braking_demand", "line_distance") and rng.random() < 0.3 else 1.0
        places = digits + 3 if name == "time" and shift < 1e6 else digits
        columns[name] = ["" if value is None else f"{value * factor * sign:.{places}f}".replace(".", decimal) for value in values]
        if foreign and name in (*CHANNEL_NAMES, "time"):
            header[name] = f"Mess_{rng.randrange(1000)}_{name[:3]}.{len(header)}"
            mapped.append(f"{name} = {{ column = '{header[name]}', unit = '{unit}', factor = {sign} }}")
        else:
            header[name] = f"{name}_{unit}" if unit and rng.random() < 0.7 else f"{name} [{unit}]" if unit else name
            header[name] = header[name].upper() if rng.random() < 0.1 and "/" not in unit else header[name]
    order = list(columns)
    rng.shuffle(order)
    rows = [[columns[name][index] for name in order] for index in range(len(time))]
    if "lost samples" in done:
        kept = [rng.random() > 0.05 for _ in rows]
        rows = [row for row, keep in zip(rows, kept, strict=True) if keep]
    if "hole" in done and len(rows) > 12:
        at = rng.randrange(1, len(rows) - 9)
        rows = rows[:at] + rows[at + max(9, len(rows) // 8) :]
    if "duplicate rows" in done and rows:
        at = rng.randrange(len(rows))
        rows = [*rows[: at + 1], rows[at], *rows[at + 1 :]]
    if "time back" in done and len(rows) > 3:
        at = rng.randrange(1, len(rows) - 1)
        rows[at], rows[at - 1] = rows[at - 1], rows[at]
    if "text in a cell" in done and rows:
        rows[rng.randrange(len(rows))][order.index(rng.choice([name for name in order if name in CHANNEL_NAMES]))] = "n/a"
    delimiter = ";" if decimal == "," else ","
    text = "\n".join(delimiter.join(row) for row in ([header[name] for name in order], *rows)) + "\n"
    mapping = ""
    if foreign:
        mapping = f'delimiter = "{delimiter}"\ndecimal = "{decimal}"\n[columns]\n' + "\n".join(mapped) + "\n"
    return Record(f"{drive.asked.id}__r1", text, {"scenario": drive.asked.id, **sidecar}, mapping, tuple(done), step)


CHANNEL_NAMES = (
    "subject_speed", "target_speed", "gap", "lateral_offset", "line_distance", "braking_demand", "deceleration", "contact", "warning",
    "warning_acoustic", "warning_optical", "warning_haptic", "driver_input", "driver_brake", "functional_part",
    *(f"{role}_{part}" for role in ("subject", "target") for part in ("x", "y", "heading")),
)  # fmt: skip


# ------------------------------------------------------------ verdicts


@dataclass(frozen=True)
class Result:
    """One judged record."""

    number: int
    drive: Drive
    record: Record
    verdict: str
    reason: str
    outcome: str


@cache
def benches() -> tuple[dict[str, Scenario], dict[str, Bench]]:
    """All scenarios of the five regulations by id, and by the stem of an id what its runs are judged by."""
    scenarios: dict[str, Scenario] = {}
    by_stem: dict[str, Bench] = {}
    for regulation in ("un152", "un131", "un130", "un171", "fmvss127"):
        suite = compile_regulation(Request(regulation)).suite
        scenarios.update({item.id: item for item in suite.scenarios})
        by_stem[suite.stem] = bench_of(suite, DECLARED)
    return scenarios, by_stem


@cache
def every_asked() -> tuple[Asked, ...]:
    """The tests that are driven, each family as often as the others."""
    return (*asked_of_152(), *asked_of_others())


def outcome_of(drive: Drive, record: Record, verdict: str) -> str:
    """How a verdict stands to the truth."""
    if verdict == "pass" and drive.truth != "pass":
        return "false pass"
    if verdict == "fail" and drive.truth != "fail":
        return "false fail"
    ruined = any(kind in done for done in record.done for kind in RUINOUS)
    poor = any(done in POOR for done in record.done)
    if verdict == "invalid" and drive.truth != "invalid":
        return "right" if ruined else "wrong invalid"
    if verdict == "incomplete" and not (ruined or poor):
        return "open"
    return "right"


def judged(number: int, drive: Drive, record: Record, folder: Path) -> Result:
    """The verdict on a record, read from a file as any other."""
    path = folder / f"{record.name}.csv"
    path.write_text(record.text, encoding="utf-8")
    path.with_suffix(".json").write_text(json.dumps(record.sidecar), encoding="utf-8")
    mapping: LogMapping | None = None
    if record.mapping:
        (folder / "mapping.toml").write_text(record.mapping, encoding="utf-8")
        mapping = read_mapping(folder / "mapping.toml")
    scenarios, by_stem = benches()
    try:
        (log,), _ = read_logs([path], mapping=mapping)
        run = judge_run(scenarios[drive.asked.id], log, by_stem[drive.asked.id.partition("_")[0]])
    except Exception:
        return Result(number, drive, record, "traceback", traceback.format_exc(limit=-3), "traceback")
    return Result(number, drive, record, run.verdict, run.reason, outcome_of(drive, record, run.verdict))


def results(count: int, seed: int, family: str = "", damage: str = "", first: int = 0) -> Iterator[Result]:
    """`count` records, each from a generator of its own, so that one is made again by its number."""
    families: dict[str, list[Asked]] = {}
    for asked in every_asked():
        if family in f"{asked.family} {asked.id}":
            families.setdefault(f"{asked.family} {asked.id.partition('-')[0]}", []).append(asked)
    names = list(families)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            rng = random.Random(f"{seed} {number}")
            drive = None
            while drive is None:
                asked = rng.choice(families[names[number % len(names)]])
                drive = MAKERS[asked.family](asked, rng)
            yield judged(number, drive, recorded(drive, rng, damage), Path(folder))


def table(found: Sequence[Result]) -> str:
    """What was done to a record x outcome, then families x outcome."""
    lines = [f"{'':<34}" + "".join(f"{name:>15}" for name in ("records", *OUTCOMES))]
    rows: list[tuple[str, Callable[[Result], bool]]] = []
    for family in dict.fromkeys(result.drive.asked.family for result in found):
        rows.append((family, lambda result, family=family: result.drive.asked.family == family))  # type: ignore[misc]
    for kind in sorted({kind for result in found for kind in result.record.done}):
        rows.append((f"  {kind}", lambda result, kind=kind: kind in result.record.done))  # type: ignore[misc]
    rows.append(("all", lambda result: True))
    for name, belongs in rows:
        counts = Counter(result.outcome for result in found if belongs(result))
        lines.append(f"{name:<34}{sum(counts.values()):>15}" + "".join(f"{counts[outcome]:>15}" for outcome in OUTCOMES))
    return "\n".join(lines)


def told(result: Result) -> str:
    """One line on a record."""
    drive, record = result.drive, result.record
    return (
        f"{result.outcome} {result.number}: {drive.asked.id} is {drive.truth} ({drive.why}), step {record.step:g}, "
        f"{', '.join(record.done) or 'whole'}\n      {result.verdict}: {result.reason}"
    )


def main() -> None:
    """Print the table and every wrong verdict; exit code 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first record")
    parser.add_argument("--family", default="", help="only tests with these words in family or id")
    parser.add_argument("--damage", default="", help="this is done to every record (KIND,KIND, or whole)")
    parser.add_argument("--list", action="store_true", help="list every record")
    parser.add_argument("--keep", type=Path, help="write the wrong records to a folder")
    arguments = parser.parse_args()
    found = []
    for result in results(arguments.count, arguments.seed, arguments.family, arguments.damage, arguments.first):
        found.append(replace(result, record=replace(result.record, text="")) if not arguments.keep else result)
        if arguments.list or result.outcome in WRONG:
            print(told(result), flush=True)
        if arguments.keep and result.outcome in WRONG:
            folder = arguments.keep / str(result.number)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{result.record.name}.csv").write_text(result.record.text, encoding="utf-8")
            (folder / f"{result.record.name}.json").write_text(json.dumps(result.record.sidecar), encoding="utf-8")
            (folder / "mapping.toml").write_text(result.record.mapping, encoding="utf-8")
        found[-1] = replace(found[-1], record=replace(found[-1].record, text=""), drive=replace(found[-1].drive, channels={}, flags={}))
    print(table(found))
    sys.exit(any(result.outcome in WRONG for result in found))


if __name__ == "__main__":
    main()
