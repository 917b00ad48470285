"""What a simulation tool takes of OpenSCENARIO and OpenDRIVE, as data: one TOML file a tool; checked before a file is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lxml import etree
from pydantic import BaseModel, ConfigDict, model_validator

from regc import plugins
from regc.errors import TargetRefusedError
from regc.model.result import Artifact, Finding
from regc.resources import package_data
from regc.tomlfiles import read_model


class ToolRule(BaseModel):
    """Something a tool does not take: elements that `find` finds, that are `missing`, or an option above `at_most`. A rule with
    `applies_to` is asked of files that have that element only."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    reason: str
    find: str = ""
    missing: str = ""
    applies_to: str = ""
    option: str = ""
    at_most: float = 0.0

    @model_validator(mode="after")
    def _asks_one_thing(self) -> ToolRule:
        if sum(bool(part) for part in (self.find, self.missing, self.option)) != 1:
            raise ValueError(f"{self.name}: give find, missing or option")
        return self

    def hit(self, root: etree._Element, options: dict[str, Any]) -> bool:
        """Whether a file, written with these options, has what the tool does not take."""
        if self.option:
            value = options.get(self.option)
            return isinstance(value, (int, float)) and value > self.at_most
        if self.applies_to and not _has(root, self.applies_to):
            return False
        return _has(root, self.find) if self.find else not _has(root, self.missing)


class LeftOutFiles(BaseModel):
    """Files that are not written for a tool: those whose path holds `path`, or in which the XPath `find` finds something."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: str = ""
    find: str = ""
    name: str = ""
    reason: str

    @model_validator(mode="after")
    def _asks_one_thing(self) -> LeftOutFiles:
        if bool(self.path) == bool(self.find) or bool(self.find) != bool(self.name):
            raise ValueError("give path, or find with a name for it")
        return self

    @property
    def title(self) -> str:
        """What is left out, in words."""
        return self.path or self.name

    def hit(self, artifact: Artifact) -> bool:
        """Whether a file is left out."""
        if self.path:
            return self.path in artifact.path
        return artifact.path.endswith(".xosc") and bool(etree.fromstring(artifact.content).xpath(self.find))


class ToolProfile(BaseModel):
    """What a tool takes in which `version`, where that is known from, and as of when (`date`). `refused` would change or break the run;
    `ignored` is read past and becomes a loss; `left_out` are whole files that the tool has no use for or cannot play."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    version: str
    date: str
    source: str
    openscenario: tuple[str, ...]
    opendrive: tuple[str, ...]
    refused: tuple[ToolRule, ...] = ()
    ignored: tuple[ToolRule, ...] = ()
    left_out: tuple[LeftOutFiles, ...] = ()


def _has(root: etree._Element, path: str) -> bool:
    top = etree.Element("top")
    top.append(root)
    try:
        return top.find(path) is not None
    finally:
        top.remove(root)


def names() -> tuple[str, ...]:
    """The tools that there is a profile of."""
    return tuple(sorted(path.stem for path in package_data("data", "profiles").glob("*.toml")))


def load(name: str) -> ToolProfile:
    """A tool's profile. Raises UnknownNameError, or DataFileError for a file that does not fit."""
    plugins.check(name, names(), what="target profile")
    path = package_data("data", "profiles", f"{name}.toml")
    return read_model(path, ToolProfile, hint="see another profile in the same folder")


def enforce(name: str, artifacts: Iterable[Artifact], options: dict[str, Any]) -> tuple[Artifact, ...]:
    """The artefacts as the tool gets them: without files that it has no use for and their sidecars (O634), with what it ignores as
    losses (O630).

    Raises TargetRefusedError that names what the tool does not take, before any file is written.
    """
    profile = load(name)
    checked: list[Artifact] = []
    refused: dict[str, list[str]] = {}
    unused: dict[str, int] = {}
    gone: set[str] = set()
    for artifact in artifacts:
        without = next((rule for rule in profile.left_out if rule.hit(artifact)), None)
        if without is not None:
            said = f"{without.title}: {without.reason}"
            unused[said] = unused.get(said, 0) + 1
            gone.add(artifact.path.removesuffix(".xosc") + ".json")
            continue
        losses = artifact.losses
        if artifact.path.endswith((".xosc", ".xodr")):
            root = etree.fromstring(artifact.content)
            for reason in _reasons(profile, root, options):
                refused.setdefault(reason, []).append(artifact.path)
            losses += tuple(_loss(name, rule, artifact) for rule in profile.ignored if rule.hit(root, options))
        checked.append(artifact.model_copy(update={"losses": losses}))
    checked = [artifact for artifact in checked if artifact.path not in gone]
    if checked and unused:
        notes = tuple(_left_out(name, said, count) for said, count in unused.items())
        checked[0] = checked[0].model_copy(update={"losses": checked[0].losses + notes})
    if refused:
        said = "; ".join(f"{reason} ({len(paths)} files, first {paths[0]})" for reason, paths in refused.items())
        raise TargetRefusedError(
            f"{profile.title} does not take: {said}", hint=f"regc targets openscenario --profile {name} says what it takes"
        )
    return tuple(checked)


def _reasons(profile: ToolProfile, root: etree._Element, options: dict[str, Any]) -> list[str]:
    if root.tag == "OpenDRIVE":
        header = root.find("header")
        version = "?" if header is None else f"{header.get('revMajor')}.{header.get('revMinor')}"
        return [] if version in profile.opendrive else [f"OpenDRIVE {version}: takes {', '.join(profile.opendrive)}"]
    header = root.find("FileHeader")
    version = "?" if header is None else f"{header.get('revMajor')}.{header.get('revMinor')}"
    reasons = [] if version in profile.openscenario else [f"OpenSCENARIO {version}: takes {', '.join(profile.openscenario)}"]
    is_catalog = root.find("Catalog") is not None
    rules = [rule for rule in profile.refused if not (is_catalog and rule.missing and not rule.applies_to)]
    return [*reasons, *(f"{rule.name}: {rule.reason}" for rule in rules if rule.hit(root, options))]


def _left_out(name: str, said: str, count: int) -> Finding:
    message = f"{name}: {count} files left out, {said}"
    return Finding(code="O634", severity="info", message=message, hint="build without --profile for all files")


def _loss(name: str, rule: ToolRule, artifact: Artifact) -> Finding:
    return Finding(
        code="O630",
        severity="info",
        message=f"{name} ignores {rule.name}: {rule.reason}",
        scenario=artifact.scenario,
        field=rule.name,
        place=artifact.path,
        hint="the sidecar and the report name it",
    )
