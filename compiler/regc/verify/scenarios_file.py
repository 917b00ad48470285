"""scenarios.json: every number of every test against the document, its limits against the table, its words against their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from regc.verify.cited_places import NothingThere, Place, flat
from regc.verify.folder import SCENARIOS, Folder
from regc.verify.numbers import WrittenNumber, number_of, shown
from regc.verify.open_conditions import Open, every
from regc.verify.spoken_numbers import same_unit, spoken

_WORD = re.compile(r"\w+")
_INNER = re.compile(r"\.(?:value|argument|numbers)(?=\.|$)")


@dataclass
class Test:
    """A test with its numbers by dotted name, as sidecars and texts name them; `called`: the declared names that each of them holds, as
    the file calls them; `limits`: keys and limits of the rows of its limit tables; `places`: of the whole file, by position;
    `procedure`: the lines of its clause."""

    id: str
    regulation: str
    data: Mapping[str, Any]
    places: list[Place]
    procedure: Sequence[Mapping[str, Any]] = ()
    numbers: dict[str, WrittenNumber] = field(default_factory=dict)
    called: list[tuple[str, str, str]] = field(default_factory=list)
    limits: list[WrittenNumber] = field(default_factory=list)

    @cached_property
    def statements(self) -> frozenset[str]:
        """Sentences of the document that it or the procedure of its clause holds, with one blank between words."""
        texts = {flat(item.get("text", "")) for part in ("said", "told", "choices") for item in self.data.get(part, ())}
        return frozenset(
            texts | {flat(item["text"]) for item in self.procedure} | {flat(item["word"]) for item in self.data.get("only", ())}
        )

    @cached_property
    def names(self) -> list[str]:
        """Its words that may hold digits and are no numbers, the longest first: its axis values as the document names them, what they
        cover, what it is restricted to, titles."""
        words = {self.id, str(self.data.get("title", ""))}
        for value in self.data.get("axes", {}).values():
            words |= {value["value"], value.get("words", ""), *value.get("covers", ())}
        words |= {word["word"] for word in self.data.get("only", ())}
        return sorted((name for name in words if name), key=lambda name: (-len(name), name))

    @cached_property
    def conditions(self) -> tuple[Open, ...]:
        """Every condition that it or one of its numbers holds under."""
        return tuple(dict.fromkeys(every(self.data)))

    @cached_property
    def cited(self) -> tuple[int, ...]:
        """Positions of the places that it cites."""
        return tuple(dict.fromkeys(cited(self.data)))

    @cached_property
    def single(self) -> dict[str, WrittenNumber]:
        """Bindings and limits that are one number, by their parts: subject, impact_limit."""
        numbers = {}
        for key, number in self.numbers.items():
            part = re.fullmatch(r"bind\.(\w+)|require\.(\w+)\.limit", key)
            if part and number.lo is not None and number.lo == number.hi:
                numbers[part[1] or f"{part[2]}_limit"] = number
        return numbers


def values(data: Any, path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every value of a test with its dotted name: bind.subject, require.impact.limit, told.0.1."""
    if isinstance(data, dict):
        if "lo" in data and "hi" in data:
            yield _INNER.sub("", path), data
        for key, part in data.items():
            if isinstance(part, (dict, list)) and key != "tolerance":
                yield from values(part, f"{path}.{key}" if path else key)
    elif isinstance(data, list):
        for index, part in enumerate(data):
            if isinstance(part, (dict, list)):
                label = part.get("label", index) if isinstance(part, dict) else index
                yield from values(part, f"{path}.{label}")


def tests_of(folder: Folder) -> dict[str, Test]:
    """The tests of scenarios.json by id, nothing of them checked."""
    data = folder.scenarios
    tests: dict[str, Test] = {}
    if data is None:
        return tests
    with folder.form_of(SCENARIOS):
        places = [folder.places.place(item) for item in data["sources"]]
        for item in data["scenarios"]:
            lines = data.get("procedures", {}).get(item["clause"], ())
            test = Test(str(item["id"]), str(item["regulation"]), item, places, lines)
            for name, value in values(item):
                test.numbers[name] = number_of(value, places)
                test.called += ((name, str(symbol), str(words)) for symbol, words in value.get("called", ()))
            rows = [row for table in limit_tables(item, data) for row in table["rows"] if row.get("limit")]
            test.limits = [number_of(row[part], places) for row in rows for part in ("key", "limit")]
            tests[test.id] = test
    return tests


