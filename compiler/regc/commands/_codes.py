"""The codes of findings and what they mean, from the data files beside the package's code."""

from __future__ import annotations

from regc.resources import package_data
from regc.tomlfiles import packaged

_MOVED = "moved.toml"


def codes() -> dict[str, dict[str, str]]:
    """Every code with title, means, matters and example, in order."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(package_data("explain").glob("*.toml")):
        if path.name != _MOVED:
            found |= packaged("explain", path.name)
    return dict(sorted(found.items()))


def moved() -> dict[str, str]:
    """Codes of earlier versions -> where their matter went."""
    found: dict[str, str] = packaged("explain", _MOVED)
    return found
