"""Verdicts on logs that nobody has seen: drives whose verdict is known by construction, recorded as benches record, well and badly.

    python -m bench.judge [--count 3000] [--seed 1] [--family WORDS] [--damage WORDS] [--list]

A drive is calculated here from the words of the clause (a vehicle drives, warns, brakes, stands or hits; a target stands, moves,
crosses; a tyre nears a marking) with none of regc's code, and its bounds are typed here or in golden/un152/02/truth. Then it is
recorded: at 0.001 to 0.2 s, in other units, orders and names of columns, with jitter, few digits, lost samples, empty cells, late or
missing flags, a log that ends early, a sign or a unit that is wrong. A verdict is

    right           what the drive is, or incomplete where the record is damaged
    open            incomplete, although the record is whole (its samples may leave a bound open)
    false pass      pass, although the drive fails or is no valid test
    false fail      fail, although the drive passes or is no valid test
    wrong invalid   invalid, although the drive is a valid test and its record whole
    traceback
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bench.judging.asked import Asked, asked_of_152, asked_of_others
from bench.judging.drives import MAKERS, Drive
from bench.judging.records import POOR, RUINOUS, Record, recorded

from regc.judge.campaign import bench_of
from regc.judge.declarations import Declarations
from regc.judge.run import Bench, judge_run
from regc.model.scenario import Scenario
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request
from regc.runs.mapping import LogMapping, read_mapping
from regc.runs.read import read_logs

OUTCOMES = ("right", "open", "false pass", "false fail", "wrong invalid", "traceback")
WRONG = OUTCOMES[2:]
DECLARED = Declarations(
    values={
        "v_design": "120 km/h", "urban": "no", "avoids_up_to": "10 km/h", "v_set": "60 km/h", "v_stationary": "60 km/h",
        "v_slower": "70 km/h", "v_pedestrian": "40 km/h", "v_bicycle": "50 km/h", "v_crossing_pedestrian": "40 km/h",
        "v_crossing_bicycle": "40 km/h",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Result:
    """One judged record."""

    number: int
    drive: Drive
    record: Record
    verdict: str
    reason: str
    outcome: str


@cache
def benches() -> tuple[dict[str, Scenario], dict[str, Bench]]:
    """All scenarios of the five regulations by id, and by the stem of an id what its runs are judged by."""
    scenarios: dict[str, Scenario] = {}
    by_stem: dict[str, Bench] = {}
    for regulation in ("un152", "un131", "un130", "un171", "fmvss127"):
        suite = compile_regulation(Request(regulation)).suite
        scenarios.update({item.id: item for item in suite.scenarios})
        by_stem[suite.stem] = bench_of(suite, DECLARED)
    return scenarios, by_stem


@cache
def every_asked() -> tuple[Asked, ...]:
    """The tests that are driven, each family as often as the others."""
    return (*asked_of_152(), *asked_of_others())


def outcome_of(drive: Drive, record: Record, verdict: str) -> str:
    """How a verdict stands to the truth."""
    if verdict == "pass" and drive.truth != "pass":
        return "false pass"
    if verdict == "fail" and drive.truth != "fail":
        return "false fail"
    ruined = any(kind in done for done in record.done for kind in RUINOUS)
    poor = any(done in POOR for done in record.done)
    if verdict == "invalid" and drive.truth != "invalid":
        return "right" if ruined else "wrong invalid"
    if verdict == "incomplete" and not (ruined or poor):
        return "open"
    return "right"


def judged(number: int, drive: Drive, record: Record, folder: Path) -> Result:
    """The verdict on a record, read from a file as any other."""
    path = folder / f"{record.name}.csv"
    path.write_text(record.text, encoding="utf-8")
    path.with_suffix(".json").write_text(json.dumps(record.sidecar), encoding="utf-8")
    mapping: LogMapping | None = None
    if record.mapping:
        (folder / "mapping.toml").write_text(record.mapping, encoding="utf-8")
        mapping = read_mapping(folder / "mapping.toml")
    scenarios, by_stem = benches()
    try:
        (log,), _ = read_logs([path], mapping=mapping)
        run = judge_run(scenarios[drive.asked.id], log, by_stem[drive.asked.id.partition("_")[0]])
    except Exception:
        return Result(number, drive, record, "traceback", traceback.format_exc(limit=-3), "traceback")
    return Result(number, drive, record, run.verdict, run.reason, outcome_of(drive, record, run.verdict))


def results(count: int, seed: int, family: str = "", damage: str = "", first: int = 0) -> Iterator[Result]:
    """`count` records, each from a generator of its own, so that one is made again by its number."""
    families: dict[str, list[Asked]] = {}
    for asked in every_asked():
        if family in f"{asked.family} {asked.id}":
            families.setdefault(f"{asked.family} {asked.id.partition('-')[0]}", []).append(asked)
    names = list(families)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(first, first + count):
            rng = random.Random(f"{seed} {number}")
            drive = None
            while drive is None:
                asked = rng.choice(families[names[number % len(names)]])
                drive = MAKERS[asked.family](asked, rng)
            yield judged(number, drive, recorded(drive, rng, damage), Path(folder))


def table(found: Sequence[Result]) -> str:
    """What was done to a record x outcome, then families x outcome."""
    lines = [f"{'':<34}" + "".join(f"{name:>15}" for name in ("records", *OUTCOMES))]
    rows: list[tuple[str, Callable[[Result], bool]]] = []
    for family in dict.fromkeys(result.drive.asked.family for result in found):
        rows.append((family, lambda result, family=family: result.drive.asked.family == family))  # type: ignore[misc]
    for kind in sorted({kind for result in found for kind in result.record.done}):
        rows.append((f"  {kind}", lambda result, kind=kind: kind in result.record.done))  # type: ignore[misc]
    rows.append(("all", lambda result: True))
    for name, belongs in rows:
        counts = Counter(result.outcome for result in found if belongs(result))
        lines.append(f"{name:<34}{sum(counts.values()):>15}" + "".join(f"{counts[outcome]:>15}" for outcome in OUTCOMES))
    return "\n".join(lines)


def told(result: Result) -> str:
    """One line on a record."""
    drive, record = result.drive, result.record
    return (
        f"{result.outcome} {result.number}: {drive.asked.id} is {drive.truth} ({drive.why}), step {record.step:g}, "
        f"{', '.join(record.done) or 'whole'}\n      {result.verdict}: {result.reason}"
    )


def main() -> None:
    """Print the table and every wrong verdict; exit code 1 if there is one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first record")
    parser.add_argument("--family", default="", help="only tests with these words in family or id")
    parser.add_argument("--damage", default="", help="this is done to every record (KIND,KIND, or whole)")
    parser.add_argument("--list", action="store_true", help="list every record")
    parser.add_argument("--keep", type=Path, help="write the wrong records to a folder")
    arguments = parser.parse_args()
    found = []
    for result in results(arguments.count, arguments.seed, arguments.family, arguments.damage, arguments.first):
        found.append(replace(result, record=replace(result.record, text="")) if not arguments.keep else result)
        if arguments.list or result.outcome in WRONG:
            print(told(result), flush=True)
        if arguments.keep and result.outcome in WRONG:
            folder = arguments.keep / str(result.number)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{result.record.name}.csv").write_text(result.record.text, encoding="utf-8")
            (folder / f"{result.record.name}.json").write_text(json.dumps(result.record.sidecar), encoding="utf-8")
            (folder / "mapping.toml").write_text(result.record.mapping, encoding="utf-8")
        found[-1] = replace(found[-1], record=replace(found[-1].record, text=""), drive=replace(found[-1].drive, channels={}, flags={}))
    print(table(found))
    sys.exit(any(result.outcome in WRONG for result in found))


if __name__ == "__main__":
    main()
