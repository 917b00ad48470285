"""Catalogues of the files' movers and of the surroundings; sizes, axles and performance are assumed data, mass carries the load
state."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from decimal import Decimal

from regc.model.stage import Mover, Stage
from regc.model.units import plain
from regc.targets.openscenario.storyboard import Cast, Header, file_header
from regc.targets.xml_writer import Numbers, Xml, serialized

#: form of a mover -> (catalogue, category in the file)
_FORMS = {
    "car": ("vehicles", "car"),
    "van": ("vehicles", "van"),
    "truck": ("vehicles", "truck"),
    "bus": ("vehicles", "bus"),
    "motorcycle": ("vehicles", "motorbike"),
    "bicycle": ("vehicles", "bicycle"),
    "pedestrian": ("pedestrians", "pedestrian"),
    "object": ("objects", "obstacle"),
}
ENVIRONMENT = "test_conditions"
#: names of catalogues and their files; CARLA's scenario runner, which reads 1.0 only, looks for files of these names
_NAMES = {
    "vehicles": "VehicleCatalog",
    "pedestrians": "PedestrianCatalog",
    "objects": "MiscObjectCatalog",
    "environments": "EnvironmentCatalog",
}


def entry_name(*parts: str) -> str:
    """A name made of letters, digits and "_"; signs of comparison become words, so that two groups keep two names."""
    text = "_".join(part for part in parts if part)
    for sign, word in (("<=", "le"), (">=", "ge"), ("<", "lt"), (">", "gt")):
        text = text.replace(sign, f" {word} ")
    return re.sub(r"\W+", "_", text).strip("_")


class Catalogs:
    """The entries that the files of a build refer to, each written once."""

    def __init__(self, minor: int, header: Header) -> None:
        self.minor, self.header = minor, header
        self._movers: dict[str, dict[str, Mover]] = {"vehicles": {}, "pedestrians": {}, "objects": {}}
        self._surroundings: dict[str, Stage] = {}

    def cast(self, stage: Stage) -> Cast:
        """The entries of a stage's movers, by role; new ones are kept for the files."""
        movers = (stage.subject, *stage.others, *(thing for thing in stage.things if not thing.passable))
        entries = {mover.role: self.entry(mover) for mover in movers}
        named = {role: (self._name(catalog), entry) for role, (catalog, entry) in entries.items()}
        return Cast(named, (self._name("environments"), self._environment(stage)))

    def _name(self, catalog: str) -> str:
        return _NAMES[catalog] if self.minor == 0 else catalog

    def _environment(self, stage: Stage) -> str:
        """The entry of a stage's surroundings: one for each set of values, in the order in which they are met."""
        for name, other in self._surroundings.items():
            if (other.environment, other.date_time) == (stage.environment, stage.date_time):
                return name
        name = ENVIRONMENT if not self._surroundings else f"{ENVIRONMENT}_{len(self._surroundings) + 1}"
        self._surroundings[name] = stage
        return name

    def entry(self, mover: Mover) -> tuple[str, str]:
        """Catalogue and entry of a mover; one entry for all that are alike."""
        catalog, _ = _FORMS[mover.form]
        known = self._movers[catalog]
        mass = "" if mover.mass is None else f"{plain(Decimal(repr(mover.mass)))}kg"
        own = mass if mover.role == "subject" else ""
        name = entry_name("subject" if mover.role == "subject" else "", mover.model, own)
        shape = _shape(mover)
        count = 2
        stem = name
        while name in known and _shape(known[name]) != shape:
            name, count = f"{stem}_{count}", count + 1
        known.setdefault(name, mover)
        return catalog, name

    def files(self) -> Iterable[tuple[str, bytes]]:
        """(name, content) of every catalogue that has an entry."""
        for catalog, entries in self._movers.items():
            if entries:
                yield f"{self._name(catalog)}.xosc", self._file(catalog, entries)
        if self._surroundings:
            xml, root, holder = self._root("environments")
            for name, stage in self._surroundings.items():
                environment(xml, holder, name, stage, self.minor)
            yield f"{self._name('environments')}.xosc", serialized(root)

    def _root(self, name: str) -> tuple[Xml, ET.Element, ET.Element]:
        xml = Xml(Numbers.fixed())
        root = xml.node(None, "OpenSCENARIO")
        file_header(xml, root, self.header, self.minor)
        return xml, root, xml.node(root, "Catalog", name=self._name(name))

    def _file(self, catalog: str, entries: dict[str, Mover]) -> bytes:
        xml, root, holder = self._root(catalog)
        for name in sorted(entries):
            {"vehicles": self._vehicle, "pedestrians": self._pedestrian, "objects": self._object}[catalog](
                xml, holder, name, entries[name]
            )
        return serialized(root)

    def _mass(self, mover: Mover) -> dict[str, float]:
        return {} if mover.mass is None else {"mass": mover.mass}

    def _vehicle(self, xml: Xml, holder: ET.Element, name: str, mover: Mover) -> None:
        """Origin: the rear axle on the road. 1.0 has no mass."""
        chassis = mover.chassis
        if chassis is None:
            raise ValueError(f"{mover.role}: a {mover.form} without axles")
        own = self._mass(mover) if self.minor >= 1 else {}
        vehicle = xml.node(holder, "Vehicle", name=name, vehicleCategory=_FORMS[mover.form][1], **own)
        self._box(xml, vehicle, mover)
        xml.node(
            vehicle,
            "Performance",
            maxSpeed=chassis.max_speed,
            maxDeceleration=chassis.max_deceleration,
            maxAcceleration=chassis.max_acceleration,
        )
        axles = xml.nest(vehicle, "Axles")
        for tag, steering, at in (("FrontAxle", chassis.max_steering, chassis.wheelbase), ("RearAxle", 0.0, 0.0)):
            xml.node(
                axles,
                tag,
                maxSteering=steering,
                wheelDiameter=chassis.wheel_diameter,
                trackWidth=chassis.track_width,
                positionX=at,
                positionZ=chassis.wheel_diameter / 2,
            )
        self._properties(xml, vehicle, mover, "rear axle")

    def _pedestrian(self, xml: Xml, holder: ET.Element, name: str, mover: Mover) -> None:
        model = {"model": mover.model} if self.minor == 0 else {}
        walker = xml.node(holder, "Pedestrian", name=name, pedestrianCategory="pedestrian", **model, mass=mover.mass or 0.0)
        self._box(xml, walker, mover)
        self._properties(xml, walker, mover, "box centre on the ground")

    def _object(self, xml: Xml, holder: ET.Element, name: str, mover: Mover) -> None:
        thing = xml.node(holder, "MiscObject", name=name, miscObjectCategory="obstacle", mass=mover.mass or 0.0)
        self._box(xml, thing, mover)
        self._properties(xml, thing, mover, "box centre on the ground")

    def _box(self, xml: Xml, parent: ET.Element, mover: Mover) -> None:
        """The box stands on the ground: its centre lies half its height above the origin."""
        box = xml.nest(parent, "BoundingBox")
        xml.node(box, "Center", x=mover.box.middle, y=0.0, z=mover.box.height / 2)
        xml.node(box, "Dimensions", width=mover.box.width, length=mover.box.length, height=mover.box.height)

    def _properties(self, xml: Xml, parent: ET.Element, mover: Mover, origin: str) -> None:
        properties = xml.nest(parent, "Properties")
        if mover.role == "subject" and self.minor == 0:  # before roles; CARLA's scenario runner waits for it
            xml.node(properties, "Property", name="type", value="ego_vehicle")
        xml.node(properties, "Property", name="origin", value=origin)
        if mover.box.reference:
            xml.node(properties, "Property", name="reference_offset", value=plain(Decimal(repr(mover.box.reference))))


