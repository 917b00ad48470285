"""OpenSCENARIO 1.0 as CARLA's scenario runner takes it: CARLA's models, measured from the middle of a body, criteria that stop.

What it cannot play is left out with the reason that its profile states; what it plays differently stands in left_out.csv.
"""

from __future__ import annotations

import csv
import io
import math
import xml.etree.ElementTree as ET
from collections.abc import Sequence

from regc import wording
from regc.model.criterion import Criterion
from regc.model.result import Artifact, Finding
from regc.model.stage import Box, Change, Leg, Moment, Mover, Pose, Stage
from regc.model.suite import Suite
from regc.targets.carla.bodies import Body
from regc.targets.opendrive import Roads
from regc.targets.openscenario import tools
from regc.targets.openscenario.catalogs import Catalogs
from regc.targets.openscenario.conditions import entity
from regc.targets.openscenario.storyboard import Header, ScenarioWriter
from regc.targets.xml_writer import Numbers, Xml, serialized

PROFILE = "carla-0.9.16"
#: what the scenario runner plays differently, and what to take instead
LOSSES = (
    ("vehicle mass", "OpenSCENARIO 1.0 has none", "run_carla.py sets it"),
    ("friction", "it puts the road's scale factor on all tyres and does not read the lane's material", "run_carla.py sets it"),
    ("wind", "it sets a wind of its own", "run_carla.py sets none"),
    (
        "run-up of a target",
        "it takes a rate of a speed change for a duration",
        "the target starts at its full speed, so much farther away",
    ),
    ("warning and braking demand", "it has no such channels", "run_carla.py logs them"),
    (
        "impact speed",
        "its criteria know contact, not a speed at contact; a criterion stands there only where contact itself is",
        "regc judge",
    ),
    (
        "end of a run",
        "it takes several conditions of a stop group for alternatives",
        "standstill, the last bound and the way end a run",
    ),
    (
        "system under test",
        "its own control drives the vehicle unless yours takes over (module external_control)",
        "run_carla.py --agent",
    ),
)
#: ends that stand alone
_ENDS = ("time", "standstill", "passed")


def files(suite: Suite, driven: Sequence[tuple[Stage, tuple[Body, ...]]], roads: Roads) -> tuple[Artifact, ...]:
    """The scenario runner's files of the stages that it can play, their catalogues, and what is left out."""
    date = f"{suite.edition_date or '1970-01-01'}T00:00:00"
    catalogs = _Catalogs(0, Header(f"CARLA's models for {suite.title}.{suite.note}", date))
    tests = {test.id: test for test in suite.scenarios}
    written = []
    for stage, bodies in driven:
        adapted = middled(stage, bodies)
        test = tests[stage.scenario]
        notes = "; ".join((*wording.assumed_notes(test), *wording.conditional_notes(test)))
        header = Header(f"{stage.title} [{stage.stem}].{suite.note}{f' Note: {notes}.' if notes else ''}", date)
        content, _ = ScenarioWriter(adapted, 0, roads.name(stage)).write(header, catalogs.cast(adapted))
        written.append(
            _artifact(f"scenario_runner/{stage.stem}.xosc", _dressed(content, adapted, catalogs), stage.scenario, _losses(stage))
        )
    kept = tools.enforce(PROFILE, written, {})
    names = {artifact.path for artifact in kept}
    reasons = [(artifact.path, reason) for artifact in written if artifact.path not in names for reason in _reasons(artifact)]
    held = [_artifact(f"catalogs/{name}", content) for name, content in catalogs.files()] if kept else []
    return (*kept, *held, _artifact("scenario_runner/left_out.csv", _table(reasons)))


def _artifact(path: str, content: bytes, scenario: str | None = None, lost: tuple[Finding, ...] = ()) -> Artifact:
    return Artifact(path=f"carla/{path}", content=content, target="carla", scenario=scenario, losses=lost)


