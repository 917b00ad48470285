"""Valid scenarios of every family, made by hand: numbers typed once here, sentences invented, no pipeline involved.

`scenario("car_to_bicycle", speed="40")` gives one; `sweep()` all 180 driven ones of the full sweep; `false_reactions()` the four
others; `checked(*scenarios)` wraps them as the checker would.
"""

from __future__ import annotations

from decimal import Decimal

from regc.model.result import Checked
from regc.model.scenario import (
    Approach,
    ApproachType,
    Criteria,
    Environment,
    LoadState,
    NamedQuantity,
    Runs,
    Scenario,
    Statement,
    Status,
    Subject,
    Target,
    Trigger,
    WarningRule,
)
from regc.model.source import Bound, Quantity, SourceRef, Tolerance

REGULATION, EDITION = "un152", "02"
STEM = "UNR152-02"
LOADS = {
    "MaxMass": LoadState(term="maximum mass", kind="maximum_mass", token="MaxMass"),
    "MassRun": LoadState(term="mass in running order", kind="running_order", token="MassRun"),
}

#: family -> (token, procedure, requirement, approach type, target type, target speed, warning rule)
FAMILIES: dict[str, tuple[str, str, str, ApproachType, str, str, WarningRule]] = {
    "car_to_stationary_car": ("CtoStC", "6.4", "5.2.1", "in_lane", "vehicle_target", "0", "lead_time"),
    "car_to_moving_car": ("CtoMoC", "6.5", "5.2.1", "in_lane", "vehicle_target", "20", "lead_time"),
    "car_to_pedestrian": ("CtoP", "6.6.1", "5.2.2", "crossing", "pedestrian_target", "5", "no_later_than_braking"),
    "car_to_bicycle": ("CtoB", "6.7.1", "5.2.3", "crossing", "bicycle_target", "15", "no_later_than_braking"),
}

#: (kind of table, category) -> row: (limit at maximum mass, limit at mass in running order)
LIMITS: dict[tuple[str, str], dict[str, tuple[str, str]]] = {
    ("car", "M1"): {
        **dict.fromkeys(("10", "15", "20", "25", "30", "35", "40"), ("0.00", "0.00")),
        "42": ("10.00", "0.00"),
        "45": ("15.00", "15.00"),
        "50": ("25.00", "25.00"),
        "55": ("30.00", "30.00"),
        "60": ("35.00", "35.00"),
    },
    ("car", "N1"): {
        **dict.fromkeys(("10", "15", "20", "25", "30", "32", "35", "38"), ("0.00", "0.00")),
        "40": ("10.00", "0.00"),
        "42": ("15.00", "0.00"),
        "45": ("20.00", "15.00"),
        "50": ("30.00", "25.00"),
        "55": ("35.00", "30.00"),
        "60": ("40.00", "35.00"),
    },
    ("bicycle", "M1"): {
        **dict.fromkeys(("20", "25", "30", "35", "38"), ("0.00", "0.00")),
        "40": ("10.00", "0.00"),
        "45": ("25.00", "25.00"),
        "50": ("30.00", "30.00"),
        "55": ("35.00", "35.00"),
        "60": ("40.00", "40.00"),
    },
    ("bicycle", "N1"): {
        **dict.fromkeys(("20", "25", "30", "35", "36"), ("0.00", "0.00")),
        "38": ("15.00", "0.00"),
        "40": ("25.00", "0.00"),
        "45": ("30.00", "25.00"),
        "50": ("35.00", "30.00"),
        "55": ("40.00", "35.00"),
        "60": ("45.00", "40.00"),
    },
}
LIMITS["pedestrian", "M1"] = {row: LIMITS["car", "M1"][row] for row in ("20", "25", "30", "35", "40", "42", "45", "50", "55", "60")}
LIMITS["pedestrian", "N1"] = {
    row: LIMITS["car", "N1"][row] for row in ("20", "25", "30", "35", "38", "40", "42", "45", "50", "55", "60")
}

