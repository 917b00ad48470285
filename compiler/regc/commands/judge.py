"""`regc judge`: the regulation's verdict on logs of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from regc import files
from regc.cli.console import console, print_findings
from regc.errors import DataFileError
from regc.judge.campaign import find_suite, judge, read_suite
from regc.judge.declarations import Declarations, read_declarations, unused
from regc.judge.verdict import Judgement, ScenarioVerdict, is_clean
from regc.runs.mapping import read_mapping
from regc.runs.read import read_logs

_STYLES = {"pass": "green", "fail": "bold red", "invalid": "yellow", "incomplete": "yellow", "evidence": "cyan"}
#: Incomplete scenarios, and proposed ones, that are listed before the rest is counted.
_SHOWN, _PROPOSED = 5, 12


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("judge")(judge_command)


def judge_command(
    logs: Annotated[
        list[Path],
        typer.Argument(
            metavar="DIR|LOG...", help="folders or files of logs: regc, esmini, CARLA, CSV, MDF 4, CarMaker .erg, OSI .mcap"
        ),
    ],
    scenarios: Annotated[Path | None, typer.Option(help="scenarios.json of a build; else found in or above the logs")] = None,
    mapping: Annotated[Path | None, typer.Option(help="TOML that names the columns and units of a foreign log")] = None,
    make_mapping: Annotated[
        bool, typer.Option("--make-mapping", help="print a starting mapping file for LOG, and judge nothing")
    ] = False,
    declare: Annotated[
        Path | None, typer.Option(help="TOML of what is declared for the vehicle, and of reasons why an exception holds")
    ] = None,
    partial: Annotated[bool, typer.Option(help="a campaign under way: what has no run yet leaves no pool open")] = False,
    out: Annotated[Path | None, typer.Option(help="folder for verdicts.json, verdicts.csv and junit.xml")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Judge runs: is the log whole, was the test valid, is each criterion met; then scenarios and the share of failed runs.

    A plain CSV has one column a channel with its unit in the header: time_s, subject_speed_kmh (or _m_s), target_speed_kmh, gap_m
    (front to the target's nearest face), lateral_offset_m, contact, warning_acoustic, warning_optical, warning_haptic (or warning),
    braking_demand_m_s2 (or deceleration_m_s2), driver_input, functional_part, and where a test asks for it line_distance_m,
    driver_deceleration_m_s2, driver_brake, lateral_acceleration_m_s2, steering_force_n, hands_off. Its name is SCENARIO__rN.csv, or a
    sidecar SCENARIO__rN.json says {"scenario", "run", "vehicle_type", "mass", "running_order_mass", "gap_error", "conditions"}. A flag
    is 1, 0 or, in an empty cell, not observed. Exit code 1 unless all pass, and all that were chosen (else all that are prescribed)
    were driven.

    Driven speeds are read to 0.1 km/h (0.05 upwards), so that 42.04 is 42.0 and 42.05 is 42.1, and times to collision to 1 ms. All
    else is compared as measured, between two samples as the log says; where a bound lies between what two samples allow, the run is
    incomplete. Channels that contradict each other make a run invalid, and so does a condition outside what the test prescribes. A
    limit of a table is the stricter of two rows: that of the test speed and that of the measured speed.

    What a log cannot show is never taken as given: --declare FILE says what is declared (v_design = "90 km/h", urban = "no", or by
    axis value avoids_up_to = { run = "42 km/h" }), and why an exception holds ([reasons] warning = "why", or by scenario id). Where a
    clause lets further speeds be tested after a failed run, they are proposed, unless the record explains the run by the set-up
    ([reasons."SCENARIO"] set_up = "what was off").
    """
    from regc.judge.verdict import csv_text, json_text, junit_text

    for path in logs:
        if not path.exists():
            raise DataFileError(f"{path}: no such file or folder", hint="regc simulate REG writes logs")
    if make_mapping:
        typer.echo(_mapping_of(logs), nl=False)
        return
    suite, chosen = read_suite(scenarios or find_suite(logs))
    ids = {scenario.id for scenario in suite.scenarios}
    logs_read, findings = read_logs(logs, mapping=read_mapping(mapping) if mapping else None, scenarios=ids)
    if not logs_read:
        raise DataFileError(f"no log in {', '.join(str(path) for path in logs)}", hint="regc simulate REG writes logs")
    declarations = read_declarations(declare) if declare else Declarations()
    findings += unused(declarations, suite)
    judgement = judge(suite, logs_read, chosen=chosen, declarations=declarations, findings=findings, partial=partial)
    if out:
        for name, text in (("verdicts.json", json_text), ("verdicts.csv", csv_text), ("junit.xml", junit_text)):
            files.write(out / name, text(judgement).encode())
    if as_json:
        typer.echo(json_text(judgement), nl=False)
    else:
        show(judgement)
    raise typer.Exit(0 if is_clean(judgement) else 1)


