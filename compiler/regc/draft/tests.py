"""One drafted test: the manoeuvre's bindings, tolerances, criteria, actors, conditions and runs, each as a place that reads back."""

from __future__ import annotations

import re
from typing import Any

from regc.draft.addresses import Sentence, number_place, said_place
from regc.draft.declared import declared_speed
from regc.draft.extended import extended
from regc.draft.field import NumberField, Words, field
from regc.draft.finding import SpeedFinder
from regc.draft.limit_tables import Axis, Speeds
from regc.draft.outline import DrivenClause, Outline
from regc.draft.testblock import DraftTest
from regc.lang.places import Reader
from regc.lang.vocabulary import vocabulary
from regc.lang.words import units_named
from regc.model.document import Clause, Item


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
                for found in sentence.numbers("mass", clause.text):
                    place = number_place(self.reader, sentence, found, "mass")
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
        found = declared_speed(self.outline, self.unit.at)
        if found is not None:
            self.test.declare[found.name] = f"speed {found.place}"
            self.bind["subject"] = found.name

    def _choices(self, dimension: str) -> str:
        found = [
            f"[{s.clause}{s.item}] {self.outline.clauses[s.clause].text[number.start : number.end]}"
            for s in self.own
            for number in s.numbers(dimension, self.outline.clauses[s.clause].text)
        ]
        return "; ".join(found[:6]) or "none in its clause; a declared quantity?"

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
        found: dict[str, Any] = {}
        if self.limits:
            key = "relative" if "relative" in self.manoeuvre.bind else "subject"
            found["impact"] = f"impact_speed <= limit[{key}]"
        pool = self.own if self.negative else [*self.required, *self.own]
        cited = [s for id in self.outline.cited_by(self.unit.requirement or self.unit.at) for s in self.outline.own(id)]
        for asked in field().criteria:
            allowed = not asked.manoeuvres or self.unit.manoeuvre in asked.manoeuvres
            allowed = allowed and not (self.negative and asked.cited)
            if asked.label in found or not allowed or (asked.label == "contact" and self.limits):
                continue
            made = self.criterion(asked, cited if asked.cited else pool)
            if made is not None:
                found[asked.label] = made
        for label in field().names("else"):
            said = self.said(self.required, field().words("else", label)) if label in found else ""
            if said and isinstance(found[label], str) and " by " in found[label]:
                found[label] = {"is": found[label], "else": found[label].partition(" by ")[0], "said": said}
        if not found:
            self.note("require: no criterion found in " + (self.unit.requirement or "any requirement; say where it stands with req"))
        return found

    def _actors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for role, needed in self.manoeuvre.roles.items():
            if not needed and role not in self.manoeuvre.bind:
                continue
            kind, place = self._actor()
            if place:
                found[role] = f"{kind} {place}"
                self.kind = self.kind or kind
            elif needed:
                self.note(f"actors.{role}: no road user of the vocabulary is named")
        return found

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
        found: dict[str, str] = {}
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
                    found[name] = place
                    break
        return found

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
