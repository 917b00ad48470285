"""The scenario file of one stage: who takes part, how it begins, what happens when, and when it ends."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass, field

from regc.model.stage import Change, Moment, Mover, Stage
from regc.targets.openscenario.conditions import Conditions, camel, entity, is_along_road, vertices, world
from regc.targets.xml_writer import Numbers, SheetNumber, Xml, serialized

AUTHOR = "regc"
FUNCTIONAL_PART = "functional_part"
#: A variable that is set as soon as the model of a system brakes.
_BRAKING = "system_brakes"


@dataclass(frozen=True)
class DeclaredParameter:
    """A parameter that a logical file declares: name with its unit, default, and the range of its values."""

    name: str
    kind: str
    default: str
    least: str = ""
    most: str = ""


@dataclass(frozen=True)
class Header:
    """What a file says of itself. `properties` are written from OpenSCENARIO 1.2 on; `licence` is a user's choice."""

    description: str
    date: str
    properties: Mapping[str, str] = field(default_factory=dict)
    licence: str = ""


@dataclass(frozen=True)
class Cast:
    """Catalogue and entry of each mover, by role, and of the surroundings."""

    entries: Mapping[str, tuple[str, str]]
    environment: tuple[str, str]


class ScenarioWriter:
    """Writes one scenario file."""

    def __init__(self, stage: Stage, minor: int, road: str, symbols: Mapping[str, str] | None = None) -> None:
        self.stage, self.minor, self.road = stage, minor, road
        self.numbers = Numbers(stage.sheet, symbols)
        self.xml = Xml(self.numbers)
        self.announced = frozenset((FUNCTIONAL_PART, *stage.events, *_names_of_changes(stage)))
        self.conditions = Conditions(stage, self.xml, self.numbers, minor, self.announced)

    def write(self, header: Header, cast: Cast, declared: tuple[DeclaredParameter, ...] = ()) -> tuple[bytes, dict[str, str]]:
        """The file, and where in it the numbers of the sheet stand."""
        root = self.xml.node(None, "OpenSCENARIO")
        file_header(self.xml, root, header, self.minor)
        marks = tuple(DeclaredParameter(name, "integer", "0") for name in self._marks())
        if self.minor < 2:
            marks += tuple(DeclaredParameter(name, "boolean", "false") for name in self._tells_of_braking())
        if declared or marks:
            self._parameters(root, (*marks, *declared))
        self._variables(root)
        locations = self.xml.nest(root, "CatalogLocations")
        for kind in ("VehicleCatalog", "PedestrianCatalog", "MiscObjectCatalog", "EnvironmentCatalog"):
            self.xml.node(self.xml.nest(locations, kind), "Directory", path="../catalogs")
        self.xml.node(self.xml.nest(root, "RoadNetwork"), "LogicFile", filepath=f"../roads/{self.road}")
        self._entities(root, cast)
        self._storyboard(root, cast)
        return serialized(root), self.xml.places(root)

    def _parameters(self, root: ET.Element, declared: tuple[DeclaredParameter, ...]) -> None:
        parent = self.xml.nest(root, "ParameterDeclarations")
        for item in declared:
            made = self.xml.node(parent, "ParameterDeclaration", name=item.name, parameterType=item.kind, value=item.default)
            if item.least and item.most:
                group = self.xml.nest(made, "ConstraintGroup")
                self.xml.node(group, "ValueConstraint", rule="greaterOrEqual", value=item.least)
                self.xml.node(group, "ValueConstraint", rule="lessOrEqual", value=item.most)

    def _variables(self, root: ET.Element) -> None:
        """Events of a system that is outside the file arrive as variables."""
        outside = sorted({moment.to for moment in _moments(self.stage) if moment.kind == "event"} - self.announced)
        names = [*outside, *self._tells_of_braking()]
        if names and self.minor >= 2:
            parent = self.xml.nest(root, "VariableDeclarations")
            for name in names:
                self.xml.node(parent, "VariableDeclaration", name=name, variableType="boolean", value="false")

    def _entities(self, root: ET.Element, cast: Cast) -> None:
        parent = self.xml.nest(root, "Entities")
        for mover in self._entities_of():
            made = self.xml.node(parent, "ScenarioObject", name=entity(mover.role))
            catalog, entry = cast.entries[mover.role]
            self.xml.node(made, "CatalogReference", catalogName=catalog, entryName=entry)
            # esmini leaves a vehicle with such a controller to the program that embeds it; where the file itself holds the driver's
            # path and braking there is no slot, and the sidecar alone says that an external system takes part
            if mover.role == "subject" and self.stage.system.kind == "external" and not self._driven_by_file(mover):
                controller = self.xml.node(self.xml.nest(made, "ObjectController"), "Controller", name="SystemUnderTest")
                properties = self.xml.nest(controller, "Properties")
                self.xml.node(properties, "Property", name="esminiController", value="ExternalController")

    def _entities_of(self) -> tuple[Mover, ...]:
        """All but what can be driven over: that belongs to the road, since players take flat boxes that meet for a collision."""
        return (self.stage.subject, *self.stage.others, *(thing for thing in self.stage.things if not thing.passable))

    def _driven_by_file(self, subject: Mover) -> bool:
        return bool(self.stage.driver) or not is_along_road(subject)

    def _storyboard(self, root: ET.Element, cast: Cast) -> None:
        board = self.xml.nest(root, "Storyboard")
        actions = self.xml.nest(board, "Init", "Actions")
        surroundings = self.xml.nest(actions, "GlobalAction", "EnvironmentAction")
        catalog, entry = cast.environment
        self.xml.node(surroundings, "CatalogReference", catalogName=catalog, entryName=entry)
        for mover in self._entities_of():
            self._init(actions, mover)
        act = self.xml.node(self.xml.node(board, "Story", name="Test"), "Act", name="Run")
        announcer = self._announcer()
        groups = 0
        for mover in (*self.stage.others, self.stage.subject):
            groups += self._group(act, mover, announces=mover.role == announcer)
        if self.stage.system.warns is not None or self.stage.system.brakes is not None:
            self._system(act)
        self._trigger(act, "StartTrigger", Moment(kind="start"), "run")
        self.xml.node(act, "StopTrigger")
        stop = self.xml.nest(board, "StopTrigger")
        for count, moment in enumerate(self.stage.end, 1):
            self.conditions.trigger(stop, moment, f"end{count}")

    def _trigger(self, parent: ET.Element, tag: str, moment: Moment, path: str, unless: str = "") -> None:
        self.conditions.trigger(self.xml.nest(parent, tag), moment, path, unless)

    def _init(self, actions: ET.Element, mover: Mover) -> None:
        role = mover.role
        private = self.xml.node(actions, "Private", entityRef=entity(role))
        teleport = self.xml.nest(private, "PrivateAction", "TeleportAction")
        x, y = self.numbers.at(f"{role}.start.x", mover.start.x), self.numbers.at(f"{role}.start.y", mover.start.y)
        world(self.xml, teleport, x, y, SheetNumber(mover.start.heading))
        if mover in self.stage.things:
            return
        moves = mover.begins.kind == "start"
        self._speed(self.xml.nest(private, "PrivateAction"), self._speed_of(mover) if moves else SheetNumber(0.0))
        if self._on_path_at_once(mover):
            self._trajectory(self.xml.nest(private, "PrivateAction"), mover)
        if role != "subject":
            return
        if self.stage.headlamps and self.minor >= 3:
            self._headlamps(self.xml.nest(private, "PrivateAction"))
        if self.stage.system.kind == "external" and not self._driven_by_file(mover):
            activate = self.xml.nest(private, "PrivateAction")
            if self.minor > 0:
                activate = self.xml.nest(activate, "ControllerAction")
            self.xml.node(activate, "ActivateControllerAction", lateral=True, longitudinal=True)

    def _speed_of(self, mover: Mover) -> SheetNumber:
        return self.numbers.at(f"{mover.role}.speed", mover.speed)

    def _headlamps(self, private: ET.Element) -> None:
        action = self.xml.nest(private, "AppearanceAction")
        light = self.xml.node(action, "LightStateAction", transitionTime=0.0)
        kind = "highBeam" if self.stage.headlamps == "high" else "lowBeam"
        self.xml.node(self.xml.nest(light, "LightType"), "VehicleLight", vehicleLightType=kind)
        self.xml.node(light, "LightState", mode="on")

    def _speed(
        self, private: ET.Element, speed: SheetNumber, shape: str = "step", value: SheetNumber | float = 0.0, by: str = "time"
    ) -> None:
        action = self.xml.nest(private, "LongitudinalAction", "SpeedAction")
        self.xml.node(action, "SpeedActionDynamics", dynamicsShape=shape, value=value, dynamicsDimension=by)
        self.xml.node(self.xml.nest(action, "SpeedActionTarget"), "AbsoluteTargetSpeed", value=speed)

    def _announcer(self) -> str:
        """Who carries the event of the functional part: a mover whose speed the event leaves as it is."""
        return self.stage.others[0].role if self.stage.others else "subject"

    def _group(self, act: ET.Element, mover: Mover, *, announces: bool) -> int:
        """The events of one mover; the group is left out where nothing happens."""
        subject, moves = mover.role == "subject", mover.begins.kind == "start"
        changes = (*mover.changes, *(self.stage.driver if subject else ()))
        moments = self._announcements(mover) if announces else {}
        path = bool(mover.path) and not (moves and is_along_road(mover)) and not self._on_path_at_once(mover)
        if not (changes or moments or path):
            return 0
        maneuver = self._maneuver(act, mover, "DriverActs" if subject else f"{camel(mover.role)}Motion")
        if path:
            self._path(maneuver, mover)
        for name, (moment, where) in moments.items():
            event = self._event(maneuver, name)
            self._nothing(event, mover, name)
            self._start(event, moment, where)
        own = [(change, f"{mover.role}.{change.name}") for change in mover.changes]
        own += [(change, f"driver.{change.name}") for change in self.stage.driver if subject]
        for change, where in own:
            if subject and self._yields(change):
                event = self._event(maneuver, change.name)
                self._nothing(event, mover, change.name)
                self._start(event, change.when, f"{where}.when")
                self._change(maneuver, change, where, named=f"{change.name}_alone", alone=True)
            else:
                self._change(maneuver, change, where)
        return 1

    def _on_path_at_once(self, mover: Mover) -> bool:
        """Whether a mover follows its path from the start, in the initial actions: as an event it would lose a step. 1.0's scenario
        runner takes no path there."""
        return self.minor > 0 and bool(mover.path) and mover.begins.kind == "start" and not is_along_road(mover)

    def _yields(self, change: Change) -> bool:
        """Whether a change of the subject vehicle's speed must not take the place of the system's braking, as the later of two speed
        actions does in a player: the harder of both goes on. That it begins is an event of its own."""
        return self.stage.system.brakes is not None and self.stage.system.demand >= change.rate > 0

    def _tells_of_braking(self) -> tuple[str, ...]:
        """The variable by which the subject vehicle's changes of speed know that the system brakes, where one of them yields to it."""
        return (_BRAKING,) if any(self._yields(change) for change in self._of_subject()) else ()

    def _of_subject(self) -> tuple[Change, ...]:
        """The changes of the subject vehicle's speed that are not the system's braking."""
        return (*self.stage.subject.changes, *self.stage.driver)

    def _announcements(self, mover: Mover) -> dict[str, tuple[Moment, str]]:
        """Moments that become events of their own: the functional part first."""
        announced = {FUNCTIONAL_PART: (self.stage.functional_part, FUNCTIONAL_PART)}
        announced |= {name: (moment, f"events.{name}") for name, moment in self.stage.events.items() if name != FUNCTIONAL_PART}
        taken = _names_of_changes(self.stage)
        return {name: place for name, place in announced.items() if name not in taken}

    def _maneuver(self, act: ET.Element, mover: Mover, name: str) -> ET.Element:
        group = self.xml.node(act, "ManeuverGroup", name=f"{name}Group", maximumExecutionCount="1")
        actors = self.xml.node(group, "Actors", selectTriggeringEntities=False)
        self.xml.node(actors, "EntityRef", entityRef=entity(mover.role))
        return self.xml.node(group, "Maneuver", name=name)

    def _event(self, maneuver: ET.Element, name: str) -> ET.Element:
        return self.xml.node(maneuver, "Event", name=camel(name), priority="parallel", maximumExecutionCount="1")

    def _start(self, event: ET.Element, moment: Moment, where: str, unless: str = "") -> None:
        self._trigger(event, "StartTrigger", moment, where, unless)

    def _action(self, event: ET.Element, name: str) -> ET.Element:
        return self.xml.nest(self.xml.node(event, "Action", name=name), "PrivateAction")

    def _nothing(self, event: ET.Element, mover: Mover, name: str) -> None:
        """An action that changes nothing, so that the moment stands in a player's log: the speed that the mover has already where the
        stage says it; else that it can be seen, or in 1.0, whose players do not all take that, a parameter that nothing reads."""
        speed = self._speed_at(name, mover)
        if speed is not None:
            self._speed(self._action(event, "KeepsSpeed"), speed)
        elif self.minor > 0:
            self.xml.node(self._action(event, "Seen"), "VisibilityAction", graphics=True, traffic=True, sensors=True)
        else:
            action = self.xml.nest(self.xml.node(event, "Action", name="Mark"), "GlobalAction")
            self.xml.node(self.xml.node(action, "ParameterAction", parameterRef=name), "SetAction", value="1")

    def _marks(self) -> tuple[str, ...]:
        """Moments that a parameter marks in 1.0."""
        mover = self.stage.others[0] if self.stage.others else self.stage.subject
        marked = tuple(name for name in self._announcements(mover) if self._speed_at(name, mover) is None)
        marked = (*marked, *(change.name for change in self._of_subject() if self._yields(change)))
        marked = (*marked, *(name for name in self.stage.system.warnings() if self._speed_at(name, self.stage.subject) is None))
        return marked if self.minor == 0 else ()

    def _speed_at(self, name: str, mover: Mover) -> SheetNumber | None:
        """The speed of a mover when an event is announced; later than the functional part only that of who never changes it is
        known."""
        steady = not mover.changes and mover.begins.kind == "start"
        return self._speed_at_functional_part(mover) if steady or name == FUNCTIONAL_PART else None

    def _speed_at_functional_part(self, mover: Mover) -> SheetNumber | None:
        """None where it is the system's or the driver's matter, or cannot be told from the moments alone."""
        if mover.role == "subject" and (self.stage.system.kind == "external" or self.stage.driver or mover.changes):
            return None
        if not _is_earlier(mover.begins, self.stage.functional_part):
            return SheetNumber(0.0)
        speed = self._speed_of(mover)
        for change in mover.changes:
            if change.when.kind == self.stage.functional_part.kind == "time":
                return None  # both may fall on one sample, and the change must win
            if _is_earlier(change.when, self.stage.functional_part):
                speed = self.numbers.at(f"{mover.role}.{change.name}.speed", change.speed)
            elif change.when.kind not in ("event", "ttc"):
                return None
        return speed

    def _path(self, maneuver: ET.Element, mover: Mover) -> None:
        """The way and the first speed, when the mover begins; a speed alone would follow the road."""
        event = self._event(maneuver, f"{mover.role}_begins")
        self._trajectory(self._action(event, "Path"), mover)
        if mover.begins.kind != "start" and mover.speed > 0:
            self._speed(self._action(event, "Speed"), self._speed_of(mover))
        self._start(event, mover.begins, f"{mover.role}.begins")

    def _trajectory(self, private: ET.Element, mover: Mover) -> None:
        """The way as a polyline. 1.0 wants times at the vertices, which no reference uses."""
        points = vertices(mover, self.numbers)
        action = self.xml.nest(private, "RoutingAction", "FollowTrajectoryAction")
        holder = action if self.minor == 0 else self.xml.nest(action, "TrajectoryRef")
        trajectory = self.xml.node(holder, "Trajectory", name="Way", closed=False)
        line = self.xml.nest(trajectory, "Shape", "Polyline")
        way, last = 0.0, points[0]
        for x, y, heading in points:
            way += ((x.value - last[0].value) ** 2 + (y.value - last[1].value) ** 2) ** 0.5
            last = (x, y, heading)
            vertex = self.xml.node(line, "Vertex", **({"time": way / max(mover.speed, 0.1)} if self.minor == 0 else {}))
            world(self.xml, vertex, x, y, heading)
        self.xml.nest(action, "TimeReference", "None")
        self.xml.node(action, "TrajectoryFollowingMode", followingMode="position")

    def _change(self, maneuver: ET.Element, change: Change, where: str, named: str = "", alone: bool = False) -> None:
        """`alone`: only as long as the system does not brake."""
        event = self._event(maneuver, named or _event_name(self.stage, change))
        speed = self.numbers.at(f"{where}.speed", change.speed)
        action = self._action(event, "Speed")
        if change.rate > 0:
            self._speed(action, speed, "linear", self.numbers.at(f"{where}.rate", change.rate), "rate")
        else:
            self._speed(action, speed)
        self._start(event, change.when, f"{where}.when", unless=_BRAKING if alone else "")

    def _system(self, act: ET.Element) -> None:
        """A model of a system under test. Its moments come after the functional part: some players evaluate a time to collision at
        t = 0, when the target has no speed yet."""
        system = self.stage.system
        if system.warns is None and system.brakes is None:
            return  # a test in which it does nothing
        maneuver = self._maneuver(act, self.stage.subject, "ModelOfSystem")
        for count, (name, moment) in enumerate(system.warnings().items(), 1):
            event = self._event(maneuver, name)
            self._nothing(event, self.stage.subject, name)
            self._start(event, moment, "system.warns" if count == 1 else f"system.warns{count}")
        if system.brakes is not None:
            event = self._event(maneuver, "emergency_braking")
            demand = self.numbers.at("system.demand", system.demand)
            self._speed(self._action(event, "Brake"), self.numbers.at("system.floor", system.floor), "linear", demand, "rate")
            for name in self._tells_of_braking():
                self._set(event, name)
            self._start(event, system.brakes, "system.brakes")

    def _set(self, event: ET.Element, name: str) -> None:
        """Set a variable, which is a parameter before 1.2."""
        action = self.xml.nest(self.xml.node(event, "Action", name="Tells"), "GlobalAction")
        if self.minor >= 2:
            self.xml.node(self.xml.node(action, "VariableAction", variableRef=name), "SetAction", value="true")
        else:
            self.xml.node(self.xml.node(action, "ParameterAction", parameterRef=name), "SetAction", value="true")


