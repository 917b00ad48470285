"""Catalogues of subject vehicles, targets and obstacles; box and axles are assumed data, mass carries the load state."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Any

from scenariogeneration import xosc

from regc.assumed import Bicycle, Car, Pedestrian, RunUp, Sign, Wheeled
from regc.model.units import plain
from regc.targets._osc_storyboard import AUTHOR
from regc.targets._osc_xml import text

#: a Vehicle, Pedestrian or MiscObject of scenariogeneration, which has no types
Entry = Any


def entry_name(*parts: str) -> str:
    """A name made of letters, digits and "_"; signs of comparison become words, so that two groups keep two names."""
    text = "_".join(parts)
    for sign, word in (("<=", "le"), (">=", "ge"), ("<", "lt"), (">", "gt")):
        text = text.replace(sign, f" {word} ")
    return re.sub(r"\W+", "_", text)


def catalog(name: str, entries: dict[str, Entry], description: str, minor: int, date: str) -> bytes:
    """One catalogue file; entries in order of their names."""
    xosc.VersionBase().setVersion(minor=minor)
    root = xosc.CatalogFile().create_catalog_element(name, description, AUTHOR, creation_date=dt.datetime.fromisoformat(date))
    holder = root.find("Catalog")
    for key in sorted(entries):
        holder.append(entries[key].get_element())
    return text(root).encode()


def wheeled(
    name: str, data: Wheeled, mass: Decimal, minor: int, *, bicycle: bool = False, reference_offset: Decimal = Decimal(0)
) -> xosc.Vehicle:
    """A vehicle whose origin is its rear axle on the road; `reference_offset`: forward to a crankshaft. 1.0 has no mass."""
    front_steering = float(data.max_steering)
    box = xosc.BoundingBox(
        float(data.width),
        float(data.length),
        float(data.height),
        float(data.length / 2 - data.rear_overhang),
        0,
        float(data.height / 2),
    )
    wheel, radius = float(data.wheel_diameter), float(data.wheel_diameter / 2)
    vehicle = xosc.Vehicle(
        name,
        xosc.VehicleCategory.bicycle if bicycle else xosc.VehicleCategory.car,
        box,
        xosc.Axle(front_steering, wheel, float(data.track_width), float(data.wheelbase), radius),
        xosc.Axle(0, wheel, float(data.track_width), 0, radius),
        float(data.max_speed),
        float(data.max_acceleration),
        float(data.max_deceleration),
        mass=float(mass) if minor >= 1 else None,
    )
    vehicle.add_property("origin", "rear axle")
    if reference_offset:
        vehicle.add_property("reference_offset", plain(reference_offset))
    return vehicle


def target(name: str, data: Car | Bicycle | Pedestrian, minor: int) -> Entry:
    """A target of any kind."""
    if not isinstance(data, Pedestrian):
        return wheeled(name, data, data.mass, minor, bicycle=isinstance(data, Bicycle), reference_offset=data.reference_offset)
    box = xosc.BoundingBox(float(data.width), float(data.length), float(data.height), 0, 0, 0)
    walker = xosc.Pedestrian(
        name, float(data.mass), xosc.PedestrianCategory.pedestrian, box, model="pedestrian" if minor == 0 else None
    )
    walker.add_property("origin", "box centre")
    return walker


def obstacle(name: str, data: RunUp) -> xosc.MiscObject:
    """What hides a target while it gains speed; its length lies along the target's way."""
    box = xosc.BoundingBox(float(data.obstacle_width), float(data.obstacle_length), float(data.obstacle_height), 0, 0, 0)
    return xosc.MiscObject(name, float(data.obstacle_mass), xosc.MiscObjectCategory.obstacle, box)


def sign(name: str, data: Sign) -> xosc.MiscObject:
    """A signboard; its length lies along the road."""
    box = xosc.BoundingBox(float(data.width), float(data.length), float(data.height), 0, 0, 0)
    return xosc.MiscObject(name, float(data.mass), xosc.MiscObjectCategory.obstacle, box)
