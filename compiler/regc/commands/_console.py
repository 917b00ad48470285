"""What commands print: findings like a good compiler's, progress on a terminal only, JSON for scripts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape

from regc.files import json_bytes
from regc.model.protocols import Progress
from regc.model.result import Finding

#: Findings of one code that are shown before the rest is counted.
_SHOWN = 3
_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_ORDER = {"error": 0, "warning": 1, "info": 2}


def console() -> Console:
    """Standard output, without wrapping when it is no terminal."""
    return Console(soft_wrap=not sys.stdout.isatty(), highlight=False)


def print_json(data: Any) -> None:
    """JSON to standard output, and nothing else."""
    sys.stdout.write(json_bytes(data).decode())


def print_findings(out: Console, findings: Iterable[Finding], *, every: bool = False) -> None:
    """Errors first; of many findings of one code the first few, and how many more there are."""
    ordered = sorted(findings, key=lambda finding: _ORDER[finding.severity])
    counts = Counter((finding.code, finding.severity) for finding in ordered)
    shown: Counter[tuple[str, str]] = Counter()
    for finding in ordered:
        key = (finding.code, finding.severity)
        shown[key] += 1
        if not every and shown[key] > _SHOWN:
            if shown[key] == counts[key]:
                out.print(f"  ... {counts[key] - _SHOWN} more {finding.code}; all are in findings.json")
            continue
        style = _STYLES[finding.severity]
        owner = f" ({finding.scenario})" if finding.scenario and finding.scenario not in finding.message else ""
        out.print(f"[{style}]{finding.severity} {finding.code}[/]: {escape(finding.message)}{escape(owner)}")
        if finding.excerpt:
            for line in finding.excerpt.splitlines():
                out.print(f"    | {escape(line)}")
        if finding.hint:
            out.print(f"    next: {escape(finding.hint)}  [dim](regc explain {finding.code})[/]")


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress line on a terminal; silence elsewhere."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    with Bar(
        TextColumn("{task.description:<22}"), BarColumn(), TimeElapsedColumn(), console=Console(stderr=True), transient=True
    ) as bar:
        task = bar.add_task("start", total=1)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=max(total, 1))
