"""The manoeuvres in which the system must not brake: from the regulation's bounds to paths, speeds and positions.

Everything is laid out for right-hand traffic and mirrored for left-hand traffic. A kind is known by the type of its target; the
names of the numbers that it needs stand in NEEDED. Every bound is kept with the margins of the data file and checked before a file
is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from regc.assumed import Manoeuvres, Pedestrian, Radii, Targets, Track, Wheeled
from regc.model.scenario import Scenario
from regc.model.units import si
from regc.targets._motion import Change, Mover, Path, Seen, Vehicle, watch

#: type of target -> numbers of the manoeuvre that a layout needs
NEEDED = {
    "oncoming_vehicle": ("min_speed_at_steer", "max_ttc_at_steer", "min_speed_in_turn", "max_ttc_at_overlap"),
    "forward_vehicle": (
        "forward_vehicle_turn_speed",
        "min_speed_at_forward_turn",
        "max_ttc_at_forward_turn",
        "min_speed_after",
        "max_ttc_at_overlap",
    ),
    "stationary_object": ("max_outer_radius", "min_speed_at_entry", "max_ttc_at_turn_in", "min_speed_in_curve", "max_ttc_at_overlap"),
    "signboard": ("max_ttc_at_steer", "max_ttc_at_offset"),
}


@dataclass(frozen=True)
class RoadPlan:
    """What _roads has to build. `kind`: intersection (`centre`: x of its middle, `size`: from there to its arms, `arm`: their
    length), curve (`centre`: x of its start, `size`: radius of the reference line) or two_lanes."""

    kind: str
    length: float
    centre: float = 0.0
    size: float = 0.0
    arm: float = 0.0


@dataclass(frozen=True)
class Layout:
    """A manoeuvre with its numbers found. `steering`: distance along the subject's path at which it begins to steer; `moment`:
    what the regulation's second time is taken at; `found`: numbers that a search gave, by name."""

    subject: Mover
    target: Mover
    target_type: str
    road: RoadPlan
    steering: float
    end: float
    moment: str
    found: dict[str, float]
    measured: dict[str, float]


@dataclass(frozen=True)
class Given:
    """The numbers and data that a layout rests on; SI."""

    speed: float
    target_speed: float
    numbers: dict[str, float]
    subject: Vehicle
    targets: Targets
    data: Manoeuvres
    track: Track

    @property
    def lane(self) -> float:
        return float(self.track.road.lane_width)

    @property
    def lead(self) -> float:
        """x of the subject vehicle's origin at the start."""
        return float(self.track.road.lead_in)


def given(scenario: Scenario, subject: Wheeled, targets: Targets, data: Manoeuvres, track: Track) -> Given | None:
    """What a scenario gives, or None when its kind is not known or a number is missing."""
    numbers = {item.name: float(si(item.quantity)) for item in scenario.manoeuvre}
    needed = NEEDED.get(scenario.target.type)
    if needed is None or any(name not in numbers for name in needed):
        return None
    vehicle = Vehicle(float(subject.front), float(subject.rear_overhang), float(subject.width))
    return Given(float(si(scenario.subject.test_speed)), float(si(scenario.target.speed)), numbers, vehicle, targets, data, track)


def box(targets: Targets, name: str) -> Vehicle:
    """The box of a target of the targets file."""
    target = targets.types[name]
    if isinstance(target, Pedestrian):
        return Vehicle(float(target.length / 2), float(target.length / 2), float(target.width))
    return Vehicle(float(target.front), float(target.rear_overhang), float(target.width))


def variants(scenario: Scenario, data: Manoeuvres) -> tuple[str, ...]:
    """The objects with which a scenario is run: names of the targets file, or its own type."""
    kind = scenario.target.type
    if kind == "stationary_object":
        return data.stationary_object.targets
    return (kind,)


def layout(kind: str, variant: str, numbers: Given) -> Layout | None:
    """The layout of a kind in right-hand traffic, or None when no geometry keeps every bound without a contact."""
    make: dict[str, Callable[[Given, str], Layout | None]] = {
        "oncoming_vehicle": _turn_across,
        "forward_vehicle": _forward_turns,
        "stationary_object": _curve,
        "signboard": _lane_change,
    }
    return make[kind](numbers, variant)


