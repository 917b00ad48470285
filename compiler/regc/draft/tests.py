"""One drafted test: the manoeuvre's bindings, tolerances, criteria, actors, conditions and runs, each as a place that reads back."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from regc.draft.addresses import Sentence, number_place, said_place
from regc.draft.field import NumberField, Words, field
from regc.draft.finding import DraftTest, SpeedFinder
from regc.draft.limit_tables import Axis, Speeds
from regc.draft.outline import DrivenClause, Outline
from regc.lang.places import Reader, flat
from regc.lang.vocabulary import vocabulary
from regc.lang.words import units_named
from regc.model.document import Clause, Item, Table


class TestDrafter:
    """Drafts the tests of one document."""

    def __init__(self, outline: Outline, reader: Reader, units: list[DrivenClause], listed: frozenset[str] = frozenset()) -> None:
        """`listed`: the axes that the document's lists of tests have."""
        self.outline, self.reader, self.units, self.listed = outline, reader, units, listed
        self.load = self._load_axis()

    def draft(self, unit: DrivenClause, listing: tuple[str, Speeds, str] | None = None) -> DraftTest:
        """The test of a clause; `listing` is the table that lists it, with the words of its rows."""
        one = _One(self, unit, listing)
        return one.made()

    def _load_axis(self) -> Axis | None:
        """The list that says with which masses tests are run."""
        known = field()
        for clause in self.outline.document.clauses:
            axis = Axis("load", at=clause.id)
            for item in clause.items:
                name = known.named(item.text, "load") if len(item.path) == 1 else ""
                if name not in ("max", "run") or name in axis.values or not known.words("load", "lead").find(item.lead):
                    continue
                match = known.words("load", name).find(item.text)
                assert match is not None
                axis.values[name] = {"words": match[0], "set": self._loaded(clause, item, name)}
                if known.words("load", "optional").find(item.text):
                    axis.values[name]["status"] = "option"
            if len(axis.values) > 1:
                return axis
        return None

    def _loaded(self, clause: Clause, item: Item, name: str) -> dict[str, str]:
        held = {"mass": name}
        for sentence in self.outline.sentences(clause.id):
            if sentence.clause == clause.id and sentence.item == item.label:
                for measured in sentence.numbers("mass", clause.text):
                    place = number_place(self.reader, sentence, measured, "mass")
                    if place:
                        held["extra_mass"] = f"[{place}]"
        return held


