"""Formulas of emitted files, calculated a second time: those of derived values ("4 s * 42 km/h") and of a sheet's lines
("bind.subject * 5 / 18"). A grammar of its own: numbers with units, names with dots, + - * /, brackets, functions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from regc.verify.spoken_numbers import UNITS, Dimension, in_si


class FormulaFault(ValueError):
    """A formula that cannot be calculated."""


@dataclass(frozen=True)
class Leaf:
    """A number with its unit, or a range ("10 to 60 km/h")."""

    lo: Fraction
    hi: Fraction
    unit: str


@dataclass(frozen=True)
class Name:
    """A name with dots."""

    name: str


@dataclass(frozen=True)
class Call:
    """A function or an operator with its arguments."""

    function: str
    arguments: tuple[Node, ...]


Node = Leaf | Name | Call
#: What a formula over values gives: both ends in SI, and what they measure.
Result = tuple[Fraction, Fraction, Dimension]

_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<name>\$?[A-Za-z_][\w.]*)|(?P<sign>\*\*|[-+*/(),\[\]]))")
_UNIT_NAMES = sorted((re.escape(name) for name in UNITS if name not in ("", "1")), key=len, reverse=True)
_UNIT = re.compile(rf" (?P<unit>{'|'.join(_UNIT_NAMES)})(?![\w/.])")
_TO = re.compile(r" to (?P<hi>\d+(?:\.\d+)?)")
_SIDES = ("at_least", "at_most", "above", "below")


class _Parser:
    """Recursive descent: sum, product, power, part."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def whole(self) -> Node:
        tree = self.sum()
        if self.text[self.at :].strip():
            raise FormulaFault(f"{self.text!r}: not understood from {self.text[self.at :].strip()!r}")
        return tree

    def _sign(self, *signs: str) -> str:
        match = _TOKEN.match(self.text, self.at)
        if match and match["sign"] in signs:
            self.at = match.end()
            return str(match["sign"])
        return ""

    def sum(self) -> Node:
        left = self.product()
        while sign := self._sign("+", "-"):
            left = Call(sign, (left, self.product()))
        return left

    def product(self) -> Node:
        left = self.signed()
        while sign := self._sign("*", "/"):
            left = Call(sign, (left, self.signed()))
        return left

    def signed(self) -> Node:
        if self._sign("-"):
            return Call("-", (Leaf(Fraction(0), Fraction(0), ""), self.signed()))
        base = self.part()
        while self._sign("**"):
            base = Call("**", (base, self.part()))
        return base

    def part(self) -> Node:
        if self._sign("("):
            inner = self.sum()
            self._close(")")
            return inner
        match = _TOKEN.match(self.text, self.at)
        if match is None or match["sign"]:
            raise FormulaFault(f"{self.text!r}: a number or a name is missing at {self.text[self.at :].strip()!r}")
        self.at = match.end()
        if match["number"]:
            return self._quantity(Fraction(match["number"]))
        name = match["name"].removeprefix("$")
        if self._sign("("):
            arguments = [self.sum()]
            while self._sign(","):
                arguments.append(self.sum())
            self._close(")")
            return Call(name, tuple(arguments))
        if self._sign("["):
            inner = self.sum()
            self._close("]")
            return Call("look up", (Name(name), inner))
        return Name(name)

    def _quantity(self, low: Fraction) -> Leaf:
        high = low
        if match := _TO.match(self.text, self.at):
            high, self.at = Fraction(match["hi"]), match.end()
        if match := _UNIT.match(self.text, self.at):
            self.at = match.end()
            return Leaf(low, high, match["unit"])
        return Leaf(low, high, "")

    def _close(self, sign: str) -> None:
        if not self._sign(sign):
            raise FormulaFault(f"{self.text!r}: {sign!r} is missing")


@lru_cache(maxsize=65536)
def parsed(text: str) -> Node:
    """The tree of a formula. Raises FormulaFault."""
    return _Parser(text).whole()


def leaves(node: Node) -> tuple[Leaf, ...]:
    """The numbers of a formula, in order."""
    if isinstance(node, Leaf):
        return (node,)
    return tuple(leaf for part in node.arguments for leaf in leaves(part)) if isinstance(node, Call) else ()


def names(node: Node) -> tuple[str, ...]:
    """The names of a formula, in order."""
    if isinstance(node, Name):
        return (node.name,)
    return tuple(name for part in node.arguments for name in names(part)) if isinstance(node, Call) else ()


