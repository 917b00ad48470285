"""HippoRAG: open triples to an entity graph with synonym edges, personalised PageRank from the query's entities, passages by score.

After the method's description (the package cannot be installed beside ours). Triples come from the language model, or from noun
phrases where none is configured.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
from pydantic import BaseModel, Field

from regc.errors import LLMError
from regc.model.chunk import Context, Corpus, Query, ScoredChunk
from regc.model.protocols import LLM, Embedder, Retriever
from regc.research.retrieve.chunk_store import ChunkStore, empty_query
from regc.retrieve.lexical import STOPWORDS, stem
from regc.retrieve.vectors import Dense, needed

#: Rows of the similarity matrix that are computed at a time (bounds memory).
BLOCK = 1024


class Options(BaseModel):
    """`top_k` passages; `damping` of the PageRank; entities with a cosine of at least `synonym` are joined; `links` nearest
    entities stand for a phrase of the query that the graph does not have."""

    top_k: int = Field(default=30, ge=1)
    damping: float = Field(default=0.5, gt=0, lt=1)
    synonym: float = Field(default=0.8, ge=0, le=1)
    links: int = Field(default=3, ge=1)


class HippoRag:
    """Entities (names) and passages (numbers) in one graph: facts, synonyms, and who mentions whom."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, llm: LLM | None, options: Options) -> None:
        self._options = options
        self._store = ChunkStore(corpora)
        self._graph: nx.Graph = nx.Graph()
        mentioned_in: Counter[str] = Counter()
        for number, text in enumerate(self._store.texts):
            mentions: Counter[str] = Counter()
            for subject, _, other in triples_of(text, llm):
                mentions.update((subject, other))
                self._link(subject, other, 1.0)
            for entity, count in sorted(mentions.items()):
                self._link(entity, number, float(count))
            mentioned_in.update(mentions.keys())
        self._passages_of = mentioned_in
        self._entities = sorted(mentioned_in)
        self._dense = Dense(embedder, embedder.embed(self._entities))
        self._join_synonyms()

    def hits(self, query: Query, limit: int) -> list[ScoredChunk]:
        """Passages by their PageRank, best first."""
        reset = self._query_entities(query)
        if not reset:
            return []
        rank = nx.pagerank(self._graph, alpha=self._options.damping, personalization=reset, weight="weight")
        scored = [(number, float(rank[number])) for number in range(len(self._store.chunks)) if number in rank]
        kept = sorted((hit for hit in scored if hit[1] > 0), key=lambda hit: (-hit[1], hit[0]))[:limit]
        return [ScoredChunk(id=id, score=score) for id, score in kept]

    def retrieve(self, query: Query) -> Context:
        """The `top_k` best passages."""
        if findings := empty_query(query):
            return self._store.context(query, (), findings=findings)
        return self._store.context(query, self.hits(query, self._options.top_k))

    def passages(self, query: Query, limit: int) -> list[str]:
        """The texts of the best passages, best first."""
        return [self._store.chunks[hit.id][1].base for hit in self.hits(query, limit)]

    def texts(self) -> list[str]:
        """Every passage."""
        return self._store.texts

    def _link(self, one: str | int, other: str | int, weight: float) -> None:
        if self._graph.has_edge(one, other):
            self._graph[one][other]["weight"] += weight
        else:
            self._graph.add_edge(one, other, weight=weight)

    def _join_synonyms(self) -> None:
        vectors = self._dense.vectors
        for start in range(0, len(vectors), BLOCK):
            cosine = vectors[start : start + BLOCK] @ vectors.T
            for row, column in zip(*np.nonzero(cosine >= self._options.synonym), strict=True):
                one, other = start + int(row), int(column)
                if one < other:
                    self._link(self._entities[one], self._entities[other], float(cosine[row, column]))

    def _query_entities(self, query: Query) -> dict[str, float]:
        """Entities of the query with their weights: rare ones count more (1 / passages that mention them)."""
        named = phrases(query.text) or [query.text]
        weights: dict[str, float] = {}
        for phrase in named:
            matches = [phrase] if phrase in self._graph else [self._entities[id] for id, _ in self._nearest(phrase)]
            for entity in matches:
                weights[entity] = weights.get(entity, 0.0) + 1.0 / max(1, self._passages_of[entity])
        return weights

    def _nearest(self, phrase: str) -> list[tuple[int, float]]:
        return self._dense.nearest(phrase, self._options.links)


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the chunks of all corpora. Raises RegcError without an embedder."""
    return HippoRag(corpora, needed(embedder, "hipporag"), llm, options if isinstance(options, Options) else Options())


Triple = tuple[str, str, str]

#: What the language model is asked for.
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"subject": {"type": "string"}, "relation": {"type": "string"}, "object": {"type": "string"}},
                "required": ["subject", "relation", "object"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["triples"],
    "additionalProperties": False,
}
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n+")
_TOKEN = re.compile(r"[A-Za-z][A-Za-z-]*[0-9]?|\d+(?:\.\d+)*|[,()|<>]")
#: Words that end a noun phrase besides stop words: the verbs and modals that regulations are written with.
_BREAKS = STOPWORDS | frozenset(
    re.findall(
        r"[a-z]+",
        """shall must should may can will not no means mean provided specified defined referred mentioned described required apply
        applies according accordance start starts comply tested test tests performed after before during between above below least
        more less either both all each any other same""",
    )
)


def triples_of(text: str, llm: LLM | None) -> list[Triple]:
    """The triples of a passage; with a language model's, its answer as it is (none when it gives no usable one)."""
    return _by_model(text, llm) if llm is not None else _by_phrases(text)


def phrases(text: str) -> list[str]:
    """Noun phrases of a text in order: runs of at most four words between stop words, verbs and signs, stemmed."""
    return [phrase for sentence in _SENTENCE.split(text) for phrase, _ in _phrases(sentence)]


def entity(text: str) -> str:
    """The name under which an entity is kept: stemmed lower-case words."""
    return " ".join(stem(word) for word in re.findall(r"[a-z0-9.]+", text.lower()) if word not in STOPWORDS)


def _by_model(text: str, llm: LLM) -> list[Triple]:
    messages = [
        {"role": "system", "content": "Extract the facts of the passage as subject, relation, object triples. Use its own words."},
        {"role": "user", "content": text},
    ]
    try:
        answer = json.loads(llm.complete(messages, schema=SCHEMA, label="triples").text)
        triples = [(entity(one["subject"]), str(one["relation"]), entity(one["object"])) for one in answer["triples"]]
    except (LLMError, ValueError, KeyError, TypeError):
        return []
    return [one for one in triples if one[0] and one[2]]


def _by_phrases(text: str) -> list[Triple]:
    triples: list[Triple] = []
    for sentence in _SENTENCE.split(text):
        named = _phrases(sentence)
        triples += [(first, between, second) for (first, between), (second, _) in pairwise(named) if first != second]
    return triples


def _phrases(sentence: str) -> list[tuple[str, str]]:
    """Phrases with the words that stand between each and the next."""
    runs: list[tuple[list[str], list[str]]] = []
    open_phrase = False
    for token in _TOKEN.findall(sentence):
        word = token.lower()
        if word in _BREAKS or not word[0].isalnum():
            open_phrase = False
            if runs:
                runs[-1][1].append(word)
        elif open_phrase and len(runs[-1][0]) < 4:
            runs[-1][0].append(stem(word))
        else:
            runs.append(([stem(word)], []))
            open_phrase = True
    return [(" ".join(phrase), " ".join(between)) for phrase, between in runs if any(word[0].isalpha() for word in phrase)]
