"""A road user crosses the subject vehicle's path at a right angle and meets its front, if nothing brakes.

The crossing plane is the near face of the target's box, so that a contact falls on the moment at which the subject vehicle's front and
the target's reference point are at the impact point. What starts the target is the time to collision to the impact point, which is
right at every speed of the subject vehicle inside its tolerance; the start is placed so that the steps until it moves cost nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from regc.errors import StagingError
from regc.manoeuvres import approach
from regc.manoeuvres.paths import QUARTER_TURN
from regc.manoeuvres.plan import FUNCTIONAL_PART, SUBJECT, TARGET, Plan
from regc.manoeuvres.road import straight_road
from regc.manoeuvres.system import approach_system
from regc.model.stage import Change, Stage


@dataclass(frozen=True)
class Way:
    """The straight on which the subject vehicle meets the target: its lane, or the lane that it turns into (`turned`: the lines
    `turn.x` and `turn_side` stand). Places on it are formulas of the way `along` it and `aside` of it to the left, in m. `driven`: the
    way (formula, m) after which the line `time_to_contact` begins to count, where not the time to collision to the impact point but
    that way starts the target. `middle`: formula of the lateral position of the straight."""

    turned: bool = False
    driven: str = ""
    middle: str = ""

    @property
    def impact(self) -> str:
        """The line that says how far along the impact point lies."""
        return "impact.along" if self.turned else "impact.x"

    def place(self, along: str, aside: str) -> tuple[str, str]:
        """x and y of a place."""
        if not self.turned:
            return along, f"{self.middle} + {aside}" if self.middle else aside
        return f"turn.x - turn_side * ({aside})", f"turn_side * ({along})"

    def from_side(self) -> str:
        """The heading of who comes from `side` at a right angle."""
        return f"turn_side * {QUARTER_TURN} - side * {QUARTER_TURN}" if self.turned else f"0 - side * {QUARTER_TURN}"


def stage(plan: Plan) -> Stage:
    """See above. Raises StagingError where the target cannot be hidden or cannot reach its speed."""
    kind = approach.crossing_target(plan)
    hidden = plan.word("obstructed", "no")
    before = start(plan, hidden)
    approach.whole_steps(plan, "start_ttc", before)
    plan.add(SUBJECT, "subject", x="subject.start.x", speed="subject.speed")
    plan.derive("impact.x", "subject.start.x + subject.front + subject.speed * time_to_contact", "m")
    if plan.has("overlap"):
        plan.derive("impact.y", f"side * (0.5 - {plan.si('overlap')}) * subject.width", "m")
    cross(plan, kind, hidden, Way())
    obstruct(plan, hidden, Way())
    functional = approach.functional_part(plan, "impact")
    approach.ends(plan, time="time_to_contact", passed="impact")
    system = approach_system(plan, "impact", crossed_in="subject.width / 2 / target_speed")
    approach.driver(plan, "impact")
    road = straight_road(plan, "impact.x + subject.speed * after_end")
    return plan.finish(road, functional, impact=True, system=system)


def start(plan: Plan, hidden: str) -> float:
    """The lines `start_distance` (reference point to impact point), `start_ttc` (what starts the target) and its run-up; returns the
    time that must pass from the start of the run to that of the target."""
    reference = "target.reference" if "target.reference" in plan.sheet else "0"
    plan.derive("reference", reference, "m")
    player = plan.data.track.player
    ramp = hidden == "run_up" or plan.has("run_up")
    lag = player.ramp_lag if ramp else player.step_lag
    key = f"test_track.toml: player.{'ramp_lag' if ramp else 'step_lag'}"
    plan.sheet.assumed("lag_steps", lag, "1", "A835", player.reason, key)
    plan.derive("lag", "(lag_steps + phase) * step", "s")
    if hidden == "run_up":
        return _start_hidden(plan)
    if plan.has("run_up"):
        plan.layout("crossing", "run_up_share", "1", "run_up_share")
        plan.derive("run_up_distance", f"{plan.si('run_up')} * run_up_share", "m")
    else:
        plan.derive("run_up_distance", "0", "m")
    if plan.has("set_up"):
        aside = f" - (0.5 - {plan.si('overlap')}) * subject.width" if plan.has("overlap") else ""
        plan.derive("start_distance", f"{plan.si('set_up')}{aside}", "m")
        plan.derive("start_ttc", "(start_distance + run_up_distance) / target_speed + lag", "s")
        if plan["start_ttc"] > plan["functional_ttc"]:
            raise StagingError(
                f"{plan.scenario.id}: the target needs {plan['start_ttc']:.2f} s from where it is set up, and the functional part "
                f"begins {plan['functional_ttc']:.2f} s before the impact",
                hint="see set_up, target and ttc of the test",
            )
    else:
        plan.derive("start_ttc", "ttc", "s")
        plan.derive("start_distance", "target_speed * (start_ttc - lag) - run_up_distance", "m")
    return 0.0


def _start_hidden(plan: Plan) -> float:
    """The run-up lies before the functional part; what hides it ends where the whole target is free when the functional part starts."""
    for name, unit in (("acceleration", "m/s2"), ("emerging_time", "s"), ("spare_time", "s")):
        plan.layout("crossing", name, unit, name)
    plan.derive("run_up_distance", "target_speed * target_speed / (2 * acceleration)", "m")
    plan.derive("run_up_time", "target_speed / acceleration", "s")
    hidden = round(plan.steps(plan["run_up_time"] + plan["emerging_time"]), 9)
    reason = "run-up and emerging time, rounded up to whole steps"
    plan.sheet.assumed("hidden_time", hidden, "s", "A822", reason, "layouts.toml: crossing.emerging_time")
    plan.derive("start_ttc", "functional_ttc + hidden_time", "s")
    plan.derive("start_distance", "target_speed * (start_ttc - lag) - run_up_distance", "m")
    return plan["spare_time"]


def cross(plan: Plan, kind: str, hidden: str, way: Way) -> None:
    """The target on its straight path; a step or a ramp of speed starts it, when the subject vehicle is as near to the impact point as
    `start_ttc` says. Along a bent path players measure no time to collision, so the way that has been driven tells it there."""
    plan.track("crossing", "overrun", "m", "A834", "overrun")
    # a player would send it along the road at the end of its path, so the path reaches the end of a run in which a system may brake
    on = ""
    if way.driven or plan.options.ego != "none":
        plan.track("timing", "after_end", "s", "A834", "after_end")
        on = " + target_speed * after_end"
    impact_y = "impact.y + " if "impact.y" in plan.sheet else ""
    after = None if hidden == "run_up" else FUNCTIONAL_PART
    if way.driven:
        begins_at = "" if way.driven == "0" else f"{way.driven} + "
        when, unit = f"{begins_at}subject.speed * (time_to_contact - start_ttc)", "m"
        begins = plan.moment("target.begins", "travelled", of=SUBJECT, value=when, unit=unit, after=after)
    else:
        when, unit = "start_ttc", "s"
        begins = plan.moment("target.begins", "ttc", of=SUBJECT, to="impact", value=when, after=after)
    changes: tuple[Change, ...] = ()
    if plan["run_up_distance"] > 0:
        plan.derive("target.run_up.when", when, unit)
        changes = (plan.change(TARGET, "run_up", begins, "target_speed", "target_speed * target_speed / (2 * run_up_distance)"),)
    x, y = way.place(f"{way.impact} + target.width / 2", f"{impact_y}side * (start_distance + reference)")
    plan.add(
        TARGET,
        kind,
        x=x,
        y=y,
        heading=way.from_side(),
        legs=[(f"start_distance + reference + overrun{on}", "")],
        speed="" if changes else "target_speed",
        begins=begins,
        changes=changes,
    )


def obstruct(plan: Plan, hidden: str, way: Way) -> None:
    """What hides the target, or its run-up only."""
    if hidden == "run_up":
        _wall(plan, way)
    elif hidden == "yes":
        _parked(plan, way)


def _wall(plan: Plan, way: Way) -> None:
    """Something between the subject vehicle and the target's way, beside that way."""
    role, kind = "obstruction", plan.kind("obstruction")
    plan.measure(role, kind, "A823")
    for name in ("obstacle_clearance", "obstacle_margin"):
        plan.layout("crossing", name, "m", name)
    plan.derive("hidden_edge", "target_speed * functional_ttc + reference + target.rear + obstacle_margin", "m")
    needed = plan["start_distance"] + plan["reference"] + plan["target.rear"] - plan["hidden_edge"]
    if needed > plan["obstruction.length"]:
        raise StagingError(
            f"{plan.scenario.id}: a {kind} of {plan['obstruction.length']:g} m does not hide a run-up of {needed:.1f} m",
            hint=f"give actors.{kind}.length in a file for --road-users",
        )
    middle = "hidden_edge + obstruction.length / 2"
    if plan["obstruction.front"] != plan["obstruction.length"] / 2:
        middle = "hidden_edge + obstruction.front"
    x, y = way.place(f"{way.impact} - obstacle_clearance - obstruction.width / 2", f"side * ({middle})")
    plan.add(
        role,
        kind,
        x=x,
        y=y,
        heading=way.from_side(),
        thing=True,
    )


def _parked(plan: Plan, way: Way) -> None:
    """Two vehicles, one behind the other, parked along the subject vehicle's path on the target's side."""
    kind = plan.kind("obstruction")
    for role in ("obstruction_1", "obstruction_2"):
        plan.measure(role, kind, "A823")
    for name in ("clearance", "spacing", "obstruction_ahead"):
        if plan.has(name):
            plan.derive(name, plan.si(name), "m")
        else:
            plan.layout("crossing", name, "m", name)
    ahead = {
        "obstruction_1": "obstruction_ahead + obstruction_1.front",
        "obstruction_2": "obstruction_ahead + obstruction_1.length + spacing + obstruction_2.front",
    }
    for role, before in ahead.items():
        x, y = way.place(f"{way.impact} - ({before})", f"side * (subject.width / 2 + clearance + {role}.width / 2)")
        plan.add(role, kind, x=x, y=y, thing=True)