def _brake(numbers: Given, name: str, before: float, after: float, at: float) -> Change:
    """The driver's braking from one speed to another, done `at` a distance."""
    rate = float(numbers.data.common.deceleration)
    return Change(name, at - (before**2 - after**2) / (2 * rate), after, rate)


def _at(seen: list[Seen], distance: float) -> Seen:
    return next(item for item in seen if item.distance >= distance)


def _soon(moment: Seen | None, wanted: float) -> bool:
    return moment is not None and moment.ttc <= wanted


def _leaves(seen: Iterable[Seen], after: float = 0.0) -> Seen | None:
    """The last moment of overlap before it ends for the first time, behind a distance."""
    last = None
    for item in seen:
        if item.distance > after and item.overlap > 0:
            last = item
        elif last:
            break
    return last


def _least_radius(radii: Radii, fits: Callable[[float], bool]) -> float:
    """The least radius of the data's steps that fits, by bisection; the greatest when none does."""
    least, greatest, step = float(radii.least), float(radii.greatest), float(radii.step)
    low, high = -1, round((greatest - least) / step)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(least + middle * step) else (middle, high)
    return least + high * step


def _turn_across(numbers: Given, _: str) -> Layout | None:
    """A turn across the way of an oncoming vehicle that stands: both times lie near their bounds when the radius is right."""
    common, data, n = numbers.data.common, numbers.data.oncoming_vehicle, numbers.numbers
    steer_speed = n["min_speed_at_steer"] + float(common.speed_margin)
    turn_speed = n["min_speed_in_turn"] + float(common.speed_margin)
    straight = numbers.speed * (float(common.straight_time) + (numbers.speed - steer_speed) / float(common.deceleration))
    ahead = steer_speed * (n["max_ttc_at_steer"] - float(common.time_margin))
    other = box(numbers.targets, data.target)
    front = numbers.lead + straight + numbers.subject.front + ahead
    target = Mover(other, Path((front + other.front, numbers.lane / 2, math.pi), ()), 0.0)
    changes = (
        _brake(numbers, "DriverBrakes", numbers.speed, steer_speed, straight),
        Change("DriverSlowsInTurn", straight, turn_speed, float(common.deceleration)),
    )

    def turn(radius: float) -> Iterator[Seen]:
        until = straight / steer_speed + (radius * math.pi / 2) / turn_speed + float(common.after_time)
        return watch(_turner(radius), target, until, since=straight / numbers.speed)

    def _turner(radius: float) -> Mover:
        way_on = float(data.arm_length) - radius
        path = Path((numbers.lead, -numbers.lane / 2, 0.0), ((straight, 0.0), (radius * math.pi / 2, 1 / radius), (way_on, 0.0)))
        return Mover(numbers.subject, path, numbers.speed, changes)

    wanted = n["max_ttc_at_overlap"] - float(common.time_margin)
    # a wider turn comes nearer to the oncoming vehicle before it turns away
    radius = _least_radius(data.radii, lambda radius: _soon(_leaves(turn(radius), straight), wanted))
    subject, seen = _turner(radius), list(turn(radius))
    leaves = _leaves(seen, straight)
    if leaves is None or leaves.ttc > wanted or any(item.touching for item in seen):
        return None
    steer = _at(seen, straight)
    centre = numbers.lead + straight + radius - numbers.lane / 2
    return Layout(
        subject,
        target,
        data.target,
        RoadPlan("intersection", 0.0, centre, radius + numbers.lane, float(data.arm_length)),
        straight,
        straight + radius * math.pi / 2 + turn_speed * float(common.after_time) * 0.8,
        "overlap_ends",
        {"turn_radius": radius},
        {"ttc_at_steer": steer.ttc, "speed_at_steer": steer.speed, "ttc_at_moment": leaves.ttc, "speed_at_moment": leaves.speed},
    )


