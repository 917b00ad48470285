"""How cost grows: processor time and memory for 180, 1,800 and 18,000 tests, and for 1, 8 and 40 documents.

    python bench/scale.py [--tests 180 1800 18000] [--documents 1 8 40] [--targets text csv] [--json]

The regulation is invented here: one clause of requirements with a limit table of 90 rows and two load states, and one clause of a test,
for every 180 tests. Each size runs in a process of its own without a cache. `growth` is the time beside that of the size before, as a
share of what n log n allows: above 1 a step grows faster. Sizes below 0.2 s are not compared.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 90
PER_CLAUSE = 2 * ROWS
#: s; what is shorter says more of the clock than of the code.
LEAST = 0.2

_HEAD = """# Rules of an invented park

These are Park Rules No. 1.

# 1. Scope

These rules hold for shuttles.

# 2. Tests in general

2.1. The path shall have a peak braking coefficient of at least 0.7.

"""

_PROFILE = """id = "park"
edition = "1"
stem = "PARK"
number = "1"
title = "Park Rules No. 1"
title_words = ["Park Rules No. 1"]
text = "rules.md"
scope = ["2", "3", "4"]

[axis.load]
crowded = { words = "crowded", set = { mass = "max" } }
empty = { words = "empty", set = { mass = "run" } }

[all]
conditions.friction = "[2.1: coefficient of]"

"""


def requirement(number: int) -> str:
    """A clause with a limit table of 90 rows: 10 to 99 km/h, the limit a third of the speed above 40 km/h."""
    rows = "".join(
        f"<tr><td>{speed}</td><td>{max(0, speed - 40) / 3 + 0.01 * (number % 7):.2f}</td><td>{max(0, speed - 50) / 3:.2f}</td></tr>\n"
        for speed in range(10, 10 + ROWS)
    )
    return (
        f"## 3.{number}. Carts of kind {number}\n\n"
        f"The speed that is left against a cart of kind {number} shall not exceed the following table.\n\n"
        "<table>\n<tr><th>Closing speed (km/h)</th><th>Crowded</th><th>Empty</th></tr>\n"
        f"{rows}</table>\n\nAll values in km/h\n\n"
    )


def procedure(number: int) -> str:
    """The clause of the test."""
    return (
        f"## 4.{number}. Trial with carts of kind {number}\n\n"
        "The shuttle shall roll towards the stationary cart in a straight line for at least 3 seconds, with an offset of not more "
        f"than 0.25 m. The trial shall be driven at the speed of 20 km/h (with a tolerance of +0/-1 km/h). The park may add any other "
        f"speeds of the table in 3.{number}.\n\n"
        "When the trial proper begins, the time to collision shall be at least 5 seconds.\n\n"
    )


def test(number: int) -> str:
    """Its part of the profile."""
    return f"""[table.limit{number}]
at = "3.{number}"
columns = "load"
between.next_higher = "[3.{number}: shall not exceed]"

[[test]]
name = "cart{number}"
token = "Cart{number}"
at = "4.{number}"
req = "3.{number}"
manoeuvre = "in_lane"
vary = ["load"]
bind.subject = ["[at: at the speed of]"]
bind.target = "[at: _ cart]"
bind.straight_time = "[at: straight line]"
bind.offset = "[at: offset]"
bind.ttc = "[at: time to collision]"
tol.subject = "[at: with a tolerance of]"
said = "[at: The trial shall be driven]"
further = {{ relative = "rows(limit{number})", status = "option", said = "[at: any other speeds]", borrow = true }}
require.impact = "impact_speed <= limit{number}[relative]"
actors.target = "object [at: cart]"

"""


def regulation(folder: Path, tests: int) -> Path:
    """A folder with a profile and a text that give so many tests."""
    clauses = range(1, max(1, round(tests / PER_CLAUSE)) + 1)
    folder.mkdir(parents=True, exist_ok=True)
    text = [_HEAD, "# 3. Requirements\n\n", *map(requirement, clauses), "# 4. Trials\n\n", *map(procedure, clauses)]
    (folder / "rules.md").write_text("".join(text), "utf-8")
    (folder / "profile.toml").write_text(_PROFILE + "".join(map(test, clauses)), "utf-8")
    return folder


class Clock:
    """Seconds of processor time by step, from the pipeline's progress."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self._step, self._since = "start", time.process_time()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.process_time()
        self.steps[self._step] = self.steps.get(self._step, 0.0) + now - self._since
        self._step, self._since = what, now