def environment(xml: Xml, parent: ET.Element, name: str, stage: Stage, minor: int) -> None:
    """The surroundings of a stage, as far as a version holds them."""
    given = stage.environment
    made = xml.node(parent, "Environment", name=name)
    xml.node(made, "TimeOfDay", animation=False, dateTime=stage.date_time)
    cloud = {"fractionalCloudCover": "zeroOktas"} if minor >= 2 else {"cloudState": "free"}
    air = {"temperature": given["temperature"] + 273.15, "atmosphericPressure": given["pressure"]} if minor >= 1 else {}
    weather = xml.node(made, "Weather", **cloud, **air)
    light = "illuminance" if minor >= 2 else "intensity"
    sun = {"azimuth": given["sun_azimuth"], light: given["illumination"], "elevation": given["sun_elevation"]}
    xml.node(weather, "Sun", **sun)
    xml.node(weather, "Fog", visualRange=given["visual_range"])
    rain = "precipitationIntensity" if minor >= 1 else "intensity"
    xml.node(weather, "Precipitation", precipitationType="dry", **{rain: 0.0})
    if minor >= 1:
        xml.node(weather, "Wind", direction=0.0, speed=given.get("wind", 0.0))
    wet = {"wetness": "dry"} if minor >= 2 else {}
    xml.node(made, "RoadCondition", frictionScaleFactor=1.0, **wet)


def _shape(mover: Mover) -> tuple[object, ...]:
    return (mover.form, mover.model, mover.box, mover.chassis, mover.mass)