class _Catalogs(Catalogs):
    """Entries named as CARLA names its models, since the scenario runner spawns by that name."""

    def entry(self, mover: Mover) -> tuple[str, str]:
        catalog = "pedestrians" if mover.model.startswith("walker.") else "objects" if mover.form == "object" else "vehicles"
        if mover.role != "subject":
            self._movers[catalog].setdefault(mover.model, mover)
        return catalog, mover.model

    def inline(self, holder: ET.Element, subject: Mover) -> None:
        """The subject vehicle in the file itself: a target of the same model must not become a second ego vehicle."""
        for reference in holder.findall("CatalogReference"):
            holder.remove(reference)
        self._vehicle(Xml(Numbers.fixed()), holder, subject.model, subject)
        holder.insert(0, holder[-1])
        del holder[-1]


# ---- the stage as the scenario runner measures it


def middled(stage: Stage, bodies: tuple[Body, ...]) -> Stage:
    """The stage with CARLA's models, their origins in the middle of their boxes, and targets that start at their full speed."""
    movers: dict[str, Mover] = {}
    things: list[Mover] = []
    for body in bodies:
        if body.mover in stage.things:
            things.extend(_mover(body, number) for number in range(len(body.pieces)))
        else:
            movers[body.mover.role] = _at_speed(_mover(body, 0))
    subject = movers.pop(stage.subject.role)
    impact = stage.impact
    if impact is not None:  # its distances are those of middles
        impact = Pose(x=impact.x + subject.box.front, y=impact.y)
    return stage.model_copy(
        update={
            "subject": subject,
            "others": tuple(movers.values()),
            "things": tuple(things),
            "impact": impact,
            "end": tuple(_alone(moment) for moment in stage.end if moment.kind in _ENDS),
            "sheet": {},
            "headlamps": "",
        }
    )


def _alone(moment: Moment) -> Moment:
    """An end without what it comes after, since several conditions would be alternatives; a standstill lasts instead of waiting."""
    value = max(moment.value, moment.delay) if moment.kind == "standstill" else moment.value
    return Moment(kind=moment.kind, of=moment.of, to=moment.to, value=value)


def _mover(body: Body, number: int) -> Mover:
    piece, mover = body.pieces[number], body.mover
    box = Box(
        length=piece.size.length,
        width=piece.size.width,
        height=piece.size.height,
        front=piece.size.length / 2,
        reference=mover.box.reference - mover.box.front + mover.box.length / 2,
    )
    role = piece.role.replace(".", "_")
    ahead = (piece.centre.x - mover.start.x) * math.cos(mover.start.heading)
    ahead += (piece.centre.y - mover.start.y) * math.sin(mover.start.heading)
    path = _from_ahead(mover.path, ahead)
    return mover.model_copy(update={"role": role, "model": piece.blueprint, "box": box, "start": piece.centre, "path": path})


def _from_ahead(path: tuple[Leg, ...], ahead: float) -> tuple[Leg, ...]:
    """A way that turns, for a body placed `ahead` (m) of its start: its first leg is shorter and its last longer, so that it turns at
    the same place. A straight way stays as it is, as does one that begins or ends with a turn."""
    if len(path) < 2 or path[0].curvature or path[-1].curvature or path[0].length <= ahead or path[-1].length <= -ahead:
        return path
    first, last = path[0], path[-1]
    return (Leg(length=first.length - ahead), *path[1:-1], Leg(length=last.length + ahead))


def _at_speed(mover: Mover) -> Mover:
    """A run-up becomes a start at full speed, as much farther away as the run-up loses."""
    run_up = next((change for change in mover.changes if change.when == mover.begins and change.rate > 0 and not mover.speed), None)
    if run_up is None:
        return mover
    more = run_up.speed**2 / (2 * run_up.rate)
    x = mover.start.x - more * math.cos(mover.start.heading)
    y = mover.start.y - more * math.sin(mover.start.heading)
    changes: tuple[Change, ...] = tuple(change for change in mover.changes if change != run_up)
    return mover.model_copy(
        update={
            "start": Pose(x=x, y=y, heading=mover.start.heading),
            "path": (Leg(length=more), *mover.path),
            "speed": run_up.speed,
            "changes": changes,
        }
    )


# ---- the file


