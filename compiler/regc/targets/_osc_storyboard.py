"""The scenario file as a template: every number that a scenario decides stands as `$name` (see _osc_values).

One template serves all scenarios that differ in numbers alone, so the concrete and the logical file cannot differ in structure.
Only `lessThan` and `greaterThan` are used: OpenSCENARIO 1.0 has no other ordering rules.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from scenariogeneration import xosc

from regc.targets._osc_values import Ego
from regc.targets._osc_xml import text

AUTHOR = "regc"
#: a number, or the `$name` of one
Number = float | str
NO_EDGE = xosc.ConditionEdge.none
LESS, GREATER = xosc.Rule.lessThan, xosc.Rule.greaterThan


@dataclass(frozen=True)
class Shape:
    """What decides the structure of a file; everything else is a number or a name."""

    minor: int
    ego: Ego
    crossing: bool
    run_up: bool
    moving: bool
    road: str
    date: str
    date_time: str


def template(shape: Shape, parameters: xosc.ParameterDeclarations | None = None) -> str:
    """The text of the scenario file with `$names`; `parameters` for a logical file."""
    xosc.VersionBase().setVersion(minor=shape.minor)
    catalogs = xosc.Catalog()
    catalogs.add_catalog("VehicleCatalog", "../catalogs")
    catalogs.add_catalog("PedestrianCatalog", "../catalogs")
    catalogs.add_catalog("MiscObjectCatalog", "../catalogs")
    properties = None
    if shape.minor >= 2:
        properties = xosc.Properties()
        for name in ("id", "status", "clause", "wording", "criterion"):
            properties.add_property(name, f"$header_{name}")
    scenario = xosc.Scenario(
        "$description",
        AUTHOR,
        parameters or xosc.ParameterDeclarations(),
        _entities(shape),
        _storyboard(shape),
        xosc.RoadNetwork(f"../roads/{shape.road}"),
        catalogs,
        osc_minor_version=shape.minor,
        creation_date=dt.datetime.fromisoformat(shape.date),
        header_properties=properties,
    )
    return text(scenario.get_element())


def _entities(shape: Shape) -> xosc.Entities:
    entities = xosc.Entities()
    controller = None
    if shape.ego == "external":
        slot = xosc.Properties()
        # esmini leaves the vehicle to the program that embeds it
        slot.add_property("esminiController", "ExternalController")
        controller = xosc.Controller("SystemUnderTest", slot)
    entities.add_scenario_object("Ego", xosc.CatalogReference("vehicles", "$subject_entry"), controller)
    entities.add_scenario_object("Target", xosc.CatalogReference("$target_catalog", "$target_entry"))
    if shape.run_up:
        entities.add_scenario_object("Obstacle", xosc.CatalogReference("objects", "$obstacle_entry"))
    return entities


def position(x: Number, y: Number, heading: Number = "0", z: Number = "0") -> xosc.WorldPosition:
    """A point on the road, its three angles always written."""
    return xosc.WorldPosition(x=x, y=y, z=z, h=heading, p=0, r=0)


def speed(value: Number) -> xosc.AbsoluteSpeedAction:
    """A speed taken at once."""
    step = xosc.TransitionDynamics(xosc.DynamicsShapes.step, xosc.DynamicsDimension.time, 0)
    return xosc.AbsoluteSpeedAction(value, step)


def environment(shape: Shape) -> xosc.EnvironmentAction:
    """Surroundings; their numbers stand as `$names`."""
    late = shape.minor >= 1
    weather = xosc.Weather(
        cloudstate=xosc.FractionalCloudCover.zeroOktas if shape.minor >= 2 else xosc.CloudState.free,
        sun=xosc.Sun("$illuminance", "$sun_azimuth", "$sun_elevation"),
        fog=xosc.Fog("$visual_range"),
        precipitation=xosc.Precipitation(xosc.PrecipitationType.dry, 0),
        wind=xosc.Wind(0, 0) if late else None,
        temperature="$temperature" if late else None,
        atmosphericPressure="$pressure" if late else None,
    )
    when = dt.datetime.fromisoformat(shape.date_time)
    time = xosc.TimeOfDay(False, when.year, when.month, when.day, when.hour, when.minute, when.second)
    road = xosc.RoadCondition(1, wetness=xosc.Wetness.dry if shape.minor >= 2 else None)
    return xosc.EnvironmentAction(xosc.Environment("TestConditions", time, weather, road))


def _storyboard(shape: Shape) -> xosc.StoryBoard:
    init = xosc.Init()
    init.add_global_action(environment(shape))
    init.add_init_action("Ego", xosc.TeleportAction(position("$subject_x", "$subject_y")))
    init.add_init_action("Ego", speed("$subject_speed"))
    if shape.ego == "external":
        init.add_init_action("Ego", xosc.ActivateControllerAction(True, True))
    init.add_init_action("Target", xosc.TeleportAction(position("$target_x", "$target_y", "$target_heading", "$target_z")))
    init.add_init_action("Target", speed("0" if shape.crossing else "$target_speed"))
    if shape.run_up:
        init.add_init_action("Obstacle", xosc.TeleportAction(position("$obstacle_x", "$obstacle_y", "$target_heading", "$obstacle_z")))
    story = xosc.Story("Test")
    act = xosc.Act("Run", when(("RunStarts", xosc.SimulationTimeCondition(0, GREATER))))
    act.add_maneuver_group(_target(shape))
    if shape.ego in ("reference", "late"):
        act.add_maneuver_group(_aeb(shape))
    story.add_act(act)
    return xosc.StoryBoard(init, _stop(shape)).add_story(story)


#: a condition of scenariogeneration, which has no types
Condition = Any


def all_of(*conditions: tuple[str, Condition], point: str = "start", delay: str = "0", actor: str = "Ego") -> xosc.ConditionGroup:
    """One group: all its conditions must hold. Conditions on entities are about `actor`."""
    group = xosc.ConditionGroup(point)
    for name, condition in conditions:
        if isinstance(condition, (xosc.SimulationTimeCondition, xosc.StoryboardElementStateCondition)):
            group.add_condition(xosc.ValueTrigger(name, delay, NO_EDGE, condition, point))
        else:
            group.add_condition(xosc.EntityTrigger(name, delay, NO_EDGE, condition, actor, triggeringpoint=point))
    return group


def when(*conditions: tuple[str, Condition], actor: str = "Ego") -> xosc.Trigger:
    """A start trigger of one group."""
    trigger = xosc.Trigger()
    trigger.add_conditiongroup(all_of(*conditions, actor=actor))
    return trigger


def _ttc(shape: Shape, value: str) -> xosc.TimeToCollisionCondition:
    """TTC of the subject vehicle's front. To the impact position for a crossing target: an entity TTC to it fires wrong or late."""
    place = position("$impact_x", "$subject_y") if shape.crossing else None
    return xosc.TimeToCollisionCondition(
        value,
        LESS,
        alongroute=True,
        freespace=True,
        entity=None if shape.crossing else "Target",
        position=place,
        distance_type=xosc.RelativeDistanceType.longitudinal,
        coordinate_system=xosc.CoordinateSystem.road,
    )


