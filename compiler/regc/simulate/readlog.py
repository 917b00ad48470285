"""Logs of runs from files: plain CSV with units in its header, esmini's CSV, CARLA's, and any other through a mapping file."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from regc.errors import DataFileError
from regc.model.result import Finding
from regc.simulate import _esmini_log
from regc.simulate._geometry import Box, Series, Track
from regc.simulate.runlog import BoxInfo, RunInfo, RunLog, from_tracks

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_Kind = Literal["time", "speed", "length", "acceleration", "angle", "flag"]

#: channel -> what it measures; "warning" may carry a mode
CHANNELS: dict[str, _Kind] = {
    "time": "time",
    "subject_speed": "speed",
    "target_speed": "speed",
    "closing_speed": "speed",
    "gap": "length",
    "lateral_offset": "length",
    "subject_x": "length",
    "subject_y": "length",
    "subject_heading": "angle",
    "target_x": "length",
    "target_y": "length",
    "target_heading": "angle",
    "braking_demand": "acceleration",
    "deceleration": "acceleration",
    "contact": "flag",
    "warning": "flag",
    "warning_acoustic": "flag",
    "warning_optical": "flag",
    "warning_haptic": "flag",
    "driver_input": "flag",
    "functional_part": "flag",
}

#: other names of a channel in the header of a plain log
_ALIASES = {"timestamp": "time"}
_NAMES = sorted((*CHANNELS, *_ALIASES), key=len, reverse=True)

_UNITS: dict[_Kind, dict[str, float]] = {
    "time": {"s": 1.0, "ms": 0.001},
    "speed": {"m/s": 1.0, "m_s": 1.0, "mps": 1.0, "km/h": 1 / 3.6, "km_h": 1 / 3.6, "kmh": 1 / 3.6, "kph": 1 / 3.6, "mph": 0.44704},
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001},
    "acceleration": {"m/s2": 1.0, "m_s2": 1.0, "m/s^2": 1.0, "mps2": 1.0, "g": 9.80665},
    "angle": {"rad": 1.0, "deg": np.pi / 180},
    "flag": {"": 1.0},
}

_MAPPING_HINT = (
    "[columns] time = { column = 'Time', unit = 's' }, and one such line for each channel; regc build --target carmaker writes one"
)
#: other files of a folder that are named
_SHOWN = 5
#: lines of a file in which its header is looked for
_HEAD = 5
#: how a line before the header begins that is no header
_COMMENTS = ("#", "//", "%", "sep=")
#: suffixes of logs that benches and simulators write and regc does not read
_OTHER_LOGS = frozenset({".tsv", ".mf4", ".mdf", ".dat", ".erg", ".blf", ".mcap", ".osi", ".parquet"})
_STEM = re.compile(r"^(?P<scenario>.+?)(?:__(?P<ego>none|reference|late|external))?(?:__r(?P<run>[A-Za-z0-9-]+))?$")


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
    `[[bodies]]` for boxes by scenario. A log's own sidecar comes before them."""

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
        mapping = LogMapping.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as problem:
        raise DataFileError(f"{path.name}: {_told(problem, LogMapping)}", hint=_MAPPING_HINT) from problem
    except (OSError, ValueError) as problem:
        raise DataFileError(f"{path.name}: {problem}", hint=_MAPPING_HINT) from problem
    unknown = sorted((set(mapping.columns) | set(mapping.constants)) - set(CHANNELS))
    if unknown:
        raise DataFileError(f"{path.name}: no channel {', '.join(unknown)}", hint=f"channels: {', '.join(CHANNELS)}")
    flags = sorted(name for name in mapping.constants if CHANNELS[name] == "flag")
    if flags:
        message = f"{path.name}: constants.{flags[0]} = {mapping.constants[flags[0]]:g}: a constant shows nothing of what a run did"
        raise DataFileError(message, hint=f"remove the line, or map {flags[0]} to a column that was measured")
    return mapping


def _told(problem: ValidationError, model: type[BaseModel]) -> str:
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


