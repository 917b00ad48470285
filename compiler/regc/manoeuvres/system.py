"""A system under test that a stage can hold: one that does what the criteria ask (reference), and one that does not (late).

reference brakes so that it keeps the limit of the impact speed at the upper tolerance of the speeds, 0.3 s early; it warns the stated
lead and 0.2 s before that, and at the line where a line is asked for. late exceeds the limit by 5 km/h. Where the test wants nothing to
happen, reference does nothing and late warns and brakes. Where a person judges, both do as reference.
"""

from __future__ import annotations

from regc.manoeuvres.plan import FUNCTIONAL_PART, SUBJECT, Plan
from regc.model.criterion import Criterion
from regc.model.formula import names
from regc.model.stage import Moment, System
from regc.model.units import metres_per_second, si_of
from regc.model.value import Value

#: s; how much earlier than needed the reference brakes, and warns before the stated lead; m/s that late is above the limit.
_EARLY, LEAD_SPARE, _ABOVE = 0.3, 0.2, metres_per_second(5)
#: m/s2 and s where the document asks for no demand and states no lead.
_DEMAND, _LEAD = 5.0, 0.8
#: s before it would be met at which a system reacts to what it must not react to.
_FALSE_BRAKING, FALSE_WARNING = 1.2, 2.0
_REASON = "a model of a braking system; it checks scenarios and verdicts and says nothing of a real one"


def approach_system(plan: Plan, to: str, *, floor: str = "", crossed_in: str = "", late_share: float = 1.0, met_at: str = "") -> System:
    """The system of a test in which the subject vehicle closes in with the line `closing_speed` on `to`. `floor`: formula of the speed
    at which it stops braking (a slower target's). `crossed_in`: formula of the time in which a crossing target goes from the middle of
    the subject vehicle's front to its edge: braking late must not let it pass. `late_share`: of the time that late brakes at, where the
    target is still turning and comes nearer than its distance along the road. `met_at`: formula of when (s) the two would meet, where
    the target turns and the time to collision with it hangs on how a player measures one: then the system acts by time."""
    ego = plan.options.ego
    if ego in ("none", "external"):
        return System(kind=ego)
    if wants_nothing(plan.scenario.require):
        return System(kind=ego) if ego == "reference" else _false_reaction(plan, to, met_at)
    needed = _braking_time(plan, crossed_in, late_share)
    if ego == "reference":
        assume(plan, "warning_spare", LEAD_SPARE, "s")
    lead = f"{_lead(plan)} + warning_spare" if ego == "reference" else f"{_lead(plan)} / 2"
    if met_at:
        plan.derive("braking_ttc", needed, "s")
        brakes = plan.moment("system.brakes", "time", value=f"{met_at} - braking_ttc - phase * step", after=FUNCTIONAL_PART)
        warns = plan.moment("system.warns", "time", value=f"system.brakes - ({lead})", after=FUNCTIONAL_PART)
    else:
        brakes = _ttc(to, plan[plan.derive("system.brakes", needed, "s")])
        warns = _ttc(to, plan[plan.derive("system.warns", f"system.brakes + {lead}", "s")])
    plan.derive("system.demand", "braking_demand", "m/s2")
    if floor:
        plan.derive("system.floor", floor, "m/s")
    return System(
        kind=ego,
        warns=warns,
        brakes=brakes,
        demand=plan["system.demand"],
        floor=plan["system.floor"] if floor else 0.0,
    )


def _braking_time(plan: Plan, crossed_in: str = "", late_share: float = 1.0) -> str:
    """Formula of how long before the two would meet the model brakes, s; below 0 where nothing needs to."""
    ego = plan.options.ego
    assume(plan, "braking_demand", _demand(plan.scenario.require), "m/s2")
    limit = _limit(plan)
    _upper_tolerance(plan)
    if ego == "late":
        assume(plan, "excess_speed", _ABOVE, "m/s")
        limit = f"{limit} + excess_speed"
        if crossed_in:
            plan.derive("latest_delay", f"({crossed_in}) / 2", "s")
            limit = f"max({limit}, closing_speed - sqrt(2 * latest_delay * braking_demand * closing_speed))"
    speed = "(closing_speed + closing_tolerance)" if ego == "reference" else "closing_speed"
    # below 0 where the limit is above the speed: then nothing needs to brake, and nothing does
    needed = f"({speed} * {speed} - ({limit}) * ({limit})) / (2 * braking_demand * closing_speed)"
    if ego == "reference":
        assume(plan, "early", _EARLY, "s")
        needed = f"{needed} + early"
    elif late_share != 1:
        assume(plan, "late_share", late_share, "1")
        needed = f"{needed} * late_share"
    return needed