def _begun() -> tuple[str, Condition]:
    """The functional part has begun: its event is complete, a state that lasts."""
    kind, state = xosc.StoryboardElementType.event, xosc.StoryboardElementState.completeState
    return "FunctionalPartBegun", xosc.StoryboardElementStateCondition(kind, "FunctionalPart", state)


def event(name: str, trigger: xosc.Trigger, **actions: object) -> xosc.Event:
    """An event that runs beside others."""
    event = xosc.Event(name, xosc.Priority.parallel)
    for action_name, action in actions.items():
        event.add_action(action_name, action)
    event.add_trigger(trigger)
    return event


def _target(shape: Shape) -> xosc.ManeuverGroup:
    """The target's motion, and the start of the functional part as an event of its own: it sets the speed that the target has
    already, so that it changes nothing and stands in a player's log."""
    maneuver = xosc.Maneuver("TargetMotion")
    armed = ("StraightApproachDone", xosc.SimulationTimeCondition("$armed_after", GREATER))
    functional = when(armed, ("TimeToCollision", _ttc(shape, "$functional_ttc")))
    if shape.run_up:
        gain = xosc.TransitionDynamics(xosc.DynamicsShapes.linear, xosc.DynamicsDimension.time, "$run_up_time")
        speed_up = xosc.AbsoluteSpeedAction("$target_speed", gain)
        start = when(("TimeToImpactPosition", _ttc(shape, "$start_ttc")))
        maneuver.add_event(event("RunUpBegins", start, Path=_path(shape), Speed=speed_up))
    standing = shape.crossing and not shape.run_up
    maneuver.add_event(event("FunctionalPart", functional, TargetSpeed=speed("0" if standing else "$target_speed")))
    if standing:
        start = when(_begun(), ("TimeToImpactPosition", _ttc(shape, "$start_ttc")))
        maneuver.add_event(event("CrossingBegins", start, Path=_path(shape), Speed=speed("$target_speed")))
    group = xosc.ManeuverGroup("TargetGroup")
    group.add_maneuver(maneuver)
    group.add_actor("Target")
    return group