def read_logs(
    paths: Iterable[Path], *, mapping: LogMapping | None = None, scenarios: Collection[str] = ()
) -> tuple[list[RunLog], list[Finding]]:
    """Every log below the given files and folders, in the order of their paths. A log that cannot be read stays a log: one that
    says so, to be judged invalid. In a folder a file is a log if its name is one of `scenarios` or a run of something
    (`NAME__rN`), if a run's sidecar lies beside it, or if it begins as a log does; what is none is named (S708)."""
    logs: list[RunLog] = []
    findings: list[Finding] = []
    for path in paths:
        files = sorted(item for item in path.rglob("*") if _may_be_log(item, scenarios)) if path.is_dir() else [path]
        others: list[str] = []
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            if path.is_dir() and not (_named_as_log(file, scenarios) or _looks_like_log(file, mapping) or _has_sidecar(file)):
                others.append(name)
                continue
            log = read_log(file, mapping=mapping, name=name)
            for kind, message in log.problems:
                hint = "drive or simulate the run again" if kind == "invalid" else "log the channel, or map it (--mapping FILE)"
                findings.append(
                    Finding(
                        code="S701",
                        severity="warning",
                        message=f"{log.info.log}: {message}",
                        scenario=log.info.scenario,
                        place=log.info.log,
                        hint=hint,
                    )
                )
            logs.append(log)
        if others:
            shown = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else "")
            hint = "a log is named SCENARIO__rN.csv, or has a sidecar SCENARIO__rN.json that names its scenario"
            findings.append(
                Finding(code="S708", severity="info", message=f"not read as logs: {shown}", place=path.as_posix(), hint=hint)
            )
    return logs, findings


def _may_be_log(file: Path, scenarios: Collection[str]) -> bool:
    suffix = file.suffix.lower()
    return file.is_file() and (suffix == ".csv" or (suffix in _OTHER_LOGS and _named_as_log(file, scenarios)))


def _named_as_log(file: Path, scenarios: Collection[str]) -> bool:
    named = _named(file)
    return "run" in named or "ego" in named or named["scenario"] in scenarios


def _looks_like_log(file: Path, mapping: LogMapping | None) -> bool:
    """Other CSV files lie in a build folder too; a log has a column of times or is esmini's."""
    if mapping is not None:
        return True
    try:
        with file.open("rb") as stream:
            head = _text(stream.read(2000), "latin-1")
    except (OSError, UnicodeError):
        return True
    lines = "\n".join(head.lower().splitlines()[:_HEAD])
    return _esmini_log.is_esmini(head) or bool(re.search(r'(?m)(^|[,;"])\s*time(stamp)?(?![a-z0-9])', lines))


def _has_sidecar(file: Path) -> bool:
    """Whether a sidecar of a run lies beside the file; a log that was cut to nothing is still a log."""
    try:
        found = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and isinstance(found.get("scenario"), str)


def read_log(path: Path, *, mapping: LogMapping | None = None, name: str = "") -> RunLog:
    """One log and its sidecar (`<name>.json` beside it); the scenario comes from the sidecar or from the file's name,
    `<scenario id>__<ego>__r<run>.csv`."""
    name = name or path.name
    try:
        info = read_info(path, mapping, name)
    except DataFileError as problem:
        return _broken(RunInfo.model_validate({**_named(path), "log": name}), str(problem).splitlines()[0])
    if path.suffix.lower() in _OTHER_LOGS:
        return _broken(info, f"cannot be read: regc judge reads CSV, not {path.suffix}")
    try:
        content = _text(path.read_bytes(), mapping.encoding if mapping else "utf-8")
    except (OSError, UnicodeError, LookupError) as problem:
        return _broken(info, f"cannot be read: {problem.__class__.__name__}")
    if "\x00" in content:
        return _broken(info, "holds zero bytes, so it is not a text log")
    if _esmini_log.is_esmini(content[:2000]):
        return _esmini_log.read(content, _with_events(info, path))
    return _plain(content, info, mapping)


def _text(content: bytes, encoding: str) -> str:
    """A log's text; a byte order mark says more of its encoding than anybody's guess. Raises UnicodeError, LookupError."""
    for mark, marked in ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16")):
        if content.startswith(mark):
            return content.decode(marked)
    return content.decode(encoding)


