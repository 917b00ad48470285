"""The model of a system under test in a row of phases: it does in each phase what the criteria ask of that phase.

reference warns where a phase asks for a warning, keeps the lane where no line may be crossed, and brakes before what stands or drives
ahead. late warns late, crosses the line, and brakes late. What no log of a simulator shows (an intervention, a second action) is not
played.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from regc.manoeuvres.plan import Plan
from regc.manoeuvres.system import FALSE_WARNING, LEAD_SPARE, assume
from regc.model.criterion import Criterion, Event
from regc.model.scenario import Phase
from regc.model.stage import Moment, System
from regc.model.units import si_of
from regc.model.value import Value

#: s that a warning lasts, that it comes behind the beginning of a phase that has no line, and that late is late.
_LASTS, _BEHIND, _LATE = 1.0, 0.5, 1.5


@dataclass(frozen=True)
class Marks:
    """When things happen in a phase, as formulas in s: it begins; the line would be reached, and the lane is changed (\"\" where it is
    not); `ends`: the next one begins."""

    begins: str
    line: str = ""
    changed: str = ""
    ends: str = ""


def keeps_lane(plan: Plan, phase: str) -> bool:
    """Whether the model must keep the subject vehicle in its lane in a phase, and does."""
    asked = (item for item in plan.scenario.require if item.phase in ("", phase) and not item.only_if)
    return plan.options.ego == "reference" and any(
        item.form == "never" and item.a is not None and item.a.name == "line_crossed" for item in asked
    )


def phase_system(plan: Plan, phases: Sequence[Phase], marks: Mapping[str, Marks], braking: System) -> System:
    """The model for phases whose marks are known; `braking`: what brakes in the last of them."""
    ego = plan.options.ego
    if ego in ("none", "external"):
        return System(kind=ego)
    wanted = _warned_in(plan.scenario.require, phases, marks)
    moments: list[Moment] = []
    lasts: list[float] = []
    for count, phase in enumerate(wanted, 1):
        line = "system.warns" if count == 1 else f"system.warns{count}"
        when = _when(plan, plan.scenario.require, phase, marks[phase.name], line)
        if ego == "late":
            assume(plan, "late_by", _LATE, "s")
            when = f"{when} + late_by"
        if count > 1:
            apart = _apart(plan, count, line)
            when = f"max({when}, {'system.warns' if count == 2 else f'system.warns{count - 1}'} + {lasts[-1]:g} + {apart})"
        moments.append(plan.moment(line, "time", value=when))
        lasts.append(_LASTS if not lasts else lasts[-1] + _longer(plan.scenario.require, count))
    lasting = tuple(lasts) if len(moments) > 1 else ()
    return braking.model_copy(update={"warns": moments[0] if moments else braking.warns, "again": tuple(moments[1:]), "lasts": lasting})


# ---------------------------------------------------------------- warnings


def _events(item: Criterion) -> Iterator[Event]:
    yield from (event for event in (item.a, item.b) if event is not None and event.name == "warning")


def _warned_in(require: Sequence[Criterion], phases: Sequence[Phase], marks: Mapping[str, Marks]) -> list[Phase]:
    """The phases in which a warning is asked for: by name; else the first ones in which something happens, as many as the highest
    ordinal says; all of them for a criterion without either."""
    asked = [item for item in require if item.form not in ("never", "assess", "measure") and any(_events(item))]
    quiet = {item.phase for item in require if item.form == "never" and any(_events(item))}
    if not asked or "" in quiet:
        return []
    named = {item.phase for item in asked if item.phase}
    count = max((event.occurrence or 0 for item in asked for event in _events(item)), default=0)
    able = [phase for phase in phases if phase.name not in quiet and (marks[phase.name].line or marks[phase.name].changed)] or [
        phase for phase in phases if phase.name not in quiet
    ]
    general = any(not item.phase and not any(event.occurrence for event in _events(item)) for item in asked)
    chosen = {phase.name for phase in (able if general and not named else able[:count])} | (named - quiet)
    return [phase for phase in phases if phase.name in chosen]


def _when(plan: Plan, require: Sequence[Criterion], phase: Phase, mark: Marks, line: str) -> str:
    """Formula of when a phase's warning comes: at the line, or in good time to what the criteria order it by."""
    for item in require:
        if item.phase not in ("", phase.name) or item.a is None or item.b is None:
            continue
        first, second = item.a.name, item.b.name
        by = item.by if item.by is not None and item.by.is_number else None
        if first == "warning" and second in _MOMENTS and item.form == "before":
            return f"{_moment_of(mark, second)} - ({_given(plan, item.label, by)} + {_spare(plan)})"
        if first == "warning" and second in _MOMENTS and item.form in ("after", "within"):
            share = " / 2" if item.form == "within" else f" + {_spare(plan)}"
            return f"{_moment_of(mark, second)} + {_given(plan, item.label, by)}{share}"
        if second == "warning" and first in _MOMENTS and item.form in ("after", "within"):
            share = " / 2" if item.form == "within" else f" + {_spare(plan)}"
            return f"{_moment_of(mark, first)} - ({_given(plan, item.label, by)}{share})"
    if mark.line:
        return f"{mark.line} - {_spare(plan)}"
    assume(plan, f"{line}_behind", _BEHIND, "s")
    return f"{mark.begins} + {line}_behind"


#: Events whose moments the course knows.
_MOMENTS = ("line_crossed", "lane_change", "lane_change_end", "lateral_movement", "procedure", "hands_off")


def _moment_of(mark: Marks, event: str) -> str:
    moments = {"line_crossed": mark.line, "lane_change": mark.changed, "lane_change_end": mark.ends}
    return moments.get(event) or mark.begins


def _spare(plan: Plan) -> str:
    assume(plan, "warning_spare", LEAD_SPARE, "s")
    return "warning_spare"


def _given(plan: Plan, label: str, by: Value | None) -> str:
    """Formula of the time of an order; 0 where it states none."""
    if by is None:
        return "0"
    plan.sheet.given(f"require.{label}.by", by.number, by)
    factor, _ = plan.unit(by.unit, label)
    return f"(require.{label}.by{factor})"


def _apart(plan: Plan, count: int, line: str) -> str:
    """Formula of the least time from the end of one warning to the next: what an order of both asks, and something more."""
    for item in plan.scenario.require:
        ordered = item.form == "after" and item.a is not None and item.b is not None and item.a.name == item.b.name == "warning"
        if ordered and item.a is not None and item.a.occurrence == count and item.by is not None and item.by.is_number:
            return f"{_given(plan, item.label, item.by)} + {_spare(plan)}"
    assume(plan, f"{line}_apart", FALSE_WARNING / 4, "s")
    return f"{line}_apart"


def _longer(require: Sequence[Criterion], count: int) -> float:
    """s by which a warning lasts longer than the one before."""
    for item in require:
        if item.form == "longer" and item.a is not None and item.a.name == "warning" and item.a.occurrence == count:
            return LEAD_SPARE + (float(si_of(item.by.number, item.by.unit)) if item.by is not None and item.by.is_number else 0.0)
    return 0.0