def _path(shape: Shape) -> xosc.FollowTrajectoryAction:
    """Straight across: a SpeedAction alone would walk along the road. 1.0 wants times at the vertices, which no reference uses."""
    ends = [position("$target_x", y, "$target_heading", "$target_z") for y in ("$target_y", "$path_end_y")]
    trajectory = xosc.Trajectory("StraightAcross", closed=False)
    trajectory.add_shape(xosc.Polyline(["0", "$path_time"] if shape.minor == 0 else [], ends))
    return xosc.FollowTrajectoryAction(trajectory, xosc.FollowingMode.position)


def _aeb(shape: Shape) -> xosc.ManeuverGroup:
    """A model of a system under test, armed after the functional part has begun: some players evaluate a TTC at t = 0, when the
    target has no speed yet."""
    begun = _begun()
    demand = xosc.TransitionDynamics(xosc.DynamicsShapes.linear, xosc.DynamicsDimension.rate, "$min_braking_demand")
    maneuver = xosc.Maneuver("ModelOfAEB")
    maneuver.add_event(
        event("CollisionWarning", when(begun, ("WarningTTC", _ttc(shape, "$warning_ttc"))), Hold=speed("$subject_speed"))
    )
    braking = xosc.AbsoluteSpeedAction("0" if shape.crossing else "$target_speed", demand)
    maneuver.add_event(event("EmergencyBraking", when(begun, ("BrakingTTC", _ttc(shape, "$braking_ttc"))), Brake=braking))
    group = xosc.ManeuverGroup("SubjectGroup")
    group.add_maneuver(maneuver)
    group.add_actor("Ego")
    return group


def _stop(shape: Shape) -> xosc.Trigger:
    """A while after contact; at standstill, or no faster than a moving target; when the target has crossed, or the subject vehicle is
    wholly past it; at the last bound. After each of them no contact can follow."""
    trigger = xosc.Trigger("stop")
    begun = _begun()
    contact = ("Contact", xosc.CollisionCondition("Target"))
    trigger.add_conditiongroup(all_of(contact, point="stop", delay="$after_contact"))
    still = ("Standstill", xosc.StandStillCondition("$standstill"))
    trigger.add_conditiongroup(all_of(begun, still, point="stop"))
    if shape.moving:
        slower = ("NotFaster", xosc.RelativeSpeedCondition("$speed_resolution", LESS, "Target"))
        trigger.add_conditiongroup(all_of(begun, slower, point="stop", delay="$standstill"))
    if shape.crossing:
        done = ("CrossingDone", xosc.TraveledDistanceCondition("$crossed_distance"))
        trigger.add_conditiongroup(all_of(begun, done, point="stop", actor="Target"))
        past = ("PastImpactPoint", xosc.TraveledDistanceCondition("$past_distance"))
        trigger.add_conditiongroup(all_of(begun, past, point="stop"))
    bound = ("LastBound", xosc.SimulationTimeCondition("$end_time", GREATER))
    trigger.add_conditiongroup(all_of(bound, point="stop"))
    return trigger
