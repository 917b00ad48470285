"""Embeddings from OpenAI or any server with the same interface (extra `openai`; OPENAI_API_KEY, OPENAI_BASE_URL)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from regc.errors import LLMError, MissingExtraError
from regc.model.protocols import Embedder, Vectors

DEFAULT_MODEL = "text-embedding-ada-002"
_BATCH = 128


def create(model: str | None = None) -> Embedder:
    """The embedder of a model; text-embedding-ada-002 when none is named."""
    return OpenAIEmbedder(model or DEFAULT_MODEL)


class OpenAIEmbedder:
    """Vectors from the embeddings endpoint. `client` replaces the openai client (it needs `embeddings.create`)."""

    def __init__(self, model: str = DEFAULT_MODEL, *, client: Any = None) -> None:
        """Raises MissingExtraError without the openai package and LLMError without a key."""
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("this embedder needs openai", extra="openai") from error
        self._errors = openai.OpenAIError
        try:
            self._client = client or openai.OpenAI()
        except openai.OpenAIError as error:
            raise LLMError(f"embeddings: {error}", hint="set OPENAI_API_KEY, and OPENAI_BASE_URL for another server") from error
        self._model = model
        self._dimension: int | None = None
        # Another server's model of the same name is another model.
        server = str(getattr(self._client, "base_url", "")).rstrip("/")
        self.name = f"openai-{model}" if server in ("", "https://api.openai.com/v1") else f"openai-{model}@{server}"

    @property
    def dimension(self) -> int:
        """Length of a vector; asks the server once when nothing was embedded yet."""
        if self._dimension is None:
            self.embed(("dimension",))
        assert self._dimension is not None
        return self._dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension). Raises LLMError for a refused or failed request."""
        batches: list[Vectors] = []
        for start in range(0, len(texts), _BATCH):
            # The endpoint refuses an empty string.
            part = [text if text.strip() else " -" for text in texts[start : start + _BATCH]]
            try:
                reply = self._client.embeddings.create(model=self._model, input=part, encoding_format="float")
            except self._errors as error:
                raise LLMError(
                    f"embeddings of {self._model}: {error}", hint="see the server's message; check key, address and model"
                ) from error
            ordered = sorted(reply.data, key=lambda item: int(item.index))
            if len(ordered) != len(part):
                raise LLMError(f"embeddings of {self._model}: {len(ordered)} vectors for {len(part)} texts")
            batches.extend(np.asarray(item.embedding, dtype=np.float32) for item in ordered)
        if not batches:
            return np.zeros((0, self.dimension), dtype=np.float32)
        vectors = np.stack(batches)
        self._dimension = int(vectors.shape[1])
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(norms > 0, norms, 1), dtype=np.float32)
