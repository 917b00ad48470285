"""`regc judge`: the regulation's verdict on logs of runs."""

from __future__ import annotations

import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from regc import files
from regc.commands._console import console, print_findings
from regc.errors import DataFileError, RegcError
from regc.simulate.judge import Declarations, judge
from regc.simulate.readlog import read_logs, read_mapping
from regc.simulate.suite import find_suite, read_suite
from regc.simulate.verdict import Judgement, ScenarioVerdict

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_STYLES = {"pass": "green", "fail": "bold red", "invalid": "yellow", "incomplete": "yellow", "evidence": "cyan"}
#: Incomplete scenarios that are listed before the rest is counted.
_SHOWN = 5


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("judge")(judge_logs)


def judge_logs(
    logs: Annotated[
        list[Path], typer.Argument(metavar="DIR|LOG...", help="folders or files of logs: regc, esmini, CARLA or plain CSV")
    ],
    scenarios: Annotated[
        Path | None,
        typer.Option(help="scenarios.json of the whole edition, its coverage.json beside it; else found in or above the logs"),
    ] = None,
    mapping: Annotated[Path | None, typer.Option(help="TOML that names the columns and units of a foreign log")] = None,
    declare: Annotated[
        Path | None,
        typer.Option(help="TOML of what the manufacturer declares: avoids_up_to (which warning rule holds, see above), late_warning"),
    ] = None,
    partial: Annotated[bool, typer.Option(help="a campaign under way: what has no run yet leaves no category open")] = False,
    out: Annotated[Path | None, typer.Option(help="folder for verdicts.json, verdicts.csv and junit.xml")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Judge runs: valid, warning, braking demand, impact speed, then scenarios and the share of failed runs.

    A plain CSV has one column a channel with its unit in the header: time_s, subject_speed_kmh (or _m_s), target_speed_kmh, gap_m
    (front to the target's nearest face), lateral_offset_m, contact, warning_acoustic, warning_optical, warning_haptic (or warning),
    braking_demand_m_s2 (or deceleration_m_s2), driver_input, functional_part. Its name is SCENARIO__rN.csv, or a sidecar
    SCENARIO__rN.json says {"scenario", "run", "vehicle_type", "mass", "running_order_mass", "gap_error"}. A flag is 1, 0 or, in an
    empty cell, not observed. Exit code 1 unless all pass, and all that were chosen (else all that are prescribed) were driven.

    Driven speeds are read to 0.1 km/h (0.05 upwards), so that 42.04 is 42.0 and 42.05 is 42.1, and times to collision to 1 ms. All
    else is compared as measured, between two samples as the log says; where a bound lies between what two samples allow, the run is
    incomplete. Channels that contradict each other make a run invalid, and so does a mass outside the scenario's load state. The limit
    is the lower one of two rows: that of the test speed and that of the measured speed, or the next higher row. Where only some
    scenarios of the edition are given, a contact at a speed without a row of its own is incomplete, never a pass.

    A warning lead time that the document states is asked for above the relative speed up to which the vehicle avoids the collision:
    what --declare says in km/h, avoids_up_to = { running_order = "V", maximum_mass = "V" }, else what the runs show. Up to that speed
    a warning no later than braking is enough.
    """
    from regc.simulate.verdictfiles import csv_text, json_text, junit_text

    for path in logs:
        if not path.exists():
            raise DataFileError(f"{path}: no such file or folder", hint="regc simulate REG writes logs")
    suite = read_suite(scenarios or find_suite(logs))
    ids = {scenario.id for scenario in suite.scenarios}
    found, findings = read_logs(logs, mapping=read_mapping(mapping) if mapping else None, scenarios=ids)
    if not found:
        raise DataFileError(f"no log in {', '.join(str(path) for path in logs)}", hint="regc simulate REG writes logs")
    judgement = judge(
        suite.scenarios,
        found,
        complete=suite.complete,
        chosen=suite.chosen,
        declarations=_declarations(declare),
        groups=_groups(suite.scenarios[0].regulation) if suite.scenarios else {},
        findings=findings,
        partial=partial,
    )
    if out:
        for name, text in (("verdicts.json", json_text), ("verdicts.csv", csv_text), ("junit.xml", junit_text)):
            files.write(out / name, text(judgement).encode())
    if as_json:
        typer.echo(json_text(judgement), nl=False)
    else:
        show(judgement)
    raise typer.Exit(0 if is_clean(judgement) else 1)


def is_clean(judgement: Judgement) -> bool:
    """Whether every scenario and category passed or is evidence, and nothing is vacuous."""
    states = {item.verdict for item in judgement.scenarios} | {group.verdict for group in judgement.groups}
    return bool(states) and states <= {"pass", "evidence"} and not any(item.severity == "error" for item in judgement.findings)


def _groups(regulation: str) -> dict[str, str]:
    """Family -> category of the quota, from the profile when the regulation is a built-in one."""
    from regc.profiles import load_profile

    try:
        profile = load_profile(regulation)
    except RegcError:
        return {}
    return {family.name: family.quota_group for family in profile.families if family.quota_group}


def _declarations(path: Path | None) -> Declarations:
    if path is None:
        return Declarations()
    hint = 'avoids_up_to = { running_order = "40", maximum_mass = "38" } and late_warning = { "SCENARIO" = "reason" }'
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        avoids = data.pop("avoids_up_to", {})
        late = data.pop("late_warning", {})
        avoids = avoids if isinstance(avoids, dict) else {"": avoids}
        late = late if isinstance(late, dict) else {"": late}
        speeds = {load: Decimal(str(value)) for load, value in avoids.items()}
    except (OSError, ValueError, InvalidOperation) as problem:
        raise DataFileError(f"{path}: {problem}", hint=hint) from problem
    if data:
        raise DataFileError(f"{path}: no key {', '.join(sorted(data))}", hint=hint)
    return Declarations(speeds, {id: str(reason) for id, reason in late.items()})


def show(judgement: Judgement) -> None:
    """Print the verdicts: runs that did not pass, categories, what incomplete scenarios wait for, evidence, findings."""
    out = console()
    table = Table("verdict", "scenario", "run", "reason", "clause", title="runs that did not pass", box=None, pad_edge=False)
    for run in judgement.runs:
        if run.verdict not in ("pass", "evidence") and not run.baseline:
            table.add_row(_styled(run.verdict), run.scenario, run.run, escape(run.reason), escape(run.clause))
    if table.row_count:
        out.print(table)
    table = Table("verdict", "vehicle", "category", "tests", "scenarios", "failed runs", "allowed", "reason", box=None, pad_edge=False)
    for group in judgement.groups:
        cells = (group.vehicle_type, group.group, "all", str(group.scenarios), group.share, group.limit, group.reason)
        table.add_row(_styled(group.verdict), *(escape(cell) for cell in cells))
        for part in group.counts:
            table.add_row("", "", "", part.tests, str(part.scenarios), f"{part.failed} of {part.performed}", "", "")
    if table.row_count:
        out.print(table)
    waiting = [item for item in judgement.scenarios if item.verdict == "incomplete"]
    for item in waiting[:_SHOWN]:
        out.print(f"{_styled(item.verdict)} {escape(item.scenario)}: {escape(item.reason)}")
    if len(waiting) > _SHOWN:
        out.print(f"  ... {len(waiting) - _SHOWN} more incomplete; --json lists all")
    evidence = [item for item in judgement.scenarios if item.verdict == "evidence"]
    for item in evidence:
        out.print(f"{_styled(item.verdict)} {escape(item.scenario)}: {escape(_evidence(judgement, item))}")
    if evidence:
        out.print("  numbers of each run: --json, or verdicts.json with --out FOLDER")
    if judgement.proposed:
        out.print(f"after a failed run these further speeds may be tested: {escape(', '.join(judgement.proposed))}")
    print_findings(out, judgement.findings, rest="--json lists all")
    counts = {verdict: sum(item.verdict == verdict for item in judgement.scenarios) for verdict in _STYLES}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    runs = f"{len(judgement.runs)} {'run' if len(judgement.runs) == 1 else 'runs'}"
    left = f"; {len(judgement.not_chosen)} of the edition not chosen" if judgement.not_chosen else ""
    out.print(f"{runs}; scenarios: {said or 'none'}; {len(judgement.not_driven)} not driven{left}")
    out.print(judgement.speed_resolution)


def _evidence(judgement: Judgement, item: ScenarioVerdict) -> str:
    """One line on the runs of a scenario that is evidence: how many runs, and in how many each question had which answer."""
    runs = [run for run in judgement.runs if (run.scenario, run.vehicle_type) == (item.scenario, item.vehicle_type)]
    checks = [check for run in runs for check in run.checks if check.part == "false_reaction"]
    parts, fitting = [], 0
    for name in dict.fromkeys(check.name for check in checks):
        own = [check for check in checks if check.name == name]
        against = sum(check.result == "not_met" for check in own)
        if against:
            parts.append(f"{name} against the text in {against} of {len(own)}")
        elif own[0].required in ("", "none"):
            parts.append(f"{name}: {' or '.join(dict.fromkeys(check.measured or 'not logged' for check in own))}")
        else:
            fitting += 1
    if fitting:
        parts.append(f"{fitting} numbers of the manoeuvre as the text says")
    return f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}; {'; '.join(parts) or item.reason}"


def _styled(verdict: str) -> str:
    return f"[{_STYLES[verdict]}]{verdict}[/]"
