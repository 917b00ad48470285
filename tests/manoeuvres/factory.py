"""Tests made by hand, written shortly: `made("in_lane", bind={"subject": "60 km/h", "ttc": ">=4 s"}, actors={"target": "car"})`.

A number is "[sign]number unit"; "10..80 km/h" is a range, "?v_design" a symbol, "!5 km/h" another one than that. Tolerances stand
behind: "20 km/h +0/-2". Everything else is a word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from regc.model.criterion import Criterion, Event, Limit
from regc.model.scenario import Actor, AxisValue, Phase, Scenario
from regc.model.source import SourceRef, Tolerance
from regc.model.value import Bound, Value, Word

SOURCE = SourceRef(regulation="made", edition="1", wording="official", clause="1", quote="made by hand")
_NUMBER = re.compile(r"(>=|<=|>|<|!)?(-?\d+(?:\.\d+)?)(?:\.\.(\d+(?:\.\d+)?))? ?([^+]*?)(?: \+([\d.]+)/-([\d.]+))?")
_BOUNDS: dict[str, Bound] = {">=": "ge", "<=": "le", ">": "gt", "<": "lt", "!": "ne"}


def value(text: str) -> Value | Word:
    """A number, range, symbol or word."""
    if text.startswith("?"):
        symbol, _, unit = text[1:].partition(" in ")
        return Value(lo=None, hi=None, symbol=symbol, unit=unit, sources=(SOURCE,))
    found = _NUMBER.fullmatch(text)
    if not found:
        return Word(word=text, sources=(SOURCE,))
    sign, lo, hi, unit, plus, minus = found.groups()
    tolerance = Tolerance(plus=Decimal(plus), minus=Decimal(minus)) if plus else None
    return Value(
        lo=Decimal(lo),
        hi=Decimal(hi or lo),
        unit=unit,
        bound=_BOUNDS.get(sign, "eq"),
        differs=sign == "!",
        tolerance=tolerance,
        sources=(SOURCE,),
    )


def number(text: str) -> Value:
    """A number."""
    made = value(text)
    assert isinstance(made, Value)
    return made


def criterion(label: str, form: str, **parts: str) -> Criterion:
    """A criterion: a, b as event names ("line_crossed(0.3 m)"), by, signal, sign, limit."""
    made: dict[str, object] = {"label": label, "form": form, "sources": (SOURCE,)}
    for name, text in parts.items():
        if name in ("a", "b"):
            event, _, argument = text.removesuffix(")").partition("(")
            made[name] = Event(name=event, argument=number(argument) if argument else None)
        elif name == "limit":
            made[name] = Limit(value=number(text))
        elif name in ("by", "mean_over"):
            made[name] = number(text)
        else:
            made[name] = text
    return Criterion.model_validate(made)


NO_CONTACT = criterion("contact", "never", a="contact")
NO_WARNING = criterion("warning", "never", a="warning")
NO_BRAKING = criterion("braking", "never", a="braking")


def made(
    manoeuvre: str,
    bind: Mapping[str, str],
    actors: Mapping[str, str] | None = None,
    *,
    id: str = "made_1",
    axes: Mapping[str, str] | None = None,
    covers: Sequence[str] = (),
    conditions: Mapping[str, str] | None = None,
    require: Sequence[Criterion] = (NO_CONTACT,),
) -> Scenario:
    """A test. `axes`: axis -> value; `covers`: vehicle categories of an axis of their own."""
    values = {name: AxisValue(value=text, sources=(SOURCE,)) for name, text in (axes or {}).items()}
    if covers:
        values["class"] = AxisValue(value=covers[0], covers=tuple(covers), sources=(SOURCE,))
    return Scenario(
        id=id,
        regulation="made",
        edition="1",
        wording="official",
        test=manoeuvre,
        token=manoeuvre,
        title=f"{manoeuvre} made by hand",
        clause="1",
        status="mandatory",
        axes=values,
        manoeuvre=manoeuvre,
        bind={name: value(text) for name, text in bind.items()},
        actors=tuple(Actor(role=role, kind=kind, sources=(SOURCE,)) for role, kind in (actors or {}).items()),
        require=tuple(require),
        conditions={name: value(text) for name, text in (conditions or {}).items()},
    )


def part(name: str, manoeuvre: str, bind: Mapping[str, str] | None = None, actors: Mapping[str, str] | None = None) -> Phase:
    """A phase; who takes part in it is named in its own sentence."""
    own = SOURCE.model_copy(update={"clause": name})
    met = tuple(Actor(role=role, kind=kind, sources=(own,)) for role, kind in (actors or {}).items())
    return Phase(name=name, manoeuvre=manoeuvre, bind={key: value(text) for key, text in (bind or {}).items()}, actors=met)


def in_phases(bind: Mapping[str, str], *phases: Phase, require: Sequence[Criterion] = (NO_CONTACT,)) -> Scenario:
    """A sequence; what it binds holds in every phase."""
    whole = made("sequence", bind, require=require)
    handed = {key: value(text) for key, text in bind.items()}
    return whole.model_copy(update={"phases": tuple(item.model_copy(update={"bind": {**handed, **item.bind}}) for item in phases)})