def _named(path: Path) -> dict[str, Any]:
    """What a file's name tells of its run."""
    matched = _STEM.match(path.stem)
    return {key: value for key, value in matched.groupdict().items() if value} if matched else {"scenario": path.stem}


def read_info(path: Path, mapping: LogMapping | None, name: str) -> RunInfo:
    """The sidecar's content, over what the file's name tells. Raises DataFileError for a sidecar that is none."""
    found = _named(path)
    if mapping:
        found.update(mapping.run)
    sidecar = path.with_suffix(".json")
    if sidecar.exists():
        try:
            found.update({**json.loads(sidecar.read_text(encoding="utf-8"))})
        except (OSError, ValueError, TypeError) as problem:
            raise DataFileError(f"{sidecar.name}: {problem}", hint="the sidecar of a log is JSON; remove or repair it") from problem
    for bodies in mapping.bodies if mapping else ():
        if found.get("scenario") in bodies.scenarios:
            found = {**bodies.model_dump(exclude={"scenarios"}, exclude_none=True), **found}
    try:
        return RunInfo.model_validate({**found, "log": name})
    except ValidationError as problem:
        raise DataFileError(
            f"{sidecar.name}: {_told(problem, RunInfo)}", hint='such as {"scenario": "ID", "run": "1", "mass": 1450}'
        ) from problem


def _with_events(info: RunInfo, path: Path) -> RunInfo:
    """Event times from esmini's log file beside its CSV, when no sidecar has them."""
    beside = next((file for file in (path.with_suffix(".txt"), path.with_name("log.txt")) if file.exists()), None)
    if info.events or beside is None:
        return info
    text = beside.read_text(encoding="utf-8", errors="replace")
    return info.model_copy(update={"engine": "esmini", "simulated": True, "events": _esmini_log.event_times(text)})


def _broken(info: RunInfo, message: str) -> RunLog:
    return RunLog(info=info, time=np.array([]), problems=(("invalid", message),))


def _plain(content: str, info: RunInfo, mapping: LogMapping | None) -> RunLog:
    lines = content.splitlines()[mapping.skip_lines if mapping else 0 :]
    while not mapping and lines and (not lines[0].strip() or lines[0].lstrip().startswith(_COMMENTS)):
        del lines[0]
    first = len(content.splitlines()) - len(lines) + 2  # line of the first sample
    rows = [row for row in csv.reader(io.StringIO("\n".join(lines)), delimiter=mapping.delimiter if mapping else ",") if row]
    if len(rows) < 2:
        return _broken(info, "holds no samples")
    header, body = [cell.strip() for cell in rows[0]], rows[1:]
    problems: list[tuple[Literal["invalid", "incomplete"], str]] = []
    wrong = next((number for number, row in enumerate(body, first) if len(row) != len(header)), None)
    if wrong is not None:
        return _broken(info, f"line {wrong} has {len(body[wrong - first])} cells, the header has {len(header)}")
    table = _numbers(body, first, mapping.decimal if mapping else ".")
    if isinstance(table, str):
        return _broken(info, table)
    found: dict[str, Series] = {}
    for channel, (index, factor) in _columns(header, mapping, problems).items():
        found[channel] = table[:, index] * factor
    for channel, value in (mapping.constants if mapping else {}).items():
        found[channel] = np.full(table.shape[0], value)
    if "time" not in found:
        return _broken(info, "has no time column with a unit")
    return _assemble(found, info, tuple(problems))


def _numbers(body: list[list[str]], first: int, decimal: str) -> Series | str:
    """All cells as floats, empty ones as NaN; or what is wrong."""
    try:
        text = [[cell.strip().replace(decimal, ".") if decimal != "." else cell.strip() for cell in row] for row in body]
        return np.array([[float(cell) if cell else np.nan for cell in row] for row in text], dtype=np.float64)
    except ValueError:
        for number, row in enumerate(body, first):
            for cell in row:
                try:
                    float(cell.strip().replace(decimal, ".") or "nan")
                except ValueError:
                    return f"line {number}: {cell.strip()[:40]!r} is no number"
        return "holds a cell that is no number"


