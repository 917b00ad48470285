"""The seams between the pipeline and what is chosen by name: plain protocols, so that a stage imports no other stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pydantic import BaseModel

from regc.model.chunk import Context, Corpus, Query
from regc.model.document import Document
from regc.model.result import Artifact
from regc.model.source import Frozen
from regc.model.stage import Staged
from regc.model.suite import Suite

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]
else:
    Vectors = Any  # numpy takes a tenth of a second to import, and only embedders need it

#: Called with (what, done, total); does nothing unless a terminal listens.
Progress = Callable[[str, int, int], None]


class Reader(Protocol):
    """A module of readers/: `suffixes` it takes, and `read`."""

    def read(self, path: Path, content: bytes, *, regulation: str, edition: str, title: str, wording: str) -> Document:
        """One Document from one file's bytes. Raises SourceError when nothing can be read at all."""
        ...


class Embedder(Protocol):
    """Text to unit vectors. `name` identifies model and version: it is part of every cache key."""

    name: str

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension), float32; the same text gives the same bytes."""
        ...


class Retriever(Protocol):
    """Built over a corpus once; answers queries. Deterministic."""

    def retrieve(self, query: Query) -> Context:
        """The evidence for a query in canonical order."""
        ...


class Reply(Frozen):
    """A language model's answer and what it cost. `truncated` when the model stopped at the token limit.

    `refusal`: the model's words when it declined to answer. `cost`: US dollars by the price table, None when there is no price.
    """

    text: str
    model: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    truncated: bool = False
    mode: str = "text"
    refusal: str | None = None
    cost: float | None = None


class LLM(Protocol):
    """The whole language-model seam: one method."""

    name: str

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        """One answer. With `schema` (JSON Schema) the text is JSON that should fit it. Raises LLMError."""
        ...


class TargetModule(Protocol):
    """A module of targets/: an `Options` model (the CLI makes its flags from it) and `emit`."""

    Options: type[BaseModel]

    def emit(self, suite: Suite, staged: Staged, options: Any) -> tuple[Artifact, ...]:
        """Artefacts of every chosen scenario, in a fixed order, bytes that depend on the arguments alone."""
        ...


__all__ = [
    "LLM",
    "Corpus",
    "Embedder",
    "Progress",
    "Query",
    "Reader",
    "Reply",
    "Retriever",
    "TargetModule",
    "Vectors",
]
