"""Evidence recall, precision, tokens and time of retrieval systems on the same questions; scaling, grid, ablation, and their plots
(extra "plots").

The questions are those of a regulation's families with hand-written evidence, or a user's own to several regulations at once. Building
an index comes in as a callable.
"""

from __future__ import annotations

import csv
import io
import time
import tracemalloc
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from regc.errors import DataFileError, MissingExtraError, RegcError
from regc.model.chunk import Context, Query
from regc.model.document import Document
from regc.model.protocols import Retriever
from regc.model.source import Frozen

#: Share of a clause's text that must stand in a context for the clause to count as found (as for the witness of a question).
CLAUSE_SHARE = 0.75

#: (family, category, load state) -> ids of clauses, tables and footnotes.
Gold = dict[tuple[str, str, str], frozenset[str]]


class BenchQuestion(Frozen):
    """One wording of what is asked for a family."""

    family: str
    wording: str
    query: str


def read_questions(path: Path) -> tuple[BenchQuestion, ...]:
    """`family,wording,query`. Raises DataFileError."""
    rows = _rows(path, ("family", "wording", "query"))
    return tuple(BenchQuestion(family=row["family"], wording=row["wording"], query=row["query"]) for row in rows)


def read_gold(path: Path) -> Gold:
    """`family,category,load_kind,item,...`: the evidence of every family, category and load state. Raises DataFileError."""
    evidence: dict[tuple[str, str, str], set[str]] = {}
    for row in _rows(path, ("family", "category", "load_kind", "item")):
        evidence.setdefault((row["family"], row["category"], row["load_kind"]), set()).add(row["item"])
    return {key: frozenset(items) for key, items in evidence.items()}


