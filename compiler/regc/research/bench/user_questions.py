"""Questions in a user's words to several regulations at once, and what of their evidence a context holds.

A question may fit more than one regulation: its evidence is a list of alternatives, and the best held one counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from regc.errors import DataFileError, RegcError
from regc.model.chunk import Context, Query
from regc.model.document import Document
from regc.model.protocols import Retriever
from regc.model.source import Frozen
from regc.research.bench.evidence import held


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
    found: list[Answer] = []
    for question in questions:
        query = Query(text=question.question)
        retriever.retrieve(query)
        start = time.process_time()
        context = retriever.retrieve(query)
        seconds = time.process_time() - start
        found.append(Answer(id=question.id, recall=recall(context, question, documents), tokens=context.tokens, seconds=seconds))
    return Answers(system=system, answers=tuple(found))