def braking_before(plan: Plan, met_at: str, floor: str, *, crossed_in: str = "", late_share: float = 1.0) -> System:
    """The braking alone of a model that comes up with the line `closing_speed` on what it would meet at `met_at` (formula, s); the rest
    as for `approach_system`."""
    ego = plan.options.ego
    if ego in ("none", "external"):
        return System(kind=ego)
    if wants_nothing(plan.scenario.require):
        return System(kind=ego) if ego == "reference" else reaction_to_nothing(plan, met_at)
    plan.derive("braking_ttc", _braking_time(plan, crossed_in, late_share), "s")
    brakes = plan.moment("system.brakes", "time", value=f"{met_at} - braking_ttc - phase * step", after=FUNCTIONAL_PART)
    plan.derive("system.demand", "braking_demand", "m/s2")
    if floor:
        plan.derive("system.floor", floor, "m/s")
    return System(kind=ego, brakes=brakes, demand=plan["system.demand"], floor=plan["system.floor"] if floor else 0.0)


def braking_lead_system(plan: Plan, demand: str, gap: str) -> System:
    """The system of a test with a braking lead: it reacts to the lead's braking, with a demand above the lead's. late reacts when most
    of the time is over in which the gap is used up."""
    ego = plan.options.ego
    if ego in ("none", "external"):
        return System(kind=ego)
    assume(plan, "stronger", 1.5, "m/s2")
    if ego == "reference":
        assume(plan, "reaction", 0.3, "s")
    else:
        assume(plan, "late_share", 0.9, "1")
        plan.derive("reaction", f"late_share * sqrt(2 * {gap} / {demand})", "s")
    # by time: the lead's braking is at a fixed time, and its event may be one that a player ends with the braking
    warns = plan.moment("system.warns", "time", value=f"onset + reaction{' / 3' if ego == 'reference' else ''}")
    brakes = plan.moment("system.brakes", "time", value="onset + reaction")
    return System(kind=ego, warns=warns, brakes=brakes, demand=plan[plan.derive("system.demand", f"{demand} + stronger", "m/s2")])


def _ttc(to: str, value: float) -> Moment:
    return Moment(kind="ttc", of=SUBJECT, to=to, value=value, after=FUNCTIONAL_PART)


def reaction_to_nothing(plan: Plan, met_at: str) -> System:
    """A system that brakes and warns before something that asks for nothing, which it comes to at a time (formula, s)."""
    assume(plan, "system.demand", _DEMAND, "m/s2")
    assume(plan, "braking_ttc", _FALSE_BRAKING, "s")
    assume(plan, "warning_ttc", FALSE_WARNING, "s")
    warns, brakes = (
        plan.moment(f"system.{act}", "time", value=f"{met_at} - {ttc} - phase * step", after=FUNCTIONAL_PART)
        for act, ttc in (("warns", "warning_ttc"), ("brakes", "braking_ttc"))
    )
    return System(kind="late", warns=warns, brakes=brakes, demand=_DEMAND)


def _false_reaction(plan: Plan, to: str, met_at: str) -> System:
    if met_at:
        return reaction_to_nothing(plan, met_at)
    assume(plan, "system.demand", _DEMAND, "m/s2")
    assume(plan, "system.brakes", _FALSE_BRAKING, "s")
    assume(plan, "system.warns", FALSE_WARNING, "s")
    return System(kind="late", warns=_ttc(to, FALSE_WARNING), brakes=_ttc(to, _FALSE_BRAKING), demand=_DEMAND)


def assume(plan: Plan, line: str, value: float, unit: str) -> None:
    """A line of the model itself."""
    plan.sheet.assumed(line, value, unit, "A813", _REASON, "--ego")


