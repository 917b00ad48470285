"""Arithmetic on values: units, ranges, bounds, symbols. Every result carries the sources of what it came from and its formula."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from regc.lang.bounds import turned
from regc.lang.faults import ProfileError
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, quantities
from regc.model.source import SourceRef
from regc.model.value import Bound, Comparison, Condition, Sign, Value

#: A condition: decided, or the open ones on declared quantities and statements that it hangs on (all must hold).
Truth = bool | tuple[Condition, ...]

_ENDS_HINT = "at_least(...), at_most(...), above(...), below(...) say one side for the whole; tol.NAME says a tolerance"
_TURNED_HINT = "the numbers that it is calculated from, or `when` where the test is not to be done with them"
_SIGNS: dict[Bound, str] = {"eq": "", "ge": ">=", "le": "<=", "gt": ">", "lt": "<", "ne": "other than "}


@dataclass(frozen=True)
class Constant:
    """A number that a profile writes itself; only 0 may be compared, none takes part in arithmetic."""

    number: Decimal


@dataclass(frozen=True)
class Ends:
    """A range whose ends may be symbols: span([at: between], v_design)."""

    low: Value
    high: Value


def plain(number: Decimal) -> str:
    """A number in plain digits: 0E+1 is "0"."""
    return format(number, "f")


def show(value: Value) -> str:
    """A value for formulas and messages, without its bound: "42 km/h", "10 to 60 km/h", "v_design - 20 km/h"."""
    if value.symbol:
        return value.symbol
    assert value.lo is not None
    assert value.hi is not None
    number = plain(value.lo) if value.lo == value.hi else f"{plain(value.lo)} to {plain(value.hi)}"
    return f"{number} {value.unit}".strip()


def say(value: Value) -> str:
    """A value with its bound and tolerance, for messages: ">=60 m", "50 +-2 km/h"."""
    tolerance = ""
    if value.tolerance:
        plus, minus = plain(value.tolerance.plus), plain(value.tolerance.minus)
        tolerance = f" +-{plus}" if plus == minus else f" +{plus}/-{minus}"
    return f"{_SIGNS[value.bound]}{show(value)}{tolerance}"


def dimension(value: Value) -> str:
    """The dimension of a value; "count" for a bare number."""
    return vocabulary().dimension(value.unit)


def an(name: str) -> str:
    """A dimension with its article: "an acceleration", "a square speed"."""
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name.replace('_', ' ')}"


def place_of_bound(value: Value) -> SourceRef | None:
    """Where the number that bounds a value stands: of a sum, not the place of a quantity that is declared; None without sources."""
    numbers = [source for source in value.sources if source.at is not None or source.row is not None]
    bounding = [source for source in numbers if any(item.bound != "eq" or item.either for item in _numbers_at(source))]
    return next(iter((*bounding, *numbers, *value.sources)), None)


def either_side(value: Value) -> str:
    """Why the words of a value name no side of it ("no later than 55 m"), "" where they do or need not."""
    return next((item.either for source in value.sources for item in _numbers_at(source) if item.either), "")


def _numbers_at(source: SourceRef) -> list[Measurement]:
    """The number that a place cites, read in its quote."""
    return [item for item in quantities(source.quote).measurements if item.start == source.at]


def joined(values: Iterable[Value]) -> tuple[SourceRef, ...]:
    """The sources of several values, each once."""
    return tuple(dict.fromkeys(source for value in values for source in value.sources))


def names_called(values: Iterable[Value]) -> tuple[tuple[str, str], ...]:
    """How people read the declared names of several values, each once."""
    return tuple(dict.fromkeys(pair for value in values for pair in value.called))


def to(value: Value, unit: str) -> Value:
    """The same quantity in another unit; raises E402 where it is of another dimension."""
    if not unit or not value.unit or value.unit == unit:
        return value
    known = vocabulary()
    if known.dimension(value.unit) != known.dimension(unit):
        raise ProfileError("E402", f"{show(value)} is {an(known.dimension(value.unit))}; {an(known.dimension(unit))} is wanted")
    if value.lo is None or value.hi is None:
        return value.model_copy(update={"unit": unit})

    def turn(number: Decimal) -> Decimal:
        return decimal((known.si(number, value.unit) - known.units[unit].offset) / known.factor(unit))

    return value.model_copy(update={"lo": turn(value.lo), "hi": turn(value.hi), "unit": unit})


def decimal(number: Fraction) -> Decimal:
    """A fraction as a decimal: exactly where it ends, else with nine places."""
    rest = number.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    exact = Decimal(number.numerator) / Decimal(number.denominator)
    if rest == 1:
        return exact
    return round(exact, 9).normalize()


def si_ends(value: Value) -> tuple[Fraction, Fraction]:
    """Both ends in SI; raises ValueError for a symbol."""
    if value.lo is None or value.hi is None:
        raise ValueError(f"{value.symbol} has no number")
    return vocabulary().si(value.lo, value.unit), vocabulary().si(value.hi, value.unit)


def is_symbol(value: Value) -> bool:
    """Whether it is declared later."""
    return value.lo is None


def arithmetic(sign: str, left: Value, right: Value) -> Value:
    """left sign right: ranges by their ends, a bound by its side, a symbol as text; of the nominal numbers, since a tolerance is that
    of the quantity that is driven with it.

    Raises E402 (dimensions), E407 (the bounds of both are on opposite sides), E410 (division by zero).
    """
    turned_right = turned(right.bound) if sign in "-/" else right.bound
    if "eq" not in (left.bound, turned_right) and left.bound[0] != turned_right[0]:
        raise ProfileError(
            "E407", f"'{show(left)} {sign} {show(right)}': {say(left)} and {say(right)} bound the result on opposite sides"
        )
    formula = f"{_operand(left)} {sign} {_operand(right)}"
    unit = _product_unit(sign, left, right) if sign in "*/" else _sum_unit(left, right)
    bound = left.bound if left.bound != "eq" else turned_right
    symbol = _symbolic(sign, left, right) if is_symbol(left) or is_symbol(right) else ""
    low, high = (None, None) if symbol else _ends(sign, left, right, unit)
    return Value(
        lo=low, hi=high, unit=unit, bound=bound, symbol=symbol, formula=formula, basis="derived", sources=joined((left, right)),
        holds_if=unique((*left.holds_if, *right.holds_if)), differs=left.differs or right.differs, called=names_called((left, right)),
    )  # fmt: skip


def _symbolic(sign: str, left: Value, right: Value) -> str:
    """The symbol of a sum or product; adding or taking away nothing leaves it as it is."""
    if sign in "+-" and right.lo == right.hi == 0:
        return left.symbol
    if sign == "+" and left.lo == left.hi == 0:
        return right.symbol
    return f"{_part(left, sign)} {sign} {_part(right, sign, divides=sign == '/')}"


_SIDED = re.compile(r"(?:at_least|at_most|above|below)\((.*)\)")
_CALL = re.compile(r"\w+\([^()]*\)")


def term(value: Value) -> str:
    """A value inside a formula: what is calculated stands there as it is calculated, so that every number of a formula is one that
    the document says."""
    if value.basis != "derived" or not value.formula or re.fullmatch(r"[\d.\s+*/()-]+", value.formula):
        return show(value)
    said = _SIDED.fullmatch(value.formula)
    return said[1] if said else value.formula


def _operand(value: Value) -> str:
    """A value beside a sign: a calculation in brackets."""
    text = term(value)
    return f"({text})" if re.search(r" [-+*/] ", text) and not _CALL.fullmatch(text) else text


def _part(value: Value, sign: str, *, divides: bool = False) -> str:
    """A value inside a symbol; a sum inside a product, and a product that divides, stand in brackets."""
    text = show(value)
    inner = (" - ", " + ", " * ", " / ") if divides else (" - ", " + ") if sign in "*/-" else ()
    return f"({text})" if is_symbol(value) and any(operator in text for operator in inner) else text


def _sum_unit(left: Value, right: Value) -> str:
    if left.unit and right.unit:
        to(right, left.unit)
    elif left.unit != right.unit:
        bare, other = (left, right) if not left.unit else (right, left)
        raise ProfileError("E402", f"{show(bare)} has no unit; {show(other)} is {an(dimension(other))}")
    return left.unit or right.unit


def _product_unit(sign: str, left: Value, right: Value) -> str:
    """The SI unit of a product, from the exponents of length, time and mass; "" for a bare number."""
    known = vocabulary()

    def exponents(value: Value) -> tuple[int, int, int]:
        held = known.dimensions.get(dimension(value) if value.unit else "ratio")
        if held is None:
            raise ProfileError("E402", f"{show(value)} is {an(dimension(value))}, which takes part in no product")
        return held

    power = 1 if sign == "*" else -1
    wanted = tuple(a + power * b for a, b in zip(exponents(left), exponents(right), strict=True))
    if not any(wanted):
        return ""
    name = next((name for name, held in known.dimensions.items() if held == wanted), None)
    if name is None or name not in known.base_units:
        raise ProfileError(
            "E402", f"nothing has the dimension of {show(left)} {sign} {show(right)}",
            "calculate in an order in which each step has a unit: (a * t) ** 2 is a speed's square, a ** 2 is nothing",
        )  # fmt: skip
    return known.base_units[name]


def _ends(sign: str, left: Value, right: Value, unit: str) -> tuple[Decimal, Decimal]:
    if sign in "+-":
        right = to(right, unit)
        assert left.lo is not None
        assert left.hi is not None
        assert right.lo is not None
        assert right.hi is not None
        return (left.lo + right.lo, left.hi + right.hi) if sign == "+" else (left.lo - right.hi, left.hi - right.lo)
    (a, b), (c, d) = si_ends(left), si_ends(right)
    scale = vocabulary().factor(unit)
    if sign == "/":
        if c <= 0 <= d:
            raise ProfileError("E410", f"'{show(left)} / {show(right)}' divides by zero")
        c, d = 1 / d, 1 / c
    products = [x * y / scale for x in (a, b) for y in (c, d)]
    return decimal(min(products)), decimal(max(products))


def power(value: Value, exponent: int) -> Value:
    """value ** 2 or ** 3; the square of a range about zero begins at zero."""
    out = value
    for _ in range(exponent - 1):
        out = arithmetic("*", out, value)
    if value.lo is None or value.hi is None or not value.lo < 0 < value.hi:
        return out
    ends = [decimal(end**exponent / vocabulary().factor(out.unit)) for end in si_ends(value)]
    return out.model_copy(update={"lo": Decimal(0) if exponent == 2 else ends[0], "hi": max(ends)})


def root(value: Value) -> Value:
    """The square root; the dimension's exponents must be even. Raises E402."""
    known = vocabulary()
    held = known.dimensions.get(dimension(value) if value.unit else "ratio")
    if held is None or any(exponent % 2 for exponent in held):
        raise ProfileError("E402", f"{show(value)} has no square root among the dimensions")
    wanted = tuple(exponent // 2 for exponent in held)
    name = next((name for name, exponents in known.dimensions.items() if exponents == wanted), None)
    if name is None:
        raise ProfileError("E402", f"{show(value)} has no square root among the dimensions")
    unit = "" if not any(wanted) else known.base_units[name]
    formula = f"sqrt({term(value)})"
    common = {
        "unit": unit, "bound": value.bound, "formula": formula, "basis": "derived", "sources": value.sources,
        "holds_if": value.holds_if, "differs": value.differs, "called": value.called,
    }  # fmt: skip
    if is_symbol(value):
        return Value(lo=None, hi=None, symbol=formula, **common)
    if si_ends(value)[0] < 0:
        raise ProfileError("E415", f"{formula}: {say(value)} is below zero and has no square root", _TURNED_HINT)
    roots = [Decimal(end.numerator).sqrt() / Decimal(end.denominator).sqrt() for end in si_ends(value)]
    low, high = (round(decimal(Fraction(end) / known.factor(unit)), 9).normalize() for end in roots)
    return Value(lo=low, hi=high, **common)


def sided(value: Value, bound: Bound, name: str) -> Value:
    """A value whose side the profile says: at_most([6.4: offset])."""
    return value.model_copy(update={"bound": bound, "basis": "derived", "formula": f"{name}({term(value)})"})


def extreme(values: list[Value], name: str) -> Value:
    """min or max, "whichever is lower": the best of the numbers, as long as the symbols do not beat it.

    Of ranges both ends count, each for itself: min(125 to 135 km/h, 130 km/h) is 125 to 130 km/h. Raises E402 (dimensions), E407 (the
    ends come from values of several bounds or tolerances).
    """
    firm, open_ = [value for value in values if not is_symbol(value)], [value for value in values if is_symbol(value)]
    formula = f"{name}({', '.join(map(term, values))})"
    common: dict[str, Any] = {
        "basis": "derived", "formula": formula, "sources": joined(values), "differs": any(value.differs for value in values),
    }  # fmt: skip
    for value in values[1:]:
        _sum_unit(values[0], value)
    holds = [held for value in values for held in value.holds_if]
    if not firm:
        bounds = {value.bound for value in values}
        if len(bounds) > 1:
            raise ProfileError("E407", f"'{formula}': {' and '.join(map(say, values))} do not have the same bound", _ENDS_HINT)
        return Value(
            lo=None,
            hi=None,
            unit=values[0].unit,
            symbol=formula,
            bound=values[0].bound,
            holds_if=unique(holds),
            called=names_called(values),
            **common,
        )
    best = _extreme(firm, name, formula)
    ends = ends_of(best.model_copy(update={"holds_if": ()}))
    sign: Sign = ">=" if name == "min" else "<="
    holds += [Comparison(left=value, sign=sign, right=ends.high if name == "min" else ends.low) for value in open_]
    return best.model_copy(update={**common, "holds_if": unique(holds)})


def _extreme(firm: list[Value], name: str, formula: str) -> Value:
    """The lowest or highest of numbers and ranges, end by end; one of them where it holds both ends."""
    pick = min if name == "min" else max
    low = pick(firm, key=lambda value: si_ends(value)[0])
    high = pick(firm, key=lambda value: si_ends(value)[1])
    wanted = (si_ends(low)[0], si_ends(high)[1])
    whole = next((value for value in firm if si_ends(value) == wanted), None)
    if whole is not None:
        return whole
    if low.bound != high.bound or _width(low) != _width(high):
        raise ProfileError(
            "E407", f"'{formula}' takes one end of {say(low)} and the other of {say(high)}: not the same bound or tolerance", _ENDS_HINT
        )
    return low.model_copy(update={"hi": to(high, low.unit).hi})


def _width(value: Value) -> tuple[Decimal, Decimal, str] | None:
    return (value.tolerance.plus, value.tolerance.minus, value.unit) if value.tolerance is not None else None


def unique(conditions: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Conditions, each once."""
    return tuple(dict.fromkeys(conditions))


def span(low: Value, high: Value) -> Ends:
    """A range of two ends: the numbers as they stand, since an end bounds its own side whatever its words do.

    Raises E409 (an end is a range itself), E402 (dimensions), E415 (it is turned round).
    """
    for end in (low, high):
        if end.is_range:
            raise ProfileError("E409", f"span takes two ends; {show(end)} is a range", "low(...) or high(...) takes one of its ends")
    _sum_unit(low, high)
    high = to(high, low.unit)
    if low.lo is not None and high.hi is not None and low.lo > high.hi:
        raise ProfileError(
            "E415", f"span({_asked(low)}, {_asked(high)}) begins at {show(low)} and ends at {show(high)}: it is turned round",
            _TURNED_HINT,
        )  # fmt: skip
    return Ends(low, high)


def _asked(value: Value) -> str:
    """An end as it was asked for: as it is calculated, else as it stands."""
    return value.formula or show(value)


def of_ends(ends: Ends) -> Value:
    """A range as a value; a symbol where an end is one. Raises E407 where only one end has a tolerance."""
    low, high = ends.low, ends.high
    formula = f"span({term(low)}, {term(high)})"
    if _width(low) != _width(high):
        raise ProfileError("E407", f"'{formula}': {say(low)} and {say(high)} do not have the same tolerance", _ENDS_HINT)
    common: dict[str, Any] = {
        "unit": low.unit or high.unit, "formula": formula, "basis": "derived", "sources": joined((low, high)),
        "tolerance": low.tolerance, "differs": low.differs or high.differs, "called": names_called((low, high)),
    }  # fmt: skip
    if is_symbol(low) or is_symbol(high):  # its formula holds whichever is lower, so it rests on no condition
        return Value(lo=None, hi=None, symbol=formula, **common)
    return Value(lo=low.lo, hi=high.hi, holds_if=unique((*low.holds_if, *high.holds_if)), **common)


def ends_of(value: Value | Ends) -> Ends:
    """Both ends of a range, a number twice."""
    if isinstance(value, Ends):
        return value
    if is_symbol(value):
        return Ends(value, value)
    low, high = value.model_copy(update={"hi": value.lo}), value.model_copy(update={"lo": value.hi})
    if value.is_range and value.formula:
        low = low.model_copy(update={"formula": f"low({value.formula})"})
        high = high.model_copy(update={"formula": f"high({value.formula})"})
    return Ends(low, high)


def compare(sign: str, left: Value | Constant | Ends, right: Value | Constant | Ends) -> Truth:
    """left sign right; open where it hangs on a symbol. A range is less where all of it is. Raises E402."""
    if sign == "in":
        ends = ends_of(_value(right, left))
        return both((compare("<=", ends.low, left), compare("<=", left, ends.high)))
    a, b = _value(left, right), _value(right, left)
    a, b = (of_ends(x) if isinstance(x, Ends) else x for x in (a, b))
    if is_symbol(a) or is_symbol(b):
        if any(_implies(held, a, sign, b) for held in (*a.holds_if, *b.holds_if)):
            return True
        return (Comparison(left=a, sign=sign, right=b),)
    if a.unit and b.unit:
        to(b, a.unit)
    elif a.unit != b.unit and not (isinstance(left, Constant) or isinstance(right, Constant)):
        raise ProfileError("E402", f"{show(a)} and {show(b)} cannot be compared: one has no unit")
    (a_low, a_high), (b_low, b_high) = si_ends(a), si_ends(b)
    near = Fraction(1, 10**8)
    if sign in ("==", "!="):
        same = abs(a_low - b_low) <= near and abs(a_high - b_high) <= near
        return same if sign == "==" else not same
    return {
        "<=": a_high <= b_low + near, ">=": a_low >= b_high - near, "<": a_high < b_low - near, ">": a_low > b_high + near
    }[sign]  # fmt: skip


def _implies(held: Comparison, left: Value, sign: str, right: Value) -> bool:
    """Whether an open comparison that a value rests on already says left sign right: v - 20 >= 58 says 78 <= v."""
    known_side, asked = _lower_bound(held.left, held.sign, held.right), _lower_bound(left, sign, right)
    return known_side is not None and asked is not None and known_side[0] == asked[0] and known_side[1] >= asked[1]


_LINEAR = re.compile(r"(\w+)(?: ([+-]) (\d+(?:\.\d+)?) ?(\S+))?")


def _lower_bound(left: Value, sign: str, right: Value) -> tuple[str, Fraction] | None:
    """A comparison as "name is at least": v - 20 km/h >= 58 km/h is v and 78 km/h in SI; None where it is of another form."""
    if sign in ("<=", "<"):
        left, right, sign = right, left, {"<=": ">=", "<": ">"}[sign]
    match = _LINEAR.fullmatch(left.symbol)
    if sign not in (">=", ">") or not match or is_symbol(right):
        return None
    offset = vocabulary().si(Decimal(match[3]), match[4]) if match[3] and match[4] in vocabulary().units else Fraction(0)
    return match[1], si_ends(right)[1] + (offset if match[2] == "-" else -offset)


def _value(item: Value | Constant | Ends, other: Value | Constant | Ends) -> Value | Ends:
    """A constant as a value in the unit of the other side; only 0 has no need of a place."""
    if not isinstance(item, Constant):
        return item
    if item.number != 0:
        raise ProfileError("E401", f"{plain(item.number)} has no place", "write where the document says it: [clause: words]")
    held = other.low if isinstance(other, Ends) else other
    unit, sources = (held.unit, held.sources) if isinstance(held, Value) else ("", ())
    return Value.model_construct(lo=Decimal(0), hi=Decimal(0), unit=unit, sources=sources)


def both(parts: Iterable[Truth]) -> Truth:
    """All of several comparisons: false where one is, open where one is open."""
    parts = list(parts)
    if any(part is False for part in parts):
        return False
    open_ = tuple(dict.fromkeys(condition for part in parts if isinstance(part, tuple) for condition in part))
    return open_ or True
