"""A declared table as one test sees it: limits by key, the key's rule between rows, marks, rows that are tests.

Lookup: the first column is the key, the column of the picked axis value the limit. List: every row is a test, `cells` says which header
gives which binding or axis. What a table says is read once for one choice of axis values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.places import Span, flat, same_unit
from regc.lang.profile import AxisSpec, TableSpec
from regc.lang.values import Constant, Ends, joined, plain, say, to
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, quantities, unit_at, units_named
from regc.model.criterion import Between, LimitRow, LimitTable
from regc.model.document import Table
from regc.model.source import SourceRef, Tolerance
from regc.model.value import Value

if TYPE_CHECKING:
    from regc.lang.expressions import Scope


def value_named(axis: AxisSpec, text: str, *, whole: bool = False) -> str | None:
    """The one value of an axis that a caption, header or cell names; None for none or several."""
    plain_text = flat(text).rstrip(".") if whole else flat(text)
    hits = [
        str(name)
        for name, value in axis.values.items()
        if any(flat(words) == plain_text if whole else flat(words) in plain_text for words in value.words)
    ]
    return hits[0] if len(hits) == 1 else None


class TableView:
    """A declared table in the clause that the test names, for the picked values of the axes."""

    def __init__(self, name: str, spec: TableSpec, scope: Scope) -> None:
        self.name, self.spec = name, spec
        self.reader, self.program = scope.program.reader, scope.program
        self.axis_specs: Mapping[Text, AxisSpec] = scope.program.profile.axis
        self.axes = {axis: value for axis, value in scope.axes.items() if axis in (spec.caption, spec.columns, *spec.cells.values())}
        self.scope = scope
        self._chosen: set[int | None] = set()
        self.table = self._find()
        labels = [self.table.column_label(index) for index in range(len(self.table.columns))]
        self.heads = [row[0].text for row in self.table.rows] if spec.transposed else labels
        if spec.transposed:
            self.heads = [labels[0], *self.heads]
        self.rows = self._rows()
        self._limits: list[tuple[Value, Value | None]] | None = None
        self._columns: dict[str, int] = {}
        self._units: dict[tuple[int, str], str] = {}
        self.only: dict[int, tuple[str, ...]] = {}

    def _find(self) -> Table:
        """The table at its place whose caption names the picked value; raises T301."""
        span = self.reader.spans(self.spec.at, self.scope.places)[0]
        tables = self._there(span)
        if self.spec.caption is not None:
            axis, captions = self.spec.caption, {table.id: table.caption or "" for table in tables}
            says = {id: value_named(self.axis_specs[axis], caption) for id, caption in captions.items()}
            tables = [table for table in tables if says[table.id] == self.scope.axes.get(axis, "")]
            open_ = {id: caption for id, caption in captions.items() if says[id] is None and caption}
            if not tables and (id := self._asked("caption", axis, span.at, open_)):
                self._chosen.add(None)
                tables = [self.reader.tables[id]]
        if len(tables) != 1:
            picked = ", ".join(f"{axis} {value}" for axis, value in self.scope.axes.items()) or "this test"
            there = "; ".join(table.caption or "none" for table in self._there(span)) or "none"
            raise ProfileError(
                "T301", f"table.{self.name}: {len(tables)} tables of {span.at} are for {picked}",
                f"see at, caption and the words of the axis; captions there: {there}", where(self.spec.at),
            )  # fmt: skip
        return tables[0]

    def _there(self, span: Span) -> list[Table]:
        """The table at an address, or those of its clause."""
        ids = (span.table,) if span.table else self.reader.clauses[span.clause].tables
        return [self.reader.tables[id] for id in ids]

    def _asked(self, what: str, head: Text | str, table: str, choices: Mapping[str, str]) -> str | None:
        """What the mender chooses where no caption or header names a value of an axis, or has some words; None without one."""
        if self.reader.mender is None or not choices or self.reader.strict:
            return None
        axis = self.axis_specs.get(Text(head))
        picked = self.scope.axes.get(str(head), "")
        words = " or ".join(axis.values[Text(picked)].words) if axis and Text(picked) in axis.values else str(head)
        return self.reader.mender.one_of(what, words, table, choices, where(head))

    def _rows(self) -> list[list[str]]:
        rows = [[cell.text for cell in cells] for cells in self.table.rows]
        if self.spec.transposed:
            labels = [self.table.column_label(index) for index in range(len(self.table.columns))]
            rows = [[label, *(row[index] for row in rows)] for index, label in enumerate(labels)][1:]
        if self.spec.blank == "above":
            for above, row in itertools.pairwise(rows):
                row[:] = [cell or up for cell, up in zip(row, above, strict=True)]
        return rows

    # ------------------------------------------------------------ cells

    def spot(self, row: int, column: int) -> tuple[int, int] | None:
        """Where a cell of this view stands in the document's table; None for a test's name that is a header there (transposed)."""
        if not self.spec.transposed:
            return row, column
        return (column - 1, row + 1) if column else None

    def used(self, row: int, column: int) -> None:
        """Keep in the ledger that a cell was read."""
        spot = self.spot(row, column)
        if spot is not None:
            self.reader.ledger.use_cells([(self.table.id, *spot)])

    def column(self, head: Text | str) -> int:
        """The column whose header has those words, or names the picked value of that axis; raises T302."""
        if str(head) not in self._columns:
            self._columns[str(head)] = self._column(head)
        return self._columns[str(head)]

    def _column(self, head: Text | str) -> int:
        if head in self.axis_specs:
            axis = self.axis_specs[Text(head)]
            wanted = self.scope.axes.get(str(head), "")
            values = [value_named(axis, text) for text in self.heads]
            hits = [index for index, value in enumerate(values) if value == wanted]
            free = [index for index, value in enumerate(values) if value is None and index]
        else:
            hits = [index for index, text in enumerate(self.heads) if flat(head) in flat(text)]
            others = {*self.spec.cells.values(), *self._columns} - {head}
            free = [index for index, text in enumerate(self.heads) if index and not any(flat(other) in flat(text) for other in others)]
        open_ = {str(index): self.heads[index] for index in free if self.heads[index]}
        if not hits and (asked := self._asked("header", head, self.table.id, open_)):
            hits = [int(asked)]
            self._chosen.add(hits[0])
        if len(hits) == 1:
            return hits[0]
        named = self.scope.axes.get(str(head), str(head))
        raise ProfileError(
            "T302",
            f"table.{self.name}: {len(hits)} columns of {self.table.id} name '{named}'",
            "headers: " + "; ".join(self.heads),
            where(head),
        )

    def unit(self, column: int, dimension: str = "") -> str:
        """The unit of bare cells of a column: its header's, the caption's, or that of the note below."""
        key = (column, dimension)
        if key not in self._units:
            self._units[key] = self._unit(column, dimension)
        return self._units[key]

    def _unit(self, column: int, dimension: str) -> str:
        for text in (self.heads[column], self.table.caption or "", self.table.unit_note or ""):
            unit = units_named(text)
            if unit and dimension in ("", "tolerance", vocabulary().dimension(unit)):
                return unit
        return ""

    def key_dimension(self) -> str:
        """The dimension of the keys."""
        return vocabulary().dimension(self.unit(0))

    def limit_dimension(self) -> str:
        """The dimension of the limits."""
        unit = self.unit(self._limit_column())
        return vocabulary().dimension(unit) if unit else ""

    def _limit_column(self) -> int:
        return self.column(self.spec.columns) if self.spec.columns is not None else 1

    def marks(self, row: int, column: int) -> tuple[str, str]:
        """The text of a cell, and the mark behind it ("" for none)."""
        spot = self.spot(row, column)
        held = self.table.rows[spot[0]][spot[1]].marks if spot is not None else ()
        return self.rows[row][column].strip(), held[0] if held else ""

    def cell(self, row: int, column: int, dimension: str = "", unit: str = "") -> Measurement | None:
        """The quantity of a cell, None for a blank or a dash; raises T303 (not one number) and T304 (a mark without a rule)."""
        text, mark = self.marks(row, column)
        self.used(row, column)
        if text in ("", "-", "–", "—"):
            return None
        bare = unit or self.unit(column, dimension)
        reading = quantities(text, bare)
        if dimension:
            measured = [item for item in reading.measurements if item.dimension == dimension]
        else:
            measured = [item for item in reading.measurements if item.dimension != "tolerance"]
        whole = len(measured) == 1 and not reading.doubts and (measured[0].unit or dimension in ("count", "tolerance"))
        if not whole:
            no_unit = "neither its header, caption nor the note below gives a unit" if len(measured) == 1 else ""
            hint = reading.doubts[0].reason if reading.doubts else no_unit
            wanted = dimension or "number with a unit"
            at = f"{self.table.id} row {row + 1}, '{self.heads[column]}'"
            raise ProfileError(
                "T303", f"table.{self.name}: {at}: '{text}' is not one {wanted}",
                hint, where(self.spec.at),
            )  # fmt: skip
        if mark and mark not in self.spec.marks:
            raise ProfileError(
                "T304", f"table.{self.name}: the mark at '{text}{mark}' has no rule", f'declare marks."{mark}"', where(self.spec.at)
            )
        return measured[0]

    def value(self, row: int, column: int, dimension: str = "", unit: str = "") -> Value | None:
        """The same as a cited value."""
        measured = self.cell(row, column, dimension, unit)
        if measured is None:
            return None
        around = measured.tolerance
        tolerance = Tolerance(plus=around.plus, minus=around.minus) if around else None
        return Value(
            lo=measured.lo,
            hi=measured.hi,
            unit=measured.unit,
            bound=measured.bound,
            tolerance=tolerance,
            sources=(self.source(row, column),),
        )

    def tolerance(self, row: int, column: int, dimension: str = "", unit: str = "") -> Tolerance | None:
        """A cell as a tolerance."""
        measured = self.cell(row, column, dimension, unit)
        return None if measured is None else Tolerance(minus=measured.lo, plus=measured.hi, sources=(self.source(row, column),))

    def source(self, row: int, column: int) -> SourceRef:
        """The source of a cell."""
        spot = self.spot(row, column) or (0, 0)
        text = self.table.rows[spot[0]][spot[1]].text
        label, head = (
            (self.table.rows[spot[0]][0].text, self.rows[row][0]) if self.spec.transposed else (self.rows[row][0], self.heads[column])
        )
        mender = self.reader.mender
        chosen = mender.name if mender is not None and not self._chosen.isdisjoint((column, None)) else ""
        span = Span(self.table.id, self.table.clause, text, table=self.table.id, row=label, column=head, cell=spot, chosen=chosen)
        return self.reader.source(span, quote=text or self.rows[row][column])

    # ------------------------------------------------------------ lookup

    def limits(self) -> list[tuple[Value, Value | None]]:
        """(key, limit) of a lookup table by rising key; None where a cell asks nothing."""
        if self._limits is None:
            self._limits = self._read_limits()
        return self._limits

    def _read_limits(self) -> list[tuple[Value, Value | None]]:
        column = self._limit_column()
        read: list[tuple[Value, Value | None, tuple[str, ...]]] = []
        for row in range(len(self.rows)):
            key = self.value(row, 0)
            if key is None or key.lo is None:
                raise ProfileError("T303", f"table.{self.name}: {self.table.id} row {row + 1} has no key", "", where(self.spec.at))
            read.append((key, self.value(row, column), self._restriction(row, column)))
        if self.spec.beyond is not None:
            self.scope.cite(self.spec.beyond.said)
        read.sort(key=lambda line: line[0].lo or 0)
        self.only = {index: only for index, (_, _, only) in enumerate(read) if only}
        return [(key, limit) for key, limit, _ in read]

    def _restriction(self, row: int, column: int) -> tuple[str, ...]:
        """The categories that a mark restricts a cell to; the rule must stand there."""
        _, mark = self.marks(row, column)
        if not mark or mark not in self.spec.marks:
            return ()
        rule = self.spec.marks[Text(mark)]
        self.scope.cite(rule.said)
        return tuple(category.split(" [")[0] for category in rule.covers)

    def keys(self) -> list[Value]:
        """The keys of the rows that ask something; the cells beside them are not read by this."""
        return self._only_keys([key for key, limit in self.limits() if limit is not None])

    def last(self, limit: Value | Constant | Ends) -> Value:
        """The key of the last row with that limit: last(limit, 0) is the highest speed at which the impact is avoided. Raises T306."""
        wanted = limit.number if isinstance(limit, Constant) else limit.lo if isinstance(limit, Value) else None
        hits = self._only_keys([key for key, value in self.limits() if value is not None and value.lo == wanted])
        if not hits or (isinstance(limit, Constant) and limit.number != 0):
            raise ProfileError("T306", f"table.{self.name} has no row with {wanted}", "", where(self.spec.at))
        return hits[-1]

    def _only_keys(self, keys: list[Value]) -> list[Value]:
        """Keys are read, limits beside them are not, until a criterion takes them."""
        if not self.program.limits_taken.get(self.id):
            self.reader.ledger.cells -= {(self.table.id, row, self._limit_column()) for row in range(len(self.rows))}
        return keys

    def at(self, key: Value) -> Value | None:
        """The limit at a key: its row's, or what the declared rule says between rows; None past the last row or where a cell is blank.

        Raises T305 where a key lies between rows and no rule says what holds there.
        """
        self.program.limits_taken[self.id] = True
        self.reader.ledger.use_cells((self.table.id, row, self._limit_column()) for row in range(len(self.rows)))
        limits = self.limits()
        if key.lo is None:
            return Value(
                lo=None,
                hi=None,
                unit=self.unit(self._limit_column()),
                symbol=f"{self.name}[{key.symbol}]",
                sources=key.sources or limits[0][0].sources,
                called=key.called,
            )
        if key.is_range:
            raise ProfileError(
                "E409", f"table.{self.name} is read at one key; {say(key)} is a range", "low(...) or high(...) takes one of its ends"
            )
        at = to(key, limits[0][0].unit)
        assert at.lo is not None
        below: tuple[Value, Value | None] | None = None
        for row_key, limit in limits:
            assert row_key.lo is not None
            if row_key.lo == at.lo:
                return limit and limit.model_copy(update={"holds_if": key.holds_if})
            if row_key.lo > at.lo:
                return self._between(key, at, below, (row_key, limit))
            below = (row_key, limit)
        return None

    def _between(
        self, key: Value, at: Value, below: tuple[Value, Value | None] | None, above: tuple[Value, Value | None]
    ) -> Value | None:
        rule, sources = self.rule()
        if not rule:
            raise ProfileError(
                "T305", f"table.{self.name} has no row {say(key)}, and no rule for what lies between rows",
                "declare between.next_higher = the place that says so", where(self.spec.at),
            )  # fmt: skip
        if rule == "next_higher":
            return above[1] and above[1].model_copy(update={"sources": (*above[1].sources, *sources), "holds_if": key.holds_if})
        if below is None or below[1] is None:
            return None
        if rule == "next_lower":
            return below[1].model_copy(update={"sources": (*below[1].sources, *sources), "holds_if": key.holds_if})
        return self._interpolated(at, below, above, sources)

    def _interpolated(
        self, at: Value, below: tuple[Value, Value | None], above: tuple[Value, Value | None], sources: tuple[SourceRef, ...]
    ) -> Value | None:
        (low_key, low), (high_key, high) = below, above
        if low is None or high is None:
            return None
        assert low.lo is not None
        assert high.lo is not None
        assert low_key.lo is not None
        assert high_key.lo is not None
        assert at.lo is not None
        share = (at.lo - low_key.lo) / (high_key.lo - low_key.lo)
        number = low.lo + (high.lo - low.lo) * share
        rise, at_key, first, last = (plain(x) for x in (high.lo - low.lo, at.lo, low_key.lo, high_key.lo))
        formula = f"{plain(low.lo)} + {rise} * ({at_key} - {first}) / ({last} - {first})"
        return Value(
            lo=number, hi=number, unit=low.unit, bound=low.bound, formula=formula, basis="derived",
            sources=(*joined((low, high)), *sources), holds_if=at.holds_if,
        )  # fmt: skip

    def rule(self) -> tuple[Between, tuple[SourceRef, ...]]:
        """What the declared place says of keys between rows; raises T307 where its words say something else.

        Where this rendering has no such place, or says it in words that are not understood, there is no rule.
        """
        for name, place in self.spec.between.items():
            spans = self._rule_texts(place)
            said = {rule for rule, pattern in vocabulary().between.items() for span in spans if pattern.search(span.text)}
            if not said and spans and self._chosen_rule(str(name), place):
                return str(name), self.scope.cite(place)  # type: ignore[return-value]
            if said and said != {str(name)}:
                says = ", ".join(sorted(said))
                raise ProfileError(
                    "T307",
                    f"table.{self.name}: between.{name} cites a place that says {says}",
                    f"declare between.{sorted(said)[0]}",
                    where(place),
                )
            if said:
                sources = self.scope.cite(place) or tuple(self.reader.source(span) for span in spans[:1])
                return str(name), sources  # type: ignore[return-value]
            if self.reader.strict:
                raise ProfileError(
                    "T307",
                    f"table.{self.name}: the words at [{place.strip('[]')}] do not say {name}",
                    "cite the place that says it",
                    where(place),
                )
        return "", ()

    def _chosen_rule(self, name: str, place: Text) -> bool:
        """Whether the sentence that the mender finds there says this rule, and not another one: by its worked example, else as the
        mender reads it."""
        if self.reader.mender is None or self.reader.strict or not self.scope.cite(place):
            return False
        hit = self.reader.cite(Text(self.scope.address(place.strip().strip("[]")), where(place)), self.scope.places)
        if hit is not None and (shown := self._rule_shown(hit.span.text[hit.measurement.start : hit.measurement.end])):
            return shown == name
        rules = dict.fromkeys(vocabulary().between, "")
        said = " ".join(source.quote for source in self.scope.cite(place))
        return self.reader.mender.one_of("rule", said, self.table.id, rules, where(place)) == name

    def _rule_shown(self, sentence: str) -> str:
        """The rule that a worked example shows: of two of its numbers the first is no key and the second the next one, as in "for 53
        km/h, the row for 55 km/h" (next_higher); "" where none does."""
        keys = sorted(key.lo for key in self.keys() if key.lo is not None)
        numbers = [item.lo for item in quantities(sentence).measurements if item.dimension == self.key_dimension()]
        for asked, row in itertools.pairwise(numbers):
            if asked not in keys and row in keys:
                above = min((key for key in keys if key > asked), default=None)
                below = max((key for key in keys if key < asked), default=None)
                return "next_higher" if row == above else "next_lower" if row == below else ""
        return ""

    def _rule_texts(self, place: Text) -> tuple[Span, ...]:
        try:
            spans = self.reader.spans(self.scope.address(place.strip("[]").partition(":")[0]), self.scope.places)
        except ProfileError:
            if self.reader.strict:
                raise
            return ()
        return spans

    @property
    def id(self) -> str:
        """The id of its limit table: "limit:5.2.1.4#1:load=max"."""
        picked = ",".join(f"{axis}={value}" for axis, value in self.axes.items() if axis in (self.spec.caption, self.spec.columns))
        return f"{self.name}:{self.table.id}" + (f":{picked}" if picked else "")

    def limit_table(self) -> LimitTable:
        """The table for the judge, who reads it at the measured key."""
        limits = self.limits()
        rule, sources = self.rule() if self.spec.between else ("", ())
        beyond: dict[str, str] = {}
        if self.spec.beyond is not None and self.spec.columns is not None:
            axis = str(self.spec.columns)
            for value, other in self.spec.beyond.axes.items():
                if self.axes.get(axis) == value:
                    beyond = {str(value): self.id.replace(f"{axis}={value}", f"{axis}={other}")}
        said = self.scope.cite(self.spec.beyond.said) if self.spec.beyond is not None and beyond else ()
        return LimitTable(
            id=self.id, name=self.name, table=self.table.id, axes=dict(self.axes),
            rows=tuple(LimitRow(key=key, limit=limit, only=self.only.get(index, ())) for index, (key, limit) in enumerate(limits)),
            between=rule, between_sources=sources, beyond=beyond, beyond_sources=said,
        )  # fmt: skip

    def restriction_at(self, key: Value) -> tuple[str, ...]:
        """The categories that the row of a key is restricted to by a mark."""
        self.limits()
        if key.lo is None:
            return ()
        at = to(key, self.limits()[0][0].unit)
        index = next(
            (index for index, (row, _) in enumerate(self.limits()) if row.lo is not None and at.lo is not None and row.lo >= at.lo),
            None,
        )
        return self.only.get(index, ()) if index is not None else ()

    # ------------------------------------------------------------ list

    def points(self, stub: str) -> Iterator[tuple[dict[str, Value | Tolerance], dict[str, str]]]:
        """The rows of a table that lists tests, as bindings and axis values; the lines of an axis cell are tests of their own.

        Raises T308 where no row begins with those words.
        """
        hits = [row for row, cells in enumerate(self.rows) if flat(stub) in flat(cells[0])]
        if not hits:
            raise ProfileError(
                "T308",
                f"table.{self.name}: no row of {self.table.id} begins with '{stub}'",
                "rows: " + "; ".join(dict.fromkeys(cells[0] for cells in self.rows)),
                where(self.scope.test.points),
            )
        for row in hits:
            bind: dict[str, Value | Tolerance] = {}
            axes: dict[str, list[str]] = {}
            self.used(row, 0)
            for name, head in self.spec.cells.items():
                column = self.column(head)
                self.used(row, column)
                if name in self.axis_specs:
                    axes[str(name)] = [self._axis_value(name, line) for line in self.rows[row][column].split("\n")]
                    continue
                self._bind(bind, name, row, column)
            self._in_one_unit(bind, row)
            yield from ((bind, dict(zip(axes, each, strict=True))) for each in itertools.product(*axes.values()))

    def _bind(self, bind: dict[str, Value | Tolerance], name: Text, row: int, column: int) -> None:
        """Take a cell as a binding, or as the tolerance of one ("tol.subject"); a blank binds nothing."""
        dimension, unit = self._cell_dimension(name), self._cell_unit(name)
        read: Callable[..., Value | Tolerance | None] = self.tolerance if name.startswith("tol.") else self.value
        value = read(row, column, dimension, unit)
        if value is not None:
            bind[str(name)] = value

    def _in_one_unit(self, bind: Mapping[str, Value | Tolerance], row: int) -> None:
        """The tolerances of a row are in the units of what they are tolerances of; raises E402."""
        for name, head in self.spec.cells.items():
            value = bind.get(name[4:]) if name.startswith("tol.") else None
            around = self.cell(row, self.column(head), "tolerance", self._cell_unit(name)) if isinstance(value, Value) else None
            if around is not None and isinstance(value, Value):
                same_unit(value.unit, around.unit, f"{name} of {self.table.id} row {row + 1}")

    def _axis_value(self, axis: Text, line: str) -> str:
        named = value_named(self.axis_specs[axis], line, whole=True) or value_named(self.axis_specs[axis], line)
        return named or known(line, self.axis_specs[axis].values, f"value of axis {axis}", where(axis))

    def _cell_dimension(self, name: Text) -> str:
        if name.startswith("tol."):
            known(Text(name[4:], name.where), self.scope.manoeuvre.bind, f"binding of {self.scope.manoeuvre.name}")
            return "tolerance"
        known(name, self.scope.manoeuvre.bind, f"binding of {self.scope.manoeuvre.name}")
        return self.scope.kind(str(name)).dimension

    def _cell_unit(self, name: Text) -> str:
        """The unit of bare cells that a place of the text gives ("percentage")."""
        place = self.spec.unit.get(name)
        if place is None:
            return ""
        words = place.strip("[]").partition(":")[2].split()
        self.scope.cite(place)
        unit = unit_at(words[-1], 0)[0] if words else ""
        if not unit:
            raise ProfileError(
                "T309", f"table.{self.name}: unit.{name} names no unit: {place}", "the last of its words is the unit", where(place)
            )
        return unit