#: family -> category -> load token -> prescribed test speeds (the lowest has +2/-0, the others +0/-2)
TEST_SPEEDS: dict[str, dict[str, dict[str, tuple[str, ...]]]] = {
    "car_to_stationary_car": {
        "M1": {"MaxMass": ("20", "40", "60"), "MassRun": ("20", "42", "60")},
        "N1": {"MaxMass": ("20", "38", "60"), "MassRun": ("20", "42", "60")},
    },
    "car_to_moving_car": {
        "M1": {"MaxMass": ("30", "60"), "MassRun": ("30", "60")},
        "N1": {"MaxMass": ("30", "58"), "MassRun": ("30", "60")},
    },
    "car_to_pedestrian": {
        "M1": {"MaxMass": ("20", "40", "60"), "MassRun": ("20", "42", "60")},
        "N1": {"MaxMass": ("20", "38", "60"), "MassRun": ("20", "42", "60")},
    },
    "car_to_bicycle": {
        "M1": {"MaxMass": ("20", "38", "60"), "MassRun": ("20", "40", "60")},
        "N1": {"MaxMass": ("20", "36", "60"), "MassRun": ("20", "40", "60")},
    },
}

#: kind of table -> value, unit and clause of the share of failed runs
FAILED_SHARES = {
    "car": ("10.0", "per cent", "6.10.1"),
    "pedestrian": ("10.0", "per cent", "6.10.1"),
    "bicycle": ("20.0", "per cent", "6.10.1"),
}

#: relative speed that a target at 20 km/h cannot give within 10-60 km/h -> (subject speed, target speed)
SLOWER_TARGET = {"42": ("60", "18"), "45": ("60", "15"), "50": ("60", "10")}
MOVING_ROWS_LEFT_OUT = ("55", "60")


def source(clause: str, quote: str, *, row: str | None = None, column: str | None = None, table: int | None = None) -> SourceRef:
    """A place of the invented document; `table` counts the tables of the clause."""
    return SourceRef(
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        clause=clause,
        table=f"{clause}#{table}" if table else None,
        row=row,
        column=column,
        quote=quote,
    )


def cited(
    value: str, unit: str, clause: str, *, bound: Bound = "eq", tolerance: tuple[str, str] | None = None, quote: str = ""
) -> Quantity:
    """A cited quantity; `tolerance` is (plus, minus)."""
    return Quantity(
        value=Decimal(value),
        unit=unit,
        bound=bound,
        tolerance=Tolerance(plus=Decimal(tolerance[0]), minus=Decimal(tolerance[1])) if tolerance else None,
        basis="cited",
        sources=(source(clause, quote or f"is {value} {unit}"),),
    )


def _cell(value: str, clause: str, table: int, row: str, column: str, bound: Bound = "eq") -> Quantity:
    places = (source(clause, value, row=row, column=column, table=table),)
    return Quantity(value=Decimal(value), unit="km/h", bound=bound, basis="cited", sources=places)


def _environment(family: str) -> Environment:
    return Environment(
        min_temperature=cited("0", "degC", "6.1.2", bound="ge"),
        max_temperature=cited("45", "degC", "6.1.2", bound="le"),
        min_illumination=cited("1000" if "_car" in family[6:] else "2000", "lux", "6.1.5", bound="gt"),
        peak_braking_coefficient=cited("0.9", "1", "6.1.1.1"),
        min_slope=cited("0", "per cent", "6.1.1.4", bound="ge"),
        max_slope=cited("1", "per cent", "6.1.1.4", bound="le"),
    )


