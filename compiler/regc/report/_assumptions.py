"""What the document does not say and a simulation needs, with the reason for each value."""

from __future__ import annotations

from decimal import Decimal

from pydantic import BaseModel

from regc.assumed import Targets, Track, Vehicles
from regc.model.result import Checked


def assumptions(vehicles: Vehicles, targets: Targets, track: Track, checked: Checked) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Tables of assumed data that the scenarios use: (what, reason, name and value pairs)."""
    categories = sorted({item.category or "default" for item in checked.scenarios if item.approach_type != "manoeuvre"})
    types = sorted({item.target.type for item in checked.scenarios} & set(targets.types))
    parts: list[tuple[str, BaseModel]] = [(f"Subject vehicle {name}", vehicles.of(name)[1]) for name in categories]
    parts += [(f"Target {name.replace('_', ' ')}", targets.types[name]) for name in types]
    parts += [("Road", track.road), ("Surroundings", track.environment), ("Times", track.timing)]
    return [(name, str(getattr(part, "reason", "")), _values(part)) for name, part in parts]


def _values(part: BaseModel, prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name in type(part).model_fields:
        value = getattr(part, name)
        label = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, BaseModel):
            found += _values(value, f"{label}: ")
        elif isinstance(value, Decimal):
            found.append((label, f"{value:f}"))
        elif isinstance(value, str) and not name.endswith("reason") and name != "kind":
            found.append((label, value))
    return found