def file_header(xml: Xml, root: ET.Element, header: Header, minor: int) -> None:
    """The head of a scenario, a catalogue or a distribution."""
    node = xml.node(
        root,
        "FileHeader",
        description=header.description,
        author=AUTHOR,
        revMajor="1",
        revMinor=str(minor),
        date=header.date,
    )
    if header.licence and minor >= 1:
        xml.node(node, "License", name=header.licence)
    if header.properties and minor >= 2:
        properties = xml.nest(node, "Properties")
        for name, value in header.properties.items():
            xml.node(properties, "Property", name=name, value=value)


def _names_of_changes(stage: Stage) -> set[str]:
    """Events that changes of speed and the model of a system bring with them; a change that begins the functional part is its event."""
    changes = [change for mover in (stage.subject, *stage.others) for change in mover.changes] + list(stage.driver)
    names = {_event_name(stage, change) for change in changes}
    return names | set(stage.system.warnings())


def _event_name(stage: Stage, change: Change) -> str:
    """A change of another mover that begins the functional part is its event. One of the subject vehicle is not: the event would last
    as long as the change, and what waits for it with it."""
    begins = change.when == stage.functional_part and change not in (*stage.subject.changes, *stage.driver)
    return FUNCTIONAL_PART if begins else change.name


def _moments(stage: Stage) -> list[Moment]:
    """Every moment of a stage with those that it comes after."""
    movers = (stage.subject, *stage.others)
    moments = [stage.functional_part, *stage.end, *stage.events.values(), *(mover.begins for mover in movers)]
    moments += [change.when for mover in movers for change in mover.changes] + [change.when for change in stage.driver]
    moments += [moment for moment in (*stage.system.warnings().values(), stage.system.brakes) if moment is not None]
    for moment in moments:
        if moment.after is not None:
            moments.append(moment.after)
    return moments


def _is_earlier(moment: Moment, functional: Moment) -> bool:
    """Whether a moment lies before the functional part: at the start, at a greater time to collision with the same, or after a shorter
    way of the same."""
    if moment.kind == "start":
        return True
    if moment.kind == functional.kind == "travelled":
        return moment.of == functional.of and moment.value < functional.value
    return moment.kind == functional.kind == "ttc" and moment.to == functional.to and moment.value > functional.value