def scenario(
    family: str = "car_to_stationary_car",
    *,
    speed: str = "40",
    category: str = "M1",
    load: str = "MaxMass",
    target_speed: str | None = None,
) -> Scenario:
    """One driven scenario at a subject speed (km/h). For car_to_moving_car `speed` - `target_speed` must be a row of LIMITS."""
    token, procedure, requirement, approach_type, target_type, prescribed, warning = FAMILIES[family]
    table_number = 1 if category == "M1" else 2
    target = Decimal(target_speed if target_speed is not None else prescribed)
    relative = Decimal(speed) - target if approach_type == "in_lane" else Decimal(speed)
    kind = "car" if approach_type == "in_lane" else family.removeprefix("car_to_")
    row = format(relative, "f")
    limit = LIMITS[kind, category][row][0 if load == "MaxMass" else 1]
    tests = TEST_SPEEDS[family][category][load]
    status: Status = "mandatory" if speed in tests and target == Decimal(prescribed) else "ts_option"
    tolerance = ("2", "0") if Decimal(speed) <= Decimal(tests[0]) else ("0", "2")
    test_speed = _cell(speed, procedure, table_number, speed, LOADS[load].term).model_copy(
        update={"tolerance": Tolerance(plus=Decimal(tolerance[0]), minus=Decimal(tolerance[1]))}
    )
    suffix = f"{int(speed):03d}" + (f"-{int(target):03d}" if family == "car_to_moving_car" else "")
    target_tolerances = {"car_to_moving_car": ("0", "2"), "car_to_pedestrian": ("0", "0.4"), "car_to_bicycle": ("0", "1")}
    target_quantity = cited(
        format(target, "f"), "km/h", procedure, tolerance=target_tolerances.get(family), quote=f"the target does {target} km/h"
    )
    return Scenario(
        id=f"{STEM}_p{procedure[:3]}_{token}_{category}_{load}_{suffix}",
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        title=f"{family.replace('_', ' ')}, {category}, {LOADS[load].term}, {speed} km/h",
        family=family,
        approach_type=approach_type,
        category=category,
        load_state=LOADS[load],
        status=status,
        status_sources=(source(procedure, "these speeds are driven"),),
        clause=procedure,
        relative_speed=Quantity(
            value=relative,
            unit="km/h",
            basis="derived",
            formula="subject.test_speed - target.speed" if approach_type == "in_lane" else "subject.test_speed",
            sources=test_speed.sources + (target_quantity.sources if approach_type == "in_lane" else ()),
        ),
        subject=Subject(test_speed=test_speed),
        target=Target(
            type=target_type,
            description="an invented target",
            speed=target_quantity,
            prescribed_speed=cited(prescribed, "km/h", procedure) if target != Decimal(prescribed) else None,
        ),
        approach=Approach(
            min_straight_time=cited("2", "s", procedure, bound="ge"),
            max_lateral_offset=cited("0.2" if approach_type == "in_lane" else "0.1", "m", procedure, bound="le"),
            impact_point_tolerance=None if approach_type == "in_lane" else cited("0.1", "m", procedure, bound="le"),
        ),
        environment=_environment(family),
        trigger=Trigger(min_ttc=cited("4", "s", procedure, bound="ge")),
        criteria=Criteria(
            max_impact_speed=_cell(limit, f"{requirement}.4", table_number, row, LOADS[load].term, bound="le"),
            warning_rule=warning,
            min_warning_lead_time=cited("0.8", "s", f"{requirement}.1", bound="ge") if warning == "lead_time" else None,
            min_warning_modes=cited("2", "1", "5.5.1", bound="ge"),
            min_braking_demand=cited("5.0", "m/s2", f"{requirement}.2", bound="ge"),
        ),
        runs=Runs(
            count=cited("2", "1", "6.10.1"),
            max_repeats=cited("1", "1", "6.10.1", bound="le"),
            max_failed_share=cited(*FAILED_SHARES[kind], bound="le", quote=f"of all runs in the {kind} tests"),
        ),
        statements=(
            Statement(topic="driver", text="The driver leaves the controls alone.", sources=(source(procedure, "hands off"),)),
        ),
    )


def family_sweep(family: str, category: str, load: str) -> tuple[Scenario, ...]:
    """Every driven scenario of a family, category and load state, in the order of the limit table."""
    kind = "car" if family in ("car_to_stationary_car", "car_to_moving_car") else family.removeprefix("car_to_")
    found = []
    for row in LIMITS[kind, category]:
        speed, target = row, None
        if family == "car_to_moving_car":
            if row in MOVING_ROWS_LEFT_OUT:
                continue
            speed, target = SLOWER_TARGET.get(row, (str(int(row) + 20), "20"))
        found.append(scenario(family, speed=speed, category=category, load=load, target_speed=target))
    return tuple(found)


