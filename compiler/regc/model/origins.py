"""What the numbers of a test's file rest on, for every target that writes it beside or into its files: places of the document once and
by number, values in the regulation's digits, the lines of the stage's sheet, assumptions.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Literal

from regc.model.criterion import Criterion
from regc.model.scenario import Scenario, Status
from regc.model.source import Basis, Frozen, SourceRef, Wording
from regc.model.stage import Stage
from regc.model.units import plain
from regc.model.value import Bound, Condition, Stated, Value, Word


class SidecarSource(Frozen):
    """One place of the document; values refer to it by its position in the sidecar's list. `chosen`: the model that chose it.
    `at`: where in the quote the number begins."""

    label: str
    clause: str
    item: str | None = None
    table: str | None = None
    row: str | None = None
    column: str | None = None
    footnote: str | None = None
    page: int | None = None
    quote: str
    at: int | None = None
    chosen: str | None = None


class SidecarTolerance(Frozen):
    """Magnitudes in the unit of the value."""

    plus: str
    minus: str
    sources: tuple[int, ...] = ()
    assumption: str | None = None


class SidecarValue(Frozen):
    """A number, a range or a symbol of the test in the regulation's digits and unit. `holds_if`: conditions on declared quantities
    without which it is another number."""

    lo: str | None = None
    hi: str | None = None
    symbol: str = ""
    unit: str
    bound: Bound
    basis: Basis
    formula: str = ""
    sources: tuple[int, ...] = ()
    assumption: str | None = None
    tolerance: SidecarTolerance | None = None
    differs: bool = False
    holds_if: tuple[str, ...] = ()


class SidecarLine(Frozen):
    """A line of the stage's sheet in SI: from the test (`formula` names its value), assumed, or calculated from other lines."""

    value: str
    unit: str
    basis: Basis
    formula: str = ""
    assumption: str | None = None
    reason: str = ""


class SidecarAssumption(Frozen):
    """Something that the simulation needs and the document does not say, and what replaces it."""

    code: str
    what: str
    value: str
    replace_with: str
    reason: str


class Described(Frozen):
    """The test of a file. `values`: its numbers by dotted name; `words`: its words; `sheet`: the lines that the file's numbers follow
    from."""

    schema_version: Literal["2"] = "2"
    variant: str = ""
    title: str
    regulation: str
    edition: str
    wording: Wording
    test: str
    axes: dict[str, str]
    status: Status
    clause: str
    manoeuvre: str
    applies_if: tuple[str, ...] = ()
    values: dict[str, SidecarValue]
    words: dict[str, str]
    sources: tuple[SidecarSource, ...]
    sheet: dict[str, SidecarLine] = {}
    assumptions: tuple[SidecarAssumption, ...] = ()

    def packed(self) -> dict[str, Any]:
        """As JSON holds it: without what is left at its default, but with the version of its schema."""
        return self.model_dump(mode="json", exclude_defaults=True) | {"schema_version": self.schema_version}


def described(scenario: Scenario, stage: Stage | None) -> Described:
    """A test with its stage; without one for a test that became no file."""
    sources = _Sources()
    values = {name: _value(value, sources) for name, value in scenario.values()}
    words = {f"bind.{name}": bound.word for name, bound in scenario.bind.items() if isinstance(bound, Word)}
    words |= {f"conditions.{name}": bound.word for name, bound in scenario.conditions.items() if isinstance(bound, Word)}
    words |= {f"actors.{actor.role}": actor.kind for actor in scenario.actors}
    sheet = {
        name: SidecarLine(
            value=plain(Decimal(repr(entry.value)), 9),
            unit=entry.unit,
            basis=entry.basis,
            formula=entry.formula,
            assumption=entry.assumption,
            reason=entry.reason,
        )
        for name, entry in (stage.sheet.items() if stage else ())
    }
    return Described(
        variant=stage.variant if stage else "",
        title=scenario.title,
        regulation=scenario.regulation,
        edition=scenario.edition,
        wording=scenario.wording,
        test=scenario.test,
        axes={name: value.value for name, value in scenario.axes.items()},
        status=scenario.status,
        clause=scenario.clause,
        manoeuvre=scenario.manoeuvre,
        applies_if=tuple(condition_words(condition) for condition in _conditions(scenario)),
        values=values,
        words=words,
        sources=sources.listed(),
        sheet=sheet,
        assumptions=tuple(
            SidecarAssumption(code=item.code, what=item.what, value=item.value, replace_with=item.key, reason=item.reason)
            for item in (stage.assumed if stage else ())
        ),
    )


class _Sources:
    """Places in the order in which they are first cited."""

    def __init__(self) -> None:
        self._known: dict[SourceRef, int] = {}

    def of(self, sources: Iterable[SourceRef]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self._known.setdefault(source, len(self._known)) for source in sources))

    def listed(self) -> tuple[SidecarSource, ...]:
        return tuple(
            SidecarSource(
                label=source.label(),
                clause=source.clause,
                item=getattr(source, "item", None),
                table=source.table,
                row=source.row,
                column=source.column,
                footnote=source.footnote,
                page=source.page,
                quote=source.quote,
                at=source.at,
                chosen=source.chosen,
            )
            for source in self._known
        )


def condition_words(condition: Condition) -> str:
    """`v_design - 20 km/h >= 78 km/h`, or the reason that a person states."""
    if isinstance(condition, Stated):
        return condition.reason
    return f"{value_words(condition.left)} {condition.sign} {value_words(condition.right)}"


def value_words(value: Value) -> str:
    """A value in one piece: digits with unit, a range, or a symbol."""
    if value.lo is None or value.hi is None:
        return value.symbol
    text = format(value.lo, "f") if value.lo == value.hi else f"{value.lo:f} to {value.hi:f}"
    return f"{text} {value.unit}".strip()


def _conditions(scenario: Scenario) -> tuple[Condition, ...]:
    inner = tuple(condition for criterion in scenario.require for condition in _of_criterion(criterion))
    return (*scenario.applies_if, *inner)


def _of_criterion(criterion: Criterion) -> tuple[Condition, ...]:
    return (*criterion.only_if, *((criterion.unless,) if criterion.unless is not None else ()))


def _value(value: Value, sources: _Sources) -> SidecarValue:
    tolerance = None
    if value.tolerance is not None:
        tolerance = SidecarTolerance(
            plus=format(value.tolerance.plus, "f"),
            minus=format(value.tolerance.minus, "f"),
            sources=sources.of(value.tolerance.sources),
            assumption=value.tolerance.assumption,
        )
    return SidecarValue(
        lo=None if value.lo is None else format(value.lo, "f"),
        hi=None if value.hi is None else format(value.hi, "f"),
        symbol=value.symbol,
        unit=value.unit,
        bound=value.bound,
        basis=value.basis,
        formula=value.formula,
        sources=sources.of(value.sources),
        assumption=value.assumption,
        tolerance=tolerance,
        differs=value.differs,
        holds_if=tuple(condition_words(held) for held in value.holds_if),
    )
