"""What is asked of a build, what lies between document and artefacts, and what a build leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from regc.model.document import Document
from regc.model.protocols import LLM, Embedder
from regc.model.references import RefGraph
from regc.model.result import Artifact, Checked, Finding
from regc.model.source import Frozen


@dataclass(frozen=True)
class Request:
    """What to build. `source` is the user's official file; without it the embedded edition is used."""

    regulation: str
    edition: str | None = None
    source: Path | None = None
    families: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    sweep: Literal["full", "mandatory"] = "full"
    extractor: str = "rules"
    extractor_options: BaseModel | None = None
    retriever: str = "regc"
    retriever_options: BaseModel | None = None
    embedder: Embedder | None = None
    llm: LLM | None = None
    targets: Mapping[str, BaseModel] = field(default_factory=dict)


class Compiled(Frozen):
    """Everything between the document and the artefacts."""

    document: Document
    graph: RefGraph
    checked: Checked
    stats: dict[str, float] = {}


@dataclass(frozen=True)
class Built:
    """A finished build: where it is, what it wrote, and whether everything was up to date already."""

    compiled: Compiled
    folder: Path
    artifacts: tuple[Artifact, ...]
    findings: tuple[Finding, ...]
    up_to_date: bool
