"""The seams between the pipeline and what is chosen by name: plain protocols, so that a stage imports no other stage."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from pydantic import BaseModel

from regc.model.chunk import Context, Corpus, Query
from regc.model.document import Document
from regc.model.regulation import Profile
from regc.model.result import Artifact, Checked, Finding, Resolution
from regc.model.scenario import Draft
from regc.model.source import Frozen

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


#: Re-reads every place that a draft claims.
Resolver = Callable[[Draft], Resolution]


class Extraction(Frozen):
    """What an extractor hands over: resolutions of its drafts in order, what it could not do, and its costs."""

    resolutions: tuple[Resolution, ...]
    findings: tuple[Finding, ...] = ()
    stats: dict[str, float] = {}


class Extractor(Protocol):
    """A module of extract/: contexts by family name in, resolved scenarios out. It owns its re-asks."""

    def extract(
        self,
        contexts: dict[str, Context],
        profile: Profile,
        edition: str,
        resolve: Resolver,
        *,
        llm: LLM | None,
        options: BaseModel,
    ) -> Extraction:
        """Drafts for every family of the profile that has a context, each passed through `resolve`."""
        ...


class TargetModule(Protocol):
    """A module of targets/: an `Options` model (the CLI makes its flags from it) and `emit`."""

    Options: type[BaseModel]

    def emit(self, checked: Checked, options: Any) -> tuple[Artifact, ...]:
        """Artefacts of every scenario, in a fixed order, bytes that depend on the arguments alone."""
        ...


__all__ = [
    "LLM",
    "Corpus",
    "Embedder",
    "Extraction",
    "Extractor",
    "Progress",
    "Query",
    "Reader",
    "Reply",
    "Resolver",
    "Retriever",
    "TargetModule",
    "Vectors",
]
