"""What is asked of a build, what lies between document and artefacts, and what a build leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from regc.model.document import Document
from regc.model.result import Artifact, Finding
from regc.model.source import Frozen
from regc.model.suite import Suite

if TYPE_CHECKING:
    from regc.model.protocols import LLM
    from regc.verify.differences import Verified


class Staging(BaseModel):
    """What whoever builds may choose of how tests are laid out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ego: Literal["none", "external", "reference", "late"] = Field(
        "none",
        description="who drives: none (constant speed), external (a slot for the system under test), reference (a model that keeps the "
        "criteria), late (one that does not)",
    )
    step: float = Field(0.01, gt=0, le=0.1, description="time step in s of the player that the files are made for")
    approach: float | None = Field(None, ge=0, le=600, description="straight approach before the functional part in s")
    crossing_from: Literal["nearside", "farside"] | None = Field(None, description="where crossing targets come from, if it is open")
    traffic: Literal["rht", "lht"] = Field("rht", description="right-hand or left-hand traffic")
    points: int = Field(0, ge=0, le=20, description="values between the ends of each range")
    road_users: Path | None = Field(None, description="TOML file of vehicles and actors, laid over the built-in one")
    test_track: Path | None = Field(None, description="TOML file of road, surroundings and times, laid over the built-in one")
    layouts: Path | None = Field(None, description="TOML file of the free measures of manoeuvres, laid over the built-in one")


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
