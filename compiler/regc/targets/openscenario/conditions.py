"""Moments of a stage as condition groups of OpenSCENARIO; a moment of a kind that the format lacks is refused by name.

Only `lessThan` and `greaterThan` are used: OpenSCENARIO 1.0 has no other ordering rules.
"""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass

from regc.model.stage import Leg, Moment, Mover, Stage
from regc.targets.xml_writer import Attribute, Numbers, SheetNumber, Xml

#: what this target can express (decisions on a target's capabilities are data: other kinds become an O6xx finding)
KINDS = frozenset({"start", "time", "ttc", "headway", "gap", "travelled", "speed", "event", "contact", "standstill", "passed", "apart"})
#: half of 0.1 km/h in m/s: two speeds that differ by less are the same speed
SPEED_RESOLUTION = 0.0139


def entity(role: str) -> str:
    """The name of a mover in the file: "subject" -> "Ego", "pair_left" -> "PairLeft"."""
    return "Ego" if role == "subject" else camel(role)


def camel(name: str) -> str:
    """ "functional_part" -> "FunctionalPart"; a name that has capitals already stays."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


@dataclass(frozen=True)
class Conditions:
    """Writes the moments of one stage. `external`: the system under test is outside, so that its events come as variables."""

    stage: Stage
    xml: Xml
    numbers: Numbers
    minor: int
    announced: frozenset[str]

    def trigger(self, parent: ET.Element, moment: Moment, path: str, unless: str = "") -> None:
        """One group under `parent`: the moment and all that it comes after; `path` is where the moment stands in the stage; `unless`:
        a variable that must not be set. A contact with anybody is a group for each."""
        if moment.kind == "contact" and not moment.to:
            for other in (*self.stage.others, *(thing for thing in self.stage.things if not thing.passable)):
                self.trigger(parent, moment.model_copy(update={"to": other.role}), path, unless)
            return
        group = self.xml.node(parent, "ConditionGroup")
        chain: list[tuple[Moment, str]] = []
        at: Moment | None = moment
        while at is not None:
            chain.append((at, path))
            at, path = at.after, f"{path}_after"
        for each, where in reversed(chain):
            self._condition(group, each, where, delay=each.delay)
        if unless:
            condition = self.xml.node(group, "Condition", name=f"Unless{camel(unless)}", delay=0.0, conditionEdge="none")
            reference = {"variableRef": unless} if self.minor >= 2 else {"parameterRef": unless}
            kind = "VariableCondition" if self.minor >= 2 else "ParameterCondition"
            self.xml.node(self._by_value(condition), kind, **reference, rule="equalTo", value="false")

    def _condition(self, group: ET.Element, moment: Moment, path: str, delay: float) -> None:
        write = getattr(self, f"_{moment.kind}")
        name = _condition_name(moment)
        held = self.numbers.at(f"{path}_delay", delay)
        value = self.numbers.at(path, moment.value)
        if moment.kind == "standstill" and not moment.value:
            held, value = SheetNumber(0.0), held  # the condition itself waits, and begins anew when the vehicle moves again
        condition = self.xml.node(group, "Condition", name=name, delay=held, conditionEdge="none")
        write(condition, moment, value)

    def _by_value(self, condition: ET.Element) -> ET.Element:
        return self.xml.nest(condition, "ByValueCondition")

    def _by_entity(self, condition: ET.Element, role: str) -> ET.Element:
        by = self.xml.nest(condition, "ByEntityCondition")
        who = self.xml.node(by, "TriggeringEntities", triggeringEntitiesRule="any")
        self.xml.node(who, "EntityRef", entityRef=entity(role or "subject"))
        return self.xml.nest(by, "EntityCondition")

    def _start(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        self.xml.node(self._by_value(condition), "SimulationTimeCondition", value=0.0, rule="greaterThan")

    def _time(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        self.xml.node(self._by_value(condition), "SimulationTimeCondition", value=value, rule="greaterThan")

    def _event(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        if moment.to in self.announced:
            self.xml.node(
                self._by_value(condition),
                "StoryboardElementStateCondition",
                storyboardElementType="event",
                storyboardElementRef=camel(moment.to),
                state="completeState",
            )
        elif self.minor >= 2:
            self.xml.node(self._by_value(condition), "VariableCondition", variableRef=moment.to, rule="equalTo", value="true")
        else:
            self.xml.node(self._by_value(condition), "UserDefinedValueCondition", name=moment.to, rule="equalTo", value="true")

    def _axis(self, moment: Moment) -> dict[str, Attribute]:
        """Longitudinal, in the words of the version: along the road where both drive along a straight one, which is the heading of
        either; else along the heading itself. A way along a net of roads jumps where one road ends."""
        movers = [self.stage.mover(role) for role in (moment.of or "subject", moment.to) if role != "impact"]
        road = self.stage.road.kind == "straight" and all(is_along_road(mover) for mover in movers)
        if self.minor == 0:
            return {"alongRoute": road}
        return {"relativeDistanceType": "longitudinal", "coordinateSystem": "road" if road else "entity"}

    def _ttc(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        """To the impact point for a crossing target: a time to collision with it fires wrong or late in players."""
        by = self._by_entity(condition, moment.of)
        made = self.xml.node(by, "TimeToCollisionCondition", value=value, **self._axis(moment), freespace=True, rule="lessThan")
        target = self.xml.nest(made, "TimeToCollisionConditionTarget")
        if moment.to == "impact":
            self.point(target)
        else:
            self.xml.node(target, "EntityRef", entityRef=entity(moment.to))

    def point(self, parent: ET.Element) -> None:
        """The stage's impact point as a position."""
        impact = self.stage.impact
        if impact is None:
            raise ValueError(f"{self.stage.stem}: a moment refers to the impact point, and the stage has none")
        x, y = self.numbers.at("impact.x", impact.x), self.numbers.at("impact.y", impact.y)
        world(self.xml, parent, x, y, SheetNumber(0.0))

    def _headway(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        by = self._by_entity(condition, moment.of)
        axis = self._axis(moment)
        self.xml.node(by, "TimeHeadwayCondition", entityRef=entity(moment.to), value=value, **axis, freespace=True, rule="lessThan")

    def _gap(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        by = self._by_entity(condition, moment.of)
        if moment.to == "impact":
            made = self.xml.node(by, "DistanceCondition", value=value, **self._axis(moment), freespace=True, rule="lessThan")
            self.point(self.xml.nest(made, "Position"))
            return
        axis: dict[str, Attribute] = {"relativeDistanceType": "longitudinal"} if self.minor == 0 else self._axis(moment)
        self.xml.node(
            by, "RelativeDistanceCondition", entityRef=entity(moment.to), value=value, **axis, freespace=True, rule="lessThan"
        )

    def _travelled(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        self.xml.node(self._by_entity(condition, moment.of), "TraveledDistanceCondition", value=value)

    def _speed(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        self.xml.node(self._by_entity(condition, moment.of), "SpeedCondition", value=value, rule="lessThan")

    def _contact(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        made = self.xml.node(self._by_entity(condition, moment.of), "CollisionCondition")
        self.xml.node(made, "EntityRef", entityRef=entity(moment.to))

    def _standstill(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        self.xml.node(self._by_entity(condition, moment.of), "StandStillCondition", duration=value)

    def _passed(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        """The rear of `of` is past a place or a standing thing: it has gone the way from its start to there and its own length."""
        mover = self.stage.mover(moment.of or "subject")
        start = self.numbers.at(f"{mover.role}.start.x", mover.start.x)
        length = self.numbers.at(f"{mover.role}.length", mover.box.length)
        front = self.numbers.at(f"{mover.role}.front", mover.box.front)
        if moment.to == "impact" and self.stage.impact is not None:
            end = self.numbers.at("impact.x", self.stage.impact.x)
        else:
            thing = self.stage.mover(moment.to)
            end = self.numbers.at(f"{thing.role}.start.x", thing.start.x) + self.numbers.at(f"{thing.role}.front", thing.box.front)
        way = end - start + length - front + value
        self.xml.node(self._by_entity(condition, moment.of), "TraveledDistanceCondition", value=way)

    def _apart(self, condition: ET.Element, moment: Moment, value: SheetNumber) -> None:
        """Not faster than the other any more; the moment's delay makes sure that it stays so."""
        by = self._by_entity(condition, moment.of)
        self.xml.node(by, "RelativeSpeedCondition", entityRef=entity(moment.to), value=SPEED_RESOLUTION, rule="lessThan")


def world(xml: Xml, parent: ET.Element, x: SheetNumber, y: SheetNumber, heading: SheetNumber) -> None:
    """A position on the ground, its three angles always written."""
    position = xml.nest(parent, "Position")
    xml.node(position, "WorldPosition", x=x, y=y, z=0.0, h=heading, p=0.0, r=0.0)


def _condition_name(moment: Moment) -> str:
    parts = [camel(moment.kind)]
    if moment.of not in ("", "subject"):
        parts.append("Of" + camel(moment.of))
    if moment.to:
        parts.append("To" + camel(moment.to))
    return "".join(parts)


# ---- paths of movers as vertices of a polyline: lines exactly, arcs at short distances.


#: m between vertices along an arc
SPACING = 0.5

Vertex = tuple[SheetNumber, SheetNumber, SheetNumber]


def is_along_road(mover: Mover) -> bool:
    """Whether the mover only goes straight on in its lane, which every player does by itself."""
    straight = all(leg.curvature == 0 for leg in mover.path)
    return straight and abs(math.sin(mover.start.heading)) < 1e-9


def vertices(mover: Mover, numbers: Numbers) -> list[Vertex]:
    """(x, y, heading) from the start to the end of the path. Along a line they keep their formulas, so that a logical file moves
    them."""
    role = mover.role
    x, y = numbers.at(f"{role}.start.x", mover.start.x), numbers.at(f"{role}.start.y", mover.start.y)
    heading = mover.start.heading
    path: list[Vertex] = [(x, y, SheetNumber(heading))]
    for count, leg in enumerate(mover.path, 1):
        if leg.curvature == 0:
            length = numbers.at(f"{role}.leg{count}.length", leg.length)
            x, y = x + _along(length, math.cos(heading)), y + _along(length, math.sin(heading))
            path.append((x, y, SheetNumber(heading)))
            continue
        for dx, dy, turned in _offsets(leg, heading):
            path.append((x + SheetNumber(dx), y + SheetNumber(dy), SheetNumber(turned)))
        x, y, heading = path[-1][0], path[-1][1], path[-1][2].value
    return path


def _along(length: SheetNumber, share: float) -> SheetNumber:
    """`length` times a cosine or sine; nothing where that is nil within rounding."""
    if abs(share) < 1e-9:
        return SheetNumber(0.0)
    return length.times(round(share, 9) if abs(abs(share) - 1) > 1e-9 else math.copysign(1.0, share))


def _offsets(leg: Leg, heading: float) -> list[tuple[float, float, float]]:
    """(dx, dy, heading) along an arc."""
    count = max(2, math.ceil(leg.length / SPACING))
    offsets: list[tuple[float, float, float]] = []
    for step in range(1, count + 1):
        turned = heading + leg.length * step / count * leg.curvature
        dx = (math.sin(turned) - math.sin(heading)) / leg.curvature
        dy = (math.cos(heading) - math.cos(turned)) / leg.curvature
        offsets.append((dx, dy, turned))
    return offsets
