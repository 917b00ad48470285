"""Expressions of a profile: places, names, arithmetic, comparisons, tables; what they are worth in one test.

"min(avoid + [(c)(i)], v_design - target)" is a value; "subject in range" is true, false, or open until the applicant declares.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.profile import Declared, TestSpec
from regc.lang.values import (
    Constant,
    Ends,
    Truth,
    an,
    arithmetic,
    both,
    compare,
    dimension,
    ends_of,
    extreme,
    is_symbol,
    of_ends,
    place_of_bound,
    power,
    root,
    say,
    sided,
    span,
)
from regc.lang.vocabulary import BindingKind, vocabulary
from regc.model.source import SourceRef
from regc.model.value import YES, Bound, Stated, Value, Word

if TYPE_CHECKING:
    from regc.lang.program import Program

#: What an expression is worth.
Result = Value | Ends | Constant | bool | tuple[Any, ...] | list[Value] | None

#: A place inside an expression; the index of a table[...] stands right behind a name.
_PLACE = re.compile(r"(?<![\w\])])\[([^\[\]]+)\]")
_WORDS_HINT = "compare it with one of its words: NAME == WORD"
_SIDES: dict[str, Bound] = {"at_least": "ge", "at_most": "le", "above": "gt", "below": "lt"}
FUNCTIONS = ("min", "max", "low", "high", "span", "rows", "last", "sqrt", "constant", *_SIDES)
_FACTOR_HINT = "a place beside * or / is read as a ratio; another type is named: length([place]), or a binding's name: subject * ttc"
_ARITHMETIC: dict[type, str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARE: dict[type, str] = {ast.LtE: "<=", ast.GtE: ">=", ast.Lt: "<", ast.Gt: ">", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in"}


@dataclass(frozen=True)
class Parsed:
    """An expression as a tree; the places in it are named _p0, _p1, ..."""

    tree: ast.expr
    places: tuple[str, ...]

    def text(self, node: ast.AST) -> str:
        """A part of the expression as it was written."""
        return re.sub(r"_p(\d+)", lambda match: f"[{self.places[int(match[1])]}]", ast.unparse(node))

    def place(self, node: ast.AST) -> str | None:
        """The place that a node is, or None."""
        if isinstance(node, ast.Name) and node.id.startswith("_p") and node.id[2:].isdigit():
            return self.places[int(node.id[2:])]
        return None


@lru_cache(maxsize=8192)
def parse(text: str) -> Parsed:
    """An expression's tree; raises E400 where it is none."""
    places: list[str] = []

    def name(match: re.Match[str]) -> str:
        places.append(match[1])
        return f"_p{len(places) - 1}"

    body = _PLACE.sub(name, str(text))
    try:
        return Parsed(ast.parse(body.strip(), mode="eval").body, tuple(places))
    except (SyntaxError, ValueError, RecursionError):
        raise ProfileError(
            "E400", f"not an expression: {text}", "operators + - * / and comparisons; functions " + ", ".join(FUNCTIONS)
        ) from None


def is_list(value: object) -> bool:
    """Whether a binding is one test each: a list, or the rows of a table."""
    return isinstance(value, tuple | list) or str(value).startswith("rows(")


