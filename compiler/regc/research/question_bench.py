"""Normative question answering: question and witness pairs cut from documents, and how well rankings hold the witnesses.

Windows for questions are cut by sentences over the running text of a document, independently of any index's own units. Questions
come from a language model or, offline, from a deterministic cloze maker over sentences with a modal verb and a figure.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from statistics import fmean
from typing import Any, Protocol, runtime_checkable

from regc.errors import LLMError
from regc.model.chunk import Query
from regc.model.document import Document
from regc.model.protocols import LLM
from regc.model.source import Frozen

#: The offline method's name in the output.
CLOZE = "cloze: figures of a sentence with a modal verb left out"
#: Words of a window, and by how many the next one is moved on.
WINDOW, STEP = 160, 110

_SENTENCE = re.compile(r"(?<=[.;:])\s+(?=[A-Z(\"“])|\n+")
_MODAL = re.compile(r"\b(?:shall|must|should|may not|may only)\b", re.IGNORECASE)
_FIGURE = re.compile(
    r"(?<![\w.])[+\-±]?\d+(?:[.,]\d+)?(?!\.\d)\s*"
    r"(?:km/h|m/s2?|m/s²|per cent|%|°\s?C|seconds?|minutes?|hours?|years?|mm|cm|km|kg|lux|Hz|N|m|s)\b"
)

#: Share of the witness that must stand in a chunk in one piece.
WITNESS_SHARE = 0.75


def normalise(text: str) -> str:
    """Lower case, every run of white space one blank."""
    return re.sub(r"\s+", " ", text).strip().lower()


def holds_witness(chunk: str, witness: str, share: float = WITNESS_SHARE) -> bool:
    """Whether the longest common substring of both, normalised, is at least `share` of the normalised witness's length.

    An empty witness is held by nothing.
    """
    chunk, witness = normalise(chunk), normalise(witness)
    if not witness:
        return False
    length = max(1, math.ceil(share * len(witness) - 1e-9))
    return any(witness[start : start + length] in chunk for start in range(len(witness) - length + 1))


def average_precision_at(relevant: Sequence[bool], k: int) -> float:
    """Mean of the precision at each of the first k ranks that holds a relevant item, over the relevant items found; 0 if none."""
    ranks = [rank for rank, hit in enumerate(relevant[:k], start=1) if hit]
    return sum(count / rank for count, rank in enumerate(ranks, start=1)) / len(ranks) if ranks else 0.0


def reciprocal_rank_at(relevant: Sequence[bool], k: int) -> float:
    """1 / rank of the first relevant item among the first k; 0 if none. MRR is its mean over questions."""
    return next((1 / rank for rank, hit in enumerate(relevant[:k], start=1) if hit), 0.0)


#: What the language model is asked for.
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}, "answer": {"type": "string"}, "witness": {"type": "string"}},
    "required": ["question", "answer", "witness"],
    "additionalProperties": False,
}


class Pair(Frozen):
    """A question, its answer, and the verbatim words of the document that hold it."""

    regulation: str
    question: str
    answer: str
    witness: str


def pairs(documents: Sequence[Document], llm: LLM | None, *, per_document: int = 20) -> tuple[tuple[Pair, ...], str]:
    """At most `per_document` pairs of each document, evenly spread over it, and the name of the method."""
    made_pairs: list[Pair] = []
    for document in documents:
        windows = windows_of(document)
        if llm is None:
            made = list({pair.witness: pair for window in windows for pair in cloze(document.id, window)}.values())
            made_pairs += spread(made, per_document)
        else:
            asked = (ask(document.id, window, llm) for window in spread(windows, per_document))
            made_pairs += [pair for pair in asked if pair]
    return tuple(made_pairs), CLOZE if llm is None else f"language model {llm.name}"


def windows_of(document: Document) -> list[str]:
    """Overlapping windows of whole sentences over the running text, in the document's order."""
    sentences = [sentence for clause in document.clauses for sentence in _SENTENCE.split(clause.text) if sentence.strip()]
    windows: list[str] = []
    start = 0
    while start < len(sentences):
        end, length = start, 0
        while end < len(sentences) and (length < WINDOW or end == start):
            length += len(sentences[end].split())
            end += 1
        windows.append("\n".join(sentences[start:end]))
        passed = 0
        while start < end and passed < STEP:
            passed += len(sentences[start].split())
            start += 1
    return windows


def cloze(regulation: str, window: str) -> list[Pair]:
    """A pair for each sentence of a window with a modal verb and a figure with a unit: the figures are what is asked."""
    clozes: list[Pair] = []
    for sentence in window.split("\n"):
        figures = [match.group(0).strip() for match in _FIGURE.finditer(sentence)]
        if figures and _MODAL.search(sentence) and 8 <= len(sentence.split()) <= 80:
            question = re.sub(r"\s+", " ", _FIGURE.sub("which value", sentence)).strip(" .;:")
            clozes.append(Pair(regulation=regulation, question=f"{question}?", answer=", ".join(figures), witness=sentence.strip()))
    return clozes


def ask(regulation: str, window: str, llm: LLM) -> Pair | None:
    """A pair by the language model; None when its answer does not fit or its witness does not stand in the window verbatim."""
    messages = [
        {
            "role": "system",
            "content": "Write one question that only this passage of a regulation answers, in words of your own, the short answer, and "
            "as witness the exact words of the passage that hold the answer.",
        },
        {"role": "user", "content": window},
    ]
    try:
        made = json.loads(llm.complete(messages, schema=SCHEMA, label="qa").text)
        pair = Pair(regulation=regulation, question=made["question"], answer=made["answer"], witness=made["witness"])
    except (LLMError, ValueError, KeyError, TypeError):
        return None
    return pair if pair.witness.strip() and pair.witness in window and pair.question.strip() else None


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """`count` of the items at even distances, all when there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[index * len(items) // count] for index in range(count)]


@runtime_checkable
class RankingRetriever(Protocol):
    """A retriever that ranks passages."""

    def passages(self, query: Query, limit: int) -> Sequence[str]:
        """The texts of the `limit` best passages, best first."""
        ...

    def texts(self) -> Sequence[str]:
        """Every passage of the index."""
        ...


class QaRow(Frozen):
    """A system's means over all questions: R@K, AP@K and MRR@K by K."""

    system: str
    recall: dict[int, float] = {}
    precision: dict[int, float] = {}
    reciprocal: dict[int, float] = {}

    def by_name(self) -> dict[str, float]:
        """All means by their usual names ("R@5")."""
        named = (("R", self.recall), ("AP", self.precision), ("MRR", self.reciprocal))
        return {f"{name}@{k}": value for name, values in named for k, value in values.items()}


def in_every_index(asked: Sequence[Pair], indexes: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    """The pairs whose witness stands in at least one passage of every index."""
    return tuple(pair for pair in asked if all(any(holds_witness(text, pair.witness) for text in texts) for texts in indexes))


def judge(system: str, ranked: RankingRetriever, asked: Sequence[Pair], at: Sequence[int] = (5, 10, 20)) -> QaRow:
    """A ranking on all questions."""
    flags = [[holds_witness(text, pair.witness) for text in ranked.passages(Query(text=pair.question), max(at))] for pair in asked]
    return QaRow(
        system=system,
        recall={k: fmean(float(any(row[:k])) for row in flags) if flags else 0.0 for k in at},
        precision={k: fmean(average_precision_at(row, k) for row in flags) if flags else 0.0 for k in at},
        reciprocal={k: fmean(reciprocal_rank_at(row, k) for row in flags) if flags else 0.0 for k in at},
    )
