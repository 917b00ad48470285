"""Mapping files: which column of a foreign log is which channel, in which unit."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regc.errors import DataFileError
from regc.runs.geometry import Rectangle, Series, Track
from regc.runs.log import CHANNELS, ROLES, UNITS, BoxInfo, Problem, RunInfo, RunLog, posed_channels
from regc.tomlfiles import read_toml

HINT = "[columns] time = { column = 'Time', unit = 's' }, and one such line for each channel; regc judge --make-mapping LOG writes one"


class MappedColumn(BaseModel):
    """A column of a foreign log: its name there, its unit, and a factor for its sign."""

    model_config = ConfigDict(extra="forbid")

    column: str
    unit: str = ""
    factor: float = 1.0


class MappedBodies(BaseModel):
    """Boxes of the bodies in some scenarios, and where the target's lateral offset is measured, as RunInfo has them."""

    model_config = ConfigDict(extra="forbid")

    scenarios: list[str]
    subject_box: BoxInfo | None = None
    target_box: BoxInfo | None = None
    target_reference: float | None = None


class LogMapping(BaseModel):
    """A mapping file (TOML): `[columns] channel = {column, unit}`, `[constants] channel = value`, `[run]` for what a sidecar holds,
    `[[bodies]]` for boxes by scenario. A log's own sidecar comes before them. `delimiter`, `decimal`, `encoding`, `skip_lines` are of
    text logs only."""

    model_config = ConfigDict(extra="forbid")

    delimiter: str = Field(default=",", pattern=r"^[^\w\s\".]$|^[\t ]$", description="one character between two cells")
    decimal: str = "."
    encoding: str = "utf-8"
    skip_lines: int = 0
    columns: dict[str, MappedColumn]
    constants: dict[str, float] = {}
    run: dict[str, Any] = {}
    bodies: list[MappedBodies] = []


def read_mapping(path: Path) -> LogMapping:
    """The mapping of a foreign log's columns. Raises DataFileError."""
    try:
        mapping = LogMapping.model_validate(read_toml(path, hint=HINT, name=path.name))
    except ValidationError as problem:
        raise DataFileError(f"{path.name}: {told(problem, LogMapping)}", hint=HINT) from problem
    unknown = sorted((set(mapping.columns) | set(mapping.constants)) - set(CHANNELS))
    if unknown:
        near = difflib.get_close_matches(unknown[0], CHANNELS, 1)
        raise DataFileError(
            f"{path.name}: no channel {', '.join(unknown)}" + (f"; did you mean {near[0]}?" if near else ""),
            hint=f"channels: {', '.join(CHANNELS)}",
        )
    flags = sorted(name for name in mapping.constants if CHANNELS[name] == "flag")
    if flags:
        message = f"{path.name}: constants.{flags[0]} = {mapping.constants[flags[0]]:g}: a constant shows nothing of what a run did"
        raise DataFileError(message, hint=f"remove the line, or map {flags[0]} to a column that was measured")
    return mapping


def told(problem: ValidationError, model: type[BaseModel]) -> str:
    """What is wrong with a data file in one line: each key, its value, and what is wanted. The first three of many."""
    lines = []
    for error in problem.errors():
        key = ".".join(str(part) for part in error["loc"])
        if error["type"] == "extra_forbidden":
            known = f"; keys: {', '.join(model.model_fields)}" if len(error["loc"]) == 1 else ""
            lines.append(f"no key {key} (value {error['input']!r:.60}){known}")
        elif error["type"] == "missing":
            lines.append(f"{key} is missing")
        else:
            lines.append(f"{key} = {error['input']!r:.60}: {error['msg'][0].lower()}{error['msg'][1:]}")
    return "; ".join(lines[:3])


