"""The sheet of a stage in the making: every number by name, with where it comes from and the formula that gives it."""

from __future__ import annotations

from decimal import Decimal

from regc.errors import StagingError
from regc.model.formula import FormulaError, evaluate
from regc.model.source import Basis, Digits, SourceRef
from regc.model.stage import Assumption, Entry
from regc.model.units import units
from regc.model.value import Value


def to_si(unit: str) -> tuple[str, str]:
    """What turns a number of a unit into SI in a formula, and the unit that it then has: km/h is (" * 5 / 18", "m/s"). A temperature
    keeps its unit. Raises KeyError for an unknown unit."""
    if unit in ("", "1"):
        return "", "1"
    known = units()[unit]
    return known.formula, known.name if known.offset else known.si


class Sheet:
    """Lines by name, in order. A name is given once."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self._values: dict[str, float] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.entries

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def formula(self, name: str) -> str:
        """The formula of a line; "" where it has none."""
        return self.entries[name].formula

    def calculate(self, formula: str) -> float:
        """The value of a formula over the lines. Raises StagingError for one that cannot be calculated."""
        try:
            return evaluate(formula, self._values)
        except FormulaError as error:
            raise StagingError(
                f"a number cannot be calculated: {error}", hint="see the bindings of the test and the data files"
            ) from error

    def given(self, name: str, number: Digits, value: Value) -> str:
        """A number of the test, in its own unit: what it says, or derived as it says."""
        basis, assumption = value.basis, value.assumption
        entry = Entry(value=float(number), unit=value.unit, basis=basis, sources=value.sources, assumption=assumption)
        return self.put(name, entry)

    def toleranced(self, name: str, number: float, value: Value) -> str:
        """One side of a number's tolerance, in the unit of the number."""
        tolerance = value.tolerance
        if tolerance is None:
            raise ValueError(f"{name}: no tolerance")
        basis: Basis = "assumed" if tolerance.assumption else "cited"
        sources = tolerance.sources or value.sources
        return self.put(name, Entry(value=number, unit=value.unit, basis=basis, sources=sources, assumption=tolerance.assumption))

    def stated(self, name: str, number: float, sources: tuple[SourceRef, ...]) -> str:
        """A number that stands for a word of the document (left: 1, right: -1)."""
        return self.put(name, Entry(value=number, unit="1", basis="cited", sources=sources))

    def assumed(
        self, name: str, number: float | Decimal, unit: str, code: str, reason: str, key: str, sources: tuple[SourceRef, ...] = ()
    ) -> str:
        """A number that the document does not give; `key`: where a user replaces it."""
        entry = Entry(value=float(number), unit=unit, basis="assumed", assumption=code, reason=reason, key=key, sources=sources)
        return self.put(name, entry)

    def derived(self, name: str, formula: str, unit: str) -> str:
        """A number that a formula over earlier lines gives, SI."""
        return self.put(name, Entry(value=self.calculate(formula), unit=unit, basis="derived", formula=formula))

    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumed lines, each once."""
        return tuple(
            Assumption(
                code=entry.assumption or "",
                what=name,
                value=f"{entry.value:g} {'' if entry.unit == '1' else entry.unit}".strip(),
                key=entry.key,
                reason=entry.reason,
            )
            for name, entry in self.entries.items()
            if entry.basis == "assumed"
        )

    def put(self, name: str, entry: Entry) -> str:
        """A line; the same one may be put again. Raises ValueError for another one of its name."""
        if name in self.entries:
            if self.entries[name] != entry:
                raise ValueError(f"the sheet has a line {name!r} already")
            return name
        self.entries[name], self._values[name] = entry, entry.value
        return name