def measure_tests(count: int, targets: list[str], folder: Path) -> dict[str, float]:
    """One build of a regulation with so many tests."""
    from regc import Request, build
    from regc.plugins import TARGETS

    clock = Clock()
    chosen = {name: TARGETS.load(name).Options() for name in targets}
    built = build(Request(str(regulation(folder / "park", count)), targets=chosen), folder / "out", clock)
    clock("end", 0, 0)
    assert len(built.compiled.suite.scenarios) == count, len(built.compiled.suite.scenarios)
    assert built.verified is not None
    assert not built.verified.differences, built.verified.differences[:3]
    return {name: seconds for name, seconds in clock.steps.items() if name != "start"}


def measure_documents(count: int, folder: Path) -> dict[str, float]:
    """So many documents (each 1,800 tests' text): read, linked, cut into passages, a retriever over all of them, and one question."""
    from regc.link import link
    from regc.model.chunk import Corpus, Query
    from regc.plugins import RETRIEVERS
    from regc.readers import markdown
    from regc.research.chunks import enrich

    clock = Clock()
    corpora = []
    for number in range(count):
        clock("read", number, count)
        path = regulation(folder / str(number), 10 * PER_CLAUSE) / "rules.md"
        document = markdown.read(path, path.read_bytes(), regulation=f"park{number}", edition="1", title="", wording="embedded")
        clock("link", number, count)
        graph, _ = link(document)
        clock("cut into passages", number, count)
        corpora.append(Corpus(document=document, graph=graph, chunks=enrich(document, graph)))
    clock("index", 0, 1)
    retriever = RETRIEVERS.load("regc")
    made = retriever.build(corpora, embedder=None, llm=None, options=retriever.Options())
    clock("one question", 0, 1)
    made.retrieve(Query(text="trial with carts of kind 7: speeds, tolerance, speed that is left"))
    clock("end", 0, 0)
    return {name: seconds for name, seconds in clock.steps.items() if name != "start"}


def child(kind: str, count: int, targets: list[str]) -> None:
    """Measure one size in this process and print it as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["REGC_CACHE_DIR"] = f"{folder}/cache"
        steps = measure_tests(count, targets, Path(folder)) if kind == "tests" else measure_documents(count, Path(folder))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(json.dumps({"steps": steps, "MB": peak / 1e6}))


def growth(before: float, after: float, small: int, large: int) -> float | None:
    """Time of the larger size as a share of what n log n allows from the smaller; None below the least time."""
    if after < LEAST or before <= 0:
        return None
    # a document has many parts, so that n log n of 1 is not 0
    allowed = large * math.log2(100 * large) / (small * math.log2(100 * small))
    return after / (max(before, LEAST / 10) * allowed)


def table(kind: str, sizes: list[int], found: list[dict[str, object]]) -> None:
    """Seconds of each step by size, and the growth between sizes."""
    columns = [f"{size:,}" for size in sizes]
    heads = "".join(f"{column:>12}" for column in columns) + "".join(f"{f'growth {column}':>16}" for column in columns[1:])
    print(f"{kind + ' (s of processor time)':<32}{heads}")
    steps: list[dict[str, float]] = [item["steps"] for item in found]  # type: ignore[misc]
    for name in steps[0]:
        times = [step[name] for step in steps]
        line = "".join(f"{seconds:>12.2f}" for seconds in times)
        for at in range(1, len(sizes)):
            share = growth(times[at - 1], times[at], sizes[at - 1], sizes[at])
            line += f"{'-' if share is None else f'{share:.2f}':>16}"
        print(f"{name:<32}{line}")
    print(f"{'all':<32}" + "".join(f"{sum(step.values()):>12.2f}" for step in steps))
    print(f"{'memory (MB)':<32}" + "".join(f"{item['MB']:>12.0f}" for item in found) + "\n")


def main() -> None:
    """Print a table for tests and one for documents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tests", type=int, nargs="*", default=[180, 1800, 18000], help="multiples of 180")
    parser.add_argument("--documents", type=int, nargs="*", default=[1, 8, 40])
    parser.add_argument("--targets", nargs="*", default=["text", "csv"])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        child(arguments.child[0], int(arguments.child[1]), arguments.targets)
        return
    every: dict[str, dict[int, object]] = {}
    for kind, sizes in (("tests", arguments.tests), ("documents", arguments.documents)):
        found = []
        for size in sizes:
            call = [sys.executable, __file__, "--child", kind, str(size), "--targets", *arguments.targets]
            found.append(json.loads(subprocess.run(call, check=True, capture_output=True, text=True).stdout))
        every[kind] = dict(zip(sizes, found, strict=True))
        if not arguments.json and sizes:
            table(kind, sizes, found)
    if arguments.json:
        print(json.dumps(every, indent=2, sort_keys=True))


if __name__ == "__main__":
    main()
