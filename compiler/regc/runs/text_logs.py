"""Text logs in streaming memory: only the columns that are channels are kept, a million rows a second or two."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from regc.runs import esmini_files
from regc.runs.geometry import Series
from regc.runs.log import ALIASES, CHANNELS, UNITS, Problem, RunInfo, RunLog
from regc.runs.mapping import LogMapping, assemble

#: Lines that are turned into numbers at a time.
_CHUNK = 20_000
#: How a line before the header begins that is no header.
_COMMENTS = ("#", "//", "%", "sep=")
_NAMES = sorted((*CHANNELS, *ALIASES), key=len, reverse=True)
_HEADER = re.compile(rf"^({'|'.join(map(re.escape, _NAMES))})(?![a-z0-9])")


class BrokenLogError(Exception):
    """What is wrong with a log that cannot be read."""


def encoding_of(path: Path, given: str = "utf-8") -> str:
    """The encoding of a text file; a byte order mark says more than anybody's guess. Raises OSError."""
    with path.open("rb") as stream:
        head = stream.read(4)
    for mark, marked in ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if head.startswith(mark):
            return marked
    return given


def read_text(path: Path, info: RunInfo, mapping: LogMapping | None) -> RunLog:
    """A CSV log: esmini's, a plain one with units in its header, or one through a mapping. Raises OSError, UnicodeError, LookupError
    for a file that is no text, BrokenLogError for one that holds no samples."""
    with path.open(encoding=encoding_of(path, mapping.encoding if mapping else "utf-8"), newline=None) as stream:
        lines = _no_zeros(stream)
        first = next(lines, "")
        if mapping is None and esmini_files.is_esmini(first):
            return esmini_files.read(_chained(first, lines), info)
        return _plain(_chained(first, lines), info, mapping)


def header_of(path: Path, delimiter: str, encoding: str = "utf-8", skip: int = 0) -> list[str]:
    """The names in the header of a text log. Raises OSError, UnicodeError, LookupError, BrokenLogError."""
    with path.open(encoding=encoding_of(path, encoding), newline=None) as stream:
        return _header(stream, delimiter, skip, comments=True)[0]


def _chained(first: str, lines: Iterator[str]) -> Iterator[str]:
    if first:
        yield first
    yield from lines


def _no_zeros(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if "\x00" in line:
            raise BrokenLogError("holds zero bytes, so it is not a text log")
        yield line


def _header(lines: Iterator[str], delimiter: str, skip: int, *, comments: bool) -> tuple[list[str], int]:
    """The cells of the header, and the number of the line behind it."""
    number = 0
    for number, line in enumerate(lines, 1):
        if number <= skip or not line.strip() or (comments and line.lstrip().startswith(_COMMENTS)):
            continue
        return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter))], number + 1
    raise BrokenLogError("holds no samples")


def _plain(lines: Iterator[str], info: RunInfo, mapping: LogMapping | None) -> RunLog:
    delimiter, decimal = (mapping.delimiter, mapping.decimal) if mapping else (",", ".")
    header, number = _header(lines, delimiter, mapping.skip_lines if mapping else 0, comments=mapping is None)
    columns, problems = channel_columns(header, mapping)
    table = _table(lines, number, len(header), [index for index, _ in columns.values()], delimiter, decimal)
    if table.shape[0] < 1:
        raise BrokenLogError("holds no samples")
    channels = {channel: table[:, at] * factor for at, (channel, (_, factor)) in enumerate(columns.items())}
    return assemble(channels, info, mapping, problems)


def channel_columns(header: Sequence[str], mapping: LogMapping | None) -> tuple[dict[str, tuple[int, float]], list[Problem]]:
    """channel -> (column, factor to SI), and what cannot be read."""
    channels: dict[str, tuple[int, float]] = {}
    problems: list[Problem] = []
    if mapping:
        for channel, mapped in mapping.columns.items():
            factor = UNITS[CHANNELS[channel]].get(mapped.unit)
            if mapped.column not in header:
                problems.append(("incomplete", f"has no column {mapped.column!r} for {channel}"))
            elif factor is None:
                problems.append(("incomplete", f"{channel}: unit {mapped.unit!r} is not known for a {CHANNELS[channel]}"))
            else:
                channels[channel] = (list(header).index(mapped.column), factor * mapped.factor)
        return channels, problems
    for index, cell in enumerate(header):
        written = _HEADER.match(cell.lower())
        if written is None:
            continue
        name = ALIASES.get(written[1], written[1])
        unit = cell[len(written[1]) :].strip(" _[]()").lower()
        factor = UNITS[CHANNELS[name]].get(unit)
        if factor is None:
            what = f"unit {unit!r} is not known" if unit else "the header states no unit"
            problems.append(("incomplete", f"column {cell!r}: {what} ({', '.join(UNITS[CHANNELS[name]])})"))
        else:
            channels.setdefault(name, (index, factor))
    return channels, problems


def _table(lines: Iterator[str], number: int, width: int, columns: Sequence[int], delimiter: str, decimal: str) -> Series:
    """The columns as numbers, empty cells as NaN; `number` is the line of the first sample."""
    parts: list[Series] = []
    while chunk := list(islice(lines, _CHUNK)):
        rows = [line for line in chunk if line.strip()]
        if rows:
            parts.append(_fast(rows, width, columns, delimiter, decimal) if columns else np.zeros((len(rows), 0)))
            if parts[-1].shape[0] != len(rows):
                parts[-1] = _slow(chunk, number, width, columns, delimiter, decimal)
        number += len(chunk)
    return np.concatenate(parts) if parts else np.zeros((0, len(columns)))


def _fast(rows: list[str], width: int, columns: Sequence[int], delimiter: str, decimal: str) -> Series:
    """All rows at once, or nothing where one of them needs a closer look."""
    nothing = np.zeros((0, len(columns)))
    if any(row.count(delimiter) != width - 1 for row in rows):
        return nothing
    if decimal != ".":
        rows = [row.replace(decimal, ".") for row in rows]
    try:
        return np.loadtxt(rows, delimiter=delimiter, usecols=columns, ndmin=2, comments=None)
    except ValueError:
        return nothing


def _slow(chunk: list[str], number: int, width: int, columns: Sequence[int], delimiter: str, decimal: str) -> Series:
    """Cell by cell, with the line of what is wrong."""
    rows: list[list[float]] = []
    reader = csv.reader(io.StringIO("".join(chunk)), delimiter=delimiter)
    for row in reader:
        line = number + reader.line_num - 1
        if not row:
            continue
        if len(row) != width:
            raise BrokenLogError(f"line {line} has {len(row)} cells, the header has {width}")
        cells = [row[column].strip() for column in columns]
        try:
            rows.append([float(cell.replace(decimal, ".")) if cell else np.nan for cell in cells])
        except ValueError:
            wrong = next(cell for cell in cells if cell and not _is_number(cell.replace(decimal, ".")))
            raise BrokenLogError(f"line {line}: {wrong[:40]!r} is no number") from None
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(columns))


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
