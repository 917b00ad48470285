"""How long a build, a check and the help take as whole processes: the embedded edition and a PDF, cold and warm, against Python alone.

    python bench/build.py [--pdf FILE] [--runs 5] [--json]

Cold: no cache, no output folder. Warm: the same command again. Ratios are to `python -c pass` in the same run, so that figures of
different machines can be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TARGETS = ("text", "csv", "openscenario")


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Wall seconds of one process."""
    start = time.perf_counter()
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def measure(source: Path | None, runs: int) -> dict[str, float]:
    """Median seconds of cold and warm builds."""
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"REGC_CACHE_DIR": f"{folder}/cache"}
            command = [sys.executable, "-m", "regc", "build", "un152", "--out", f"{folder}/out"]
            command += [word for target in TARGETS for word in ("--target", target)]
            command += ["--source", str(source)] if source else []
            cold.append(seconds(command, environment))
            warm.append(seconds(command, environment))
            shutil.rmtree(folder, ignore_errors=True)
    return {"cold": statistics.median(cold), "warm": statistics.median(warm)}


def measure_check(runs: int) -> dict[str, float]:
    """Median seconds of `regc check un131` without and with a cache."""
    cold: list[float] = []
    warm: list[float] = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            environment = os.environ | {"REGC_CACHE_DIR": folder}
            command = [sys.executable, "-m", "regc", "check", "un131"]
            cold.append(seconds(command, environment))
            warm.append(seconds(command, environment))
    return {"cold": statistics.median(cold), "warm": statistics.median(warm)}


def measure_help(runs: int) -> dict[str, float]:
    """Median seconds of `regc build --help`."""
    command = [sys.executable, "-m", "regc", "build", "--help"]
    return {"any": statistics.median(seconds(command, dict(os.environ)) for _ in range(runs))}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pdf", type=Path, help="an official PDF of UN R152 02")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    baseline = statistics.median(seconds([sys.executable, "-c", "pass"], dict(os.environ)) for _ in range(arguments.runs))
    found = {"embedded edition": measure(None, arguments.runs)}
    if arguments.pdf:
        found["PDF"] = measure(arguments.pdf, arguments.runs)
    found["check un131"] = measure_check(arguments.runs)
    found["build --help"] = measure_help(arguments.runs)
    if arguments.json:
        print(json.dumps({"baseline": baseline, "builds": found}, indent=2, sort_keys=True))
        return
    print(f"baseline, python -c pass: {baseline:.3f} s; targets: {', '.join(TARGETS)}; median of {arguments.runs}")
    for name, times in found.items():
        for kind, value in times.items():
            print(f"{name:<18} {kind:<5} {value:6.2f} s  {value / baseline:7.1f} x baseline")


if __name__ == "__main__":
    main()
