"""What commands print: findings like a good compiler's, progress on a terminal only, JSON for scripts."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape

from regc.catalogue import codes
from regc.files import json_bytes
from regc.model.document import Footnote, Table
from regc.model.protocols import Progress
from regc.model.result import Finding

#: Characters a line where standard output is no terminal.
_WIDE = 180
#: Findings of one code that are shown before the rest is counted.
_SHOWN = 3
_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_ORDER = {"error": 0, "warning": 1, "info": 2}


def console(*, stderr: bool = False) -> Console:
    """Standard output or error; where it is no terminal, wide enough that no table is squeezed."""
    terminal = (sys.stderr if stderr else sys.stdout).isatty()
    return Console(soft_wrap=not terminal, highlight=False, width=None if terminal else _WIDE, stderr=stderr)


def print_json(data: Any) -> None:
    """JSON to standard output, and nothing else: in UTF-8 wherever it goes into a file or a pipe."""
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None or sys.stdout.isatty():
        sys.stdout.write(json_bytes(data).decode())
        return
    sys.stdout.flush()
    raw.write(json_bytes(data))


def print_findings(out: Console, findings: Iterable[Finding], *, every: bool = False, rest: str = "all are in findings.json") -> None:
    """Errors first; of many findings of one code the first few, and how many more there are; one that several scenarios share is
    shown once, notes once a code. `rest` says where those stand that are not shown."""
    ordered = sorted(findings, key=lambda finding: _ORDER[finding.severity])
    if not every:
        _notes(out, [finding for finding in ordered if finding.severity == "info"])
        ordered = [finding for finding in ordered if finding.severity != "info"]
    # what all tests share is wrong in all of them, and is shown once
    same = Counter((finding.code, finding.message) for finding in ordered)
    if not every:
        ordered = list({(finding.code, finding.message): finding for finding in reversed(ordered)}.values())[::-1]
    counts = Counter((finding.code, finding.severity) for finding in ordered)
    shown: Counter[tuple[str, str]] = Counter()
    for finding in ordered:
        key = (finding.code, finding.severity)
        shown[key] += 1
        if not every and shown[key] > _SHOWN:
            if shown[key] == counts[key]:
                out.print(f"  ... {counts[key] - _SHOWN} more {finding.code}; {rest}")
            continue
        style = _STYLES[finding.severity]
        more = same[finding.code, finding.message] - 1
        others = f" and {more} more" if more and not every else ""
        owner = f" ({finding.scenario}{others})" if finding.scenario and finding.scenario not in finding.message else ""
        out.print(f"[{style}]{finding.severity} {finding.code}[/]: {escape(finding.message)}{escape(owner)}")
        if finding.place and finding.place not in finding.message:
            out.print(f"    at {escape(finding.place)}")
        if finding.excerpt:
            for line in finding.excerpt.splitlines():
                out.print(f"    | {escape(line)}")
        if finding.hint:
            out.print(f"    next: {escape(finding.hint)}  [dim](regc explain {finding.code})[/]")


def _notes(out: Console, notes: list[Finding]) -> None:
    """Assumptions and the like: one line a code, with its title and one of them."""
    titles = codes()
    for code, count in Counter(finding.code for finding in notes).items():
        first = next(finding for finding in notes if finding.code == code)
        title = titles[code].title if code in titles else first.message
        out.print(f"[cyan]note {code}[/]: {count} x {escape(title)}, such as: {escape(first.message)}  [dim](regc explain {code})[/]")


@contextmanager
def progress() -> Iterator[Progress]:
    """A progress line on a terminal; silence elsewhere."""
    if not sys.stderr.isatty():
        yield lambda what, done, total: None
        return
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description:<22}"), BarColumn(), TimeElapsedColumn())
    # drawn at each step and by no thread of its own: with one, no second process is made
    with Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("start", total=1)
        yield lambda what, done, total: bar.update(task, description=what, completed=done, total=max(total, 1), refresh=True)


def draw_table(out: Console, table: Table, footnotes: Iterable[Footnote]) -> None:
    """The table, and each of the footnotes in a box."""
    from rich.panel import Panel
    from rich.table import Table as Drawn

    drawn = Drawn(title=table.caption, caption=table.unit_note)
    for index in range(len(table.columns)):
        drawn.add_column(escape("\n".join(table.columns[index])), justify="right" if index else "left")
    for row in table.rows:
        drawn.add_row(*(escape(cell.text) for cell in row))
    out.print(drawn, soft_wrap=False)
    for note in footnotes:
        out.print(Panel(escape(note.text), title=f"footnote {note.marker}", title_align="left", width=100), soft_wrap=False)
