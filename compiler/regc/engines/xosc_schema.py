"""Scenario files against the schema of their declared version, before a player is trusted with them."""

from __future__ import annotations

import functools
from importlib import metadata
from pathlib import Path

from lxml import etree

#: The package that ships the schemas; none is kept in this project.
_PACKAGE = "scenariogeneration"


def problems(path: Path) -> tuple[str, ...]:
    """What does not fit, at most five lines; empty for a valid file."""
    try:
        tree = etree.parse(str(path))
    except (OSError, etree.XMLSyntaxError) as problem:
        return (f"not XML: {problem}",)
    header = tree.find("FileHeader")
    if header is None:
        return ("has no FileHeader, so it declares no version",)
    version = f"{header.get('revMajor')}.{header.get('revMinor')}"
    schema = _schema(version)
    if schema is None:
        return (f"declares OpenSCENARIO {version}; no schema of that version is installed",)
    if schema.validate(tree):
        return ()
    return tuple(f"line {entry.line}: {entry.message}" for entry in list(schema.error_log)[:5])


@functools.lru_cache(maxsize=8)
def _schema(version: str) -> etree.XMLSchema | None:
    """The schema of a version; a later correction of it (1.3.1 for 1.3) counts."""
    stem = f"OpenSCENARIO_{version.replace('.', '_')}"
    files = metadata.files(_PACKAGE) or []
    found = sorted(str(file.locate()) for file in files if file.name.startswith(stem) and file.name.endswith(".xsd"))
    return etree.XMLSchema(etree.parse(found[-1])) if found else None
