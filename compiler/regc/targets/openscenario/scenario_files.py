"""One build of the OpenSCENARIO target: which files there are, and the JSON beside each scenario file: what each of its numbers
rests on, what was assumed, what the format could not hold. Its schema in `schemas/` is made from the classes here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from regc import wording
from regc.files import json_bytes
from regc.model.origins import Described, described
from regc.model.result import Artifact, Finding
from regc.model.scenario import Scenario as Test
from regc.model.source import Frozen
from regc.model.stage import Stage, Staged
from regc.model.suite import Suite
from regc.targets import opendrive
from regc.targets.opendrive import Roads
from regc.targets.openscenario import logical
from regc.targets.openscenario.catalogs import Catalogs, entry_name
from regc.targets.openscenario.logical import criterion_words
from regc.targets.openscenario.storyboard import DeclaredParameter, Header, ScenarioWriter
from regc.targets.xml_writer import NotExpressible

TARGET = "openscenario"


class Build:
    """One call of emit."""

    def __init__(self, suite: Suite, staged: Staged, minor: int, licence: str) -> None:
        self.suite, self.staged, self.minor, self.licence = suite, staged, minor, licence
        self.tests: dict[str, Test] = {test.id: test for test in suite.selected}
        self.note = suite.note
        self.date = f"{suite.edition_date or '1970-01-01'}T00:00:00"
        self.catalogs = Catalogs(minor, self._header(f"Assumed data for {suite.title}."))
        self.roads = Roads([*staged.stages, *staged.logical])
        self.losses = (*of_suite(suite), *of_version(minor))
        self.right_hand = all(stage.traffic == "rht" for stage in (*staged.stages, *staged.logical))

    def _header(self, description: str, properties: dict[str, str] | None = None) -> Header:
        return Header(description + self.note, self.date, properties or {}, self.licence)

    def artifacts(self) -> tuple[Artifact, ...]:
        """Every file, in order of the paths."""
        made: list[Artifact] = []
        for stage in self.staged.stages:
            made.extend(self._concrete(stage))
        for id, reason in self.staged.left_out.items():
            if id in self.tests:
                made.append(self._left_out(self.tests[id], reason))
        if self.minor >= 1:
            made.extend(self._groups())
            made.extend(artifact for stage in self.staged.logical for artifact in self._open(stage))
        made.extend(self._file(f"catalogs/{name}", content) for name, content in self.catalogs.files())
        title = " ".join(filter(None, ("(from an embedded edition)" * (self.suite.wording == "embedded"), self.suite.caution)))
        for name, plan in self.roads.plans(right_hand=self.right_hand):
            made.append(self._file(f"roads/{name}", opendrive.written(plan, self.date, f"{plan.road.kind} road {title}".strip())))
        return tuple(sorted(made, key=lambda item: item.path))

    def _file(self, path: str, content: bytes, scenario: str | None = None, lost: tuple[Finding, ...] = ()) -> Artifact:
        return Artifact(path=f"{TARGET}/{path}", content=content, target=TARGET, scenario=scenario, losses=lost)

    def _concrete(self, stage: Stage) -> list[Artifact]:
        test = self.tests[stage.scenario]
        road = self.roads.name(stage)
        lost = (*self.losses, *of_stage(stage, self.minor))
        header = self._header(f"{stage.title} [{stage.stem}].{_conditions(test)}{self._vehicle(stage)}", self._properties(stage, test))
        content, places = ScenarioWriter(stage, self.minor, road).write(header, self.catalogs.cast(stage))
        files = SidecarFiles(scenario=f"concrete/{stage.stem}.xosc", road=f"roads/{road}", catalogs="catalogs")
        about = sidecar(test, stage, self.minor, stage.system.kind, lost, places, files)
        return [
            self._file(f"concrete/{stage.stem}.xosc", content, test.id, lost),
            self._file(f"concrete/{stage.stem}.json", json_bytes(about.packed()), test.id),
        ]

    def _vehicle(self, stage: Stage) -> str:
        front = f"{stage.subject.box.front:g} m before its origin"
        return f" Made for a subject vehicle whose front lies {front} ({stage.subject.model}), step {stage.step:g} s."

    def _properties(self, stage: Stage, test: Test) -> dict[str, str]:
        return {
            "id": stage.stem,
            "status": test.status,
            "clause": f"{test.regulation} {test.clause}",
            "wording": test.wording,
            "criterion": logical.criterion_words(test.require),
        }

    def _left_out(self, test: Test, reason: str) -> Artifact:
        finding = Finding(
            code="O610",
            severity="info",
            scenario=test.id,
            message=f"{test.id}: {reason}",
            hint="its test case stands in the text target",
        )
        about = sidecar(test, None, self.minor, "none", (finding,))
        return self._file(f"concrete/{test.id}.json", json_bytes(about.packed()), test.id, (finding,))

    def _groups(self) -> list[Artifact]:
        """One logical file for all tests of a clause and choice of axes that differ in values alone."""
        stages = {stage.scenario: stage for stage in self.staged.stages if not stage.variant}
        groups: dict[str, list[Test]] = defaultdict(list)
        for test in self.tests.values():
            if test.id in stages:
                groups[group_name(test)].append(test)
        made: list[Artifact] = []
        for name, tests in groups.items():
            if len(tests) > 1:
                made.extend(self._group(name, tests, stages))
        return made

    def _group(self, name: str, tests: list[Test], stages: dict[str, Stage]) -> list[Artifact]:
        stage = stages[tests[0].id]
        return self._group_with(logical.opened(tests, stages), name, tests, stage)

    def _group_with(self, parameters: tuple[logical.OpenParameter, ...], name: str, tests: list[Test], stage: Stage) -> list[Artifact]:
        """The files of a group; a number that is the same in all tests is no parameter where a formula could not be written with it."""
        properties = self._properties(stage, tests[0]) | {"id": "$scenario_id", "status": "$status"}
        rests = "".join(f" {test.id}:{said}" for test in tests if (said := _conditions(test)))
        header = self._header(f"{name}: logical scenario of {len(tests)} tests.{rests}{self._vehicle(stage)}", properties)
        scenario = ScenarioWriter(stage, self.minor, self.roads.name(stage), logical.symbols(parameters))
        try:
            content, _ = scenario.write(header, self.catalogs.cast(stage), logical.declarations(parameters, tests))
        except NotExpressible as problem:
            needed = {item for item in parameters if item.line in problem.lines and not logical.varies(item, tests)}
            if needed:
                return self._group_with(tuple(item for item in parameters if item not in needed), name, tests, stage)
            return [self._inexpressible(name, problem, None)]
        made = [self._file(f"logical/{name}.xosc", content)]
        sets = {
            "single": tests[:1],
            "prescribed": [test for test in tests if test.entry == "prescribed"],
            "further": [test for test in tests if test.entry == "further"],
        }
        for kind, chosen in sets.items():
            if chosen:
                about = self._header(f"{name}: {kind} values.")
                content = logical.variation(name, parameters, chosen, self.minor, about)
                made.append(self._file(f"variations/{name}_{kind}.xosc", content))
        return made

    def _inexpressible(self, name: str, problem: NotExpressible, test: Test | None) -> Artifact:
        """A note in the place of a logical file whose numbers no expression of OpenSCENARIO gives."""
        message = f"{name}: no logical file: {problem} cannot be written as an expression of OpenSCENARIO"
        hint = (
            "concrete files hold every number, of an open test those of --declare or --points; a system's formulas go with --ego none"
        )
        lost = Finding(code="O614", severity="info", scenario=test.id if test else None, message=message, hint=hint)
        return self._file(f"logical/{name}.txt", f"{message}\n".encode(), test.id if test else None, (lost,))

    def _open(self, stage: Stage) -> list[Artifact]:
        """A test that leaves a range, a side or a symbol open."""
        test = self.tests[stage.scenario]
        names = {item.name: logical.parameter_name(item.name.removeprefix("bind."), item.unit) for item in stage.free}
        symbols = {name: f"${parameter}" for name, parameter in names.items()}
        declared = tuple(
            DeclaredParameter(
                names[item.name],
                "double",
                format(item.value, "f"),
                "" if item.lo is None else format(item.lo, "f"),
                "" if item.hi is None else format(item.hi, "f"),
            )
            for item in stage.free
        )
        lost = (*self.losses, *of_stage(stage, self.minor))
        road = self.roads.name(stage)
        open_words = ", ".join(f"{names[item.name]} {item.symbol}".strip() for item in stage.free)
        header = self._header(f"{stage.title} [{stage.stem}], open: {open_words}.{_conditions(test)}", self._properties(stage, test))
        try:
            content, places = ScenarioWriter(stage, self.minor, road, symbols).write(header, self.catalogs.cast(stage), declared)
        except NotExpressible as problem:
            return [self._inexpressible(stage.stem, problem, test)]
        files = SidecarFiles(scenario=f"logical/{stage.stem}.xosc", road=f"roads/{road}", catalogs="catalogs")
        about = sidecar(test, stage, self.minor, stage.system.kind, lost, places, files)
        made = [
            self._file(f"logical/{stage.stem}.xosc", content, test.id, lost),
            self._file(f"logical/{stage.stem}.json", json_bytes(about.packed()), test.id),
        ]
        if any(item.lo is not None and item.hi is not None for item in stage.free):
            about_ranges = self._header(f"{stage.stem}: ranges.")
            made.append(
                self._file(f"variations/{stage.stem}.xosc", logical.ranges(stage, self.minor, about_ranges, stage.stem, names), test.id)
            )
        return made


def group_name(test: Test) -> str:
    """Test and axes of a test: `car_to_pedestrian_M1_MaxMass`."""
    return entry_name(test.test, *(value.value for value in test.axes.values()))


def _conditions(test: Test) -> str:
    """Which numbers hold only while something declared does not make them others."""
    return "".join(f" {note[:1].upper()}{note[1:]}." for note in wording.conditional_notes(test))


# ---- what a version of OpenSCENARIO cannot hold.


#: first minor version that can hold it, code, what is lost
_SINCE: tuple[tuple[int, str, str], ...] = (
    (1, "O601", "the vehicle's mass (the load state) has no place in the file"),
    (1, "O602", "ambient temperature and pressure have no place in the file"),
    (1, "O603", "absence of wind has no place in the file"),
    (1, "O604", "expressions and distributions do not exist: no logical scenario and no variations are written"),
    (2, "O605", "dryness of the road surface has no place in the file"),
    (2, "O606", "the header has no properties: id, status and criterion stand in the sidecar alone"),
)


def of_suite(suite: Suite) -> tuple[Finding, ...]:
    """What every file says where the check found errors."""
    if not suite.forced:
        return ()
    hint = "mend what findings.json says, and build without --force"
    return (Finding(code="O695", severity="error", message=suite.forced, hint=hint),)


def of_version(minor: int) -> tuple[Finding, ...]:
    """The losses of every scenario file of a version."""
    return tuple(
        Finding(
            code=code,
            severity="warning" if since == 1 else "info",
            message=f"OpenSCENARIO 1.{minor}: {what}",
            hint=f"--osc-version 1.{since} or later holds it",
        )
        for since, code, what in _SINCE
        if minor < since
    )


def of_stage(stage: Stage, minor: int) -> tuple[Finding, ...]:
    """What one stage asks for and the version lacks."""
    if stage.headlamps and minor < 3:
        message = f"{stage.stem}: OpenSCENARIO 1.{minor} cannot set headlamps alone: {stage.headlamps} beam is not set"
        return (Finding(code="O607", severity="warning", scenario=stage.scenario, message=message, hint="--osc-version 1.3"),)
    return ()


class SidecarLoss(Frozen):
    """What the file could not hold, or why there is none."""

    code: str
    severity: Literal["error", "warning", "info"]
    message: str


class SidecarFiles(Frozen):
    """Paths under openscenario/."""

    scenario: str
    road: str
    catalogs: str


class Sidecar(Described):
    """Beside each scenario file; without `files` it stands for a test that became no file, and `losses` say why.

    `places`: attribute of the file (`path@attribute`) -> formula over the sheet that gives it.
    """

    id: str
    openscenario: str
    ego: str
    criteria: str
    places: dict[str, str] = {}
    losses: tuple[SidecarLoss, ...] = ()
    files: SidecarFiles | None = None


def sidecar(
    scenario: Test,
    stage: Stage | None,
    minor: int,
    ego: str,
    losses: Iterable[Finding],
    places: Mapping[str, str] | None = None,
    files: SidecarFiles | None = None,
) -> Sidecar:
    """What a scenario file rests on; `stage` and `files` are missing for a test that became no file."""
    return Sidecar(
        **dict(described(scenario, stage)),
        id=scenario.id,
        openscenario=f"1.{minor}",
        ego=ego,
        criteria=criterion_words(scenario.require),
        places=dict(places or {}),
        losses=tuple(SidecarLoss(code=loss.code, severity=loss.severity, message=loss.message) for loss in losses),
        files=files,
    )


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a sidecar."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **Sidecar.model_json_schema()}