def check(folder: Folder, tests: Mapping[str, Test]) -> None:
    """Check scenarios.json, whose tests these are."""
    data = folder.scenarios
    if data is None:
        return
    with folder.form_of(SCENARIOS):
        places = [folder.places.place(item) for item in data["sources"]]
        words = _axis_words(data["scenarios"])
        _places(folder, tests, places)
        tables = {table["id"]: _Table(folder, table, places, words) for table in data.get("tables", ())}
        for table in tables.values():
            table.check()
        for test in tests.values():
            for name, number in test.numbers.items():
                folder.number(number, SCENARIOS, f"{test.id}.{name}", test.id)
            _named(folder, test, data.get("quantities", {}))
            _axes(folder, test, words)
            _limits(folder, test, tables)
            _statements(folder, test.data, places)
        for card in data.get("cards", ()):
            for name, value in values({key: card.get(key, []) for key in ("steps", "proposes")}):
                folder.number(number_of(value, places), SCENARIOS, f"{card['id']}.{name}", str(card["id"]))
            _statements(folder, card, places)
        if data.get("declared", {}) != folder.manifest.get("declared", {}):
            said, held = str(data.get("declared", {})), f"the manifest says {folder.manifest.get('declared', {})}"
            folder.differ("V563", SCENARIOS, "declared", said, held)
        for clause, lines in data.get("procedures", {}).items():
            _statements(folder, {"id": clause, "told": lines}, places)
        for form in data.get("forms", ()):
            _form(folder, form, places)
        if data.get("document_sha256") != folder.document.sha256:
            folder.differ("V568", SCENARIOS, "document_sha256", str(data.get("document_sha256"))[:12], folder.document.sha256[:12])


def _named(folder: Folder, test: Test, quantities: Mapping[str, str]) -> None:
    """Each declared name of a test's numbers and conditions is called what the file's list of quantities calls it."""
    for name, symbol, words in test.called:
        if quantities.get(symbol) != words:
            held = quantities.get(symbol, "no quantity is called so")
            folder.differ("V563", SCENARIOS, f"{test.id}.{name}.called.{symbol}", words, held, test.id)


