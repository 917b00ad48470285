"""The usual recipe of a vector store: chunks in Chroma, the k nearest above a score threshold (extra "chroma").

The embeddings are those of the embedder that is handed in: text-embedding-ada-002 by `openai`, or any other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from regc.errors import MissingExtraError
from regc.model.chunk import Corpus, Query, ScoredChunk
from regc.model.protocols import LLM, Embedder, Retriever
from regc.research.retrieve.chunk_store import ChunkStore, RankedChunks
from regc.retrieve.vectors import needed

#: Chroma takes this many records a call.
BATCH = 4000


class Options(BaseModel):
    """`top_k` nearest chunks whose cosine is at least `score_threshold`."""

    top_k: int = Field(default=30, ge=1)
    score_threshold: float = Field(default=0.1, ge=-1, le=1)


class OpenAIRag(RankedChunks):
    """Chunks in an in-memory Chroma collection, cosine space."""

    def __init__(self, corpora: Sequence[Corpus], embedder: Embedder, options: Options) -> None:
        super().__init__(ChunkStore(corpora), options.top_k)
        self._options = options
        self._embedder = embedder
        texts = self._store.texts
        self._collection = _collection(embedder.name, texts)
        vectors = embedder.embed(texts)
        for start in range(0, len(texts), BATCH):
            rows = range(start, min(start + BATCH, len(texts)))
            self._collection.add(ids=[str(row) for row in rows], embeddings=vectors[rows.start : rows.stop].tolist())

    def hits(self, query: Query, limit: int) -> list[ScoredChunk]:
        """The nearest chunks above the threshold, best first."""
        limit = min(limit, len(self._store.chunks))
        if not limit:
            return []
        vector = self._embedder.embed([query.text])[0].tolist()
        reply = self._collection.query(query_embeddings=[vector], n_results=limit, include=["distances"])
        nearest = [(int(id), 1.0 - float(distance)) for id, distance in zip(reply["ids"][0], reply["distances"][0], strict=True)]
        kept = sorted((hit for hit in nearest if hit[1] >= self._options.score_threshold), key=lambda hit: (-hit[1], hit[0]))
        return [ScoredChunk(id=id, score=score) for id, score in kept]


def _collection(model: str, texts: Sequence[str]) -> Any:
    try:
        import chromadb
        from chromadb.config import Settings
    except ImportError as error:
        raise MissingExtraError("retriever openai_rag keeps its vectors in Chroma", extra="chroma") from error
    client = chromadb.EphemeralClient(settings=Settings(anonymized_telemetry=False, allow_reset=False))
    name = hashlib.sha256("\x00".join((model, *texts)).encode("utf-8", "surrogatepass")).hexdigest()[:48]
    # in-memory clients share their store: what an earlier index of the same name left must go
    if any(str(getattr(collection, "name", collection)) == name for collection in client.list_collections()):
        client.delete_collection(name)
    # embedding_function None: Chroma's own default would download a model
    return client.create_collection(name, embedding_function=None, metadata={"hnsw:space": "cosine", "hnsw:search_ef": 400})


def build(corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
    """The retriever over the chunks of all corpora. Raises RegcError without an embedder, MissingExtraError without Chroma."""
    return OpenAIRag(corpora, needed(embedder, "openai_rag"), options if isinstance(options, Options) else Options())
