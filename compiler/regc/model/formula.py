"""The formula language of a stage's sheet: numbers, names, + - * /, brackets, and a few functions.

Names hold dots ("target.start.x"). Expressions of OpenSCENARIO hold no angles, and not in every version the other functions: a target
that writes them takes the value of a function (`folded`) where it depends on nothing that stays open. Angles are in rad.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import lru_cache

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min, "max": max, "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos,
    "atan": math.atan,
}  # fmt: skip
_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class FormulaError(ValueError):
    """A formula that is not of the language, or a name that has no value."""


def evaluate(formula: str, known: Mapping[str, float]) -> float:
    """The value of a formula; raises FormulaError (not of the language, an unknown name, a division by zero, a root of a negative)."""
    try:
        return _value(_parsed(formula), known)
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"{formula!r} cannot be calculated: {error}") from error


@lru_cache(maxsize=4096)
def names(formula: str) -> tuple[str, ...]:
    """The names that a formula uses, in order, each once."""
    return tuple(_collected(_parsed(formula)))


def of_functions(formula: str) -> tuple[str, ...]:
    """The names that the arguments of its functions use, each once."""
    calls = [node for node in ast.walk(_parsed(formula)) if isinstance(node, ast.Call)]
    return tuple(dict.fromkeys(name for call in calls for argument in call.args for name in _collected(argument)))


def folded(formula: str, known: Mapping[str, float]) -> str:
    """The formula with each function of known names alone replaced by its value; raises FormulaError as `evaluate` does."""
    try:
        return ast.unparse(_Folding(known).visit(ast.parse(formula.strip(), mode="eval").body))
    except (ArithmeticError, ValueError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"{formula!r} cannot be calculated: {error}") from error


class _Folding(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, float]) -> None:
        self._known = known

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if all(name in self._known for name in _collected(node)):
            return ast.Constant(_value(node, self._known))
        return self.generic_visit(node)


def rewritten(formula: str, name: Callable[[str], str]) -> str:
    """The formula with every name replaced, all brackets written, and no sign of its own: `-a` becomes `(0 - a)`, since not every
    player's expressions know one. Numbers stay as they are."""
    return _rewritten(_parsed(formula), name)


_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def _rewritten(node: ast.expr, name: Callable[[str], str]) -> str:
    if isinstance(node, ast.Constant):
        return format(Decimal(repr(node.value)), "f")
    if own := _name(node):
        return name(own)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return f"(0 - {_rewritten(node.operand, name)})"
    if isinstance(node, ast.BinOp) and type(node.op) in _SIGNS:
        return f"({_rewritten(node.left, name)} {_SIGNS[type(node.op)]} {_rewritten(node.right, name)})"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        return f"{node.func.id}({', '.join(_rewritten(argument, name) for argument in node.args)})"
    raise FormulaError(f"{ast.unparse(node)!r} is not of the formula language")


@lru_cache(maxsize=4096)
def _parsed(formula: str) -> ast.expr:
    try:
        return ast.parse(formula.strip(), mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"{formula!r} is no formula: {error.msg}") from error


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (before := _name(node.value)):
        return f"{before}.{node.attr}"
    return None


def _value(node: ast.expr, known: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return float(node.value)
    if name := _name(node):
        if name not in known:
            raise FormulaError(f"{name!r} has no value")
        return known[name]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, known)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, known), _value(node.right, known))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords:
        return float(_FUNCTIONS[node.func.id](*(_value(argument, known) for argument in node.args)))
    raise FormulaError(f"{ast.unparse(node)!r} is not of the formula language")


def _collected(node: ast.expr) -> dict[str, None]:
    if isinstance(node, ast.Call):
        parts: list[ast.expr] = list(node.args)
    elif name := _name(node):
        return {name: None}
    else:
        parts = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return dict.fromkeys(name for part in parts for name in _collected(part))