class _One(SpeedFinder):
    """One test."""

    def __init__(self, drafter: TestDrafter, unit: DrivenClause, listing: tuple[str, Speeds, str] | None) -> None:
        super().__init__(drafter.outline, drafter.reader, unit, drafter.units, listing)
        self.drafter = drafter
        self.tol: dict[str, str] = {}
        self.vary: list[str] = []
        self.kind = ""

    # ------------------------------------------------------------ the whole

    def made(self) -> DraftTest:
        unit, data = self.unit, self.test.data
        data |= {"name": "", "at": unit.at}
        if unit.requirement and not self.negative:
            data["req"] = unit.requirement
        data["manoeuvre"] = unit.manoeuvre
        actors = self._actors()
        self._points(data)
        self._bindings()
        self._tolerances()
        require = self._require()
        if self.vary:
            data["vary"] = self.vary
        if self.limits and any(re.search(r"\bavoid\b", str(value)) for value in self.bind.values()):
            self.let = {"avoid": "last(limit, 0)", **self.let}
        if self.let:
            data["let"] = self.let
        data["bind"], data["tol"] = self.bind, self.tol
        said = self.said(self.own, field().words("test", "prescribes"))
        if said:
            data["said"] = said
        further = self.further()
        if require:
            columns = tuple(self.listing[1].spec.get("cells", ())) if self.listing and "points" in data else ()
            further += extended(self.outline, self.reader, self.unit, self.bind, columns, tuple(actors))
        if further:
            data["further"] = further
        data["require"], data["actors"] = require, actors
        data["conditions"], data["runs"] = self._conditions(), self._runs()
        checks = self.examples()
        if checks:
            data["check"] = checks
        self.test.data = {name: held for name, held in data.items() if held or name == "name"}
        return self.test

    # ------------------------------------------------------------ what is driven

    def _points(self, data: dict[str, Any]) -> None:
        """Axes, and the tests that a table or a list of speeds gives."""
        for axis in self.limits.axes if self.limits else []:
            self._vary(axis)
        if self.limits:
            self.test.tables["limit"] = self.limits.spec
        if self.speeds:
            self.test.tables["speeds"] = self.speeds.spec
            for axis in self.speeds.axes:
                self._vary(axis)
            data["points"] = "speeds"
        elif self.listing:
            name, spec, stub = self.listing
            self._unit_of_cells(spec)
            self.test.tables[name] = spec.spec
            self.test.axes += spec.axes
            data["points"] = f"{name}: {stub}" if stub else name
        load = self.drafter.load
        if load is not None and not self.listing and under_same(load.at, self.unit.at) and (self.limits or self.items()):
            self._vary(load)
        for name in field().names("either"):
            self._either(name)

    def _unit_of_cells(self, listing: Speeds) -> None:
        """The unit of cells that their header does not give, from the sentence that explains the column ("the percentage of ...")."""
        head = str(listing.spec["cells"].get("overlap", ""))
        if not head or units_named(head) or "unit" in listing.spec or "%" in head:
            return
        for sentence in self.chapter:
            match = re.search(r"per\s?cent(?:age)?", sentence.text, re.I)
            title = self.outline.clauses[sentence.clause].title or ""
            if match and field().words("column", "overlap").find(f"{title} {sentence.text}"):
                place = said_place(self.reader, sentence, match[0])
                if place:
                    listing.spec["unit"] = {"overlap": f"[{place}]"}
                    return

    def _vary(self, axis: Axis) -> None:
        self.test.axes.append(axis)
        if axis.name not in self.vary:
            self.vary.append(axis.name)

    def _either(self, name: str) -> None:
        """ "either to the left or the right": an axis of the drive; one of its values alone fixes it."""
        cells = self.listing[1].spec["cells"] if self.listing else {}
        known = field()
        if name in cells or (name in self.manoeuvre.bind and (self.manoeuvre.roles or self.limits)):
            return
        if name not in self.manoeuvre.bind and name not in self.drafter.listed:
            return
        for pool in (self.own, self.chapter):
            values: dict[str, tuple[Sentence, str]] = {}
            for sentence in pool:
                for value in known.names("either", name):
                    match = known.words("either", name, value).find(sentence.text)
                    if match:
                        values.setdefault(value, (sentence, match[0]))
            if len(values) == len(known.names("either", name)):
                at = next(iter(values.values()))[0].clause
                self._vary(Axis(name, at=at, values={value: {"words": words} for value, (_, words) in values.items()}))
                return
            if len(values) == 1:
                ((value, (sentence, words)),) = values.items()
                place = said_place(self.reader, sentence, words)
                if place:
                    self.test.axes.append(Axis(name, values={value: {"words": words}}))
                    self.test.data.setdefault("fix", {})[name] = f"{value} {self.short(place)}"
                return

    def _bindings(self) -> None:
        cells = set(self.listing[1].spec["cells"]) if self.listing else {"subject"} if self.speeds else set()
        self.list_of_speeds()
        for slot in field().bindings:
            kind = self.manoeuvre.bind.get(slot.name)
            if kind is None or kind.words or slot.name in cells or slot.name in self.bind:
                continue
            if slot.name in ("subject", "relative") and {"subject", "relative"} & {*self.bind, *cells}:
                continue
            place = self.number(self.own, slot, kind.dimension)
            if place is None and slot.chapter:
                place = self.number(self.chapter, slot, kind.dimension) or self.number(self.mentioned, slot, kind.dimension)
            if place is not None:
                self.bind[slot.name] = place
        self._declared(cells)
        for name, kind in self.manoeuvre.bind.items():
            given = name in self.bind or name in cells or any(rule.name == name for rule in self.manoeuvre.equations)
            if kind.needed and not given:
                self.note(f"bind.{name}: no {kind.dimension} found; the choices: {self._choices(kind.dimension)}")

    def _declared(self, cells: set[str]) -> None:
        """The speed that a form leaves to the manufacturer, where no sentence of the test gives one."""
        kind = self.manoeuvre.bind.get("subject")
        if kind is None or not kind.needed or {"subject", "relative"} & {*self.bind, *cells} - {"relative"}:
            return
        speed = declared_speed(self.outline, self.unit.at) or self._set_speed()
        if speed is not None:
            self.test.declare[speed.name] = f"speed {speed.place}"
            self.bind["subject"] = speed.name

    def _set_speed(self) -> DeclaredCell | None:
        """The speed that the conditions of all tests of the chapter leave to the manufacturer."""
        words = field().words("list", "set")
        for sentence in self.chapter:
            match = words.find(sentence.text)
            place = said_place(self.reader, sentence, match[0]) if match else None
            if place:
                return DeclaredCell("set_speed", place)
        return None

    def _choices(self, dimension: str) -> str:
        choices = [
            f"[{s.clause}{s.item}] {self.outline.clauses[s.clause].text[number.start : number.end]}"
            for s in self.own
            for number in s.numbers(dimension, self.outline.clauses[s.clause].text)
        ]
        return "; ".join(choices[:6]) or "none in its clause; a declared quantity?"

    # ------------------------------------------------------------ tolerances

    def _tolerances(self) -> None:
        known = field()
        for sentence in self.own:
            text = self.outline.clauses[sentence.clause].text
            numbers = [n for n in sentence.numbers("tolerance", text) if vocabulary().dimension(n.unit) == "speed"]
            attached = [n for n in sentence.numbers("speed", text) if n.tolerance is not None]
            last = sentence.start
            for number in numbers:
                before, behind = text[last : number.start], text[number.end : number.end + 30]
                last = number.end
                if any(held.start < number.start < held.end for held in attached):
                    continue
                place = number_place(self.reader, sentence, number, "tolerance of speed")
                if place is not None:
                    self._tolerance(before + behind, place)
            for number in sentence.numbers("speed", text):
                if number.bound == "le" and known.words("tolerance", "within").find(sentence.text):
                    place = number_place(self.reader, sentence, number, "tolerance of speed")
                    if place is not None:
                        self._tolerance(text[sentence.start : number.start], place)

    def _tolerance(self, words: str, place: str) -> None:
        known = field()
        names = ["subject"]
        if known.words("tolerance", "both").find(words):
            names = ["subject", "target"]
        elif known.words("tolerance", "relative").find(words) and "relative" in self.manoeuvre.bind:
            names = ["relative"]
        elif known.words("tolerance", "target").find(words):
            names = ["target"]
        for name in names:
            if name == "subject" and self.speeds and "target" in self.manoeuvre.bind:
                name = "target"  # the table gives that of the subject vehicle
            if name in self.manoeuvre.bind:
                self.tol.setdefault(name, self.short(place))

    # ------------------------------------------------------------ what is asked

    def _require(self) -> dict[str, Any]:
        require: dict[str, Any] = {}
        if self.limits:
            key = "relative" if "relative" in self.manoeuvre.bind else "subject"
            require["impact"] = f"impact_speed <= limit[{key}]"
        pool = self.own if self.negative else [*self.required, *self.own]
        cited = [s for id in self.outline.cited_by(self.unit.requirement or self.unit.at) for s in self.outline.own(id)]
        for asked in field().criteria:
            allowed = not asked.manoeuvres or self.unit.manoeuvre in asked.manoeuvres
            allowed = allowed and not (self.negative and asked.cited)
            if asked.label in require or not allowed or (asked.label == "contact" and self.limits):
                continue
            made = self.criterion(asked, cited if asked.cited else pool)
            if made is not None:
                require[asked.label] = made
        for label in field().names("else"):
            said = self.said(self.required, field().words("else", label)) if label in require else ""
            if said and isinstance(require[label], str) and " by " in require[label]:
                require[label] = {"is": require[label], "else": require[label].partition(" by ")[0], "said": said}
        if not require:
            self.note("require: no criterion found in " + (self.unit.requirement or "any requirement; say where it stands with req"))
        return require

    def _actors(self) -> dict[str, str]:
        actors: dict[str, str] = {}
        for role, needed in self.manoeuvre.roles.items():
            if not needed and role not in self.manoeuvre.bind:
                continue
            kind, place = self._actor()
            if place:
                actors[role] = f"{kind} {place}"
                self.kind = self.kind or kind
            elif needed:
                self.note(f"actors.{role}: no road user of the vocabulary is named")
        return actors

    def _actor(self) -> tuple[str, str]:
        known = field()
        title = self.unit.title
        for kind in known.names("actor"):
            words = known.words("actor", kind)
            if not words.find(title) and not (
                kind in ("child", "adult", "car", "steel_plate") and any(words.find(s.text) for s in self.own)
            ):
                continue
            if kind in ("child", "adult") and not known.words("actor", "pedestrian").find(title + self.outline.text(self.unit.at)):
                continue
            named = [each for each in ("child", "adult") if any(known.words("actor", each).find(s.text) for s in self.own)]
            if kind in named and len(named) > 1:
                self.note(f"actors: {' or '.join(named)}; the clause names both")
                kind, words = "pedestrian", known.words("actor", "pedestrian")
            place = self.said(self.own, words)
            if kind == "pedestrian" and not named:
                for special in ("child", "adult"):
                    pool = [s for s in self.chapter if words.find(s.text)]
                    at = self.said(pool, known.words("actor", special))
                    if at:
                        return special, at
            if kind == "car":
                better = self.said(self.chapter, Words(words.patterns[:1]))
                place = better or place
            if place:
                return kind, place
        return "", ""

    # ------------------------------------------------------------ surroundings and repetitions

    def _conditions(self) -> dict[str, str]:
        return self._slots("condition", vocabulary().conditions)

    def _runs(self) -> dict[str, str]:
        return self._slots("run", vocabulary().runs)

    def _slots(self, group: str, kinds: Any) -> dict[str, str]:
        known = field()
        slots: dict[str, str] = {}
        near = known.words("kind", self.kind)
        for name in known.names(group):
            slot = NumberField(name, known.words(group, name, "words"), known.words(group, name, "about"), Words(()))
            without = self.negative or "target" not in self.manoeuvre.roles
            if self.negative and (group == "run" or (name == "illumination" and near)):
                continue
            if without and self._by_kind(slot, kinds[name].dimension):
                continue  # what is said by kind of target is said of the tests that have one
            aim = near if group == "condition" or name == "failed_share" else None
            for pool in (self.chapter, self.everywhere if group == "condition" else []):
                dimension = kinds[name].dimension
                of_kind = [
                    s
                    for s in pool
                    if near
                    and near.find(s.text)
                    and slot.words.find(s.text)
                    and s.numbers(dimension, self.outline.clauses[s.clause].text)
                ]
                place = self.number(of_kind or pool, slot, dimension, aim)
                if place:
                    slots[name] = place
                    break
        return slots

    def _by_kind(self, slot: NumberField, dimension: str) -> bool:
        """Whether a sentence says several numbers of a slot, each for tests with another kind of target."""
        kinds = [field().words("kind", kind) for kind in field().names("kind")]
        return any(
            slot.words.find(s.text)
            and any(kind.find(s.text) for kind in kinds)
            and len({(n.lo, n.hi) for n in s.numbers(dimension, self.outline.clauses[s.clause].text)}) > 1
            for s in self.everywhere
        )


