"""The codes of findings and what they mean, from the data files beside the package's code."""

from __future__ import annotations

import sys

from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_MOVED = "moved.toml"


def codes() -> dict[str, dict[str, str]]:
    """Every code with title, means, matters and example, in order."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(package_data("explain").glob("*.toml")):
        if path.name != _MOVED:
            found |= tomllib.loads(path.read_text("utf-8"))
    return dict(sorted(found.items()))


def moved() -> dict[str, str]:
    """Codes of earlier versions -> where their matter went."""
    found: dict[str, str] = tomllib.loads(package_data("explain", _MOVED).read_text("utf-8"))
    return found
