"""From what a system found to a Context: de-duplicated by id, in canonical regulation order, its tokens counted (an estimate for
budgets, tiktoken's count for reports where its file is at hand)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from regc.model.chunk import (
    Context,
    ContextItem,
    Corpus,
    LeftOut,
    Query,
    clause_markdown,
    footnote_markdown,
    table_html,
    table_markdown,
)
from regc.model.document import Clause, Footnote, Item, Table, canonical_order
from regc.model.result import Finding


@dataclass(frozen=True)
class Part:
    """A found node of a corpus: the whole of it, or only the characters of the given ranges of a clause's text."""

    corpus: int
    node: str
    ranges: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class Shelf:
    """A corpus with its pieces by id, their order, and what each costs."""

    corpus: Corpus
    clauses: dict[str, Clause] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    footnotes: dict[str, Footnote] = field(default_factory=dict)
    order: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, corpus: Corpus) -> Shelf:
        """The shelf of a corpus."""
        document = corpus.document
        return cls(
            corpus,
            {clause.id: clause for clause in document.clauses},
            {table.id: table for table in document.tables},
            {footnote.id: footnote for footnote in document.footnotes},
            canonical_order(document),
        )

    def has(self, node: str) -> bool:
        """Whether the node is a piece of this document (an external document is none)."""
        return node in self.clauses or node in self.tables or node in self.footnotes

    def item(self, part: Part, *, html: bool = False) -> ContextItem:
        """The context item of a part; `html` writes tables as HTML instead of pipe tables."""
        document, node = self.corpus.document, part.node
        if clause := self.clauses.get(node):
            shown = clause if part.ranges is None else excerpt(clause, part.ranges)
            return ContextItem(
                regulation=document.id, edition=document.edition, id=node, kind="clause", text=clause_markdown(shown), clause=shown
            )
        if table := self.tables.get(node):
            text = table_html(table) if html else table_markdown(table)
            return ContextItem(regulation=document.id, edition=document.edition, id=node, kind="table", text=text, table=table)
        footnote = self.footnotes[node]
        return ContextItem(
            regulation=document.id,
            edition=document.edition,
            id=node,
            kind="footnote",
            text=footnote_markdown(footnote),
            footnote=footnote,
        )


def excerpt(clause: Clause, ranges: Iterable[tuple[int, int]]) -> Clause:
    """A clause with only these ranges of its text, joined by newlines; items that fall in whole keep their places."""
    text, items = "", list[Item]()
    for start, end in merged(ranges):
        shift = len(text) + (1 if text else 0) - start
        items.extend(
            item.model_copy(update={"start": item.start + shift, "end": item.end + shift})
            for item in clause.items
            if start <= item.start and item.end <= end
        )
        text += ("\n" if text else "") + clause.text[start:end]
    if text == clause.text:
        return clause
    return clause.model_copy(update={"text": text, "items": tuple(items), "lines": ()})


def merged(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order, those that overlap, touch or leave only a space between them joined."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1] + 2:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def assemble(
    query: Query,
    shelves: Sequence[Shelf],
    parts: Iterable[Part],
    *,
    deduplicate: bool = True,
    ordered: bool = True,
    html: bool = False,
    left_out: Iterable[LeftOut] = (),
    findings: Iterable[Finding] = (),
    why: Mapping[tuple[int, str], tuple[int, str]] | None = None,
) -> Context:
    """The context of the parts; `why` says of a part's corpus and node its rank and why it was chosen. Without `deduplicate` a piece
    found twice stands twice; without `ordered` in the order found."""
    known = [part for part in parts if shelves[part.corpus].has(part.node)]
    if deduplicate:
        known = _once(known)
    if ordered:
        rank = regulation_rank(shelves)
        known.sort(key=lambda part: (rank[part.corpus], shelves[part.corpus].order[part.node], part.ranges or ()))
    made = (shelves[part.corpus].item(part, html=html) for part in known)
    reasons = why or {}
    items = tuple(
        item.model_copy(update=dict(zip(("rank", "why"), reasons[part.corpus, part.node], strict=True)))
        if (part.corpus, part.node) in reasons
        else item
        for part, item in zip(known, made, strict=True)
    )
    tokenizer, count = counter()
    return Context(
        query=query.text,
        items=items,
        tokens=sum(count(item.text) for item in items),
        tokenizer=tokenizer,
        left_out=tuple(left_out),
        findings=tuple(findings),
    )


def regulation_rank(shelves: Sequence[Shelf]) -> dict[int, int]:
    """The place of each corpus when regulations stand after each other by id and edition."""
    by_name = sorted(range(len(shelves)), key=lambda at: (shelves[at].corpus.document.id, shelves[at].corpus.document.edition, at))
    return {corpus: rank for rank, corpus in enumerate(by_name)}


def _once(parts: list[Part]) -> list[Part]:
    by_id: dict[tuple[int, str], Part] = {}
    for part in parts:
        key = (part.corpus, part.node)
        known = by_id.get(key)
        if known is None:
            by_id[key] = part
        elif known.ranges is not None:
            both = None if part.ranges is None else tuple(merged((*known.ranges, *part.ranges)))
            by_id[key] = Part(part.corpus, part.node, both)
    return list(by_id.values())


#: What the estimate counts, said in `Context.tokenizer`. On regulations it is up to 12 % above cl100k for text, 2 % below for tables.
ESTIMATE = "estimate: a word of up to 8 letters, 3 digits or 2 signs are 1 token"
ENCODING = "cl100k_base"
#: The name under which tiktoken keeps that encoding's file: the SHA-1 of its address.
ENCODING_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"

_COUNTED = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]+")


def estimate(text: str) -> int:
    """The estimated number of tokens; the same on every machine, so budgets are kept by it."""
    total = 0
    for piece in _COUNTED.findall(text):
        if piece.isalpha():
            total += 1 + (len(piece) - 1) // 8
        elif piece.isdigit():
            total += 1 + (len(piece) - 1) // 3
        else:
            total += 1 + (len(piece) - 1) // 2
    return total


def counter() -> tuple[str, Callable[[str], int]]:
    """The tokenizer's name and its count: tiktoken where it is installed and TIKTOKEN_CACHE_DIR holds its file (nothing is fetched),
    else the estimate."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if folder and Path(folder, ENCODING_FILE).is_file() and (encode := _encoder(folder)):
        return ENCODING, lambda text: len(encode(text))
    return ESTIMATE, estimate


@lru_cache(maxsize=2)
def _encoder(folder: str) -> Callable[[str], list[int]] | None:
    try:
        import tiktoken
    except ImportError:
        return None
    encode: Callable[[str], list[int]] = tiktoken.get_encoding(ENCODING).encode_ordinary
    return encode
