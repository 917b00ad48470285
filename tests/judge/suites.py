"""Suites that logs are judged by: UN R152 as the test language reads it, and single tests made by hand from typed numbers."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from pathlib import Path

from tests.lang.documents import REGULATIONS, embedded

from regc.judge.campaign import judge
from regc.judge.declarations import Declarations
from regc.judge.verdict import Check, Judgement, RunVerdict
from regc.lang import evaluate, load_profile
from regc.model.criterion import Criterion, Event, LimitTable
from regc.model.scenario import AxisValue, Phase, Scenario
from regc.model.source import SourceRef, Tolerance
from regc.model.suite import Suite
from regc.model.value import Bound, Value, Word
from regc.runs.read import read_logs


@cache
def un152() -> Suite:
    """All tests of UN R152, from its embedded wording."""
    folder = REGULATIONS / "un152"
    profile = folder / "profile.toml"
    return evaluate(load_profile(profile), embedded("un152", "02.md"))


def source(clause: str = "1") -> SourceRef:
    """A place of an invented regulation."""
    return SourceRef(regulation="invented", edition="1", wording="embedded", clause=clause, quote="as typed")


def value(number: str, unit: str = "", bound: Bound = "eq", *, plus: str = "", minus: str = "", clause: str = "1") -> Value:
    """A cited number."""
    tolerance = Tolerance(plus=Decimal(plus or "0"), minus=Decimal(minus or "0")) if plus or minus else None
    return Value(lo=Decimal(number), hi=Decimal(number), unit=unit, bound=bound, tolerance=tolerance, sources=(source(clause),))


def span(low: str, high: str, unit: str = "") -> Value:
    """A cited range."""
    return Value(lo=Decimal(low), hi=Decimal(high), unit=unit, sources=(source(),))


def symbol(text: str, unit: str = "") -> Value:
    """What hangs on a declared quantity."""
    return Value(lo=None, hi=None, unit=unit, symbol=text, sources=(source(),))


def event(name: str, argument: Value | Word | None = None) -> Event:
    """An event of the vocabulary."""
    return Event(name=name, argument=argument)


def example(
    *require: Criterion,
    bind: dict[str, Value | Word] | None = None,
    manoeuvre: str = "in_lane",
    id: str = "T",
    status: str = "mandatory",
    axes: dict[str, AxisValue] | None = None,
    runs: dict[str, Value] | None = None,
    conditions: dict[str, Value | Word] | None = None,
    phases: tuple[Phase, ...] = (),
) -> Scenario:
    """One test of an invented regulation with these criteria; 42 km/h towards a standing target unless bound otherwise."""
    own: dict[str, Value | Word] = {"subject": value("42", "km/h", minus="2", plus="0"), "target": value("0", "km/h")}
    return Scenario.model_validate(
        {
            "id": id, "regulation": "invented", "edition": "1", "wording": "embedded", "test": "test", "token": "T", "title": "Test",
            "clause": "2", "status": status, "manoeuvre": manoeuvre, "bind": own if bind is None else bind, "require": require,
            "axes": axes or {}, "runs": runs or {}, "conditions": conditions or {}, "phases": phases,
        }
    )  # fmt: skip


def suite_of(*scenarios: Scenario, tables: tuple[LimitTable, ...] = ()) -> Suite:
    """An invented edition."""
    return Suite(regulation="invented", edition="1", wording="embedded", title="Invented", stem="T", scenarios=scenarios, tables=tables)


def judged(folder: Path, suite: Suite, declarations: Declarations | None = None, **options: bool) -> Judgement:
    """The verdicts on all logs of a folder."""
    logs, findings = read_logs([folder], scenarios={scenario.id for scenario in suite.scenarios})
    return judge(suite, logs, declarations=declarations, findings=findings, **options)


def check(run: RunVerdict, name: str) -> Check:
    """A criterion by its label, else a check by its name."""
    found = run.criterion(name) or next((item for item in run.checks if item.name == name), None)
    assert found is not None, f"{name}: {[item.name for item in run.checks]}"
    return found
