"""Every number of a scenario file: where it comes from, and the formula that gives it.

Frame: x along the road in the direction of travel, y to its left, origin at the start of the road's reference line. All lengths m,
times s, speeds m/s. `direction` is +1 when the target crosses towards +y.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Literal

from regc.assumed import Manoeuvres, Pedestrian, SubjectVehicle, TargetData, Targets, Track, Vehicles
from regc.errors import DataFileError
from regc.model.scenario import Scenario
from regc.model.source import Quantity
from regc.model.units import si
from regc.targets._osc_formula import Value, evaluate, names

Ego = Literal["none", "external", "reference", "late"]


@dataclass(frozen=True)
class Setup:
    """The options and data that all scenarios of a build share."""

    ego: Ego
    approach: Decimal | None
    step: Decimal
    nearside: bool
    right_hand: bool
    vehicles: Vehicles
    targets: Targets
    track: Track
    manoeuvres: Manoeuvres | None = None


@dataclass(frozen=True)
class Leaf:
    """A number that is given: by the regulation (`quantity` at `field`) or assumed (`assumption`: code)."""

    name: str
    value: Decimal
    unit: str
    field: str | None = None
    quantity: Quantity | None = None
    assumption: str | None = None


@dataclass(frozen=True)
class Derived:
    """A number that a formula gives."""

    name: str
    unit: str
    formula: str


@dataclass
class Values:
    """The numbers of one scenario, in order."""

    subject_name: str
    subject: SubjectVehicle
    target: TargetData
    crossing: bool
    leaves: dict[str, Leaf] = field(default_factory=dict)
    derived: dict[str, Derived] = field(default_factory=dict)

    def resolve(self, symbols: Mapping[str, str] | None = None) -> dict[str, Value]:
        """Every name's value; `symbols` replaces leaves by expressions."""
        known: dict[str, Value] = {name: leaf.value for name, leaf in self.leaves.items()}
        known.update(symbols or {})
        for name, item in self.derived.items():
            known[name] = evaluate(item.formula, known)
        return known

    def origins(self, name: str) -> tuple[Leaf, ...]:
        """The given numbers that a derived one rests on."""
        found: dict[str, Leaf] = {}
        for part in names(self.derived[name].formula):
            if part in self.leaves:
                found[part] = self.leaves[part]
            else:
                found.update({leaf.name: leaf for leaf in self.origins(part)})
        return tuple(found.values())


#: name in the file -> field of Scenario
_CITED = {
    "subject_test_speed": "subject.test_speed",
    "prescribed_target_speed": "target.speed",
    "min_ttc": "trigger.min_ttc",
    "min_straight_time": "approach.min_straight_time",
    "min_braking_demand": "criteria.min_braking_demand",
    "min_warning_lead_time": "criteria.min_warning_lead_time",
    "max_impact_speed": "criteria.max_impact_speed",
    "peak_braking_coefficient": "environment.peak_braking_coefficient",
}

_COMMON = {
    "functional_ttc": ("s", "min_ttc + 2 * step"),
    "armed_after": ("s", "min_straight_time - step / 2"),
    "time_to_contact": ("s", "approach_time + functional_ttc"),
}

_IN_LANE = {
    "target_x": ("m", "subject_x + subject_front + start_gap + target_rear"),
    "target_y": ("m", "subject_y"),
}

_CROSSING = {
    "start_gap": ("m", "subject_test_speed * time_to_contact"),
    "impact_x": ("m", "subject_x + subject_front + start_gap"),
    "target_x": ("m", "impact_x + target_width / 2"),
    "path_end_y": ("m", "subject_y + direction * crossing_overrun"),
}

_WALK = {
    "start_ttc": ("s", "min_ttc"),
    "start_distance": ("m", "prescribed_target_speed * start_ttc"),
}

_RUN_UP = {
    "run_up_time": ("s", "prescribed_target_speed / run_up_acceleration"),
    "start_ttc": ("s", "functional_ttc + emerging_time + run_up_time"),
    "start_distance": ("m", "prescribed_target_speed * (functional_ttc + emerging_time + run_up_time / 2)"),
    "hidden_edge": ("m", "prescribed_target_speed * functional_ttc + reference_offset + target_rear + obstacle_margin"),
    "obstacle_x": ("m", "impact_x - obstacle_clearance - obstacle_width / 2"),
    "obstacle_y": ("m", "subject_y - direction * (hidden_edge + obstacle_length / 2)"),
}


def values(scenario: Scenario, setup: Setup) -> Values:
    """All numbers of one driven scenario. Raises DataFileError when a user's file makes it impossible, KeyError never."""
    subject_name, subject = setup.vehicles.of(scenario.category, scenario.group)
    found = Values(subject_name, subject, setup.targets.types[scenario.target.type], scenario.approach_type == "crossing")
    quantities = dict(scenario.quantities())
    for name, place in _CITED.items():
        if quantity := quantities.get(place):
            found.leaves[name] = Leaf(name, si(quantity), quantity.unit, place, quantity)
    _assumed(found, scenario, setup)
    items = dict(_COMMON)
    if not found.crossing:
        items["start_gap"] = ("m", "(subject_test_speed - prescribed_target_speed) * time_to_contact")
        items |= _IN_LANE
    else:
        items |= _CROSSING | (_RUN_UP if found.target.run_up else _WALK)
        items["target_y"] = ("m", "subject_y - direction * (start_distance + reference_offset)")
        items["path_time"] = ("s", "(start_distance + reference_offset + crossing_overrun) / prescribed_target_speed")
        items["crossed_distance"] = ("m", "start_distance + reference_offset + crossing_done")
        items["past_distance"] = ("m", "start_gap + subject_length + target_width + subject_test_speed * after_contact")
    if setup.ego in ("reference", "late"):
        lead = "min_warning_lead_time + warning_margin" if "min_warning_lead_time" in found.leaves else "assumed_lead_time"
        items["warning_ttc"] = ("s", f"braking_ttc + {lead}" if setup.ego == "reference" else "assumed_warning_ttc")
    items["end_time"] = ("s", "time_to_contact + after_end")
    found.derived = {name: Derived(name, unit, formula) for name, (unit, formula) in items.items()}
    return found


