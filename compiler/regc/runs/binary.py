"""Binary logs: ASAM MDF 4 (through asammdf, an extra) and CarMaker's .erg with its .erg.info (a plain record layout)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from regc.errors import MissingExtraError
from regc.runs.geometry import Flags, Series
from regc.runs.log import CHANNELS, RunInfo, RunLog
from regc.runs.mapping import LogMapping, assemble
from regc.runs.text_logs import BrokenLogError, channel_columns

MDF_SUFFIXES = frozenset({".mf4", ".mdf"})
ERG_SUFFIXES = frozenset({".erg"})
SUFFIXES = MDF_SUFFIXES | ERG_SUFFIXES

#: How .erg.info names the types of columns -> numpy; "N Bytes" is padding.
_ERG_TYPES = {
    "Float": "f4", "Double": "f8", "LongLong": "i8", "ULongLong": "u8", "Long": "i4", "ULong": "u4", "Int": "i4", "UInt": "u4",
    "Short": "i2", "UShort": "u2", "Char": "i1", "UChar": "u1",
}  # fmt: skip
#: Bytes before the first record of an .erg file.
_ERG_HEAD = 16


@dataclass(frozen=True)
class Column:
    """One signal of a binary log at its own times; both have shape (samples,)."""

    time: Series
    values: Series


def read(path: Path, info: RunInfo, mapping: LogMapping | None) -> RunLog:
    """A binary log; without a mapping its signals must be named as the channels of a plain log. Raises MissingExtraError where the
    extra is not installed, BrokenLogError for a file that is none."""
    names = columns_of(path)
    wanted, problems = channel_columns([name if mapping else f"{name} [{unit}]" for name, unit in names.items()], mapping)
    if mapping is None and not set(wanted) - {"time"}:
        raise BrokenLogError("has no signal named as a channel: map its signals (regc judge --make-mapping LOG, --mapping FILE)")
    own = list(names)
    chosen = {channel: own[at] for channel, (at, _) in wanted.items() if channel != "time"}
    read_signals = _erg_signals if path.suffix.lower() in ERG_SUFFIXES else _mdf_signals
    signals = read_signals(path, tuple(dict.fromkeys(chosen.values())))
    if not signals or any(not column.time.size for column in signals.values()):
        raise BrokenLogError("holds no samples")
    time = _common_time(
        [signals[name].time for channel, name in chosen.items() if CHANNELS[channel] != "flag"]
        or [signals[own].time for own in signals]
    )
    channels: dict[str, Series] = {"time": time}
    for channel, name in chosen.items():
        channels[channel] = _on(time, signals[name], flag=CHANNELS[channel] == "flag") * wanted[channel][1]
    problems = [problem for problem in problems if " for time" not in problem[1]]
    return assemble(channels, info, mapping, problems)


def columns_of(path: Path) -> dict[str, str]:
    """The signals of a binary log with their units. Raises as read does."""
    return _erg_columns(path) if path.suffix.lower() in ERG_SUFFIXES else _mdf_columns(path)


def _common_time(rasters: list[Series]) -> Series:
    """The finest raster, as far as all of them reach."""
    begins, ends = max(raster[0] for raster in rasters), min(raster[-1] for raster in rasters)
    finest = max(rasters, key=lambda raster: raster.size)
    return np.asarray(finest[(finest >= begins) & (finest <= ends)])


def _on(time: Series, column: Column, *, flag: bool) -> Series:
    """A signal at the times of the log. Numbers go straight from sample to sample. A flag is not observed (NaN) where its samples
    before and after differ, nor beyond them."""
    if column.time.size == time.size and np.array_equal(column.time, time):
        return column.values
    outside: Flags = (time < column.time[0]) | (time > column.time[-1])
    if not flag:
        values = np.interp(time, column.time, column.values)
        return np.where(outside, np.nan, values)
    after = np.minimum(np.searchsorted(column.time, time), column.time.size - 1)
    before = np.maximum(np.searchsorted(column.time, time, side="right") - 1, 0)
    held = column.values[before]
    return np.where(outside | (held != column.values[after]), np.nan, held)


# ------------------------------------------------------------ MDF 4


def _mdf(path: Path) -> Any:
    try:
        from asammdf import MDF
    except ImportError as problem:
        raise MissingExtraError(f"{path.name}: MDF 4 needs asammdf", extra="mdf") from problem
    try:
        return MDF(path)
    except Exception as problem:  # asammdf raises what its blocks raise
        raise BrokenLogError(f"is no MDF file: {problem.__class__.__name__}") from problem


def _mdf_columns(path: Path) -> dict[str, str]:
    with _mdf(path) as mdf:
        columns: dict[str, str] = {}
        for group in mdf.groups:
            for channel in group.channels:
                unit = channel.unit or (channel.conversion.unit if channel.conversion is not None else "")
                columns.setdefault(channel.name, (unit or "").strip())
        return columns


def _mdf_signals(path: Path, names: Iterable[str]) -> dict[str, Column]:
    with _mdf(path) as mdf:
        groups = {name: mdf.channels_db[name][0] for name in names}
        signals = mdf.select([(name, *place) for name, place in groups.items()])
        columns: dict[str, Column] = {}
        for name, signal in zip(groups, signals, strict=True):
            try:
                values = np.asarray(signal.samples, dtype=np.float64)
            except (TypeError, ValueError) as problem:
                raise BrokenLogError(f"signal {name!r} holds no numbers") from problem
            columns[name] = Column(np.asarray(signal.timestamps, dtype=np.float64), values)
        return columns


# ------------------------------------------------------------ CarMaker .erg


def _erg_info(path: Path) -> tuple[dict[str, str], np.dtype[Any]]:
    """Units by signal, and the layout of a record, from the .erg.info beside the file."""
    beside = path.with_name(path.name + ".info")
    try:
        text = beside.read_text(encoding="utf-8", errors="replace")
    except OSError as problem:
        raise BrokenLogError(f"has no {beside.name} beside it") from problem
    keys = dict(re.findall(r"(?m)^[ \t]*([^\s=]+)[ \t]*=[ \t]*(.*?)[ \t]*$", text))
    order = ">" if keys.get("File.ByteOrder", "LittleEndian") == "BigEndian" else "<"
    units: dict[str, str] = {}
    fields: list[tuple[str, str]] = []
    for number in sorted({int(match) for match in re.findall(r"(?m)^[ \t]*File\.At\.(\d+)\.", text)}):
        name, kind = keys.get(f"File.At.{number}.Name", f"column {number}"), keys.get(f"File.At.{number}.Type", "")
        padding = re.fullmatch(r"(\d+) Bytes?", kind)
        if kind not in _ERG_TYPES and not padding:
            raise BrokenLogError(f"signal {name!r} has the type {kind!r}, which .erg files do not have")
        fields.append((f"{number} {name}", f"V{padding[1]}" if padding else order + _ERG_TYPES[kind]))
        if not padding:
            units[name] = keys.get(f"Quantity.{name}.Unit", "s" if name == "Time" else "")
            for part in ("Factor", "Offset"):
                if keys.get(f"Quantity.{name}.{part}", "") not in ("", "0" if part == "Offset" else "1"):
                    raise BrokenLogError(f"signal {name!r} is scaled (Quantity.{name}.{part}); export it unscaled")
    if not fields:
        raise BrokenLogError(f"{beside.name} names no signals")
    return units, np.dtype(fields)


def _erg_columns(path: Path) -> dict[str, str]:
    return _erg_info(path)[0]


def _erg_signals(path: Path, names: Iterable[str]) -> dict[str, Column]:
    _, layout = _erg_info(path)
    samples = (path.stat().st_size - _ERG_HEAD) // layout.itemsize
    if samples < 1:
        return {}
    records = np.memmap(path, dtype=layout, mode="r", offset=_ERG_HEAD, shape=(samples,))
    columns = {place.partition(" ")[2]: place for place in layout.names or ()}
    if "Time" not in columns:
        raise BrokenLogError("has no signal Time")
    time = np.array(records[columns["Time"]], dtype=np.float64)
    return {name: Column(time, np.array(records[columns[name]], dtype=np.float64)) for name in names}
