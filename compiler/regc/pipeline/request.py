"""What is asked of a build, what lies between document and artefacts, and what a build leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel

from regc.model.document import Document
from regc.model.result import Artifact, Finding
from regc.model.source import Frozen
from regc.model.suite import Suite
from regc.pipeline.staging import Staging

if TYPE_CHECKING:
    from regc.model.protocols import LLM
    from regc.verify.result import Verified


@dataclass(frozen=True)
class Request:
    """What to build. `source` is the user's official file; without it the embedded edition is used; `reader`: what reads it,
    that of its suffix by default.

    `tests`: names or tokens of tests; `categories`: values of an axis or vehicle categories that one covers; `where`: axis -> value.
    `sweep`: mandatory leaves out what is optional. `declared`: name -> value with unit ("90km/h"). `staging`: how tests are laid out.
    `llm`: the model that is asked where the profile's words stand no longer; None asks nobody. `force`: emit although there are
    errors, each file marked. `targets`: name -> options.
    """

    regulation: str
    edition: str | None = None
    source: Path | None = None
    reader: str | None = None
    tests: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    sweep: Literal["full", "mandatory"] = "full"
    declared: Mapping[str, str] = field(default_factory=dict)
    staging: Staging = field(default_factory=Staging)
    llm: LLM | None = None
    force: bool = False
    targets: Mapping[str, BaseModel] = field(default_factory=dict)


class Compiled(Frozen):
    """Everything between the document and the artefacts. `key`: hash of the document, the profile and what was declared."""

    document: Document
    suite: Suite
    key: str


@dataclass(frozen=True)
class Built:
    """A finished build: where it is, what it wrote, whether everything was up to date already, and what the second reader computed."""

    compiled: Compiled
    folder: Path
    artifacts: tuple[Artifact, ...]
    findings: tuple[Finding, ...]
    up_to_date: bool
    verified: Verified | None = None
