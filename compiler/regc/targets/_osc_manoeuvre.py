"""Scenario files of manoeuvres: the subject vehicle on its path with the driver's own braking, and nothing that brakes for it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from scenariogeneration import xosc

from regc.targets._motion import Mover, Pose
from regc.targets._osc_storyboard import AUTHOR, GREATER, Shape, all_of, environment, event, position, speed, when
from regc.targets._osc_xml import text


@dataclass(frozen=True)
class Cast:
    """Who takes part: catalogue entries, and heights of origins above the road (m)."""

    subject_entry: str
    target_catalog: str
    target_entry: str
    target_z: float


@dataclass(frozen=True)
class Play:
    """The numbers of one file (m, m/s, s). `steering`: distance along the path of whoever begins to turn, at which it does."""

    subject: Mover
    target: Mover
    steering: float
    target_turns: bool
    end: float
    last: float
    after_contact: float
    vertex_distance: float


def template(shape: Shape, cast: Cast, play: Play) -> str:
    """The file with `$names` for words and surroundings."""
    xosc.VersionBase().setVersion(minor=shape.minor)
    catalogs = xosc.Catalog()
    for kind in ("VehicleCatalog", "PedestrianCatalog", "MiscObjectCatalog"):
        catalogs.add_catalog(kind, "../catalogs")
    properties = None
    if shape.minor >= 2:
        properties = xosc.Properties()
        for name in ("id", "status", "clause", "wording", "criterion"):
            properties.add_property(name, f"$header_{name}")
    scenario = xosc.Scenario(
        "$description",
        AUTHOR,
        xosc.ParameterDeclarations(),
        _entities(shape, cast),
        _storyboard(shape, cast, play),
        xosc.RoadNetwork(f"../roads/{shape.road}"),
        catalogs,
        osc_minor_version=shape.minor,
        creation_date=dt.datetime.fromisoformat(shape.date),
        header_properties=properties,
    )
    return text(scenario.get_element())


def _entities(shape: Shape, cast: Cast) -> xosc.Entities:
    entities = xosc.Entities()
    controller = None
    if shape.ego == "external":
        # a slot for the system under test; the driver's path and braking come from the storyboard
        slot = xosc.Properties()
        slot.add_property("role", "system under test")
        controller = xosc.Controller("SystemUnderTest", slot)
    entities.add_scenario_object("Ego", xosc.CatalogReference("vehicles", cast.subject_entry), controller)
    entities.add_scenario_object("Target", xosc.CatalogReference(cast.target_catalog, cast.target_entry))
    return entities


def _n(value: float) -> float:
    return round(value, 6) + 0.0


def _place(pose: Pose, z: float = 0.0) -> xosc.WorldPosition:
    x, y, heading = (_n(value) for value in pose)
    return position(x, y, heading, z)


def _storyboard(shape: Shape, cast: Cast, play: Play) -> xosc.StoryBoard:
    init = xosc.Init()
    init.add_global_action(environment(shape))
    for name, mover, z in (("Ego", play.subject, 0.0), ("Target", play.target, cast.target_z)):
        init.add_init_action(name, xosc.TeleportAction(_place(mover.path.start, z)))
        init.add_init_action(name, speed(_n(mover.speed)))
    act = xosc.Act("Run", when(("RunStarts", xosc.SimulationTimeCondition(0, GREATER))))
    act.add_maneuver_group(_group("Ego", "SubjectGroup", "DriverActs", play.subject, play))
    act.add_maneuver_group(_group("Target", "TargetGroup", "TargetMotion", play.target, play))
    story = xosc.Story("Test")
    story.add_act(act)
    stop = xosc.Trigger("stop")
    contact = ("Contact", xosc.CollisionCondition("Target"))
    stop.add_conditiongroup(all_of(contact, point="stop", delay=str(play.after_contact)))
    stop.add_conditiongroup(all_of(("ManoeuvreDone", xosc.TraveledDistanceCondition(_n(play.end))), point="stop"))
    stop.add_conditiongroup(all_of(("LastBound", xosc.SimulationTimeCondition(_n(play.last), GREATER)), point="stop"))
    return xosc.StoryBoard(init, stop).add_story(story)


def _group(actor: str, name: str, maneuver_name: str, mover: Mover, play: Play) -> xosc.ManeuverGroup:
    """The path, the changes of speed, and for the target the start of steering as an event that changes nothing."""
    maneuver = xosc.Maneuver(maneuver_name)
    if mover.path.segments:
        begins = when(("PathBegins", xosc.SimulationTimeCondition(0, GREATER)))
        maneuver.add_event(event(f"{actor}Path", begins, Path=_trajectory(mover, play)))
    for change in mover.changes:
        how = xosc.TransitionDynamics(xosc.DynamicsShapes.linear, xosc.DynamicsDimension.rate, _n(change.rate))
        reached = when((f"{change.name}At", xosc.TraveledDistanceCondition(_n(change.distance))), actor=actor)
        maneuver.add_event(event(change.name, reached, Speed=xosc.AbsoluteSpeedAction(_n(change.speed), how)))
    if actor == "Target":
        turner = "Target" if play.target_turns else "Ego"
        steers = when(("SteeringAt", xosc.TraveledDistanceCondition(_n(play.steering))), actor=turner)
        keeps = mover.changes[-1].speed if mover.changes else mover.speed
        maneuver.add_event(event("SteeringBegins", steers, TargetSpeed=speed(_n(keeps))))
    group = xosc.ManeuverGroup(name)
    group.add_maneuver(maneuver)
    group.add_actor(actor)
    return group


def _trajectory(mover: Mover, play: Play) -> xosc.FollowTrajectoryAction:
    """Vertices at the ends of lines and along arcs; no time reference, so that braking stays the driver's or the system's."""
    vertices = mover.path.vertices(play.vertex_distance)
    times = [_n(s / mover.speed) for s, _ in vertices] if xosc.VersionBase().isVersion(minor=0) else []
    trajectory = xosc.Trajectory("Way", closed=False)
    trajectory.add_shape(xosc.Polyline(times, [_place(pose) for _, pose in vertices]))
    return xosc.FollowTrajectoryAction(trajectory, xosc.FollowingMode.position)