def wants_nothing(require: tuple[Criterion, ...]) -> bool:
    """Whether the test is one in which the system must not act: no warning, no braking, no deceleration of its own."""
    quiet = any(criterion.form == "never" and criterion.a and criterion.a.name in ("warning", "braking") for criterion in require)
    return quiet or any(criterion.signal == "added_deceleration" for criterion in require)


def _si(plan: Plan, line: str, value: Value) -> str:
    plan.sheet.given(line, value.number, value)
    factor, _ = plan.unit(value.unit, line)
    return f"({line}{factor})"


def _limit(plan: Plan) -> str:
    """Formula of the greatest impact speed: the limit of the criterion, 0 where there must be no contact or nothing says it."""
    for criterion in plan.scenario.require:
        asked = not criterion.only_if and criterion.signal == "impact_speed" and criterion.limit
        if asked and criterion.limit and criterion.limit.value.is_number:
            return _si(plan, f"require.{criterion.label}.limit", criterion.limit.value)
    return "0"


def _demand(require: tuple[Criterion, ...]) -> float:
    for criterion in require:
        if criterion.signal == "braking_demand" and criterion.limit and criterion.limit.value.is_number:
            number = float(si_of(criterion.limit.value.number, criterion.limit.value.unit))
            return number if criterion.sign in (">=", ">") else min(number, _DEMAND)
    return _DEMAND


def _lead(plan: Plan) -> str:
    """Formula of the least time from warning to braking."""
    for criterion in plan.scenario.require:
        events = (criterion.a.name if criterion.a else "", criterion.b.name if criterion.b else "")
        if criterion.form == "before" and events == ("warning", "braking") and criterion.by and criterion.by.is_number:
            return _si(plan, f"require.{criterion.label}.by", criterion.by)
    assume(plan, "warning_lead", _LEAD, "s")
    return "warning_lead"


def _upper_tolerance(plan: Plan) -> None:
    """The line `closing_tolerance`: how much faster than nominal the vehicles may close in, m/s."""
    parts = []
    away = any(name.endswith("target_speed") for name in names(plan.sheet.formula("closing_speed")))
    for name, sign in (("subject", "plus"), ("target", "minus")):
        value = plan.scenario.number(name)
        if value is not None and value.tolerance is not None and (name == "subject" or away):
            factor, _ = plan.unit(value.unit, name)
            line = f"bind.{name}.tolerance"
            plan.sheet.toleranced(line, float(getattr(value.tolerance, sign)), value)
            parts.append(f"{line}{factor}")
    plan.derive("closing_tolerance", " + ".join(parts) or "0", "m/s")


def line_system(plan: Plan, last: str) -> System:
    """A system that warns of leaving the lane: reference at the line, late beyond the farthest line allowed (`last`: formula, m)."""
    ego = plan.options.ego
    if ego in ("none", "external"):
        return System(kind=ego)
    way = "line_way"
    if ego == "late":
        plan.layout("drift", "late_beyond", "m", "late_beyond")
        way = f"line_way + ({last} + late_beyond) / sin(turn)"
    return System(kind=ego, warns=plan.moment("system.warns", "travelled", of=SUBJECT, value=way, unit="m"))


def yielding_system(plan: Plan, way: str, speed: str, clear: str) -> System:
    """A system that lets another pass: reference stands `clear` m before the subject vehicle has gone `way`, late begins to brake
    there."""
    ego = plan.options.ego
    if ego in ("none", "external"):
        return System(kind=ego)
    assume(plan, "braking_demand", _demand(plan.scenario.require), "m/s2")
    assume(plan, "early", _EARLY, "s")
    assume(plan, "warning_lead", _LEAD, "s")
    needed = f"{speed} * {speed} / (2 * braking_demand) + {speed} * early + {clear}" if ego == "reference" else "0"
    brakes = plan.moment("system.brakes", "travelled", of=SUBJECT, value=f"{way} - ({needed})", unit="m")
    warns = plan.moment("system.warns", "travelled", of=SUBJECT, value=f"system.brakes - {speed} * warning_lead", unit="m")
    return System(kind=ego, warns=warns, brakes=brakes, demand=plan[plan.derive("system.demand", "braking_demand", "m/s2")])
