"""What follows from cited numbers: relative speeds, speed pairs of a moving target, borrowed tolerances. Part of `resolve`."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from regc._claims import Claims
from regc.model.regulation import Family
from regc.model.result import Finding
from regc.model.scenario import Draft
from regc.model.source import Quantity, SourceRef, Tolerance
from regc.model.units import plain
from regc.places import TestSpeed, load_of, speed_pair, test_speeds

#: A speed without a test-speed row of its own takes the tolerance of the next higher row (at the ends: the nearest).
BORROWED_TOLERANCE = "A861"
#: Another target speed than the prescribed one keeps the tolerance of the prescribed one.
TARGET_TOLERANCE = "A862"


@dataclass
class Derived:
    """Derived quantities by field, the prescribed target speed where another one is used, and assumptions made."""

    values: dict[str, Quantity] = field(default_factory=dict)
    prescribed: Quantity | None = None
    assumptions: list[tuple[str, str, str]] = field(default_factory=list)

    def findings(self, scenario: str) -> tuple[Finding, ...]:
        """One info finding an assumption."""
        return tuple(
            Finding(
                code=code, severity="info", scenario=scenario, field=name, message=message, hint="agree it with the technical service"
            )
            for code, name, message in self.assumptions
        )


def derive(draft: Draft, values: dict[str, Quantity], claims: Claims, family: Family) -> Derived:
    """Everything that a driven test needs beyond its claims; the limit is read here, since its row depends on the speeds."""
    derived = Derived()
    if family.variants:
        return derived
    target = values.get("target.speed")
    if target is None:
        claims.check_limit()
        return derived
    relative = values.get("relative_speed")
    subject = values.get("subject.test_speed")
    if family.lookup == "relative" and relative is not None and subject is None:
        subject = _pair(values, relative, target, derived)
        if subject is None:
            claims.check_limit()
            return derived
        target = derived.values.get("target.speed", target)
    elif family.lookup == "relative" and subject is not None:
        derived.values["relative_speed"] = _minus(subject, target)
    elif subject is not None:
        derived.values["relative_speed"] = Quantity(
            value=subject.value,
            unit=subject.unit,
            basis="derived",
            sources=subject.sources,
            formula="subject.test_speed; a crossing target has no speed along the subject vehicle's path",
        )
    if subject is None:
        claims.check_limit()
        return derived
    if subject.tolerance is None and not claims.prescribed:
        subject = _with_tolerance(draft, subject, claims, family, derived)
        derived.values["subject.test_speed"] = subject
    lookup = (derived.values.get("relative_speed") or values.get("relative_speed") or subject).value
    limit = claims.read_limit(lookup if family.lookup == "relative" else subject.value)
    if limit is not None:
        derived.values["criteria.max_impact_speed"] = limit
    return derived


def _pair(values: dict[str, Quantity], relative: Quantity, target: Quantity, derived: Derived) -> Quantity | None:
    """Subject and target speed of a relative speed that a limit table lists."""
    low, high = values.get("envelope.min_speed"), values.get("envelope.max_speed")
    if low is None or high is None:
        return None
    pair = speed_pair(relative.value, target.value, low.value, high.value)
    if pair is None:
        return None
    if pair[1] == target.value:
        subject = Quantity(
            value=pair[0],
            unit=relative.unit,
            basis="derived",
            sources=relative.sources + target.sources,
            formula=f"relative_speed + target.speed = {plain(relative.value)} + {plain(target.value)}",
        )
    else:
        subject = high.model_copy(update={"bound": "eq"})
        derived.prescribed = target
        held = target.tolerance
        if held is not None:
            held = Tolerance(plus=held.plus, minus=held.minus, sources=target.sources, assumption=TARGET_TOLERANCE)
            derived.assumptions.append(
                (TARGET_TOLERANCE, "target.speed", f"target at {plain(pair[1])} {relative.unit} keeps the tolerance stated for "
                 f"{plain(target.value)} {target.unit}")
            )  # fmt: skip
        derived.values["target.speed"] = Quantity(
            value=pair[1],
            unit=relative.unit,
            tolerance=held,
            basis="derived",
            sources=high.sources + relative.sources + target.sources,
            formula=f"highest speed of the range - relative_speed = {plain(high.value)} - {plain(relative.value)}",
        )
    derived.values["subject.test_speed"] = subject
    return subject


def _minus(subject: Quantity, target: Quantity) -> Quantity:
    return Quantity(
        value=subject.value - target.value,
        unit=subject.unit,
        basis="derived",
        sources=subject.sources + target.sources,
        formula=f"subject.test_speed - target.speed = {plain(subject.value)} - {plain(target.value)}",
    )


def _with_tolerance(draft: Draft, subject: Quantity, claims: Claims, family: Family, derived: Derived) -> Quantity:
    """The tolerance of the next higher prescribed speed of the same family, category and load column (at the ends: the nearest)."""
    named = load_of(draft.load_term or "", claims.profile)
    clause = claims.document.clause(family.speed_clause or "")
    if named is None or clause is None:
        return subject
    speeds = test_speeds(claims.document.tables, clause, family, claims.profile, draft.category or "", named[0])
    stated = sorted((speed for speed in speeds if speed.tolerance), key=lambda speed: speed.value)
    if not stated:
        return subject
    row = next((speed for speed in stated if speed.value >= subject.value), stated[-1])
    own = row.value == subject.value
    if own and derived.prescribed is None:
        claims.is_prescribed(subject)
    derived.assumptions += [] if own else [(BORROWED_TOLERANCE, "subject.test_speed", _borrowed(subject.value, row, subject.unit))]
    held = row.tolerance
    assert held is not None
    sources: tuple[SourceRef, ...] = (claims.source(row.tolerance_place),) if row.tolerance_place else ()
    stated_tolerance = Tolerance(plus=held.plus, minus=held.minus, sources=sources, assumption=None if own else BORROWED_TOLERANCE)
    return subject.model_copy(update={"tolerance": stated_tolerance})


def _borrowed(speed: Decimal, row: TestSpeed, unit: str) -> str:
    held = row.tolerance
    assert held is not None
    return f"{plain(speed)} {unit} has no test-speed row: +{held.plus}/-{held.minus} {unit} of {plain(row.value)} is used"