def _columns(
    header: list[str], mapping: LogMapping | None, problems: list[tuple[Literal["invalid", "incomplete"], str]]
) -> dict[str, tuple[int, float]]:
    """channel -> (column, factor to SI)."""
    found: dict[str, tuple[int, float]] = {}
    if mapping:
        for channel, mapped in mapping.columns.items():
            factor = _UNITS[CHANNELS[channel]].get(mapped.unit)
            if mapped.column not in header:
                problems.append(("incomplete", f"has no column {mapped.column!r} for {channel}"))
            elif factor is None:
                problems.append(("incomplete", f"{channel}: unit {mapped.unit!r} is not known for a {CHANNELS[channel]}"))
            else:
                found[channel] = (header.index(mapped.column), factor * mapped.factor)
        return found
    for index, cell in enumerate(header):
        written = next((known for known in _NAMES if re.match(rf"{known}(?![a-z0-9])", cell.lower())), None)
        if written is None:
            continue
        name = _ALIASES.get(written, written)
        unit = cell[len(written) :].strip(" _[]()").lower()
        factor = _UNITS[CHANNELS[name]].get(unit)
        if factor is None:
            what = f"unit {unit!r} is not known" if unit else "the header states no unit"
            problems.append(("incomplete", f"column {cell!r}: {what} ({', '.join(_UNITS[CHANNELS[name]])})"))
        elif name not in found:
            found[name] = (index, factor)
    return found


def _assemble(found: Mapping[str, Series], info: RunInfo, problems: tuple[tuple[Literal["invalid", "incomplete"], str], ...]) -> RunLog:
    flags = {name: values > 0.5 for name, values in found.items() if CHANNELS[name] == "flag"}
    # An empty cell, or a negative number that stands for one, is neither yes nor no.
    unseen = {name: ~(found[name] >= 0) for name in flags}
    modes = [mode for mode in ("acoustic", "optical", "haptic") if f"warning_{mode}" in flags]
    warnings = {mode: flags[f"warning_{mode}"] for mode in modes}
    if not warnings and "warning" in flags:
        warnings = {"unspecified": flags["warning"]}
    time = found["time"]
    functional, after = info.events.get("functional_part"), None
    marks = np.flatnonzero(flags.get("functional_part", False))
    if functional is None and marks.size:
        functional = float(time[marks[0]])
        before = np.flatnonzero(~unseen["functional_part"][: marks[0]])
        after = float(time[before[-1]]) if before.size else None
    log = RunLog(
        info=info,
        time=time,
        subject_speed=found.get("subject_speed"),
        target_speed=found.get("target_speed"),
        closing_speed=found.get("closing_speed"),
        gap=found.get("gap"),
        lateral_offset=found.get("lateral_offset"),
        contact=flags.get("contact"),
        unseen={name: samples for name, samples in unseen.items() if samples.any()},
        warnings=warnings,
        demand=found.get("braking_demand"),
        deceleration=found.get("deceleration"),
        driver_input=flags.get("driver_input"),
        functional_part=functional,
        functional_after=after,
        problems=problems,
    )
    tracks = _tracks(found, info)
    if tracks is None:
        return log
    posed = from_tracks(info, time, *tracks)
    filled = {
        name: getattr(posed, name)
        for name in ("closing_speed", "gap", "lateral_offset", "contact", "subject_drift")
        if getattr(log, name) is None
    }
    return replace(log, touching=posed.touching, **filled)


def _tracks(found: Mapping[str, Series], info: RunInfo) -> tuple[Track, Track] | None:
    poses = [f"{body}_{part}" for body in ("subject", "target") for part in ("x", "y", "heading", "speed")]
    if info.subject_box is None or info.target_box is None or any(name not in found for name in poses):
        return None
    subject, target = (
        Track(
            found[f"{body}_x"],
            found[f"{body}_y"],
            found[f"{body}_heading"],
            found[f"{body}_speed"],
            Box(box.length, box.width, box.forward, box.left),
        )
        for body, box in (("subject", info.subject_box), ("target", info.target_box))
    )
    return subject, target
