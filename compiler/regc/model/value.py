"""What a place of the document says: a number, a range or a symbol, or a word; each with the places that say it."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from regc.model.source import Basis, Digits, Frozen, SourceRef, Tolerance

#: What a number bounds: equal, at least, at most, above, below, or anything but it ("a different speed").
Bound = Literal["eq", "ge", "le", "gt", "lt", "ne"]
#: A comparison as a profile and a report write it.
Sign = Literal["<=", ">=", "<", ">", "==", "!="]


class Value(Frozen):
    """A number (`lo` == `hi`), a range (`lo` < `hi`) or a symbol (`lo` and `hi` None, `symbol` as an expression over declared names).

    Digits are the source's, in the regulation's own unit; "" is the unit of a bare number. `cited`: the document says it at `sources`.
    `derived`: `formula` over the numbers that stand at `sources`. `assumed`: `assumption` is an A8xx code and the number comes from a
    replaceable data file. `holds_if`: comparisons on declared names that stay open. `differs`: the run must take another value than
    the prescribed test did. `called`: how people read each declared name of the symbol.
    """

    lo: Digits | None
    hi: Digits | None
    unit: str = ""
    bound: Bound = "eq"
    tolerance: Tolerance | None = None
    symbol: str = ""
    formula: str = ""
    basis: Basis = "cited"
    sources: tuple[SourceRef, ...] = ()
    assumption: str | None = None
    holds_if: tuple[Comparison, ...] = ()
    differs: bool = False
    called: tuple[tuple[str, str], ...] = ()

    @property
    def is_number(self) -> bool:
        """One number: neither a range nor a symbol."""
        return self.lo is not None and self.lo == self.hi

    @property
    def is_range(self) -> bool:
        """Two ends that differ."""
        return self.lo is not None and self.lo != self.hi

    @property
    def number(self) -> Digits:
        """The one number; raises ValueError for a range or a symbol."""
        if self.lo is None or self.lo != self.hi:
            raise ValueError(f"{self.symbol or f'{self.lo}..{self.hi}'} is not one number")
        return self.lo

    @model_validator(mode="after")
    def _is_backed(self) -> Value:
        if (self.lo is None) != (self.hi is None):
            raise ValueError("a value has both ends or none")
        if self.lo is None and not self.symbol:
            raise ValueError("a value without numbers needs its symbol")
        if self.lo is not None and self.hi is not None and self.lo > self.hi:
            raise ValueError(f"the range {self.lo}..{self.hi} is turned round")
        if self.basis in ("cited", "derived") and not self.sources:
            raise ValueError(f"a {self.basis} value needs a source")
        if self.basis == "derived" and not self.formula:
            raise ValueError("a derived value needs its formula")
        if self.basis == "assumed" and not self.assumption:
            raise ValueError("an assumed value needs its assumption code")
        return self


class Word(Frozen):
    """A word of the vocabulary ("max", "run_up", "child") and where the document says it."""

    word: str
    sources: tuple[SourceRef, ...] = ()


class Comparison(Frozen):
    """An open condition on what the applicant declares: `left sign right`, e.g. v_design - 20 km/h >= 78 km/h."""

    left: Value
    sign: Sign
    right: Value


#: How a statement that is a yes or a no is written, in small letters.
YES, NO = frozenset({"yes", "true"}), frozenset({"no", "false"})


class Stated(Frozen):
    """A condition that only a statement of a person can settle ("the situation cannot be anticipated"); never inferred from a log.

    `name` is what a declaration calls it: the declared quantity ("urban"), or the label of the criterion whose `unless` it is. `word`:
    the one of several words that must be declared for it to hold ("automatic"); "" where it is a yes or no.
    """

    name: str = ""
    word: str = ""
    reason: str
    sources: tuple[SourceRef, ...] = ()


#: A condition of a test or a criterion: decided by declared values at build or by a declaration beside the runs.
Condition = Comparison | Stated

Value.model_rebuild()
Comparison.model_rebuild()
