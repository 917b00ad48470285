"""Concrete scenario files in esmini: validated first, in parallel, under a wall-clock limit, every error line read, logs kept."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from lxml import etree
from pydantic import BaseModel, ConfigDict, Field

from regc.errors import OutputError, SimulationError
from regc.model.protocols import Progress
from regc.model.result import Finding
from regc.runs.esmini_files import error_lines, event_times
from regc.runs.log import RunInfo, sidecar_text, stem


class Options(BaseModel):
    """How files are run. `wall`: seconds of wall clock a run may take. `jobs`: runs at a time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    player: Path
    step: float = Field(default=0.01, gt=0, le=0.01)
    wall: float = Field(default=60.0, gt=0)
    jobs: int = Field(default=2, ge=1)


@dataclass(frozen=True)
class ScenarioFile:
    """A concrete file to run, and what is known of the run beside its log."""

    path: Path
    info: RunInfo


def find_player(path: Path | None = None) -> Path:
    """The esmini to use: the given one, or the one on PATH. Raises SimulationError."""
    if path is not None:
        if path.is_file() and os.access(path, os.X_OK):
            return path.resolve()
        raise SimulationError(f"{path}: no such program", hint="--esmini PATH: the esmini executable")
    program = shutil.which("esmini")
    if program is None:
        raise SimulationError("esmini is not on PATH", hint="--esmini PATH, or --engine kinematic, which needs no player")
    return Path(program)


def run_files(
    files: Sequence[ScenarioFile], out: Path, options: Options, progress: Progress | None = None
) -> tuple[list[RunInfo], list[Finding]]:
    """Run every file; logs, esmini's own log and sidecars go to `out`. A run whose log is there already (same file, same options)
    is not run again. Raises OutputError when `out` cannot be written."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise OutputError(f"{out}: {problem.strerror}", hint="--out another folder") from problem
    infos: list[RunInfo] = []
    findings: list[Finding] = []
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        for done, (info, told) in enumerate(pool.map(lambda file: _run(file, out, options), files), 1):
            if info is not None:
                infos.append(info)
            findings.extend(told)
            if progress:
                progress("esmini", done, len(files))
    return infos, findings


def _run(file: ScenarioFile, out: Path, options: Options) -> tuple[RunInfo | None, list[Finding]]:
    scenario = file.info.scenario
    wrong = problems(file.path)
    if wrong:
        return None, [_finding("S712", f"{file.path.name}: {'; '.join(wrong)}", scenario, "build again, or mend the file")]
    info = file.info.model_copy(update={"engine": "esmini", "simulated": True, "step": options.step})
    target = out / f"{stem(info)}.csv"
    key = _key(file, options)
    done = _finished(target, key)
    if done is not None:
        return done, []
    try:
        with tempfile.TemporaryDirectory(prefix=".run-", dir=out) as work:
            findings, stopped, code = _play(file, Path(work), options, scenario)
            Path(work, "log.txt").touch()
            log_text = _read(Path(work, "log.txt"))
            findings.extend(
                _finding("S710", f"{scenario}: esmini: {line}", scenario, "what ran may not be what was written")
                for line in error_lines(log_text)
            )
            logged = Path(work, "log.csv")
            if not logged.exists() or (code != 0 and not stopped):
                message = f"{scenario}: esmini ended with exit code {code}" + ("" if logged.exists() else " and wrote no log")
                return None, [
                    *findings,
                    _finding("S713", message, scenario, "see the last lines of its log: " + " / ".join(log_text.splitlines()[-2:])),
                ]
            if stopped:
                _drop_cut_line(logged)
            info = info.model_copy(update={"events": event_times(log_text, info.driver or ())})
            # The sidecar comes last: a log without one is a run that was killed before its end.
            Path(work, "log.txt").replace(target.with_suffix(".txt"))
            logged.replace(target)
            beside = Path(work, "sidecar.json")
            data = {**json.loads(sidecar_text(info)), "input": key}
            beside.write_text(json.dumps(data, indent=2, sort_keys=True) + "\n", encoding="utf-8", newline="\n")
            beside.replace(target.with_suffix(".json"))
    except OSError as problem:
        raise OutputError(f"{out}: {problem.strerror or problem}", hint="free the disk; runs that are done are kept") from problem
    return info.model_copy(update={"log": target.name}), findings


def _play(file: ScenarioFile, work: Path, options: Options, scenario: str) -> tuple[list[Finding], bool, int]:
    command = [
        str(options.player),
        "--osc",
        str(file.path.resolve()),
        "--headless",
        "--disable_stdout",
        "--fixed_timestep",
        repr(options.step),
        "--collision",
        # the vertices of a path hold the heading at their own place; by default esmini takes it for that of the way behind them
        "--pline_interpolation",
        "segment",
        "--csv_logger",
        "log.csv",
        "--logfile_path",
        "log.txt",
        "--seed",
        str(file.info.seed or 0),
    ]
    try:
        process = subprocess.Popen(command, cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    except OSError as problem:
        raise SimulationError(f"{options.player}: {problem.strerror}", hint="--esmini PATH: the esmini executable") from problem
    try:
        return [], False, process.wait(options.wall)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        message = f"{scenario}: stopped after {options.wall:g} s of wall clock"
        return [_finding("S711", message, scenario, "--wall SECONDS; has the file a stop trigger?")], True, process.returncode


def _key(file: ScenarioFile, options: Options) -> str:
    digest = hashlib.sha256(file.path.read_bytes())
    digest.update(f"{options.step!r} {file.info.model_dump_json(exclude={'log', 'events'})}".encode())
    return digest.hexdigest()


def _finished(target: Path, key: str) -> RunInfo | None:
    """The run that this log already is, or None."""
    if not target.exists():
        return None
    try:
        data = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return RunInfo.model_validate({**data, "log": target.name}) if data.get("input") == key else None


def _drop_cut_line(path: Path) -> None:
    """A player that was stopped may leave half a line; what is before it is kept."""
    content = path.read_bytes()
    if not content.endswith(b"\n"):
        path.write_bytes(content[: content.rfind(b"\n") + 1])


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _finding(code: str, message: str, scenario: str, hint: str) -> Finding:
    severity = "warning" if code == "S711" else "error"
    return Finding(code=code, severity=severity, message=message, scenario=scenario, hint=hint)


# ---- scenario files against the schema of their declared version, before a player is trusted with them.


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
    with _SCHEMAS:
        schema = _schema(version)
        if schema is None:
            return (f"declares OpenSCENARIO {version}; no schema of that version is installed",)
        if schema.validate(tree):
            return ()
        return tuple(f"line {entry.line}: {entry.message}" for entry in list(schema.error_log)[:5])


#: Files are checked in threads; two that load one schema at once break it, and one schema keeps the errors of one file.
_SCHEMAS = threading.Lock()


@functools.lru_cache(maxsize=8)
def _schema(version: str) -> etree.XMLSchema | None:
    """The schema of a version; a later correction of it (1.3.1 for 1.3) counts."""
    stem = f"OpenSCENARIO_{version.replace('.', '_')}"
    files = metadata.files(_PACKAGE) or []
    schemas = sorted(str(file.locate()) for file in files if file.name.startswith(stem) and file.name.endswith(".xsd"))
    return etree.XMLSchema(etree.parse(schemas[-1])) if schemas else None