def _forward_turns(numbers: Given, _: str) -> Layout | None:
    """A forward vehicle slows down and turns off; the subject vehicle slows down behind it and goes straight on."""
    common, data, n = numbers.data.common, numbers.data.forward_vehicle, numbers.numbers
    other = box(numbers.targets, data.target)
    turn_speed = n["forward_vehicle_turn_speed"]
    speed = n["min_speed_at_forward_turn"] + float(common.speed_margin)
    after = n["min_speed_after"] + float(common.speed_margin)
    rate, target_rate = float(common.deceleration), float(data.target_deceleration)
    target_way = numbers.target_speed * float(common.straight_time) + (numbers.target_speed**2 - turn_speed**2) / (2 * target_rate)
    turn_time = float(common.straight_time) + (numbers.target_speed - turn_speed) / target_rate
    way = numbers.speed * turn_time - (numbers.speed - speed) ** 2 / (2 * rate)
    radius = float(data.turn_radius)
    turning = radius * math.pi / 2 / turn_speed
    segments = ((target_way, 0.0), (radius * math.pi / 2, -1 / radius), (float(data.arm_length) - radius, 0.0))
    changes = (Change("TargetBrakes", numbers.target_speed * float(common.straight_time), turn_speed, target_rate),)
    brakes = numbers.speed * (turn_time - (numbers.speed - speed) / rate)
    driver = (Change("DriverBrakes", brakes, after, rate),)
    length = way + after * (turning + 2 * float(common.after_time)) + speed
    subject = Mover(numbers.subject, Path((numbers.lead, -numbers.lane / 2, 0.0), ((length, 0.0),)), numbers.speed, driver)

    def follow(gap: float) -> tuple[Mover, list[Seen], Seen | None]:
        """With a gap at the moment at which the forward vehicle begins to turn."""
        start = numbers.lead + way + numbers.subject.front + gap + other.rear - target_way
        target = Mover(other, Path((start, -numbers.lane / 2, 0.0), segments), numbers.target_speed, changes)
        seen = list(watch(subject, target, turn_time + turning + float(common.after_time), since=turn_time - 1))
        return target, seen, _leaves(seen)

    gap = (n["max_ttc_at_forward_turn"] - float(common.time_margin)) * (speed - turn_speed)
    target, seen, leaves = follow(gap)
    wanted = n["max_ttc_at_overlap"] - float(common.time_margin)
    if leaves and leaves.ttc > wanted:  # the gap moves both times; no other motion depends on it
        target, seen, leaves = follow(gap - (leaves.ttc - wanted) * leaves.gap / leaves.ttc)
    steer = next(item for item in seen if item.time >= turn_time - 1e-9)
    if leaves is None or any(item.touching for item in seen):
        return None
    if leaves.ttc > n["max_ttc_at_overlap"] or steer.ttc > n["max_ttc_at_forward_turn"]:
        return None
    start = target.path.start[0]
    centre = start + target_way + radius + numbers.lane / 2
    return Layout(
        subject,
        target,
        data.target,
        RoadPlan("intersection", 0.0, centre, radius + numbers.lane, float(data.arm_length)),
        target_way,
        subject.path.length - after * float(common.after_time) * 0.2,
        "overlap_ends",
        {"start_gap": start - other.rear - numbers.lead - numbers.subject.front},
        {"ttc_at_steer": steer.ttc, "speed_at_steer": steer.speed, "ttc_at_moment": leaves.ttc, "speed_at_moment": leaves.speed},
    )


