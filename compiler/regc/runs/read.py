"""Every log below the given files and folders, whatever wrote it. No log is left out: one that cannot be read says so."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import ValidationError

from regc.errors import DataFileError, MissingExtraError
from regc.model.result import Finding
from regc.runs import binary, esmini_files, osi
from regc.runs.log import RunInfo, RunLog
from regc.runs.mapping import LogMapping, mapping_text, told
from regc.runs.text_logs import BrokenLogError, encoding_of, header_of, read_text

#: Other files of a folder that are named.
_SHOWN = 5
#: Lines of a file in which its header is looked for.
_HEAD = 5
#: Suffixes of text logs, of those that an extra reads, and of those that nothing here reads.
_TEXT = frozenset({".csv"})
_UNREAD = frozenset({".tsv", ".dat", ".blf", ".osi", ".parquet"})
_STEM = re.compile(r"^(?P<scenario>.+?)(?:__(?P<ego>none|reference|late|external))?(?:__r(?P<run>[A-Za-z0-9-]+))?$")


def read_logs(
    paths: Iterable[Path], *, mapping: LogMapping | None = None, scenarios: Collection[str] = ()
) -> tuple[list[RunLog], list[Finding]]:
    """Every log, in the order of their paths. A log that cannot be read stays a log: one that says so, to be judged invalid. In a
    folder a file is a log if its name is one of `scenarios` or a run of something (`NAME__rN`), if a run's sidecar lies beside it, or
    if it begins as a log does; what is none is named (S708). Raises MissingExtraError where an extra is needed."""
    logs: list[RunLog] = []
    findings: list[Finding] = []
    for path in paths:
        files = sorted(item for item in path.rglob("*") if _may_be_log(item, scenarios)) if path.is_dir() else [path]
        others: list[str] = []
        for file in files:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            if path.is_dir() and not (named_as_log(file, scenarios) or _looks_like_log(file, mapping) or _has_sidecar(file)):
                others.append(name)
                continue
            log = read_log(file, mapping=mapping, name=name)
            logs.append(log)
            findings.extend(_problems(log))
        if others:
            shown = ", ".join(others[:_SHOWN]) + (f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else "")
            hint = "a log is named SCENARIO__rN.csv, or has a sidecar SCENARIO__rN.json that names its scenario"
            findings.append(
                Finding(code="S708", severity="info", message=f"not read as logs: {shown}", place=path.as_posix(), hint=hint)
            )
    return logs, findings


def _problems(log: RunLog) -> Iterable[Finding]:
    for kind, message in log.problems:
        hint = "drive or simulate the run again" if kind == "invalid" else "log the channel, or map it (--mapping FILE)"
        told_of, name = log.info.scenario, log.info.log
        yield Finding(code="S701", severity="warning", message=f"{name}: {message}", scenario=told_of, place=name, hint=hint)


def _may_be_log(file: Path, scenarios: Collection[str]) -> bool:
    suffix = file.suffix.lower()
    return file.is_file() and (
        suffix in _TEXT | binary.SUFFIXES or (suffix in _UNREAD | osi.SUFFIXES and named_as_log(file, scenarios))
    )


def named_as_log(file: Path, scenarios: Collection[str]) -> bool:
    """Whether a file's name is that of a run, or of one of these scenarios."""
    named = _named(file)
    return "run" in named or "ego" in named or named["scenario"] in scenarios


def _looks_like_log(file: Path, mapping: LogMapping | None) -> bool:
    """Other CSV files lie in a build folder too; a log has a column of times or is esmini's."""
    if mapping is not None or file.suffix.lower() in binary.SUFFIXES:
        return True
    try:
        with file.open(encoding=encoding_of(file, "latin-1")) as stream:
            head = stream.read(2000)
    except (OSError, UnicodeError):
        return True
    lines = "\n".join(head.lower().splitlines()[:_HEAD])
    return esmini_files.is_esmini(head) or bool(re.search(r'(?m)(^|[,;"])\s*time(stamp)?(?![a-z0-9])', lines))


def _has_sidecar(file: Path) -> bool:
    """Whether a sidecar of a run lies beside the file; a log that was cut to nothing is still a log."""
    try:
        data = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and isinstance(data.get("scenario"), str)


def read_log(path: Path, *, mapping: LogMapping | None = None, name: str = "") -> RunLog:
    """One log and its sidecar (`<name>.json` beside it); the scenario comes from the sidecar or from the file's name,
    `<scenario id>__<ego>__r<run>.csv`."""
    name = name or path.name
    suffix = path.suffix.lower()
    try:
        info = read_info(path, mapping, name)
    except DataFileError as problem:
        return _broken(RunInfo.model_validate({**_named(path), "log": name}), str(problem).splitlines()[0])
    try:
        if suffix in binary.SUFFIXES:
            return binary.read(path, info, mapping)
        if suffix in osi.SUFFIXES:
            return osi.read(path, info)
        if suffix in _UNREAD:
            return _broken(info, f"cannot be read: regc judge reads CSV, MDF 4, CarMaker .erg and OSI in .mcap, not {path.suffix}")
        return read_text(path, _with_events(info, path), mapping)
    except MissingExtraError:
        raise
    except BrokenLogError as problem:
        return _broken(info, str(problem))
    except (OSError, UnicodeError, LookupError) as problem:
        return _broken(info, f"cannot be read: {problem.__class__.__name__}")


def _named(path: Path) -> dict[str, Any]:
    """What a file's name tells of its run."""
    stem = path.name.removesuffix(path.suffix)
    matched = _STEM.match(stem)
    return {key: value for key, value in matched.groupdict().items() if value} if matched else {"scenario": stem}


def read_info(path: Path, mapping: LogMapping | None, name: str) -> RunInfo:
    """The sidecar's content, over what the file's name tells. Raises DataFileError for a sidecar that is none."""
    info = _named(path)
    if mapping:
        info.update(mapping.run)
    sidecar = path.with_suffix(".json")
    if sidecar.exists():
        try:
            info.update({**json.loads(sidecar.read_text(encoding="utf-8"))})
        except (OSError, ValueError, TypeError) as problem:
            raise DataFileError(f"{sidecar.name}: {problem}", hint="the sidecar of a log is JSON; remove or repair it") from problem
    for bodies in mapping.bodies if mapping else ():
        if info.get("scenario") in bodies.scenarios:
            info = {**bodies.model_dump(exclude={"scenarios"}, exclude_none=True), **info}
    try:
        return RunInfo.model_validate({**info, "log": name})
    except ValidationError as problem:
        raise DataFileError(
            f"{sidecar.name}: {told(problem, RunInfo)}", hint='such as {"scenario": "ID", "run": "1", "mass": 1450}'
        ) from problem


def _with_events(info: RunInfo, path: Path) -> RunInfo:
    """Event times from esmini's log file beside its CSV, when no sidecar has them."""
    beside = next((file for file in (path.with_suffix(".txt"), path.with_name("log.txt")) if file.exists()), None)
    if info.events or beside is None:
        return info
    text = beside.read_text(encoding="utf-8", errors="replace")
    events = esmini_files.event_times(text, info.driver or ())
    return info.model_copy(update={"engine": "esmini", "simulated": True, "events": events}) if events else info


def _broken(info: RunInfo, message: str) -> RunLog:
    return RunLog(info=info, time=np.array([]), problems=(("invalid", message),))


# ---- the columns of a foreign log, and a starting mapping file for them.


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
