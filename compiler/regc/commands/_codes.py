"""The codes of findings and what they mean, from the data files beside the package's code."""

from __future__ import annotations

import sys

from regc.resources import package_data

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def codes() -> dict[str, dict[str, str]]:
    """Every code with title, means, matters and example, in order."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(package_data("explain").glob("*.toml")):
        found |= tomllib.loads(path.read_text("utf-8"))
    return dict(sorted(found.items()))