def under_same(first: str, second: str) -> bool:
    """Whether two clauses stand in the same chapter."""
    return first.split(".")[0] == second.split(".")[0]


#: Words of a row that tell nothing in a name.
_COMMON = frozenset({"a", "an", "the", "on", "of", "in", "at", "to", "from", "and", "or"})


@dataclass(frozen=True)
class DeclaredCell:
    """A quantity that the applicant declares: `name`, and the place of its cell, "[table: row & column]"."""

    name: str
    place: str


def declared_speed(outline: Outline, at: str) -> DeclaredCell | None:
    """The empty cell of a form under a header of speeds, in the row that cites a test's clause; None where no form has one."""
    number = outline.clauses[at].number or at
    cited = re.compile(rf"(?<![\w.]){re.escape(number)}(?:\.\d+)*\.?(?!\w)")
    for table in outline.document.tables:
        rows = [row for row in table.rows if cited.search(row[0].text)]
        if len(rows) != 1:
            continue
        words = re.split(r"\s*[(\[]", rows[0][0].text)[0].strip()
        for column in range(1, len(table.columns)):
            head = table.column_label(column)
            if rows[0][column].text.strip() or not field().words("list", "speeds").find(head):
                continue
            named = _words_of(table, column)
            alone = sum(flat(words) in flat(row[0].text) for row in table.rows) == 1
            if words and named and alone:
                return DeclaredCell(_name(words), f"[{table.id}: {words} & {named}]")
    return None