def _curve(numbers: Given, variant: str) -> Layout | None:
    """A curve to the left on the outer lane; the object stands on the lane's centre line, extended, outside the guard pipes."""
    common, data, n = numbers.data.common, numbers.data.stationary_object, numbers.numbers
    other = box(numbers.targets, variant)
    outer = n["max_outer_radius"]
    radius = outer - numbers.lane / 2
    entry = n["min_speed_at_entry"] + float(common.speed_margin)
    speed = n["min_speed_in_curve"] + float(common.speed_margin)
    straight = numbers.speed * (float(common.straight_time) + (numbers.speed - entry) / float(common.deceleration))
    angle = float(data.curve_angle)
    # the guard pipes lie on a circle around the curve's centre; the object's near corners must lie outside it
    guard = outer + float(data.guard_offset) + float(data.object_clearance)
    near = math.sqrt(guard**2 - (radius - other.width / 2) ** 2)
    target = Mover(other, Path((numbers.lead + straight + near + other.rear, -numbers.lane / 2, 0.0), ()), 0.0)
    on = speed * float(common.after_time)
    path = Path((numbers.lead, -numbers.lane / 2, 0.0), ((straight, 0.0), (radius * angle, 1 / radius), (on, 0.0)))
    changes = (
        _brake(numbers, "DriverBrakes", numbers.speed, entry, straight),
        Change("DriverSlowsInTurn", straight, speed, float(common.deceleration)),
    )
    subject = Mover(numbers.subject, path, numbers.speed, changes)
    seen = list(
        watch(subject, target, straight / entry + radius * angle / speed + float(common.after_time), since=straight / numbers.speed)
    )
    steer = _at(seen, straight)
    if variant == "vehicle_target" or "offset_ratio" not in n:
        moment, leaves = "overlap_ends", _leaves(seen)
    else:
        # the regulation counts an offset as plus towards the driver's side, so the object on the other side is at minus
        moment, leaves = "offset_reached", next((item for item in seen if item.offset <= n["offset_ratio"] and item.gap > 0), None)
    if leaves is None or any(item.touching for item in seen):
        return None
    if steer.ttc > n["max_ttc_at_turn_in"] or leaves.ttc > n["max_ttc_at_overlap"]:
        return None
    return Layout(
        subject,
        target,
        variant,
        RoadPlan("curve", straight + numbers.lead, numbers.lead + straight, outer - numbers.lane, angle),
        straight,
        straight + radius * angle + on * 0.8,
        moment,
        {"curve_radius": radius, "object_distance": near},
        {"ttc_at_steer": steer.ttc, "speed_at_steer": steer.speed, "ttc_at_moment": leaves.ttc, "speed_at_moment": leaves.speed},
    )


def _lane_change(numbers: Given, _: str) -> Layout | None:
    """A change to the lane on the left in front of a sign, as two equal arcs, over before the sign is reached."""
    common, data, n = numbers.data.common, numbers.data.signboard, numbers.numbers
    sign = Vehicle(float(data.length / 2), float(data.length / 2), float(data.width))
    # steering begins no earlier than the later bound allows, so both bounds hold whichever way the offset is measured
    ahead = numbers.speed * (min(n["max_ttc_at_steer"], n["max_ttc_at_offset"]) - float(common.time_margin))
    straight = numbers.speed * float(common.straight_time)
    width = numbers.lane
    reach = ahead + numbers.subject.front - float(data.clearance) - numbers.subject.front
    radius = (reach**2 + width**2) / (4 * width)
    angle = math.asin(reach / (2 * radius))
    on = numbers.speed * float(common.after_time)
    lane = -1.5 * width
    path = Path((numbers.lead, lane, 0.0), ((straight, 0.0), (radius * angle, 1 / radius), (radius * angle, -1 / radius), (on, 0.0)))
    subject = Mover(numbers.subject, path, numbers.speed)
    target = Mover(sign, Path((numbers.lead + straight + numbers.subject.front + ahead + sign.rear, lane, math.pi), ()), 0.0)
    seen = list(watch(subject, target, path.length / numbers.speed, since=straight / numbers.speed - 1))
    steer = _at(seen, straight)
    full = n.get("offset_ratio", -1.0)
    leaves = next((item for item in seen if item.offset <= full), None)
    if leaves is None or any(item.touching for item in seen):
        return None
    if steer.ttc > n["max_ttc_at_steer"] or leaves.ttc > n["max_ttc_at_offset"]:
        return None
    return Layout(
        subject,
        target,
        "signboard",
        RoadPlan("two_lanes", numbers.lead + path.length + float(numbers.track.road.lead_out)),
        straight,
        path.length - on * 0.2,
        "offset_reached",
        {"lane_change_radius": radius},
        {"ttc_at_steer": steer.ttc, "speed_at_steer": steer.speed, "ttc_at_moment": leaves.ttc, "speed_at_moment": leaves.speed},
    )
