"""Models of a braking system in both engines: whether any run leaves its verdict open, and whether the engines say the same.

    python bench/aeb.py un152 [--tests 12] [--seed 1] [--declare NAME=VALUE|FILE] [--engine kinematic|esmini|both] [--esmini PATH]

The grid: braking from a time to collision of 1.0 to 2.8 s by 0.2 on, with 4 to 9 m/s2 by 1; a warning 1 s before. It is driven on the
tests in which something must brake for a target (`--tests`: at most so many of each of the regulation's tests, drawn by `--seed`; 0:
all), each with the models as its system. Printed, with `--json` as JSON: runs, their verdicts, how many are incomplete or invalid, and
in how many the engines differ.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from regc.cli.flags import declared
from regc.engines import esmini
from regc.engines.kinematic import AebModel, drive, with_model
from regc.judge.campaign import judge
from regc.model.criterion import Criterion
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request, Staging
from regc.pipeline.staging import stage_suite
from regc.runs.log import RunLog
from regc.runs.playback import info_of, log_of
from regc.runs.read import read_log
from regc.targets import openscenario

#: s and m/s2; how long before it brakes a model warns, s.
BRAKING_TTC = tuple(round(1.0 + 0.2 * step, 1) for step in range(10))
DEMAND = (4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
WARNING_LEAD = 1.0


def models() -> Iterator[AebModel]:
    """Every model of the grid."""
    for ttc in BRAKING_TTC:
        for demand in DEMAND:
            yield AebModel(warning_ttc=ttc + WARNING_LEAD, braking_ttc=ttc, demand=demand)


def chosen(suite: Suite, number: int, seed: int = 1) -> tuple[Stage, ...]:
    """The stages in which something must brake for a target: at most `number` of each test, drawn by `seed` (0: all)."""
    tests = {item.id: item.test for item in suite.scenarios if item.status not in ("guidance", "evidence")}
    staged = stage_suite(suite, Staging(ego="external"))  # with room for a system: who crosses goes on until it has stopped
    of_test: dict[str, list[Stage]] = defaultdict(list)
    for stage in staged.stages:
        if stage.scenario in tests and _must_brake(stage):
            of_test[tests[stage.scenario]].append(stage)
    draw = random.Random(seed)
    return tuple(stage for group in of_test.values() for stage in (draw.sample(group, min(number, len(group))) if number else group))


def _must_brake(stage: Stage) -> bool:
    met = any(mover.role == "target" for mover in (*stage.others, *stage.things))
    return met and any(_limits_contact(criterion) for criterion in stage.require)


def _limits_contact(criterion: Criterion) -> bool:
    contact = criterion.form == "never" and criterion.a is not None and criterion.a.name == "contact"
    return contact or criterion.signal in ("impact_speed", "speed_reduction")


def driven(suite: Suite, stages: Sequence[Stage], engine: str, player: Path | None) -> dict[tuple[str, str], str]:
    """(scenario, run) -> verdict of every stage with every model; a run is named after its model and corner."""
    verdicts: dict[tuple[str, str], str] = {}
    for number, model in enumerate(models(), 1):
        with_system = {stage.stem: with_model(stage, model) for stage in stages}
        run = f"ttc{model.braking_ttc:g}-{model.demand:g}"
        names = {stem: "-".join(filter(None, (run, stage.variant))) for stem, stage in with_system.items()}
        logs = _in_esmini(suite, with_system, names, player) if engine == "esmini" else _kinematic(with_system, names)
        for one in judge(suite, logs, chosen=[stage.scenario for stage in stages]).runs:
            verdicts[one.scenario, one.run] = one.verdict
        print(f"\r{engine}: model {number} of {len(BRAKING_TTC) * len(DEMAND)}", end="", file=sys.stderr)
    print(file=sys.stderr)
    return verdicts


def _kinematic(stages: dict[str, Stage], names: dict[str, str]) -> list[RunLog]:
    return [log_of(stage, drive(stage), info_of(stage, run=names[stem], engine="kinematic")) for stem, stage in stages.items()]


def _in_esmini(suite: Suite, stages: dict[str, Stage], names: dict[str, str], player: Path | None) -> list[RunLog]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = []
        for artifact in openscenario.emit(suite, Staged(stages=tuple(stages.values())), openscenario.Options()):
            path = folder / artifact.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(artifact.content)
            if path.suffix == ".xosc" and path.stem in stages:
                files.append(esmini.ScenarioFile(path, info_of(stages[path.stem], run=names[path.stem])))
        infos, findings = esmini.run_files(files, folder / "logs", esmini.Options(player=esmini.find_player(player)))
        for finding in findings:
            print(f"\n{finding.code} {finding.message}", file=sys.stderr)
        return [read_log(folder / "logs" / info.log) for info in infos]


def main() -> None:
    """Drive the grid and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regulation")
    parser.add_argument("--tests", type=int, default=3, help="driven of each test of the regulation; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="draws the tests")
    parser.add_argument("--declare", action="append", default=[], metavar="NAME=VALUE|FILE")
    parser.add_argument("--engine", choices=("kinematic", "esmini", "both"), default="both")
    parser.add_argument("--esmini", type=Path, help="the esmini executable, when it is not on PATH")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    suite = compile_regulation(Request(given.regulation, declared=declared(given.declare))).suite
    stages = chosen(suite, given.tests, given.seed)
    engines = ("kinematic", "esmini") if given.engine == "both" else (given.engine,)
    results = {engine: driven(suite, stages, engine, given.esmini) for engine in engines}
    differ = sum(
        len({found.get(key) for found in results.values()}) > 1 for key in {key for found in results.values() for key in found}
    )
    figures = {
        "regulation": given.regulation,
        "tests": len(stages),
        "models": len(BRAKING_TTC) * len(DEMAND),
        "verdicts": {engine: dict(sorted(Counter(found.values()).items())) for engine, found in results.items()},
        "differ": differ if len(engines) > 1 else None,
    }
    if given.json:
        print(json.dumps(figures))
        return
    for engine, found in results.items():
        counts = Counter(found.values())
        shown = ", ".join(f"{number} {verdict}" for verdict, number in sorted(counts.items()))
        open_ = f"{counts['incomplete']} incomplete, {counts['invalid']} invalid"
        print(f"{given.regulation} {engine}: {len(stages)} tests x {figures['models']} models = {len(found)} runs: {shown}; {open_}")
    if len(engines) > 1:
        print(f"{given.regulation}: another verdict in {differ} runs")


if __name__ == "__main__":
    main()