def limit_tables(test: Mapping[str, Any], suite: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tables that a test's limits come from."""
    own = {limit["table"] for asked in test.get("require", ()) if (limit := asked.get("limit")) and limit.get("table")}
    return [table for table in suite.get("tables", ()) if table["id"] in own]


def _places(folder: Folder, tests: Mapping[str, Test], places: list[Place]) -> None:
    """Every place that anything cites is there and says what is quoted; every test's clause is one of the document."""
    for place in places:
        try:
            folder.places.spots(place)
        except NothingThere as error:
            folder.differ("V570", SCENARIOS, "sources", "", str(error))
    for test in tests.values():
        clause = str(test.data["clause"])
        if clause not in folder.places.clauses:
            folder.differ("V570", SCENARIOS, f"{test.id}.clause", clause, "the document has no such clause", test.id)
        for index in test.cited:
            if not 0 <= index < len(places):
                folder.differ("V569", SCENARIOS, f"{test.id}.sources", str(index), f"there are {len(places)} places", test.id)


def cited(data: Any) -> list[int]:
    """Positions of all places that a part of the file cites."""
    numbers: list[int] = []
    left = [data]
    while left:
        part = left.pop()
        if isinstance(part, dict):
            for key, inner in part.items():
                if isinstance(inner, list) and key.endswith("sources"):
                    numbers += inner
                elif isinstance(inner, (dict, list)):
                    left.append(inner)
        elif isinstance(part, list):
            left += part
    return numbers


def _axis_words(tests: list[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Axis -> value -> the words of the document that name it."""
    by_axis: dict[str, dict[str, str]] = {}
    for test in tests:
        for axis, value in test.get("axes", {}).items():
            by_axis.setdefault(axis, {})[value["value"]] = flat(value.get("words") or value["value"]).casefold()
    return by_axis


def _rival(label: str, axis: Mapping[str, str], own: str) -> str:
    """The value of an axis that a head or caption names instead of its own; "" where it names its own or none."""
    text = flat(label).casefold()
    if own not in axis or axis[own] in text:
        return ""
    return next((value for value, words in axis.items() if value != own and words and words in text), "")


def _axes(folder: Folder, test: Test, words: Mapping[str, Mapping[str, str]]) -> None:
    """A column that a number is read in may not name another load or category than the test's."""
    own = {axis: value["value"] for axis, value in test.data.get("axes", {}).items()}
    for name, number in test.numbers.items():
        for place in number.places:
            for axis, value in own.items():
                if place.column and (rival := _rival(place.column, words[axis], value)):
                    folder.differ("V561", SCENARIOS, f"{test.id}.{name}", number.words, _other(place, axis, rival, value), test.id)


def _other(place: Place, axis: str, rival: str, own: str) -> str:
    return f"{place.words} is of {axis} {rival}; {axis} is {own}"


class _Table:
    """A limit table of the file: each row's key and limit, all rows of the document, the column of its axis values."""

    def __init__(self, folder: Folder, data: Mapping[str, Any], places: list[Place], words: Mapping[str, Mapping[str, str]]) -> None:
        self.folder, self.data, self.words = folder, data, words
        self.rows = [
            (number_of(row["key"], places), number_of(row["limit"], places) if row.get("limit") else None) for row in data["rows"]
        ]
        self.between = data.get("between", "")

    def check(self) -> None:
        """Note every row that is not as the document has it."""
        path = f"tables.{self.data['id']}"
        column = ""
        for key, limit in self.rows:
            row = f"{path}.row {key.words}"
            self.folder.number(key, SCENARIOS, f"{row}.key")
            if limit is None:
                continue
            self.folder.number(limit, SCENARIOS, f"{row}.limit")
            column = limit.places[0].column
            if key.places[0].row != limit.places[0].row:
                held = f"its key stands in row {key.places[0].row}"
                self.folder.differ("V561", SCENARIOS, f"{row}.limit", f"{limit.words} of row {limit.places[0].row}", held)
            for axis, value in self.data.get("axes", {}).items():
                if rival := _rival(column, self.words.get(axis, {}), value):
                    held = _other(limit.places[0], axis, rival, value)
                    self.folder.differ("V561", SCENARIOS, f"{row}.limit", limit.words, held)
        self._whole(path, column)

    def _whole(self, path: str, column: str) -> None:
        """Every row of the document is a row of the file, and a row without a limit is blank there."""
        table = self.folder.places.tables.get(str(self.data["table"]))
        if table is None:
            self.folder.differ("V561", SCENARIOS, path, str(self.data["table"]), "the document has no such table")
            return
        have = {key.places[0].row for key, _ in self.rows}
        for row in self.folder.places.rows(table):
            if row[0] not in have:
                self.folder.differ("V561", SCENARIOS, path, "", f"row {row[0]} of table {table.id} is missing")
        for key, limit in self.rows:
            if limit is None and column:
                place = Place(table.clause, table=table.id, row=key.places[0].row, column=column)
                spots = self.folder.places.spots(place)
                if all(spoken(spot.text) for spot in spots):
                    held = f"{place.words} says {spots[0].text}"
                    self.folder.differ("V561", SCENARIOS, f"{path}.row {key.words}.limit", "no limit", held)

    def at(self, key: Fraction) -> Fraction | None:
        """The limit at a key, by the table's own rule; None where it asks nothing."""
        below: tuple[Fraction, Fraction | None] | None = None
        for row, limit in self.rows:
            if row.lo is None:
                continue
            own = limit.lo if limit is not None else None
            if row.lo == key:
                return own
            if row.lo > key:
                if self.between == "next_higher" or below is None:
                    return own if self.between == "next_higher" else None
                if self.between == "next_lower" or own is None or below[1] is None:
                    return below[1]
                return below[1] + (own - below[1]) * (key - below[0]) / (row.lo - below[0])
            below = row.lo, own
        return None


def _limits(folder: Folder, test: Test, tables: Mapping[str, _Table]) -> None:
    """The limit of a test is that of its table at the test's own key."""
    for asked in test.data.get("require", ()):
        limit = asked.get("limit") or {}
        name = f"require.{asked['label']}.limit"
        key = test.numbers.get(f"bind.{limit.get('key')}")
        own = test.numbers.get(name)
        if not limit.get("table") or key is None or own is None or own.lo is None or key.lo is None or key.lo != key.hi:
            continue
        table = tables.get(limit["table"])
        if table is None:
            folder.differ("V569", SCENARIOS, f"{test.id}.{name}", limit["table"], "there is no such table", test.id)
            continue
        if not table.rows or not same_unit(table.rows[0][0].unit, key.unit) or table.rows[0][0].unit != key.unit:
            continue
        wanted = table.at(key.lo)
        folder.calculated += 1
        if wanted is None or abs(wanted - own.lo) > Fraction(1, 10**8):
            held = f"the table says {'nothing' if wanted is None else shown(wanted)} at {key.words}"
            folder.differ("V562", SCENARIOS, f"{test.id}.{name}", own.words, held, test.id)


def _statements(folder: Folder, data: Mapping[str, Any], places: list[Place]) -> None:
    """Words of the document that a test or a card holds stand there as the file has them."""
    id = str(data["id"])
    for part in ("said", "told", "steps", "proposes"):
        for index, statement in enumerate(data.get(part, ())):
            text = flat(statement.get("text", ""))
            sources = [places[number] for number in statement.get("sources", ())]
            path = f"{id}.{part}.{index}"
            try:
                spots = [spot for place in sources for spot in folder.places.spots(place)]
            except NothingThere as error:
                folder.differ("V570", SCENARIOS, path, "", str(error), id)
                continue
            if text and sources and not any(text in flat(spot.text) for spot in spots):
                folder.differ("V570", SCENARIOS, path, f'"{text[:60]}"', f"{sources[0].words} does not say so", id)


def _form(folder: Folder, form: Mapping[str, Any], places: list[Place]) -> None:
    """Every word of a form stands where its line says."""
    id = str(form["id"])
    for index, line in enumerate(form["lines"]):
        path = f"{id}.lines.{index}"
        try:
            spots = [spot for number in line["sources"] for spot in folder.places.spots(places[number])]
        except NothingThere as error:
            folder.differ("V570", SCENARIOS, path, "", str(error), id)
            continue
        there = {word for spot in spots for word in _WORD.findall(flat(spot.text))}
        said = _WORD.findall(flat(" ".join([line["text"], *line.get("choices", ())])))
        strange = [word for word in said if word not in there]
        if strange or not said:
            where = places[line["sources"][0]].words
            folder.differ("V570", SCENARIOS, path, f'"{(strange or [""])[0]}"', f"{where} does not say so", id)