@dataclass
class Scope:
    """The names that an expression of one test may use: bindings, `let`, declared quantities, tables; the wanted type directs reading.

    `axes`: the picked value of each axis. `own`: bindings as written or already worked out. `witnesses`: where the document names the
    values of axes, for this test.
    """

    program: Program
    test: TestSpec
    axes: Mapping[str, str]
    own: dict[str, Any]
    given: set[str] = field(default_factory=set)
    came_from: dict[str, set[str]] = field(default_factory=dict)
    witnesses: dict[tuple[str, str], tuple[SourceRef, ...]] = field(default_factory=dict)
    _busy: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.own = dict(self.own)
        self.given = self.given or set(self.own)
        self.manoeuvre = vocabulary().manoeuvre(self.test.manoeuvre)
        self.places: dict[str, str] = {**self.program.places, "at": str(self.test.at)}
        if self.test.req is not None:
            self.places["req"] = self.test.req

    # ------------------------------------------------------------ places

    def address(self, place: str) -> str:
        """A place that begins with a declared table's name is at that table, as this test sees it."""
        match = re.match(r"[A-Za-z_]\w*", place)
        if match and match[0] in self.program.profile.table:
            return self.program.table(match[0], self).table.id + place[match.end() :]
        return place

    def cite(self, place: Text | str, *, told: bool = False) -> tuple[SourceRef, ...]:
        """The source of words that say something; empty where this rendering says it in other words."""
        hit = self.program.reader.cite(Text(self.address(place.strip().strip("[]")), where(place)), self.places, told=told)
        return () if hit is None else (self.program.reader.source(hit.span, hit.measurement.start, hit.measurement.end),)

    # ------------------------------------------------------------ values

    def value(self, text: Any, wanted: str = "") -> Result:
        """The value of an expression, a list where it has several; `wanted` is the dimension that places are read as."""
        if isinstance(text, tuple | list):
            return [self.number(item, wanted) for item in text]
        if not isinstance(text, str):
            return text  # type: ignore[no-any-return]
        try:
            parsed = parse(text)
            return self._value(parsed.tree, wanted, parsed)
        except ProfileError as error:
            error.place = error.place or where(text)
            raise

    def number(self, text: Any, wanted: str = "") -> Value:
        """The value of an expression that is one quantity; raises E401, E405."""
        result = self.value(text, wanted)
        if isinstance(result, Ends):
            result = of_ends(result)
        if isinstance(result, Constant):
            said = f"'{text}': " if isinstance(text, str) else ""
            raise ProfileError(
                "E401", f"{said}{result.number} has no place", "write where the document says it: [clause: words]", where(text)
            )
        if not isinstance(result, Value):
            raise ProfileError("E405", f"'{text}' is no quantity", "", where(text))
        return result

    def truth(self, text: Text) -> Truth:
        """A guard: a comparison, or a statement of the applicant; true, false, or open. Raises E405 where it is neither."""
        if self.program.is_statement(text):
            return self._stated(str(text).strip())
        result = self.value(text)
        if isinstance(result, bool | tuple):
            return result
        raise ProfileError("E405", f"'{text}' is no comparison", "", where(text))

    def _stated(self, name: str) -> Truth:
        """A statement that is a yes or no: what is declared, else open."""
        given = self.program.stated.get(name)
        self.program.used.add(f"declare.{name}")
        return (self.statement(name),) if given is None else given in YES

    def kind(self, name: str) -> BindingKind:
        """The type of a binding, of no dimension for other names."""
        return self.manoeuvre.bind.get(name, BindingKind())

    def find(self, name: str, wanted: str = "") -> Any:
        """What a name is worth here; None where nothing gives it. Raises P101, E403."""
        if name in self._busy:
            raise ProfileError("E403", f"'{name}' depends on itself: {' -> '.join([*self._busy, name])}")
        profile = self.program.profile
        self._busy.append(name)
        try:
            if name in self.own:
                if isinstance(self.own[name], str):
                    self.own[name] = self.value(self.own[name], self.kind(name).dimension)
                return self.own[name]
            lets = self.program.lets(self.test, self.axes)
            if name in lets:
                block, text = lets[Text(name)]
                self.program.used.add(f"{block}.{name}")
                return self.value(text, wanted)
            if name in profile.declare:
                return self.declared(name)
            return self._follows(name)
        finally:
            self._busy.pop()

    def _follows(self, name: str) -> Any:
        """What an equation of the manoeuvre gives for a name that is not bound."""
        for rule in self.manoeuvre.equations:
            if rule.name == name and all(need in self.own and need not in self._busy for need in rule.needs):
                self.came_from[name] = {*rule.needs, *(above for need in rule.needs for above in self.came_from.get(need, ()))}
                self.own[name] = self.value(rule.right)
                return self.own[name]
        if name not in self.manoeuvre.bind:
            known(
                name,
                [*self.own, *self.program.lets(self.test, self.axes), *self.program.profile.declare, *self.manoeuvre.bind],
                "name",
            )
        return None

    def declared(self, name: str) -> Value:
        """What the applicant declares, of this test's value of an axis where each has its own: a symbol until the number is given."""
        held = self.program.declaration(name)
        self.program.used.add(f"declare.{name}")
        kind = held.kind
        if held.is_statement:
            raise ProfileError("E405", f"'{name}' is declared in words and is no quantity", _WORDS_HINT, held.place.where)
        sources = self.cite(held.place)
        given = self.program.declared.get(self._declared_name(name, held))
        if given is not None:
            return given.model_copy(update={"sources": sources or given.sources})
        if not sources:
            message = f"'{name}' is declared by words that do not stand there: {held.place}"
            raise ProfileError("L205", message, "declare it by words that do: regc cite PROFILE PLACE", held.place.where)
        unit = next((unit.name for unit in vocabulary().units.values() if unit.dimension == kind.dimension), "")
        called = ((name, self.program.quantity(name, held)),)
        return Value(lo=None, hi=None, unit=unit, symbol=name, sources=sources, called=called)

    def statement(self, name: str) -> Stated:
        """A declared statement that is still open, in the words of its place."""
        place = self.program.declaration(name).place
        self.program.used.add(f"declare.{name}")
        return Stated(name=name, reason=self.program.said_of(name, place), sources=self.cite(place))

    def _declared_name(self, name: str, held: Declared) -> str:
        """The name under which a value is declared: "v_max", or "v_max.low" where each value of an axis has its own. Raises E413."""
        if not held.axis:
            return name
        if held.axis not in self.axes:
            message = f"'{name}' is declared per {held.axis}, and this test has no value of that axis"
            raise ProfileError("E413", message, f"vary or fix {held.axis}", held.place.where)
        return f"{name}.{self.axes[held.axis]}"

    def _word_truth(self, node: ast.Compare) -> Truth | None:
        """`action == automatic` of a quantity that is declared in words: true, false, or open; None for any other comparison."""
        if not isinstance(node.left, ast.Name) or node.left.id not in self.program.profile.declare:
            return None
        name = node.left.id
        held = self.program.declaration(name)
        if not held.kind.words:
            return None
        right = node.comparators[0]
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Eq) or not isinstance(right, ast.Name):
            raise ProfileError("E405", f"'{name}' is declared in words", _WORDS_HINT)
        word = known(right.id, held.kind.words, f"word of {name}")
        given = self.program.stated.get(self._declared_name(name, held))
        if given is None:
            open_ = self.statement(name)
            return (open_.model_copy(update={"word": word, "reason": f"{open_.reason}: {word.replace('_', ' ')}"}),)
        self.program.used.add(f"declare.{name}")
        return given == word

    # ------------------------------------------------------------ the tree

    def _dimension(self, node: ast.AST) -> str:
        """The dimension of an expression as far as its names tell; a place is read as what the other side is."""
        if isinstance(node, ast.Name):
            if node.id in self.manoeuvre.bind:
                return self.kind(node.id).dimension
            if node.id in self.program.profile.declare:
                return self.program.declaration(node.id).kind.dimension
            return ""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            return self.program.table(node.value.id, self).limit_dimension()
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id in vocabulary().types:
                return node.func.id
            return next((held for held in map(self._dimension, node.args) if held), "")
        return next((held for held in map(self._dimension, ast.iter_child_nodes(node)) if held), "")

    def _value(self, node: ast.expr, wanted: str, parsed: Parsed) -> Result:
        place = parsed.place(node)
        if place is not None:
            return self.program.reader.read(self.address(place), self.places, wanted)
        if isinstance(node, ast.Name):
            result = self.find(node.id, wanted)
            if result is None:
                rules = "; ".join(str(rule) for rule in self.manoeuvre.equations)
                raise ProfileError(
                    "E404", f"'{node.id}' has no value here", f"bind it{', or what it follows from: ' + rules if rules else ''}"
                )
            return result  # type: ignore[no-any-return]
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return Constant(Decimal(str(node.value)))
        if isinstance(node, ast.BinOp):
            return self._arithmetic(node, wanted, parsed)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return both(self._truth(part, parsed) for part in node.values)
        if isinstance(node, ast.Compare):
            return self._compare(node, wanted, parsed)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            table = self.program.table(known(node.value.id, self.program.profile.table, "table"), self)
            return table.at(self._number(node.slice, table.key_dimension(), parsed))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
            types = vocabulary().types
            name = known(node.func.id, (*FUNCTIONS, *types), "function")
            return self._place_of_type(name, node, parsed) if name in types else self._call(name, node, wanted, parsed)
        raise ProfileError(
            "E400", f"not in the language: {parsed.text(node)}", "operators + - * / and comparisons; functions " + ", ".join(FUNCTIONS)
        )

    def _truth(self, node: ast.expr, parsed: Parsed) -> Truth:
        if isinstance(node, ast.Name) and self.program.is_statement(node.id):
            return self._stated(node.id)
        result = self._value(node, "", parsed)
        if isinstance(result, bool | tuple):
            return result
        raise ProfileError("E405", f"'{parsed.text(node)}' is no comparison")

    def _number(self, node: ast.expr, wanted: str, parsed: Parsed) -> Value:
        result = self._value(node, wanted, parsed)
        if isinstance(result, Ends):
            return of_ends(result)
        if isinstance(result, Constant):
            raise ProfileError(
                "E401",
                f"'{parsed.text(parsed.tree)}': {result.number} has no place",
                "write where the document says it: [clause: words]",
            )
        if not isinstance(result, Value):
            raise ProfileError("E405", f"'{parsed.text(node)}' is no quantity")
        return result

    def _arithmetic(self, node: ast.BinOp, wanted: str, parsed: Parsed) -> Value:
        if isinstance(node.op, ast.Pow):
            exponent = node.right.value if isinstance(node.right, ast.Constant) else None
            if not isinstance(exponent, int) or exponent not in (2, 3):
                raise ProfileError("E400", f"not in the language: {parsed.text(node)}", "powers are ** 2 and ** 3")
            return power(self._number(node.left, wanted, parsed), exponent)
        sign = _ARITHMETIC.get(type(node.op))
        if sign is None:
            raise ProfileError("E400", f"not in the language: {parsed.text(node)}", "operators are + - * / **")
        wanted = wanted or ("" if sign in "*/" else self._dimension(node))
        sides = [
            self._factor(side, wanted, parsed) if sign in "*/" else self._number(side, wanted, parsed)
            for side in (node.left, node.right)
        ]
        return arithmetic(sign, sides[0], sides[1])

    def _factor(self, node: ast.expr, wanted: str, parsed: Parsed) -> Value:
        """A factor of a product or a quotient: a place alone says no type, and is read as a ratio."""
        if not parsed.place(node):
            return self._number(node, wanted, parsed)
        try:
            return self._number(node, "ratio", parsed)
        except ProfileError as error:
            if error.code == "L203":
                error.hint = _FACTOR_HINT
            raise

    def _compare(self, node: ast.Compare, wanted: str, parsed: Parsed) -> Truth:
        by_word = self._word_truth(node)
        if by_word is not None:
            return by_word
        sides = [node.left, *node.comparators]
        wanted = next((held for held in map(self._dimension, sides) if held), wanted)
        items = [self._side(side, wanted, parsed) for side in sides]
        signs = [_COMPARE.get(type(op)) for op in node.ops]
        if None in signs:
            raise ProfileError("E400", f"not in the language: {parsed.text(node)}", "comparisons are <= >= < > == != in")
        return both(compare(str(sign), a, b) for sign, a, b in zip(signs, items, items[1:], strict=False))

    def _side(self, node: ast.expr, wanted: str, parsed: Parsed) -> Value | Constant | Ends:
        result = self._value(node, wanted, parsed)
        if isinstance(result, Value | Constant | Ends):
            return result
        raise ProfileError("E405", f"'{parsed.text(node)}' is no quantity that can be compared")

    def _place_of_type(self, name: str, node: ast.Call, parsed: Parsed) -> Value:
        """`length([5.2: radius])`: what a place says of that type, whatever stands around it."""
        if len(node.args) != 1 or parsed.place(node.args[0]) is None:
            raise ProfileError("E400", f"{parsed.text(node)}: {name} takes one place", f"{name}([clause: words])")
        return self._number(node.args[0], name, parsed)

    def _constant(self, node: ast.Call, parsed: Parsed) -> Value:
        """`constant(2, [5.2: v =])`: a bare number of a formula that the document writes, "v = √(2aS)"; its digits must stand there."""
        digits, place = (node.args[0], parsed.place(node.args[1])) if len(node.args) == 2 else (None, None)
        if not isinstance(digits, ast.Constant) or type(digits.value) not in (int, float) or place is None:
            raise ProfileError(
                "E400", f"{parsed.text(node)}: constant takes a number and the place of the formula", "constant(2, [clause: words])"
            )
        return self.program.reader.bare_number(self.address(place), self.places, Decimal(str(digits.value)))

    def _call(self, name: str, node: ast.Call, wanted: str, parsed: Parsed) -> Result:
        args, count = (
            node.args,
            {"rows": (1, 1), "last": (2, 2), "span": (2, 2), "constant": (2, 2), "min": (1, 9), "max": (1, 9)}.get(name, (1, 1)),
        )
        if not count[0] <= len(args) <= count[1]:
            raise ProfileError("E400", f"{parsed.text(node)}: {name} takes {count[0]} value{'s' if count[0] > 1 else ''}")
        if name == "constant":
            return self._constant(node, parsed)
        if name in ("rows", "last"):
            if not isinstance(args[0], ast.Name):
                raise ProfileError("E400", f"{parsed.text(node)}: {name} takes a table")
            table = self.program.table(known(args[0].id, self.program.profile.table, "table"), self)
            return table.keys() if name == "rows" else table.last(self._side(args[1], table.limit_dimension(), parsed))
        if name in ("low", "high"):
            result = self._value(args[0], wanted, parsed)
            if not isinstance(result, Value | Ends):
                raise ProfileError("E405", f"'{parsed.text(args[0])}' is no quantity")
            ends = ends_of(result)
            return ends.low if name == "low" else ends.high
        if not wanted:
            wanted = next((held for held in map(self._dimension, args) if held), "")
        values = [self._number(arg, "" if name == "sqrt" else wanted, parsed) for arg in args]
        if name in _SIDES:
            return sided(values[0], _SIDES[name], name)
        if name == "sqrt":
            return root(values[0])
        return span(values[0], values[1]) if name == "span" else extreme(values, name)

    # ------------------------------------------------------------ types

    def typed(self, kind: BindingKind, text: Any, what: str, *, said: Any = None) -> Value | Word:
        """A value of a vocabulary's type: a quantity of a dimension, of that side where the type has one; or a word of a list.

        `said` is how the profile writes it, where `text` is its value already.

        Raises E402 (another dimension), E406 (the words show no such side), P101 (no such word), P115 (a word without a place).
        """
        if kind.words:
            return self.word(kind, text, what)
        value = text if isinstance(text, Value) else self.number(text, kind.dimension)
        try:
            self._check_type(kind, value, what, next((str(form) for form in (text, said) if isinstance(form, str)), what))
        except ProfileError as error:
            error.place = error.place or where(text) or where(self.test.bind.get(Text(what)))
            raise
        return value

    def _check_type(self, kind: BindingKind, value: Value, what: str, text: str) -> None:
        if dimension(value) != kind.dimension and not (is_symbol(value) and not value.unit):
            raise ProfileError("E402", f"{what} is {an(kind.dimension)}; {text} is {an(dimension(value))}: {say(value)}")
        side = {"<": ("le", "lt"), ">": ("ge", "gt")}.get(kind.side)
        said_by_profile = value.formula.startswith(tuple(f"{name}(" for name in _SIDES))
        if (
            side
            and value.bound not in (*side, "ne", *(["eq"] if kind.loose else []))
            and not value.is_range
            and not is_symbol(value)
            and not said_by_profile
        ):
            wanted = "an upper" if kind.side == "<" else "a lower"
            source = place_of_bound(value)
            place = f'{source.label()}: "{source.quote}"' if source else ""
            raise ProfileError(
                "E406", f"{what} is {wanted} bound; the words say {say(value)}: {place}",
                "another place, or at_least(...) / at_most(...) where the whole sentence says so",
            )  # fmt: skip

    def word(self, kind: BindingKind, text: Any, what: str, *, by_axis: bool = False) -> Word:
        """A word of a closed list with its place; an axis value that is picked needs none."""
        if isinstance(text, Word):
            return text
        name, _, place = str(text).partition(" ")
        known(Text(name, where(text)), kind.words, f"value of {what}")
        if place:
            return Word(word=name, sources=self.cite(Text(place, where(text))))
        if not by_axis and name not in self.axes.values():
            raise ProfileError("P115", f'{what} = "{name}" has no place', f'{what} = "{name} [clause: words]"', where(text))
        return Word(
            word=name,
            sources=tuple(
                source for axis, value in self.axes.items() if value == name for source in self.witnesses.get((axis, value), ())
            ),
        )


def names_of(text: str) -> Iterable[str]:
    """The names that an expression uses."""
    parsed = parse(text)
    return [node.id for node in ast.walk(parsed.tree) if isinstance(node, ast.Name) and parsed.place(node) is None]


def table_lookup(text: str) -> tuple[str, str] | None:
    """The table and the key's name of an expression that is a lookup: "limit[relative]" is ("limit", "relative")."""
    node = parse(text).tree
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        return node.value.id, node.slice.id if isinstance(node.slice, ast.Name) else ""
    return None
