"""The sweep of `regc simulate --grid`: from its flags to a table of results."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regc import assumed
from regc.model.protocols import Progress
from regc.model.result import Checked
from regc.model.scenario import Scenario


def run_sweep(
    checked: Checked,
    suite: Sequence[Scenario],
    grid: Path,
    folder: Path,
    backend: Any,
    cluster: str,
    jobs: int,
    data_files: tuple[Path | None, Path | None],
    watch: Progress,
) -> tuple[Path, dict[str, int]]:
    """The table's path and how many runs had which verdict. `suite`: all scenarios of the edition, for its limit tables.
    `data_files`: of vehicles and of targets."""
    from regc.simulate.kinematic import Assumptions
    from regc.simulate.sweep import read_grid, sweep

    data = Assumptions(assumed.vehicles(data_files[0]), assumed.targets(data_files[1]))
    table = sweep(
        checked.scenarios, data, read_grid(grid), folder, backend=backend, jobs=jobs, cluster=cluster, suite=suite, progress=watch
    )
    with table.open(encoding="utf-8", newline="") as stream:
        counts = Counter(row["verdict"] for row in csv.DictReader(stream))
    return table, dict(sorted(counts.items()))