def sweep() -> tuple[Scenario, ...]:
    """The 180 driven scenarios of the full sweep, M1 and N1, both load states."""
    return tuple(
        item for family in FAMILIES for category in ("M1", "N1") for load in LOADS for item in family_sweep(family, category, load)
    )


#: number -> (speed, name -> (value, unit, bound)); what a false-reaction scenario says in numbers
FALSE_REACTIONS: dict[int, tuple[str, dict[str, tuple[str, str, Bound]]]] = {
    1: (
        "30",
        {
            "min_speed_at_steer": ("16", "km/h", "ge"),
            "max_ttc_at_steer": ("2.8", "s", "le"),
            "min_speed_in_turn": ("10", "km/h", "ge"),
            "max_ttc_at_overlap": ("1.7", "s", "le"),
            "overlap_ratio": ("0", "per cent", "eq"),
        },
    ),
    2: (
        "40",
        {
            "forward_vehicle_turn_speed": ("10", "km/h", "eq"),
            "min_speed_at_forward_turn": ("26", "km/h", "ge"),
            "max_ttc_at_forward_turn": ("4.7", "s", "le"),
            "min_speed_after": ("20", "km/h", "ge"),
            "max_ttc_at_overlap": ("2.5", "s", "le"),
            "overlap_ratio": ("0", "per cent", "eq"),
        },
    ),
    3: (
        "30",
        {
            "max_outer_radius": ("25", "m", "le"),
            "min_speed_at_entry": ("22", "km/h", "ge"),
            "max_ttc_at_turn_in": ("1.6", "s", "le"),
            "min_speed_in_curve": ("21", "km/h", "ge"),
            "max_ttc_at_overlap": ("1.1", "s", "le"),
            "overlap_ratio": ("0", "per cent", "eq"),
            "offset_ratio": ("-100", "per cent", "eq"),
        },
    ),
    4: (
        "40",
        {
            "max_ttc_at_steer": ("4.2", "s", "le"),
            "max_ttc_at_offset": ("3.3", "s", "le"),
            "offset_ratio": ("-100", "per cent", "eq"),
        },
    ),
}


def false_reaction(number: int = 1) -> Scenario:
    """One of the four scenarios in which the system must not brake."""
    clause = f"Annex 3 - Appendix 2, {number}"
    speed, numbers = FALSE_REACTIONS[number]
    target_type = {1: "oncoming_vehicle", 2: "forward_vehicle", 3: "stationary_object", 4: "signboard"}[number]
    target_speed = cited("40" if number == 2 else "0", "km/h", clause, tolerance=("0", "2") if number == 2 else None)
    return Scenario(
        id=f"{STEM}_A3.2_FR_{number}",
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        title=f"false reaction {number}",
        family="false_reaction",
        approach_type="manoeuvre",
        status="guidance",
        status_sources=(source(clause, "as an example"),),
        clause=clause,
        subject=Subject(test_speed=cited(speed, "km/h", clause, tolerance=("0", "2"))),
        target=Target(type=target_type, speed=target_speed),
        environment=_environment("false_reaction"),
        criteria=Criteria(no_braking_demand=True),
        manoeuvre=tuple(
            NamedQuantity(name=name, quantity=cited(value, unit, clause, bound=bound)) for name, (value, unit, bound) in numbers.items()
        ),
        statements=(Statement(topic="setting", text="The subject vehicle passes by.", sources=(source(clause, "passes by"),)),),
    )


def false_reactions() -> tuple[Scenario, ...]:
    """The four false-reaction scenarios."""
    return tuple(false_reaction(number) for number in FALSE_REACTIONS)


def checked(*scenarios: Scenario) -> Checked:
    """What the checker would hand to a target; one stationary scenario when none is given."""
    return Checked(
        regulation=REGULATION,
        edition=EDITION,
        wording="embedded",
        title="Invented regulation for tests",
        document_sha256="0" * 64,
        source_name="invented.md",
        edition_date="2021-09-30",
        id_stem=STEM,
        scenarios=scenarios or (scenario(),),
    )
