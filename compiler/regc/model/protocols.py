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
    from typer import Typer

    from regc.model.report_input import ReportInput

    Vectors: TypeAlias = NDArray[np.float32]
else:
    Vectors = Any  # numpy takes a tenth of a second to import, and only embedders need it

#: Called with (what, done, total); does nothing unless a terminal listens.
Progress = Callable[[str, int, int], None]


class ReaderModule(Protocol):
    """A module of readers/: the suffixes of file names that it takes, and `read`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Small letters with the dot: (".html", ".htm")."""
        ...

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


class EmbedderModule(Protocol):
    """A module of embed/."""

    def create(self, model: str | None = None) -> Embedder:
        """The embedder of a model, the module's own without a name. Raises MissingExtraError."""
        ...


class RetrieverModule(Protocol):
    """A module of retrieve/: an `Options` model and `build`; `CONFIGURATIONS` where it has named ones."""

    @property
    def Options(self) -> type[BaseModel]:
        """What can be chosen."""
        ...

    def build(self, corpora: Sequence[Corpus], *, embedder: Embedder | None, llm: LLM | None, options: BaseModel) -> Retriever:
        """The retriever over all corpora. Raises RegcError without an embedder or model that it needs."""
        ...


class Target(Protocol):
    """A module of targets/: an `Options` model (the CLI makes its flags from it) and `emit`."""

    @property
    def Options(self) -> type[BaseModel]:
        """What a user can choose; each field has a default and a description."""
        ...

    def emit(self, suite: Suite, staged: Staged, options: Any) -> tuple[Artifact, ...]:
        """Artefacts of every chosen scenario, in a fixed order, bytes that depend on the arguments alone."""
        ...


class ReportModule(Protocol):
    """A format of regc report, a module of report/."""

    @property
    def Options(self) -> type[BaseModel]:
        """What the command gives it."""
        ...

    def emit(self, report: ReportInput, options: Any) -> tuple[Artifact, ...]:
        """The files of the format."""
        ...


class Command(Protocol):
    """A module of commands/."""

    def register(self, app: Typer) -> None:
        """Add the command to the application."""
        ...


__all__ = [
    "LLM",
    "Command",
    "Corpus",
    "Embedder",
    "EmbedderModule",
    "Progress",
    "Query",
    "ReaderModule",
    "Reply",
    "ReportModule",
    "Retriever",
    "RetrieverModule",
    "Target",
    "Vectors",
]