def mapping_text(name: str, columns: Mapping[str, str], *, delimiter: str = ",", decimal: str = ".") -> str:
    """A starting mapping file for a log: `columns` are its own names with their units ("" where the log states none). A channel whose
    name is near to a column's is filled in, the others stand as comments; nothing is taken as right without a person's look."""
    lines = [
        f"# Which column of {name} is which channel. Filled in where the names are alike: check each line, its unit and its sign.",
        "# A line that begins with # is not read. factor = -1.0 turns a sign.",
    ]
    if delimiter != ",":
        lines.append(f'delimiter = "{delimiter}"'.replace("\t", "\\t"))
    if decimal != ".":
        lines.append(f'decimal = "{decimal}"')
    lines.extend(("", "[columns]"))
    guessed = _guessed(columns)
    for channel, kind in CHANNELS.items():
        column = guessed.get(channel)
        unit = _unit(columns[column], channel) if column is not None else ""
        units = " or ".join(unit for unit in UNITS[kind] if unit) or "none"
        if column is not None and (unit or kind == "flag"):
            lines.append(f"{channel} = {{ column = {_quoted(column)}, unit = {_quoted(unit)} }}")
        elif column is not None:
            lines.append(f"# {channel} = {{ column = {_quoted(column)}, unit = '' }}  # which unit? {units}")
        else:
            lines.append(f"# {channel} = {{ column = '', unit = '' }}  # unit: {units}")
    others = [f"#   {column} [{unit}]" for column, unit in columns.items() if column not in guessed.values()]
    lines.extend(("", "# other columns of this log:", *others))
    return "\n".join(lines) + "\n"


def _guessed(columns: Mapping[str, str]) -> dict[str, str]:
    """channel -> the column whose name says the same words."""
    guessed: dict[str, str] = {}
    for channel in CHANNELS:
        words = set(channel.split("_"))
        for column in columns:
            if column not in guessed.values() and set(re.split(r"[^a-z0-9]+|(?<=[a-z])(?=[A-Z])", column.lower())) >= words:
                guessed[channel] = column
                break
    return guessed


def _unit(written: str, channel: str) -> str:
    known = UNITS[CHANNELS[channel]]
    return next((unit for unit in (written, written.lower()) if unit in known), "")


def _quoted(text: str) -> str:
    return f"'{text}'" if "'" not in text else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ---- from named series to a run log: flags with three values, poses, and the channels that follow from them.


def assemble(given: Mapping[str, Series], info: RunInfo, mapping: LogMapping | None, problems: Sequence[Problem]) -> RunLog:
    """The log of series in SI units by channel name; those of `time` are the samples."""
    if "time" not in given:
        return RunLog(info=info, time=np.array([]), problems=(*problems, ("invalid", "has no time column with a unit")))
    time = given["time"]
    values = {name: series for name, series in given.items() if name != "time"}
    for channel, value in (mapping.constants if mapping else {}).items():
        values[channel] = np.full(time.shape, value)
    flags = {name: series > 0.5 for name, series in values.items() if CHANNELS[name] == "flag"}
    # An empty cell, or a negative number that stands for one, is neither yes nor no.
    unseen = {name: ~(values[name] >= 0) for name in flags}
    functional, after = info.events.get("functional_part"), None
    marks = np.flatnonzero(flags.get("functional_part", False))
    if functional is None and marks.size:
        functional = float(time[marks[0]])
        before = np.flatnonzero(~unseen["functional_part"][: marks[0]])
        after = float(time[before[-1]]) if before.size else None
    channels = {name: series for name, series in values.items() if CHANNELS[name] != "flag"}
    log = RunLog(
        info=info,
        time=time,
        channels=channels,
        flags={name: flag for name, flag in flags.items() if name != "functional_part"},
        unseen={name: samples for name, samples in unseen.items() if samples.any()},
        functional_part=functional,
        functional_after=after,
        problems=tuple(problems),
    )
    tracks = _tracks(channels, info)
    posed, touching = posed_channels(info, tracks)
    contact = {"contact": touching} if touching is not None and "contact" not in flags else {}
    return replace(log, tracks=tracks, channels={**posed, **channels}, flags={**log.flags, **contact}, touching=touching)


def _tracks(channels: Mapping[str, Series], info: RunInfo) -> dict[str, Track]:
    """Poses of those whose channels and box are all there."""
    tracks: dict[str, Track] = {}
    for role in ("subject", *ROLES):
        box = info.box(role)
        parts = [channels.get(f"{role}_{part}") for part in ("x", "y", "heading", "speed")]
        if box is not None and all(part is not None for part in parts):
            x, y, heading, speed = (part for part in parts if part is not None)
            tracks[role] = Track(x, y, heading, speed, Rectangle(box.length, box.width, box.forward, box.left))
    return tracks