def held(context: Context, document: Document) -> frozenset[str]:
    """Ids of the document's pieces that a context holds: tables and footnotes, and clauses of which it has at least 75 % of the
    text."""
    lengths: dict[str, int] = {}
    for item in context.items:
        if (item.regulation, item.edition) == (document.id, document.edition):
            length = len(item.clause.text) if item.clause else 0
            lengths[item.id] = max(lengths.get(item.id, 0), length)
    full = {clause.id: len(clause.text) for clause in document.clauses}
    return frozenset(id for id, length in lengths.items() if length >= CLAUSE_SHARE * full.get(id, 0))


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = [{key: value or "" for key, value in row.items() if key} for row in csv.DictReader(stream)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataFileError(f"{path.name}: {error}", hint=f"a CSV with the columns {', '.join(columns)}") from error
    missing = [column for column in columns if not rows or column not in rows[0]]
    if missing:
        raise DataFileError(f"{path.name}: no column {', '.join(missing)}", hint=f"a CSV with the columns {', '.join(columns)}")
    return rows


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
    in_context = held(context, task.document)
    pieces = {(item.regulation, item.edition, item.id) for item in context.items}
    return QuestionScore(
        family=question.family,
        wording=question.wording,
        recall=_share(wanted, in_context),
        cells={cell: _share(items, in_context) for cell, items in cells.items()},
        precision=len(wanted & in_context) / len(pieces) if pieces else 0.0,
        tokens=context.tokens,
        seconds=seconds,
        missed=tuple(sorted(wanted - in_context)),
    )


def _share(wanted: frozenset[str], got: frozenset[str]) -> float:
    return len(wanted & got) / len(wanted) if wanted else 0.0


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


#: What is plotted over the number of regulations: key of a summary, axis label.
SCALING = (
    ("recall", "evidence recall"),
    ("recall_worst", "evidence recall, worst wording"),
    ("f1", "scenario F1"),
    ("tokens", "tokens a query"),
    ("query_seconds", "s a query"),
    ("index_seconds", "s to index"),
    ("index_megabytes", "MB of index"),
)


def bars(summaries: Mapping[str, Mapping[str, float]]) -> bytes:
    """Mean and worst recall of every system as a PNG."""
    figure, axes = _figure(8, 0.4 * len(summaries) + 1.2)
    names = sorted((name for name in summaries if summaries[name]), key=lambda name: (summaries[name]["recall"], name))
    axes.barh(names, [summaries[name]["recall"] for name in names], color="#9db4d0", label="mean")
    axes.plot([summaries[name]["recall_worst"] for name in names], names, "k|", markersize=12, label="worst wording")
    axes.set_xlim(0, 1.02)
    axes.set_xlabel("evidence recall")
    axes.legend(loc="lower right")
    return _png(figure)


def lines(scaling: Mapping[str, Mapping[int, Mapping[str, float]]]) -> bytes:
    """Recall, tokens and time over the number of regulations, a line a system, as a PNG."""
    shown = [
        (key, label) for key, label in SCALING if any(key in summary for by_count in scaling.values() for summary in by_count.values())
    ]
    figure, grid = _pyplot().subplots(-(-len(shown) // 2), 2, figsize=(10, 3.5 * -(-len(shown) // 2)), squeeze=False)
    for axes in grid.flat[len(shown) :]:
        axes.set_axis_off()
    for axes, (key, label) in zip(grid.flat, shown, strict=False):
        for name, by_count in scaling.items():
            counts = [count for count in sorted(by_count) if key in by_count[count]]
            axes.plot(counts, [by_count[count][key] for count in counts], marker="o", markersize=3, label=name)
        axes.set_xlabel("regulations in the index")
        axes.set_ylabel(label)
    grid.flat[0].legend(fontsize=6)
    figure.tight_layout()
    return _png(figure)


def heat(cells: Sequence[GridSetting]) -> bytes:
    """Recall over top_k and chunk size as a PNG."""
    figure, axes = _figure(8, 4)
    ks = sorted({cell.top_k for cell in cells})
    sizes = sorted({cell.chunk_size for cell in cells})
    values = {(cell.top_k, cell.chunk_size): cell.recall for cell in cells}
    image = axes.imshow([[values.get((k, size), float("nan")) for size in sizes] for k in ks], cmap="viridis", vmin=0, vmax=1)
    axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
    axes.set_yticks(range(len(ks)), [str(k) for k in ks])
    axes.set_xlabel("chunk size (characters)")
    axes.set_ylabel("top_k")
    for row, k in enumerate(ks):
        for column, size in enumerate(sizes):
            if (k, size) in values:
                axes.text(column, row, f"{values[k, size]:.2f}", ha="center", va="center", color="white", fontsize=8)
    figure.colorbar(image, label="evidence recall")
    return _png(figure)


def _figure(width: float, height: float) -> tuple[Any, Any]:
    figure, axes = _pyplot().subplots(figsize=(width, height))
    figure.set_layout_engine("tight")
    return figure, axes


def _pyplot() -> Any:
    try:
        import matplotlib
    except ImportError as error:
        raise MissingExtraError("plots need matplotlib", extra="plots") from error
    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _png(figure: Any) -> bytes:
    stream = io.BytesIO()
    # no software version and no date in the file: the same figures give the same bytes
    figure.savefig(stream, format="png", dpi=120, metadata={"Software": None})
    _pyplot().close(figure)
    return stream.getvalue()


class Evidence(Frozen):
    """Ids of the clauses of one regulation that together answer a question."""

    regulation: str
    clauses: tuple[str, ...]


class UserQuestion(Frozen):
    """A question. `named`: it names a regulation or a vehicle category. `split`: "dev" was tuned on, of "held" the
    misses were looked at, "new" was asked once, after the last tuning."""

    id: str
    split: Literal["dev", "held", "new"]
    question: str
    named: bool
    evidence: tuple[Evidence, ...]


class Answer(Frozen):
    """What a system made of a question."""

    id: str
    recall: float
    tokens: int
    seconds: float


class Answers(Frozen):
    """A system on all questions. `skipped` says why it could not run."""

    system: str
    answers: tuple[Answer, ...] = ()
    skipped: str = ""

    def summary(self, questions: Sequence[UserQuestion]) -> dict[str, float]:
        """Means over the given questions of those that were asked: recall where they name something and where not, the worst, tokens,
        milliseconds of processor time (median)."""
        chosen = {question.id: question for question in questions}
        own = [answer for answer in self.answers if answer.id in chosen]
        if not own:
            return {}
        parts = {
            name: [one.recall for one in own if chosen[one.id].named is named] for name, named in (("named", True), ("free", False))
        }
        return {
            "questions": len(own),
            "recall": fmean(answer.recall for answer in own),
            **{name: fmean(recalls) for name, recalls in parts.items() if recalls},
            "worst": min(answer.recall for answer in own),
            "tokens": fmean(answer.tokens for answer in own),
            "tokens_max": max(answer.tokens for answer in own),
            "milliseconds": 1000 * median(answer.seconds for answer in own),
        }


def read_asked(path: Path) -> tuple[UserQuestion, ...]:
    """Questions, one JSON object a line. Raises DataFileError."""
    hint = "a line a question: id, split, question, named, evidence [{regulation, clauses}]"
    try:
        lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
        return tuple(TypeAdapter(UserQuestion).validate_json(line) for line in lines)
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        raise DataFileError(f"{path.name}: {error}", hint=hint) from error


def recall(context: Context, question: UserQuestion, documents: Mapping[str, Document]) -> float:
    """The share of the clauses of the best alternative that a context holds."""
    return max(
        (
            len(frozenset(one.clauses) & held(context, documents[one.regulation])) / len(set(one.clauses))
            for one in question.evidence
            if one.regulation in documents
        ),
        default=0.0,
    )


def askable(questions: Iterable[UserQuestion], documents: Mapping[str, Document]) -> tuple[UserQuestion, ...]:
    """The questions that at least one of the documents answers: all clauses of an alternative stand in it."""
    known = {id: {clause.id for clause in document.clauses} for id, document in documents.items()}
    return tuple(
        question
        for question in questions
        if any(set(one.clauses) <= known.get(one.regulation, set[str]()) for one in question.evidence)
    )


def ask_all(
    system: str, make: Callable[[], Retriever], questions: Sequence[UserQuestion], documents: Mapping[str, Document]
) -> Answers:
    """A system on every question, each asked twice so that the second time is warm. A system that cannot be built (an extra is missing)
    is skipped with the reason."""
    try:
        retriever = make()
    except RegcError as error:
        return Answers(system=system, skipped=str(error))
    answers: list[Answer] = []
    for question in questions:
        query = Query(text=question.question)
        retriever.retrieve(query)
        start = time.process_time()
        context = retriever.retrieve(query)
        seconds = time.process_time() - start
        answers.append(Answer(id=question.id, recall=recall(context, question, documents), tokens=context.tokens, seconds=seconds))
    return Answers(system=system, answers=tuple(answers))