# ---------------------------------------------------------------- values with units


def parts(node: Node) -> tuple[Node, ...]:
    """A formula and everything in it that can be calculated by itself."""
    return (node, *(inner for part in node.arguments for inner in parts(part))) if isinstance(node, Call) else (node,)


def value(node: Node) -> Result | None:
    """The value of a formula over quantities, None where it hangs on a name. Raises FormulaFault."""
    if isinstance(node, Leaf):
        return in_si(node.lo, node.unit), in_si(node.hi, node.unit), UNITS[node.unit].dimension
    if isinstance(node, Name):
        return None
    parts = [value(part) for part in node.arguments]
    firm = [part for part in parts if part is not None]
    if node.function in ("min", "max") and firm:
        pick = min if node.function == "min" else max
        best = (pick(low for low, _, _ in firm), pick(high for _, high, _ in firm), firm[0][2])
        return best if len({part[2] for part in firm}) == 1 else _fault(node)
    if len(firm) < len(parts):
        return None
    if node.function in _SIDES and len(firm) == 1:
        return firm[0]
    if node.function in ("low", "high") and len(firm) == 1:
        end = firm[0][0] if node.function == "low" else firm[0][1]
        return end, end, firm[0][2]
    if node.function == "span" and len(firm) == 2:
        return firm[0][0], firm[1][1], firm[0][2]
    if node.function == "sqrt" and len(firm) == 1:
        low, high, held = firm[0]
        return Fraction(math.sqrt(low)), Fraction(math.sqrt(high)), (held[0] // 2, held[1] // 2, held[2] // 2, held[3])
    if node.function in "+-*/" and len(firm) == 2:
        return _operation(node.function, firm[0], firm[1])
    return _fault(node)


def _operation(sign: str, left: Result, right: Result) -> Result:
    (a, b, first), (c, d, second) = left, right
    if sign in "+-":
        if first != second:
            raise FormulaFault("a sum of quantities that measure different things")
        return (a + c, b + d, first) if sign == "+" else (a - d, b - c, first)
    if sign == "/":
        if c <= 0 <= d:
            raise FormulaFault("a division by zero")
        c, d, second = 1 / d, 1 / c, (-second[0], -second[1], -second[2], second[3])
    products = [x * y for x in (a, b) for y in (c, d)]
    held = (first[0] + second[0], first[1] + second[1], first[2] + second[2], first[3] + second[3])
    return min(products), max(products), held


def _fault(node: Call) -> Result:
    raise FormulaFault(f"{node.function!r} cannot be calculated")


# ---------------------------------------------------------------- lines of a sheet

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "min": min, "max": max, "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan,
    "asin": math.asin, "acos": math.acos, "atan": math.atan,
}  # fmt: skip


class SheetLines:
    """Lines by name: {"value": "42", "formula": ""}; a line with a formula is calculated, from its own calculated lines."""

    def __init__(self, lines: Mapping[str, Any]) -> None:
        self.lines = lines
        self._known: dict[str, float] = {}
        self._busy: set[str] = set()

    def line(self, name: str) -> float:
        """The number of a line. Raises FormulaFault for one that is not there or cannot be calculated."""
        if name not in self._known:
            if name not in self.lines:
                raise FormulaFault(f"there is no line {name!r}")
            if name in self._busy:
                raise FormulaFault(f"{name!r} depends on itself")
            self._busy.add(name)
            entry = self.lines[name]
            formula = entry.get("formula", "")
            self._known[name] = self.calculate(formula) if formula else float(entry["value"])
        return self._known[name]

    def calculate(self, formula: str) -> float:
        """A formula over the lines. Raises FormulaFault."""
        try:
            return self._number(parsed(formula))
        except (ArithmeticError, ValueError) as error:
            if isinstance(error, FormulaFault):
                raise
            raise FormulaFault(f"{formula!r}: {error}") from error

    def _number(self, node: Node) -> float:
        if isinstance(node, Leaf):
            return float(node.lo)
        if isinstance(node, Name):
            return self.line(node.name)
        if node.function not in _FUNCTIONS:
            raise FormulaFault(f"{node.function!r} is no function of a sheet")
        return _FUNCTIONS[node.function](*(self._number(part) for part in node.arguments))