def _dressed(content: bytes, stage: Stage, catalogs: _Catalogs) -> bytes:
    """Heights of walkers, a control for the system under test, ends of the act, criteria."""
    root = ET.fromstring(content)
    ego = root.find(".//ScenarioObject[@name='Ego']")
    if ego is None:
        raise ValueError("no subject vehicle")
    catalogs.inline(ego, stage.subject)
    for mover in stage.others:
        if mover.model.startswith("walker."):
            _lift(root, entity(mover.role), mover.box.height / 2)
    if stage.system.kind == "external":
        _control(root)
    _stop(root, stage)
    return serialized(root)


def _lift(root: ET.Element, name: str, height: float) -> None:
    """A walker's origin is its middle."""
    private = root.find(f".//Init//Private[@entityRef='{name}']")
    groups = [group for group in root.iter("ManeuverGroup") if group.find(f"Actors/EntityRef[@entityRef='{name}']") is not None]
    for holder in ([private] if private is not None else []) + [line for group in groups for line in group.iter("Trajectory")]:
        for position in holder.iter("WorldPosition"):
            position.set("z", f"{height:g}")


def _control(root: ET.Element) -> None:
    """The scenario runner leaves the vehicle to who controls it from outside."""
    private = root.find(".//Init//Private[@entityRef='Ego']")
    if private is None:
        raise ValueError("no initial actions of the subject vehicle")
    for action in private.findall("PrivateAction"):
        if action.find("ActivateControllerAction") is not None:
            private.remove(action)
    made = ET.SubElement(ET.SubElement(private, "PrivateAction"), "ControllerAction")
    controller = ET.SubElement(ET.SubElement(made, "AssignControllerAction"), "Controller", name="SystemUnderTest")
    ET.SubElement(ET.SubElement(controller, "Properties"), "Property", name="module", value="external_control")
    override = ET.SubElement(made, "OverrideControllerValueAction")
    for tag in ("Throttle", "Brake", "Clutch", "ParkingBrake", "SteeringWheel"):
        ET.SubElement(override, tag, value="0", active="false")
    ET.SubElement(override, "Gear", number="0", active="false")
    for holder in root.iter("ScenarioObject"):
        for wrong in holder.findall("ObjectController"):
            holder.remove(wrong)


def _stop(root: ET.Element, stage: Stage) -> None:
    """Ends belong to the act; a criterion where contact itself is one."""
    act, board = root.find(".//Act"), root.find("Storyboard")
    stop = None if board is None else board.find("StopTrigger")
    inner = None if act is None else act.find("StopTrigger")
    if stop is None or inner is None:
        raise ValueError("no stop triggers")
    for group in list(stop):
        stop.remove(group)
        inner.append(group)
    if contact_is_the_criterion(stage.require):
        group = ET.SubElement(stop, "ConditionGroup")
        condition = ET.SubElement(group, "Condition", name="criteria_CollisionTest", delay="0", conditionEdge="rising")
        value = ET.SubElement(condition, "ByValueCondition")
        ET.SubElement(value, "ParameterCondition", parameterRef="", value="", rule="lessThan")


def contact_is_the_criterion(require: Sequence[Criterion]) -> bool:
    """Whether contact itself fails the test, whatever else holds."""
    return any(
        asked.form == "never" and asked.a is not None and asked.a.name == "contact" and not asked.only_if and asked.unless is None
        for asked in require
    )


# ---- what it does not hold


def _losses(stage: Stage) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            code="O632", severity="info", scenario=stage.scenario, field=what, message=f"scenario runner: {what}: {why}", hint=instead
        )
        for what, why, instead in LOSSES
    )


def _reasons(artifact: Artifact) -> list[str]:
    return [rule.reason for rule in tools.load(PROFILE).left_out if rule.hit(artifact)]


def _table(reasons: list[tuple[str, str]]) -> bytes:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerows([("left out", "why", "instead"), *LOSSES])
    writer.writerows((path.removeprefix("carla/"), why, "run_carla.py drives it") for path, why in reasons)
    return stream.getvalue().encode()