def _assumed(found: Values, scenario: Scenario, setup: Setup) -> None:
    """Adds every number that the regulation leaves open."""
    subject, target, track = found.subject, found.target, setup.track

    def add(name: str, value: Decimal | int, unit: str, code: str) -> None:
        found.leaves[name] = Leaf(name, Decimal(value), unit, assumption=code)

    sign = 1 if setup.right_hand else -1
    add("step", setup.step, "s", "A835")
    add("subject_x", track.road.lead_in, "m", "A831")
    add("subject_y", -sign * track.road.lane_width / 2, "m", "A831")
    add("subject_front", subject.front, "m", "A811")
    load = scenario.load_state.kind if scenario.load_state else "running_order"
    add("subject_mass", getattr(subject.mass, load), "kg", "A812")
    rear = target.length / 2 if isinstance(target, Pedestrian) else target.rear_overhang
    add("target_rear", rear, "m", "A821")
    add("after_contact", track.timing.after_contact, "s", "A834")
    add("standstill", track.timing.standstill, "s", "A834")
    add("after_end", track.timing.after_end, "s", "A834")
    if found.crossing:
        # the near side is the side of the lane's edge: the right in right-hand traffic, so that the way leads to +y
        add("direction", sign if setup.nearside else -sign, "1", "A841")
        add("target_width", target.width, "m", "A821")
        add("reference_offset", target.reference_offset, "m", "A821")
        add("crossing_overrun", track.timing.crossing_overrun, "m", "A834")
        add("subject_length", subject.length, "m", "A811")
        add("crossing_done", track.timing.crossing_done, "m", "A834")
        if run_up := target.run_up:
            add("run_up_acceleration", run_up.acceleration, "m/s2", "A822")
            add("emerging_time", run_up.emerging_time, "s", "A822")
            for name in ("obstacle_length", "obstacle_width", "obstacle_clearance", "obstacle_margin"):
                add(name, getattr(run_up, name), "m", "A823")
    for name, fallback in (("min_ttc", track.timing.fallback_ttc), ("min_straight_time", track.timing.fallback_approach)):
        if name not in found.leaves:
            add(name, fallback, "s", "A836")
    found.leaves["approach_time"] = _approach(found, scenario, setup)
    if setup.ego in ("reference", "late"):
        aeb = setup.vehicles.aeb
        add("braking_ttc", aeb.braking_ttc if setup.ego == "reference" else aeb.late_braking_ttc, "s", "A813")
        add("assumed_lead_time", aeb.warning_ttc - aeb.braking_ttc, "s", "A813")
        add("warning_margin", aeb.warning_margin, "s", "A813")
        add("assumed_warning_ttc", aeb.warning_ttc, "s", "A813")
        if "min_braking_demand" not in found.leaves:
            add("min_braking_demand", aeb.braking_demand, "m/s2", "A813")
    _check_surroundings(scenario, track)
    surroundings = track.environment
    add("temperature", surroundings.temperature + Decimal("273.15"), "K", "A832")
    add("illuminance", surroundings.illuminance, "lux", "A832")


def _approach(found: Values, scenario: Scenario, setup: Setup) -> Leaf:
    """Straight approach in s before the functional part, at least what the regulation asks and a run-up needs."""
    least = found.leaves["min_straight_time"]
    asked = (
        setup.approach
        if setup.approach is not None
        else (setup.track.timing.external_approach if setup.ego == "external" else least.value)
    )
    if asked < least.value:
        raise DataFileError(
            f"--approach {asked}: {scenario.id} needs at least {least.value} s", hint="leave the option out or give more"
        )
    needed = Decimal(0)
    if run_up := found.target.run_up if found.crossing else None:
        needed = si(scenario.target.speed) / run_up.acceleration + run_up.emerging_time + run_up.spare_time
    if needed > asked:
        return Leaf("approach_time", needed, "s", assumption="A822")
    if asked == least.value and setup.approach is None:
        return Leaf("approach_time", asked, "s", least.field, least.quantity, least.assumption)
    return Leaf("approach_time", asked, "s", assumption="A834")


def _check_surroundings(scenario: Scenario, track: Track) -> None:
    """Raises DataFileError for an assumed value outside a range of the regulation."""
    given = track.environment
    limits = {
        "min_temperature": ("temperature", given.temperature, "degC"),
        "max_temperature": ("temperature", given.temperature, "degC"),
        "min_illumination": ("illuminance", given.illuminance, "lux"),
        "min_slope": ("slope", given.slope, "per cent"),
        "max_slope": ("slope", given.slope, "per cent"),
    }
    for name, (key, value, unit) in limits.items():
        bound: Quantity | None = getattr(scenario.environment, name)
        if bound is None:
            continue
        allowed = si(bound)
        actual = si(Quantity(value=value, unit=unit, basis="assumed", assumption="A832"))
        right = {"lt": actual < allowed, "le": actual <= allowed, "gt": actual > allowed, "ge": actual >= allowed}
        if not right.get(bound.bound, actual >= allowed if name.startswith("min") else actual <= allowed):
            place = bound.sources[0].label() if bound.sources else "the scenario"
            raise DataFileError(
                f"road file: environment.{key}: {value} {unit} does not fit {name} {bound.value:f} {bound.unit} ({place})",
                hint="give a value inside the range in the file for --road",
            )
