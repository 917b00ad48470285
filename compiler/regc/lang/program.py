"""A profile over a document: what every test of it shares: the reader, declared quantities, tables, what was used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from regc.lang.expressions import Scope
from regc.lang.faults import ProfileError, known
from regc.lang.ledger import Key
from regc.lang.located_toml import Text, where
from regc.lang.places import Hit, Reader, stands
from regc.lang.profile import AxisValueSpec, Declared, Profile, TestSpec
from regc.lang.tables import TableView
from regc.lang.values import an
from regc.lang.words import Measurement, quantities
from regc.model.criterion import LimitTable
from regc.model.result import Finding
from regc.model.scenario import Statement
from regc.model.source import SourceRef
from regc.model.units import can_be
from regc.model.value import NO, YES, Value

#: Name -> the block that gives it, and its expression.
Lets = Mapping[Text, tuple[str, Text]]


@dataclass
class Program:
    """A profile bound to one document. `given`: what the applicant declares, as written; `declared`: numbers of it, `stated`: words of
    it ("yes")."""

    profile: Profile
    reader: Reader
    given: dict[str, str] = field(default_factory=dict)
    declared: dict[str, Value] = field(default_factory=dict)
    stated: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    limits_taken: dict[str, bool] = field(default_factory=dict)
    kept: dict[str, LimitTable] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    _views: dict[tuple[Any, ...], TableView] = field(default_factory=dict)
    _noted: dict[tuple[Any, ...], dict[Key, None]] = field(default_factory=dict)
    _specs: dict[tuple[str, str], AxisValueSpec] = field(default_factory=dict)
    _lets: dict[tuple[int, tuple[tuple[str, str], ...]], tuple[TestSpec, Lets]] = field(default_factory=dict)
    _statements: dict[tuple[str, str, str, bool], tuple[tuple[Statement, ...], dict[Key, None]]] = field(default_factory=dict)
    _in_parts: dict[tuple[int, str], Statement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.places = {str(name): str(address) for name, address in self.profile.place.items()}

    def declare(self, given: Mapping[str, str]) -> None:
        """Take declared quantities as written: {"v_design": "90 km/h", "urban": "yes", "v_max.low": "60 km/h"}; raises P101, E402."""
        self.given |= given
        for name, text in given.items():
            base, _, value = name.partition(".")
            held = self.declaration(known(base, self.profile.declare, "declared quantity"))
            kind = held.kind
            if held.axis and value != "":
                known(value, self.profile.axis[Text(held.axis)].values, f"value of axis {held.axis}")
            elif held.axis or value:
                form = f"{base}.VALUE, one for each value of axis {held.axis}" if held.axis else base
                raise ProfileError("P101", f"no declared quantity '{name}'", f"--declare {form}")
            if held.is_statement:
                said = text.strip().lower()
                if kind.words:
                    known(said, kind.words, f"word of {name}")
                elif kind.dimension == "yes_no" and said not in YES | NO:
                    raise ProfileError("E402", f"{name} is a yes or a no; '{text}' is neither", f"--declare {name}=yes, or {name}=no")
                self.stated[name] = said
                continue
            measured = _declared(name, text.strip(), kind.dimension)
            place = f"declared: {name} = {text.strip()}"
            source = SourceRef(
                regulation=self.reader.regulation, edition=self.reader.edition, wording=self.reader.document.wording,
                clause=held.place.strip("[]").partition(":")[0].strip(), quote=place,
            )  # fmt: skip
            self.declared[name] = Value(lo=measured.lo, hi=measured.hi, unit=measured.unit, sources=(source,))

    def said_of(self, name: str, place: Text) -> str:
        """How people read a statement: the profile's own words for it, else the document's words at its place, in quotes."""
        words = self.profile.words.get(Text(name))
        phrase = place.strip("[]").partition(":")[2].split("|")[0].strip()
        return str(words) if words is not None else f'"{phrase}" holds' if phrase else name.replace("_", " ")

    def quantities(self) -> dict[str, str]:
        """How people read each declared quantity whose number is not given: the profile's words, else those of its place."""
        read = {}
        for name in map(str, self.profile.declare):
            held = self.declaration(name)
            if not held.is_statement and name not in self.declared:
                read[name] = self.quantity(name, held)
        return read

    def quantity(self, name: str, held: Declared) -> str:
        """How people read a declared quantity: the profile's words, else those of its place."""
        phrase = held.place.strip("[]").partition(":")[2].split("|")[0].strip()
        return str(self.profile.words.get(Text(name), phrase or name.replace("_", " ")))

    def declaration(self, name: str) -> Declared:
        """A declared quantity of the profile by its name."""
        return Declared.parse(self.profile.declare[Text(name)])

    def is_statement(self, text: str) -> bool:
        """Whether a text names a declared statement ("yes_no") rather than a comparison."""
        name = text.strip()
        return name in self.profile.declare and self.declaration(name).is_statement and not self.declaration(name).kind.words

    # ------------------------------------------------------------ tables

    def table(self, name: str, scope: Scope) -> TableView:
        """A declared table as a test sees it; raises P101, T301."""
        spec = self.profile.table[Text(known(name, self.profile.table, "table"))]
        self.used.add(f"table.{name}")
        picked = tuple(
            scope.axes.get(str(axis)) for axis in (spec.caption, spec.columns, *spec.cells.values()) if axis in self.profile.axis
        )
        key = (name, self.reader.resolve(spec.at, scope.places), picked, scope.test.name if spec.is_list else "")
        if key not in self._views:
            try:
                with self.reader.ledger.noting() as self._noted[key]:
                    self._views[key] = TableView(name, spec, scope)
            except ProfileError as error:
                error.place = error.place or where(spec.at)
                raise
        self.reader.ledger.use(self._noted[key])
        return self._views[key]

    def views(self) -> tuple[TableView, ...]:
        """Every table that was looked at."""
        return tuple(self._views.values())

    def keep(self, view: TableView) -> str:
        """Keep a limit table, and those that hold past it, for the judge; its id."""
        if view.id not in self.kept:
            self.kept[view.id] = view.limit_table()
            for value in self.kept[view.id].beyond:
                axis, other = str(view.spec.columns), str(view.spec.beyond.axes[Text(value)]) if view.spec.beyond else ""
                self.keep(self.table(view.name, Scope(self, view.scope.test, {**view.scope.axes, axis: other}, {})))
        return view.id

    # ------------------------------------------------------------ axes

    def lets(self, test: TestSpec, axes: Mapping[str, str]) -> Lets:
        """The named expressions of a test, each with the block that gives it: its own, those of its axis values, the profile's."""
        key = (id(test), tuple(axes.items()))
        if key not in self._lets:
            self._lets[key] = (test, self._lets_of(test, axes))  # the test is kept, so that its id stays its own
        return self._lets[key][1]

    def _lets_of(self, test: TestSpec, axes: Mapping[str, str]) -> Lets:
        lets = {name: ("let", text) for name, text in self.profile.let.items()}
        for axis, value in axes.items():
            lets |= {name: (f"axis.{axis}.{value}.let", text) for name, text in self.axis_value(axis, value).let.items()}
        return lets | {name: (f"test.{test.name}.let", text) for name, text in test.let.items()}

    def goes_together(self, axes: Mapping[str, str]) -> bool:
        """Whether the values of all axes allow each other."""
        return all(
            axes.get(str(other), values[0]) in values
            for axis, value in axes.items()
            for other, values in self.axis_value(axis, value).only.items()
        )

    def axis_value(self, axis: str, value: str) -> AxisValueSpec:
        """The words of an axis value; raises P101."""
        if (axis, value) not in self._specs:
            spec = self.profile.axis[Text(known(axis, self.profile.axis, "axis"))]
            self._specs[axis, value] = spec.values[Text(known(value, spec.values, f"value of axis {axis}"))]
        return self._specs[axis, value]

    # ------------------------------------------------------------ words

    def statement(self, scope: Scope, place: Text, *, told: bool = False) -> tuple[Statement, ...]:
        """The words at a place with the numbers in them; none where this rendering says it in other words. Read once for every test
        that looks from the same clauses."""
        address = scope.address(place.strip("[]"))
        key = (address, scope.places["at"], scope.places.get("req", ""), told)
        if key not in self._statements:
            with self.reader.ledger.noting() as noted:
                self._statements[key] = (self._statement(Text(address, place.where), scope.places, told=told), noted)
        else:
            self.reader.ledger.use(self._statements[key][1])
        return self._statements[key][0]

    def in_part(self, statement: Statement, part: str) -> Statement:
        """A told statement as one of a part of a test case; the same one for every test that it is told in."""
        key = (id(statement), part)  # all statements stay in `_statements`
        if key not in self._in_parts:
            self._in_parts[key] = statement.model_copy(update={"part": part})
        return self._in_parts[key]

    def _statement(self, address: Text, names: Mapping[str, str], *, told: bool) -> tuple[Statement, ...]:
        hit = self.reader.cite(address, names, told=told)
        if hit is None:
            return ()
        if told:
            hit = self._with_list(hit)
        text = hit.span.text[hit.measurement.start : hit.measurement.end].strip()
        source: SourceRef = self.reader.source(hit.span, hit.measurement.start, hit.measurement.end, quote=text)
        return (Statement(text=text, numbers=self.reader.numbers_in(hit), sources=(source,)),)

    def _with_list(self, hit: Hit) -> Hit:
        """A told sentence that ends in a colon, with the list that it leads in; the items count as told."""
        held, text = hit.measurement, hit.span.text
        clause = self.reader.clauses.get(hit.span.clause)
        if clause is None or clause.text != text or not text[held.start : held.end].rstrip().endswith(":"):
            return hit
        end = held.end
        for item in sorted(clause.items, key=lambda one: one.start):
            if item.start >= held.end:
                if text[end : item.start].strip():
                    break
                end = item.end
                self.reader.ledger.use_words(f"{clause.id}{item.label}", "", told=True)
        return replace(hit, measurement=replace(held, end=end))

    def witness(self, scope: Scope, axis: str, value: str, place: Text | str = "") -> None:
        """Find where the document names a value: the table that gives it, the fixed place, the axis's own, or the test's clauses,
        each with the clauses below it. The scope keeps it.

        Raises L206 where no place names it.
        """
        words = self.axis_value(axis, value).words
        at = str(place).strip("[] ") or str(self.profile.axis[Text(axis)].at or "").strip("[] ")
        given = None if at else self._from_table(scope, axis, value)
        if given is not None:
            scope.witnesses[axis, value] = given
            return
        test_at = self.reader.resolve("at", scope.places)
        root = at if "(" in at or ":" in at or "^" in at else self.reader.resolve(at, scope.places) if at else test_at
        below = [id for id in self.reader.clauses if id == root or id.startswith((f"{root}.", f"{root}#", f"{root}, "))]
        homes = below if not at else list(dict.fromkeys((at, *below)))
        for home in homes:
            address, _, held = home.partition(":")
            for span in self.reader.spans(address.strip(), scope.places):
                if (held.strip() and stands(held.strip(), span.text)) or any(stands(text, span.text) for text in words):
                    word = next((text for text in words if stands(text, span.text)), Text(held.strip()))
                    scope.witnesses[axis, value] = scope.cite(Text(f"{address.strip()}: {word}", where(place)))
                    return
        if self.reader.mender is not None:
            asked = scope.cite(Text(f"{homes[0].partition(':')[0].strip()}: {words[0]}", where(place) or where(words[0])))
            if asked:
                scope.witnesses[axis, value] = asked
                return
        place_it = f'axis.{axis}.at, a [table.NAME] with columns or caption = "{axis}", or fix.{axis} = "{value} [place]"'
        hint = f"its words are {', '.join(words)}; give {place_it}"
        error = ProfileError("L206", f"no place names the value '{value}' of axis {axis}", hint, where(place) or where(words[0]))
        if self.reader.strict:
            raise error
        self.reader.warnings.setdefault(error.message, error.finding(warning=True))

    def _from_table(self, scope: Scope, axis: str, value: str) -> tuple[SourceRef, ...] | None:
        """The caption or header that names a value, where a table of the profile gives the axis; None where none does."""
        for name, spec in self.profile.table.items():
            if axis not in (spec.caption, spec.columns, *spec.cells):
                continue
            if axis in spec.cells:
                return ()
            try:
                view = self.table(str(name), scope)
            except ProfileError:
                continue  # this test has no such table
            if axis == spec.caption:
                return (view.source(0, 0).model_copy(update={"row": None, "column": None, "quote": view.table.caption or ""}),)
            column = view.column(Text(axis, where(spec.columns)))
            return (view.source(0, column).model_copy(update={"row": None, "quote": view.heads[column]}),)
        return None


def _declared(name: str, text: str, dimension: str) -> Measurement:
    """The one quantity that a declared text is, and nothing beside it; raises E402, E414."""
    measured = quantities(text).measurements
    if not measured or measured[0].dimension != dimension:
        raise ProfileError("E402", f"{name} is {an(dimension)}; '{text}' is none", f"--declare {name}=NUMBER UNIT")
    whole = len(measured) == 1 and (measured[0].start, measured[0].end) == (0, len(text)) and measured[0].tolerance is None
    if not whole:
        raise ProfileError("E414", f"{name}: '{text}' is more than one number with its unit", f"--declare {name}=NUMBER UNIT")
    if not can_be(measured[0].lo, measured[0].unit):
        raise ProfileError("E414", f"{name}: '{text}' lies below zero", "declare what the vehicle has")
    return measured[0]
