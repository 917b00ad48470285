"""Evidence recall, precision, tokens and time of retrieval systems on the same questions; scaling, grid and ablation.

Everything that belongs to a stage (building an index, scoring contexts) comes in as a callable.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, pstdev

from regc.errors import RegcError
from regc.model.chunk import Context, Query
from regc.model.document import Document
from regc.model.protocols import Retriever
from regc.model.source import Frozen
from regc.research.bench.evidence import BenchQuestion, Gold, held


class QuestionScore(Frozen):
    """One question to one system. `recall` over all evidence of the family, `cells` by "category load state"."""

    family: str
    wording: str
    recall: float
    cells: dict[str, float]
    precision: float
    tokens: int
    seconds: float
    missed: tuple[str, ...]


class SystemScore(Frozen):
    """A system on all questions. `skipped` says why it could not run."""

    system: str
    index_seconds: float = 0.0
    index_bytes: int | None = None
    rows: tuple[QuestionScore, ...] = ()
    skipped: str = ""

    def summary(self) -> dict[str, float]:
        """Means over all questions, the spread of recall over wordings, and the worst wording."""
        if not self.rows:
            return {}
        recalls = [row.recall for row in self.rows]
        spreads = [pstdev(row.recall for row in self.rows if row.family == family) for family in {row.family for row in self.rows}]
        return {
            "recall": fmean(recalls),
            "recall_worst": min(recalls),
            "recall_spread": fmean(spreads),
            "recall_worst_cell": min((value for row in self.rows for value in row.cells.values()), default=0.0),
            "precision": fmean(row.precision for row in self.rows),
            "tokens": fmean(row.tokens for row in self.rows),
            "tokens_max": max(row.tokens for row in self.rows),
            "query_seconds": fmean(row.seconds for row in self.rows),
            "index_seconds": self.index_seconds,
            **({} if self.index_bytes is None else {"index_megabytes": self.index_bytes / 1e6}),
        }


@dataclass(frozen=True)
class Task:
    """What is asked and what is right."""

    document: Document
    questions: tuple[BenchQuestion, ...]
    gold: Gold

    def evidence(self, family: str) -> dict[str, frozenset[str]]:
        """The evidence of a family by "category load state"."""
        return {f"{category} {load}".strip(): items for (name, category, load), items in self.gold.items() if name == family}


def measure(system: str, make: Callable[[], Retriever], task: Task, *, memory: bool = False) -> SystemScore:
    """A system on every question of the task. A system that cannot be built (an extra is missing) is skipped with the reason.

    With `memory` the index is built a second time under tracemalloc, and the bytes that it holds are reported.
    """
    try:
        start = time.perf_counter()
        retriever = make()
        index_seconds = time.perf_counter() - start
    except RegcError as error:
        return SystemScore(system=system, skipped=f"{error} ({error.hint})" if error.hint else str(error))
    retriever.retrieve(Query(text=task.questions[0].query))
    rows: list[QuestionScore] = []
    for question in task.questions:
        start = time.perf_counter()
        context = retriever.retrieve(Query(text=question.query))
        seconds = time.perf_counter() - start
        rows.append(_row(question, context, task, seconds))
    return SystemScore(
        system=system,
        index_seconds=index_seconds,
        index_bytes=index_bytes(make) if memory else None,
        rows=tuple(rows),
    )


def index_bytes(make: Callable[[], Retriever]) -> int:
    """Bytes that an index holds after it is built."""
    tracemalloc.start()
    try:
        kept = make()
        size, _ = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return size


def _row(question: BenchQuestion, context: Context, task: Task, seconds: float) -> QuestionScore:
    cells = task.evidence(question.family)
    wanted = frozenset[str]().union(*cells.values())
    found = held(context, task.document)
    pieces = {(item.regulation, item.edition, item.id) for item in context.items}
    return QuestionScore(
        family=question.family,
        wording=question.wording,
        recall=_share(wanted, found),
        cells={cell: _share(items, found) for cell, items in cells.items()},
        precision=len(wanted & found) / len(pieces) if pieces else 0.0,
        tokens=context.tokens,
        seconds=seconds,
        missed=tuple(sorted(wanted - found)),
    )


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else 0.0


class GridSetting(Frozen):
    """One setting of the grid."""

    top_k: int
    chunk_size: int
    recall: float
    tokens: float


def grid(
    make: Callable[[int, int], Callable[[], Retriever]], task: Task, top_k: Sequence[int], chunk_size: Sequence[int]
) -> tuple[GridSetting, ...]:
    """Recall and tokens for every top_k and chunk size; `make(top_k, chunk_size)` gives the builder of a retriever."""
    cells: list[GridSetting] = []
    for size in chunk_size:
        for k in top_k:
            summary = measure(f"{k}/{size}", make(k, size), task).summary()
            if summary:
                cells.append(GridSetting(top_k=k, chunk_size=size, recall=summary["recall"], tokens=summary["tokens"]))
    return tuple(cells)
