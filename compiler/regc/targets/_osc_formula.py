"""Arithmetic over named numbers, once for both uses: a Decimal for a concrete file, an OpenSCENARIO expression for a logical one."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from regc.model.units import plain, si_of

#: A number, or the text of an OpenSCENARIO expression over declared parameters.
Value = Decimal | str

_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


@lru_cache(maxsize=1000)
def _tree(formula: str) -> ast.expr:
    return ast.parse(formula, mode="eval").body


@lru_cache(maxsize=1000)
def names(formula: str) -> tuple[str, ...]:
    """The names in a formula in the order of their first use."""
    found = [node.id for node in ast.walk(_tree(formula)) if isinstance(node, ast.Name)]
    return tuple(dict.fromkeys(found))


def evaluate(formula: str, known: Mapping[str, Value]) -> Value:
    """The value of a formula of + - * / and names; text as soon as one name stands for text. Constant parts are folded."""
    return _evaluate(_tree(formula), known)


def _evaluate(node: ast.expr, known: Mapping[str, Value]) -> Value:
    if isinstance(node, ast.Name):
        return known[node.id]
    if isinstance(node, ast.Constant):
        return Decimal(str(node.value))
    if not isinstance(node, ast.BinOp):
        raise ValueError(f"not arithmetic: {ast.unparse(node)}")
    left, right = _evaluate(node.left, known), _evaluate(node.right, known)
    sign = _SIGNS[type(node.op)]
    if isinstance(left, str) or isinstance(right, str):
        return f"({_text(left)} {sign} {_text(right)})"
    if sign == "+":
        return left + right
    if sign == "-":
        return left - right
    return left * right if sign == "*" else left / right


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    # expressions have no sign of their own in every player, so a negative number is a difference
    return plain(value, 9) if value >= 0 else f"(0 - {plain(-value, 9)})"


def si_expression(parameter: str, unit: str) -> str:
    """`$parameter`, given in `unit`, in SI: divided where the divisor is the rounder number (km/h: 3.6)."""
    factor = si_of(Decimal(1), unit)
    if factor == 1:
        return f"${parameter}"
    divisor = round(1 / factor, 9)
    exact = abs(divisor * factor - 1) < Decimal("1e-20") and len(plain(divisor, 9)) <= len(plain(factor, 9))
    return f"(${parameter} / {plain(divisor, 9)})" if exact else f"(${parameter} * {plain(factor, 9)})"


def written(value: Value) -> str:
    """As it stands in an attribute."""
    if isinstance(value, Decimal):
        return plain(value)
    return value if value.startswith("$") else f"${{{value}}}"