def _words_of(table: Table, column: int) -> str:
    """The fewest last or first words by which a header differs from every other of its table."""
    heads = [flat(table.column_label(each)) for each in range(len(table.columns))]
    words = re.findall(r"[A-Za-z][A-Za-z-]*(?: [A-Za-z][A-Za-z-]*)*", table.column_label(column))
    for count in (2, 3, 4, 5):
        for part in words:
            tokens = part.split()
            for first in range(max(0, len(tokens) - count + 1)):
                said = " ".join(tokens[first : first + count])
                if sum(flat(said) in head for head in heads) == 1 and flat(said) in heads[column]:
                    return said
    return ""


def _name(words: str) -> str:
    """A name for a declared speed: "Stationary vehicle ahead on a curved road" is v_stationary_vehicle_ahead_curved_road."""
    return "v_" + "_".join(word.lower() for word in re.findall(r"[A-Za-z0-9]+", words) if word.lower() not in _COMMON)


def extended(
    outline: Outline, reader: Reader, unit: DrivenClause, bind: Mapping[str, Any], columns: tuple[str, ...], roles: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """An entry of `further` for each listed change of something that the test binds itself or by the `columns` of its table; what it
    is changed to is left to the tester."""
    known = field()
    judged = next((s for s in outline.sentences(unit.at) if known.words("extended", "judged").find(s.text)), None)
    match = known.words("extended", "judged").find(judged.text) if judged else None
    assess = said_place(reader, judged, match[0]) if judged and match else None
    if judged is None or assess is None:
        return
    for sentence in outline.sentences(unit.at):
        if not sentence.item or not sentence.clause.startswith(judged.clause):
            continue
        change = next(
            (name for name in known.names("extended", "change") if known.words("extended", "change", name).find(sentence.text)), ""
        )
        place = known.words("extended", "change", change).find(sentence.text) if change else None
        said = said_place(reader, sentence, place[0]) if place else None
        what = _changed(change, bind, columns, roles)
        if said and what:
            yield what | {
                "token": f"ext-{_label(sentence.item)}",
                "status": "evidence",
                "said": f"[{said}]",
                "require": {"strategy": f"assess [{assess}]"},
            }


def _label(item: str) -> str:
    """The label of an item for an id: "(c)(i)" is "c-i"."""
    return item.strip("()").replace(")(", "-")


def _changed(change: str, bind: Mapping[str, Any], columns: tuple[str, ...], roles: tuple[str, ...]) -> dict[str, Any]:
    """What an entry changes: another road user, a larger binding, other speeds (those of the table where it gives some: what stands
    still beside it does not change); {} for what the test does not bind."""
    if change == "actor":
        return {"other": [f"actors.{role}" for role in roles if role == "target"]} if "target" in roles else {}
    if change.startswith("larger_"):
        name = change.removeprefix("larger_")
        return {name: f"above({bind[name]})"} if name in bind else {}
    asked = {"speeds": ("subject", "lead", "target")}.get(change, (change,))
    names = [name for name in asked if name in columns] or [name for name in asked if name in bind]
    return {"other": names} if names else {}
