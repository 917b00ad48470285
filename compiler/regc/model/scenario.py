"""The typed test scenario: what a regulation prescribes, with a place for every number.

Numbers keep the regulation's unit until `targets/`, which convert once.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regc.model.source import Bound, Cited, Digits, Frozen, Quantity, SourceRef, Tolerance, Wording

LoadKind = Literal["running_order", "maximum_mass"]
ApproachType = Literal["in_lane", "crossing", "manoeuvre"]
Status = Literal["mandatory", "ts_option", "envelope", "guidance"]
WarningRule = Literal["lead_time", "no_later_than_braking", "none"]


class ClaimValue(Frozen):
    """A claimed number: digits as in the source, the regulation's unit, bound, and tolerance if the place states one.

    `value` is None for a place that states a tolerance alone (the tolerance column of a test-speed table).
    """

    value: Digits | None
    unit: str
    bound: Bound = "eq"
    tolerance: Tolerance | None = None


class Draft(Frozen):
    """One scenario as an extractor claims it; nothing in it is believed before `resolve` has read every place again.

    `fields` maps a dotted field of Scenario ("subject.test_speed", "criteria.max_impact_speed") to the claims for it; several
    claims a field belong together (a speed cell and the tolerance cell beside it). `row` is the limit table's row that the draft
    claims, `group` what distinguishes columns further, `variant` one of the profile's variants of the family.
    `statements` are words, not numbers (what the driver may do, what must be recorded), by topic.
    """

    family: str
    category: str | None
    load_term: str | None
    status: Status
    variant: str | None = None
    group: str | None = None
    row: str | None = None
    fields: dict[str, tuple[Cited[ClaimValue], ...]]
    statements: dict[str, tuple[Cited[str], ...]] = {}


class LoadState(Frozen):
    """`term` is the edition's own wording, `kind` the one enum that they all map to, `token` its form in ids."""

    term: str
    kind: LoadKind
    token: str
    sources: tuple[SourceRef, ...] = ()


class Subject(Frozen):
    """Subject vehicle. `test_speed` carries the one-sided tolerance."""

    test_speed: Quantity


class Target(Frozen):
    """`type`: vehicle_target, pedestrian_target, bicycle_target, or a profile's own. `speed` is what this scenario uses;
    `prescribed_speed` what the clause prescribes, where this scenario had to use another one."""

    type: str
    description: str = ""
    speed: Quantity
    prescribed_speed: Quantity | None = None
    sources: tuple[SourceRef, ...] = ()


class Approach(Frozen):
    """Before the functional part. `max_lateral_offset`: centreline to centreline (in lane) or to the anticipated impact point
    (crossing); `impact_point_tolerance`: of the contact point on the subject vehicle's front."""

    min_straight_time: Quantity | None = None
    max_lateral_offset: Quantity | None = None
    impact_point_tolerance: Quantity | None = None


class Trigger(Frozen):
    """Start of the functional part."""

    min_ttc: Quantity | None = None


class Criteria(Frozen):
    """What the run must show. `max_impact_speed` is longitudinal, relative for in-lane targets. `no_braking_demand`:
    false-reaction scenarios, where the criterion is that the system does not brake."""

    max_impact_speed: Quantity | None = None
    warning_rule: WarningRule = "none"
    min_warning_lead_time: Quantity | None = None
    min_warning_modes: Quantity | None = None
    min_braking_demand: Quantity | None = None
    no_braking_demand: bool = False
    sources: tuple[SourceRef, ...] = ()


class Environment(Frozen):
    """Test conditions as the regulation bounds them."""

    min_temperature: Quantity | None = None
    max_temperature: Quantity | None = None
    min_illumination: Quantity | None = None
    peak_braking_coefficient: Quantity | None = None
    min_slope: Quantity | None = None
    max_slope: Quantity | None = None


class Runs(Frozen):
    """How often a scenario is driven and what share of failed runs its category may have."""

    count: Quantity | None = None
    max_repeats: Quantity | None = None
    max_failed_share: Quantity | None = None


class NamedQuantity(Frozen):
    """A number of a manoeuvre or an envelope, by name ("approach_speed", "max_ttc_at_steer")."""

    name: str
    quantity: Quantity


class Statement(Frozen):
    """Words of a test that are not numbers, by topic, with their place."""

    topic: str
    text: str
    sources: tuple[SourceRef, ...]


class Scenario(Frozen):
    """One test. `relative_speed` is the speed by which the limit is looked up (closing speed for in-lane targets, the subject
    vehicle's speed for crossing ones). `group` names what distinguishes rows further (payload ratio "alpha>1.3")."""

    id: str = Field(pattern=r"^[A-Za-z0-9._+-]{1,120}$")
    regulation: str
    edition: str
    wording: Wording
    title: str
    family: str
    approach_type: ApproachType
    category: str | None = None
    group: str | None = None
    load_state: LoadState | None = None
    status: Status
    status_sources: tuple[SourceRef, ...] = ()
    clause: str
    relative_speed: Quantity | None = None
    subject: Subject
    target: Target
    approach: Approach = Approach()
    environment: Environment = Environment()
    trigger: Trigger = Trigger()
    criteria: Criteria = Criteria()
    runs: Runs = Runs()
    manoeuvre: tuple[NamedQuantity, ...] = ()
    envelope: tuple[NamedQuantity, ...] = ()
    statements: tuple[Statement, ...] = ()

    def quantities(self) -> tuple[tuple[str, Quantity], ...]:
        """Every number of the scenario with its dotted field name, in a fixed order."""
        found: list[tuple[str, Quantity]] = []
        if self.relative_speed:
            found.append(("relative_speed", self.relative_speed))
        for part_name in ("subject", "target", "approach", "environment", "trigger", "criteria", "runs"):
            part = getattr(self, part_name)
            for field in type(part).model_fields:
                value = getattr(part, field)
                if isinstance(value, Quantity):
                    found.append((f"{part_name}.{field}", value))
        for group_name in ("manoeuvre", "envelope"):
            found.extend((f"{group_name}.{named.name}", named.quantity) for named in getattr(self, group_name))
        return tuple(found)


class ProcedureCard(Frozen):
    """A requirement that a drive cannot show: text only, listed in the coverage with the reason "not driven"."""

    id: str = Field(pattern=r"^[A-Za-z0-9._+-]{1,120}$")
    regulation: str
    edition: str
    wording: Wording
    title: str
    clauses: tuple[str, ...]
    reason: str = "not driven"
    statements: tuple[Statement, ...]
    quantities: tuple[NamedQuantity, ...] = ()
