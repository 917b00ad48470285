"""What reading and judging one log costs: seconds and peak memory at a number of rows, and how they grow with it.

    python bench/logs.py [--rows 100000 1000000] [--others 20]

The log is a run of UN R152 towards a stationary target, sampled as finely as the number of rows asks for, with `--others` columns that
are no channel. Each size is judged by `regc judge` in a process of its own, so that the peak is its own; the cost of a log of 1,000
rows (starting Python, reading the suite) is printed first.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from regc import files
from regc.model import machine_files
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request

SCENARIO = "UNR152-02_p6.4_CtoStC_M1_MassRun_042"
_SECONDS, _BRAKES, _RATE, _SPEED = 10.0, 5.5, 7.0, 42 / 3.6
_HEADER = (
    "time_s,subject_speed_m_s,target_speed_m_s,gap_m,lateral_offset_m,contact,warning_acoustic,warning_optical,"
    "braking_demand_m_s2,driver_input,functional_part"
)


def write_log(path: Path, rows: int, others: int) -> None:
    """A run that passes: 42 km/h, braked with 7 m/s2 from a time to collision of 1.2 s on."""
    tail = "".join(",1.234567" for _ in range(others))
    with path.open("w", encoding="utf-8") as stream:
        stream.write(_HEADER + "".join(f",other_{index}" for index in range(others)) + "\n")
        for index in range(rows):
            at = _SECONDS * index / rows
            braked = min(max(at - _BRAKES, 0.0), _SPEED / _RATE)
            gap = _SPEED * (_BRAKES + 1.2) - _SPEED * (min(at, _BRAKES) + braked) + _RATE * braked**2 / 2
            warns, brakes = int(at >= _BRAKES - 1.0), _RATE if at >= _BRAKES and braked < _SPEED / _RATE else 0.0
            stream.write(
                f"{at:.7f},{_SPEED - _RATE * braked:.6f},0,{gap:.6f},0.05,0,{warns},{warns},{brakes},0,{int(at >= 2.5)}{tail}\n"
            )


def judged(log: Path) -> tuple[float, float]:
    """Seconds and peak memory (MB) of `regc judge` on one log; it must pass by its criteria and leave only the pools open."""
    out = log.with_suffix("")
    started = time.perf_counter()
    call = "import sys; from regc.cli.main import main; main(sys.argv[1:])"
    command = [sys.executable, "-c", call, "judge", log.as_posix(), "--partial", "--out", out.as_posix()]
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        child = os.posix_spawn(
            sys.executable, command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, nowhere.fileno(), stream) for stream in (1, 2)]
        )
        _, _, usage = os.wait4(child, 0)
    seconds = time.perf_counter() - started
    verdicts = (out / "verdicts.csv").read_text(encoding="utf-8").splitlines()
    if f"{SCENARIO},M1,1" not in verdicts[1] or ",pass," not in verdicts[1]:
        sys.exit(f"the log was not judged as it was driven: {verdicts[1]}")
    return seconds, usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000], help="sizes of the log")
    parser.add_argument("--others", type=int, default=20, help="columns that are no channel")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        suite = compile_regulation(Request(regulation="un152")).suite
        files.write(Path(place) / "scenarios.json", files.json_bytes(machine_files.packed(suite)))
        costs = []
        for rows in (1_000, *asked.rows):
            log = Path(place) / str(rows) / f"{SCENARIO}__r1.csv"
            log.parent.mkdir()
            write_log(log, rows, asked.others)
            costs.append(judged(log))
            print(f"{rows:>9,} rows, {log.stat().st_size / 1e6:7.1f} MB: {costs[-1][0]:6.2f} s, peak {costs[-1][1]:6.0f} MB")
            log.unlink()
        if len(costs) > 2:
            growth = asked.rows[-1] / asked.rows[0]
            ratios = (costs[-1][0] / costs[1][0], costs[-1][1] / costs[1][1])
            print(f"{growth:g} times the rows: {ratios[0]:.1f} times the seconds, {ratios[1]:.1f} times the memory")


if __name__ == "__main__":
    main()
