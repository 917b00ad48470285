"""The columns of a foreign log, and a starting mapping file for them."""

from __future__ import annotations

import re
from pathlib import Path

from regc.errors import DataFileError
from regc.runs import binary
from regc.runs.mapping import mapping_text
from regc.runs.text import BrokenLogError, header_of

_UNIT = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\])]*)[\])]\s*$")


def mapping_for(path: Path) -> str:
    """The text of a starting mapping file. Raises DataFileError for a file whose columns cannot be read, MissingExtraError for one that
    needs an extra."""
    hint = "a CSV with a header line, an MDF 4 file, or a CarMaker .erg with its .erg.info"
    try:
        if path.suffix.lower() in binary.SUFFIXES:
            return mapping_text(path.name, binary.columns_of(path))
        delimiter = _delimiter(path)
        columns = {name: _unit(name) for name in header_of(path, delimiter) if name}
    except (OSError, UnicodeError, LookupError, BrokenLogError) as problem:
        raise DataFileError(f"{path.name}: {problem}", hint=hint) from problem
    return mapping_text(path.name, columns, delimiter=delimiter, decimal="," if delimiter == ";" and _has_comma(path) else ".")


def _unit(name: str) -> str:
    """The unit that a header cell states: "v_ego [km/h]", "gap_m"."""
    match = _UNIT.match(name)
    if match:
        return match["unit"]
    tail = re.search(r"_(km_h|kmh|kph|mph|m_s2|m_s|mps2|mps|ms|m|s|rad|deg|g)$", name.lower())
    return tail[1] if tail else ""


def _delimiter(path: Path) -> str:
    """What parts the cells of the header best."""
    counts = {sign: len(header_of(path, sign)) for sign in (",", ";", "\t")}
    return max(counts, key=lambda sign: counts[sign])


def _has_comma(path: Path) -> bool:
    """Whether numbers are written with a comma."""
    with path.open(encoding="latin-1") as stream:
        lines = [line for _, line in zip(range(20), stream, strict=False)]
    return bool(re.search(r"\d,\d", "".join(lines[1:])))
