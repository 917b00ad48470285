"""What every approach has in common: how long it is driven, when the functional part begins, what the driver does, and how it ends.

Samples lie a known part of a step (`phase`) behind the trigger: the time to collision at sample k is `time_to_contact` - k * step, and
`time_to_contact` is the trigger's time to collision plus whole steps less that part. So a trigger fires at one sample whatever the
rounding of a player, what it starts can be placed to make up for the steps that pass until it moves, and the sample of the contact
lies as little behind the contact.
"""

from __future__ import annotations

import math

from regc.errors import StagingError
from regc.manoeuvres.plan import FUNCTIONAL_PART, SUBJECT, TARGET, Plan
from regc.manoeuvres.road import lane
from regc.model.stage import Moment


def straight_time(plan: Plan) -> None:
    """The line `approach_time`: s from the start to the functional part, at least; with a margin beyond what the test asks."""
    options, timing = plan.options, plan.data.track.timing
    if plan.has("straight_time"):
        plan.derive("straight_time", plan.si("straight_time"), "s")
    else:
        plan.track("timing", "fallback_approach", "s", "A836", "straight_time")
    plan.track("timing", "approach_margin", "s", "A834", "approach_margin")
    asked = options.approach
    if asked is not None and asked < plan["straight_time"]:
        raise StagingError(
            f"--approach {asked:g}: {plan.scenario.id} needs at least {plan['straight_time']:g} s",
            hint="leave the option out or give more",
        )
    if asked is None and options.ego == "external":
        plan.track("timing", "external_approach", "s", "A834", "asked_approach")
    elif asked is not None:
        plan.sheet.assumed("asked_approach", asked, "s", "A834", timing.reason, "--approach")
    longest = "max(straight_time, asked_approach)" if "asked_approach" in plan.sheet else "straight_time"
    plan.derive("approach_time", f"{longest} + approach_margin", "s")


def time_to_collision(plan: Plan) -> None:
    """The lines `ttc`, the least at which the functional part may begin, and `functional_ttc`, at which it does."""
    if "ttc" in plan.sheet:
        pass  # the manoeuvre has its own
    elif plan.has("ttc"):
        plan.derive("ttc", plan.si("ttc"), "s")
    elif plan.has("reaction_time"):
        plan.track("timing", "reaction_ttc", "s", "A836", "reaction_ttc")
        plan.derive("ttc", f"reaction_ttc + {plan.si('reaction_time')}", "s")
    elif plan.has("gap") and _closes(plan):
        plan.derive("ttc", f"{plan.si('gap')} / closing_speed", "s")
    else:
        plan.track("timing", "fallback_ttc", "s", "A836", "ttc")
    plan.derive("functional_ttc", "ttc + spare_steps * step", "s")


def _closes(plan: Plan) -> bool:
    return "closing_speed" in plan.sheet and plan["closing_speed"] > 0


def whole_steps(plan: Plan, trigger: str, more: float = 0.0) -> None:
    """The line `time_to_contact` at the start, for a trigger at a time to collision: whole steps more than the approach needs.
    `more`: s that something needs before the trigger."""
    before = max(plan["functional_ttc"] + plan["approach_time"] - plan[trigger], more)
    step = plan.options.step
    steps = math.ceil(before / step - 1e-6) + 1
    plan.sheet.assumed("lead_steps", steps, "1", "A835", "whole steps of the player between the start and the trigger", "--step")
    plan.derive("time_to_contact", f"{trigger} + (lead_steps - phase) * step", "s")


def functional_part(plan: Plan, to: str) -> Moment:
    """Begins at `functional_ttc`, and not before the straight approach is over."""
    if "closing_speed" in plan.sheet:
        plan.derive("functional_distance", "closing_speed * functional_ttc", "m")
    plan.derive("run_up_length", "subject.speed * approach_time", "m")
    plan.derive("functional_part_after", "straight_time", "s")
    return plan.moment(
        "functional_part",
        "ttc",
        of=SUBJECT,
        to=to,
        value="functional_ttc",
        after=Moment(kind="time", value=plan["functional_part_after"]),
    )