def _mapping_of(logs: list[Path]) -> str:
    """A starting mapping file. Raises DataFileError for anything but one log whose columns can be read."""
    from regc.runs.read import mapping_for

    if len(logs) != 1 or not logs[0].is_file():
        raise DataFileError("--make-mapping takes one log file", hint="regc judge --make-mapping LOG > mapping.toml")
    return mapping_for(logs[0])


def show(judgement: Judgement) -> None:
    """Print the verdicts: runs that did not pass, pools, what incomplete scenarios wait for, evidence, findings."""
    out = console()
    table = Table("verdict", "scenario", "run", "reason", "clause", title="runs that did not pass", box=None, pad_edge=False)
    for run in judgement.runs:
        if run.verdict not in ("pass", "evidence") and not run.baseline:
            table.add_row(_styled(run.verdict), run.scenario, run.run, escape(run.reason), escape(run.clause))
    if table.row_count:
        out.print(table)
    table = Table("verdict", "vehicle", "pool", "tests", "scenarios", "failed runs", "allowed", "reason", box=None, pad_edge=False)
    for group in judgement.groups:
        cells = (
            group.vehicle_type, group.group, ", ".join(group.tests), str(group.scenarios), group.share, group.limit, group.reason
        )  # fmt: skip
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
    for avoided in judgement.avoided:
        of = " ".join(filter(None, (avoided.vehicle_type, ", ".join((avoided.test, *avoided.axes.values())))))
        out.print(f"{escape(of)}: no contact up to {avoided.speed:g} km/h")
    if judgement.proposed:
        ids, others = judgement.proposed[:_PROPOSED], len(judgement.proposed) - _PROPOSED
        out.print(f"after a failed run that the set-up does not explain, these may be driven too ({escape(judgement.proposed_by)}):")
        out.print(f"  {escape(', '.join(ids))}" + (f" and {others} more; --json lists all" if others > 0 else ""))
    print_findings(out, judgement.findings, rest="--json lists all")
    counts = {verdict: sum(item.verdict == verdict for item in judgement.scenarios) for verdict in _STYLES}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    runs = f"{len(judgement.runs)} {'run' if len(judgement.runs) == 1 else 'runs'}"
    left = f"; {len(judgement.not_chosen)} of the edition not chosen" if judgement.not_chosen else ""
    out.print(f"{runs}; scenarios: {said or 'none'}; {len(judgement.not_driven)} not driven{left}")
    out.print(judgement.speed_resolution)


def _evidence(judgement: Judgement, item: ScenarioVerdict) -> str:
    """One line on the runs of a scenario that is evidence: how many runs, and which criteria how many of them kept."""
    runs = [run for run in judgement.runs if (run.scenario, run.vehicle_type) == (item.scenario, item.vehicle_type)]
    checks = [check for run in runs for check in run.checks if check.part == "criterion"]
    parts = []
    for name in dict.fromkeys(check.name for check in checks):
        own = [check for check in checks if check.name == name]
        kept = sum(check.result == "met" for check in own)
        against = sum(check.result == "not_met" for check in own)
        parts.append(f"{name}: kept in {kept}, not kept in {against} of {len(own)}")
    return f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}; {'; '.join(parts) or item.reason}"


def _styled(verdict: str) -> str:
    return f"[{_STYLES[verdict]}]{verdict}[/]"