def gone(plan: Plan, line: str, of: str, way: str, speed: str) -> Moment:
    """A mover has gone a way along its path; a part of a step early, so that rounding moves nothing."""
    return plan.moment(line, "travelled", of=of, value=f"{way} - phase * step * {speed}", unit="m")


def driver(plan: Plan, to: str) -> None:
    """The driver's own braking and the release of the accelerator, where the test has them (decided by what is bound)."""
    if plan.has("release_ttc"):
        plan.events["accelerator_released"] = plan.moment(
            "events.accelerator_released", "ttc", of=SUBJECT, to=to, value=plan.si("release_ttc"), after=FUNCTIONAL_PART
        )
    elif plan.has("release_time"):
        plan.events["accelerator_released"] = plan.moment(
            "events.accelerator_released", "event", to="warning", delay=plan.si("release_time")
        )
    if plan.has("brake_ttc"):
        when = plan.moment("driver.driver_brakes.when", "ttc", of=SUBJECT, to=to, value=plan.si("brake_ttc"), after=FUNCTIONAL_PART)
    elif plan.has("brake_delay"):
        when = plan.moment("driver.driver_brakes.when", "event", to="warning", delay=plan.si("brake_delay"))
    else:
        return
    plan.driver.append(plan.change("driver", "driver_brakes", when, "0", plan.si("brake_deceleration")))


def ends(
    plan: Plan,
    *,
    time: str,
    contact: tuple[str, ...] = (TARGET,),
    passed: str = "",
    apart: bool = False,
    travelled: str = "",
    stops: bool = True,
) -> None:
    """The moments that end the run: a while after contact, at standstill, when it is done, and at the last bound. `time`: formula of
    when it would be over without a system; `contact`: roles; `passed`: role or "impact"; `travelled`: formula of the way after which
    the subject vehicle is done; `stops`: whether it is over when the subject vehicle stands (not where it stood from the beginning)."""
    for name in ("after_contact", "standstill", "after_end"):
        plan.track("timing", name, "s", "A834", name)
    for role in contact:
        plan.end("contact", of=SUBJECT, to=role, delay="after_contact")
    if stops:
        plan.end("standstill", of=SUBJECT, after=FUNCTIONAL_PART, delay="standstill")
    if apart:
        plan.end("apart", of=SUBJECT, to=TARGET, after=FUNCTIONAL_PART, delay="standstill")
    if passed:
        plan.end("passed", of=SUBJECT, to=passed, after=FUNCTIONAL_PART)
    if travelled:
        plan.end("travelled", of=SUBJECT, value=travelled, unit="m")
    plan.derive("end_time", f"{time} + after_end", "s")
    plan.end("time", value="end_time")


def side(plan: Plan, layout: str = "") -> None:
    """The line `side`: +1 for the left, -1 for the right. Where nothing says it: the layout's, else the near side (right), which
    --crossing-from turns."""
    said = plan.word("side")
    if said:
        mirrored = 1 if plan.options.right_hand else -1
        if said not in ("left", "right"):
            raise StagingError(f"{plan.scenario.id}: side is {said!r}", hint="left or right")
        plan.sheet.stated("side", (1 if said == "left" else -1) * mirrored, plan.sources("side"))
        return
    if layout:
        plan.layout(layout, "side", "1", "side")
        return
    data = plan.data.track.crossing
    near = data.nearside if plan.options.nearside is None else plan.options.nearside
    plan.sheet.assumed("side", -1 if near else 1, "1", "A841", "the document leaves the side open", "--crossing-from")


def crossing_target(plan: Plan) -> str:
    """What every target that crosses begins with: both road users measured, the side, `target_speed`, `closing_speed` and the times of
    the approach. Returns the target's kind. Raises StagingError for a target that stands."""
    plan.measure_subject()
    kind = plan.kind(TARGET)
    plan.measure(TARGET, kind)
    lane(plan)
    side(plan)
    plan.derive("target_speed", plan.si("target"), "m/s")
    if plan["target_speed"] <= 0:
        message = f"{plan.scenario.id}: a target at {plan['target_speed']:g} m/s does not cross"
        raise StagingError(message, hint="see target of the test")
    plan.derive("closing_speed", "subject.speed", "m/s")
    straight_time(plan)
    time_to_collision(plan)
    return kind
