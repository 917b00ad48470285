"""One drafted test: the manoeuvre's bindings, tolerances, criteria, actors, conditions and runs, each as a place that reads back."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

from regc.draft.field import Asked, Slot, Words, field
from regc.draft.places import Sentence, number_place, relative, said_place
from regc.draft.structure import Outline, Unit
from regc.draft.tables import Axis, Limits, Speeds, limits, speeds
from regc.draft.testblock import DraftTest
from regc.lang.places import Reader
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, units_named
from regc.model.document import Clause, Item


class TestDrafter:
    """Drafts the tests of one document."""

    def __init__(self, outline: Outline, reader: Reader, units: list[Unit], listed: frozenset[str] = frozenset()) -> None:
        """`listed`: the axes that the document's lists of tests have."""
        self.outline, self.reader, self.units, self.listed = outline, reader, units, listed
        self.load = self._load_axis()

    def draft(self, unit: Unit, listing: tuple[str, Speeds, str] | None = None) -> DraftTest:
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


class _One:
    """One test."""

    def __init__(self, drafter: TestDrafter, unit: Unit, listing: tuple[str, Speeds, str] | None) -> None:
        self.drafter, self.outline, self.reader, self.unit = drafter, drafter.outline, drafter.reader, unit
        self.listing = listing
        self.manoeuvre = vocabulary().manoeuvres[unit.manoeuvre]
        self.own = list(self.outline.sentences(unit.at))
        others = [other.at for other in drafter.units if other.at != unit.at]
        chapter = self.outline.chapter(unit.at)
        numbers = [self.outline.clauses[other].number or other for other in others]
        theirs = re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, numbers))})\.?(?![\d.]*\d|\w)") if numbers else re.compile(r"(?!)")
        number = self.outline.clauses[unit.at].number or unit.at
        mention = re.compile(rf"(?<![\w.]){re.escape(number)}\.?(?![\d.]*\d|\w)")
        # a sentence that names other tests by their number and not this one is not of this one
        self.chapter = [
            s
            for s in self.outline.sentences(chapter)
            if not _under_any(s.clause, [*others, unit.at]) and (mention.search(s.text) or not theirs.search(s.text))
        ]
        self.everywhere = [
            s for clause in self.outline.document.clauses if not _under_any(clause.id, others) for s in self.outline.own(clause.id)
        ]
        self.mentioned = [s for s in self.everywhere if mention.search(s.text)]
        self.required = list(self.outline.sentences(unit.requirement)) if unit.requirement else []
        self.test = DraftTest(unit, {})
        self.bind: dict[str, Any] = {}
        self.tol: dict[str, str] = {}
        self.let: dict[str, str] = {}
        self.negative = any(
            asked.predicate.startswith("no ") and self._criterion(asked, self.own)
            for asked in field().criteria
            if asked.label != "contact"
        )
        limited = unit.requirement and "relative" in self.manoeuvre.bind and not self.negative
        self.limits: Limits | None = limits(self.outline, unit.requirement) if limited else None
        self.speeds: Speeds | None = None if listing else speeds(self.outline, unit.at)
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
        said = self._said(self.own, field().words("test", "prescribes"))
        if said:
            data["said"] = said
        further = self._further()
        if further:
            data["further"] = further
        data["require"], data["actors"] = require, actors
        data["conditions"], data["runs"] = self._conditions(), self._runs()
        checks = self._examples()
        if checks:
            data["check"] = checks
        self.test.data = {name: held for name, held in data.items() if held or name == "name"}
        return self.test

    def short(self, place: str) -> str:
        return relative(place, self.unit.at, self.unit.requirement or None)

    def note(self, text: str) -> None:
        self.test.notes.append(text)

    # ------------------------------------------------------------ finding numbers

    def _number(self, sentences: Iterable[Sentence], slot: Slot, dimension: str, near: Words | None = None) -> str | None:
        """The place of the number of a slot; where sentences differ, the first, with the others as a comment."""
        pool = list(sentences)
        for pattern in slot.words.patterns:
            found = [
                (sentence, number) for sentence in pool if (number := self._in(sentence, pattern, slot, dimension, near)) is not None
            ]
            # the running text before the items of a list, which often repeat it in an example
            found = [each for each in found if not each[0].item] or found
            values = {(str(n.lo), str(n.hi), n.unit): s for s, n in found}
            if len(values) > 1:
                self.note(f"{slot.name}: not decided; the choices: {_said_choices(values)}")
                return None
            for sentence, number in found:
                place = number_place(self.reader, sentence, number, dimension)
                if place is not None:
                    return self.short(place)
        return None

    def _in(self, sentence: Sentence, pattern: re.Pattern[str], slot: Slot, dimension: str, near: Words | None) -> Measurement | None:
        match = pattern.search(sentence.text)
        if not match or slot.never.find(sentence.text) or (slot.about and not slot.about.find(sentence.text)):
            return None
        text = self.outline.clauses[sentence.clause].text
        numbers = sentence.numbers(dimension, text)
        if not numbers:
            return None
        aim = near.find(sentence.text) if near else None
        lead = len(text[sentence.start :]) - len(text[sentence.start :].lstrip())
        at = sentence.start + lead + (aim or match).start()
        end = sentence.start + lead + (aim or match).end()

        if aim is not None and any(number.end <= at for number in numbers):
            chosen = max((number for number in numbers if number.end <= at), key=lambda number: number.end)
            if chosen.bound == "eq" and any(number.bound != "eq" for number in numbers):
                # "in excess of 1,000 lux for ..., and 2,000 lux for ...": the words around the second do not bound it
                self.note(f"{slot.name}: not decided; is {text[chosen.start : chosen.end]} [{sentence.clause}{sentence.item}] a bound?")
                return None
            return chosen

        if aim is None and dimension != "count" and self._several(slot, sentence, numbers, text):
            return None

        def far(number: Measurement) -> int:
            if number.start >= end:
                return number.start - end
            return at - number.end if number.end <= at else 0

        return min(numbers, key=far)

    def _several(self, slot: Slot, sentence: Sentence, numbers: list[Measurement], text: str) -> bool:
        """Whether a sentence says several numbers in one breath ("5 s, 2 s, and 1 s"), or, away from the test, several at all."""
        away = sentence not in self.own and sentence not in self.required
        one_breath = any(
            re.fullmatch(r"[\s,()\w/]{0,12}?(?:,|\band\b|\bor\b)\s*", text[first.end : second.start])
            for first, second in itertools.pairwise(numbers)
        )
        values = {(number.lo, number.hi, number.unit): number for number in numbers}
        if len(values) < 2 or not (one_breath or away):
            return False
        said = "; ".join(text[number.start : number.end] for number in values.values())
        self.note(f"{slot.name}: not decided; [{sentence.clause}{sentence.item}] says {said}")
        return True

    def _said(self, sentences: Iterable[Sentence], words: Words) -> str:
        for sentence in sentences:
            match = words.find(sentence.text)
            if match:
                place = said_place(self.reader, sentence, match[0].strip())
                if place:
                    return self.short(place)
        return ""

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
        if load is not None and not self.listing and under_same(load.at, self.unit.at) and (self.limits or self._list()):
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
        self._list_of_speeds()
        for slot in field().bindings:
            kind = self.manoeuvre.bind.get(slot.name)
            if kind is None or kind.words or slot.name in cells or slot.name in self.bind:
                continue
            if slot.name in ("subject", "relative") and {"subject", "relative"} & {*self.bind, *cells}:
                continue
            place = self._number(self.own, slot, kind.dimension)
            if place is None and slot.chapter:
                place = self._number(self.chapter, slot, kind.dimension) or self._number(self.mentioned, slot, kind.dimension)
            if place is not None:
                self.bind[slot.name] = place
        for name, kind in self.manoeuvre.bind.items():
            given = name in self.bind or name in cells or any(rule.name == name for rule in self.manoeuvre.equations)
            if kind.needed and not given:
                self.note(f"bind.{name}: no {kind.dimension} found; the choices: {self._choices(kind.dimension)}")

    def _choices(self, dimension: str) -> str:
        found = [
            f"[{s.clause}{s.item}] {self.outline.clauses[s.clause].text[number.start : number.end]}"
            for s in self.own
            for number in s.numbers(dimension, self.outline.clauses[s.clause].text)
        ]
        return "; ".join(found[:6]) or "none in its clause; a declared quantity?"

    def _list(self) -> tuple[Clause, list[Item]] | None:
        """The list of items that gives the speeds of the test."""
        known = field()
        for clause in self.outline.below(self.unit.at):
            for number in dict.fromkeys(item.number for item in clause.items):
                items = [item for item in clause.items if item.number == number]
                speeds_in = [item for item in items if self._speed(clause, item) is not None]
                if known.words("list", "speeds").find(items[0].lead) and len(speeds_in) > 1:
                    return clause, items
        return None

    def _speed(self, clause: Clause, item: Item) -> str | None:
        """What an item of a list of speeds says, as an expression; None for something else."""
        known = field()
        sentence = next((s for s in self.own if s.clause == clause.id and s.item == item.label and s.start >= item.start), None)
        if sentence is None:
            return None
        numbers = sentence.numbers("speed", clause.text)
        place = number_place(self.reader, sentence, numbers[0], "speed") if len(numbers) == 1 else None
        avoided = self.limits and known.words("list", "avoided").find(sentence.text)
        if avoided:
            return f"avoid + {self.short(place)}" if place else "avoid"
        if place:
            return self.short(place)
        for name in known.names("list", "declared"):
            match = known.words("list", "declared", name).find(sentence.text)
            if match:
                said = said_place(self.reader, sentence, match[0])
                if said:
                    self.test.declare[name] = f"speed [{said}]"
                    return name
        return None

    def _list_of_speeds(self) -> None:
        held = self._list()
        if held is None:
            return
        clause, items = held
        known = field()
        whole = "\n".join(item.text for item in items) + clause.text[items[-1].end : items[-1].end + 60]
        lead = items[0].lead
        closing = bool(known.words("list", "relative").find(lead)) or bool(self.limits and self.limits.relative)
        key = "relative" if closing and "relative" in self.manoeuvre.bind else "subject"
        values: list[str] = []
        for item in items:
            if len(item.path) > 1:
                continue
            inner = [each for each in items if each.path[:-1] == item.path]
            parts = [self._by_key(part, key) for each in inner or [item] if (part := self._speed(clause, each)) is not None]
            if inner and len(parts) > 1 and known.words("list", "either").find(whole):
                values.append(f"min({', '.join(parts)})")
            else:
                values += parts
        self.bind[key] = values

    def _by_key(self, speed: str, key: str) -> str:
        """A declared speed of the vehicle as the key that is bound."""
        rule = next((rule for rule in self.manoeuvre.equations if rule.name == key), None)
        if key != "relative" or speed not in self.test.declare or rule is None:
            return speed
        return re.sub(r"\bsubject\b", speed, str(rule.right))

    def _range(self) -> str | None:
        """The range of speeds in which the system has to work."""
        known = field()
        for sentence in self.required:
            if not known.words("list", "range").find(sentence.text):
                continue
            for number in sentence.numbers("speed", self.outline.clauses[sentence.clause].text):
                place = number_place(self.reader, sentence, number, "speed")
                if place is None:
                    continue
                if number.lo != number.hi:
                    return self.short(place)
                for name in known.names("list", "declared"):
                    match = known.words("list", "declared", name).find(sentence.text)
                    said = said_place(self.reader, sentence, match[0]) if match else None
                    if said:
                        self.test.declare.setdefault(name, f"speed [{said}]")
                        return f"span({self.short(place)}, {name})"
        return None

    def _further(self) -> list[dict[str, Any]]:
        """Tests that the text lets be added: other rows of the limit table, another value of a binding."""
        known = field()
        found: list[dict[str, Any]] = []
        range_ = self._range()
        outside = any(known.words("list", "outside").find(sentence.text) for sentence in self.own)
        if range_:
            self.test.data["let"] = self.let = {**self.let, "range": range_}
        if range_ and outside:
            self.test.data["when"] = "subject in range"
        for sentence in self.own:
            if self.limits and known.words("list", "more").find(sentence.text) and known.words("list", "listed").find(sentence.text):
                match = re.search(r"any other (?:\w+ )?speeds?", sentence.text)
                said = said_place(self.reader, sentence, match[0]) if match else None
                if said and not found:
                    key = "relative" if "relative" in self.manoeuvre.bind else "subject"
                    entry: dict[str, Any] = {key: "rows(limit)", "status": "option", "said": self.short(said)}
                    if range_:
                        entry["when"] = "subject in range"
                    if self.speeds:
                        entry["borrow"] = True
                    found.append(entry)
            for name in known.names("list", "different"):
                match = known.words("list", "different", name).find(sentence.text)
                said = said_place(self.reader, sentence, match[0]) if match and name in self.bind else None
                if said:
                    found.append({"other": [name], "said": self.short(said)})
        return found

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
            made = self._criterion(asked, cited if asked.cited else pool)
            if made is not None:
                found[asked.label] = made
        for label in field().names("else"):
            said = self._said(self.required, field().words("else", label)) if label in found else ""
            if said and isinstance(found[label], str) and " by " in found[label]:
                found[label] = {"is": found[label], "else": found[label].partition(" by ")[0], "said": said}
        if not found:
            self.note("require: no criterion found in " + (self.unit.requirement or "any requirement; say where it stands with req"))
        return found

    def _criterion(self, asked: Asked, pool: list[Sentence]) -> Any:
        for sentence in pool:
            match = asked.words.find(sentence.text)
            also = asked.also.find(sentence.text) if asked.also else match
            if not match or not also:
                continue
            if not asked.number:
                said = said_place(self.reader, sentence, (also if asked.also else match)[0])
                if said:
                    return {"is": asked.predicate, "said": self.short(said)}
                continue
            slot = Slot(asked.label, asked.words, Words(()), Words(()))
            number = self._in(sentence, re.compile(re.escape(also[0])), slot, asked.number, None)
            place = number_place(self.reader, sentence, number, asked.number) if number else None
            if place:
                return asked.predicate.replace("[_]", self.short(place))
        return None

    def _actors(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for role, needed in self.manoeuvre.roles.items():
            if not needed:
                continue
            kind, place = self._actor()
            if place:
                found[role] = f"{kind} {place}"
                self.kind = self.kind or kind
            else:
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
            place = self._said(self.own, words)
            if kind == "pedestrian" and not named:
                for special in ("child", "adult"):
                    pool = [s for s in self.chapter if words.find(s.text)]
                    at = self._said(pool, known.words("actor", special))
                    if at:
                        return special, at
            if kind == "car":
                better = self._said(self.chapter, Words(words.patterns[:1]))
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
            slot = Slot(name, known.words(group, name, "words"), known.words(group, name, "about"), Words(()))
            if self.negative and (group == "run" or (name == "illumination" and near)):
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
                place = self._number(of_kind or pool, slot, dimension, aim)
                if place:
                    found[name] = place
                    break
        return found

    # ------------------------------------------------------------ worked examples

    def _examples(self) -> list[dict[str, Any]]:
        """Speeds of worked examples in the list of speeds: some test shall have them."""
        held = self._list()
        found: list[dict[str, Any]] = []
        for item in held[1] if held else ():
            match = re.search(r"\(e\.g\.[^()]*?(\w+ \w+) \d+ km/h\)", item.text)
            if match:
                place = self.short(f"{held[0].id}{item.label}: e.g. ... {match[1]}") if held else ""
                found.append({"some": f"subject == {place}"})
        return found


def _said_choices(values: dict[tuple[str, str, str], Sentence]) -> str:
    """Numbers with their clauses, for a comment: "2000 lux [6.1.3(a)]"."""
    return "; ".join(f"{lo}{'' if lo == hi else ' to ' + hi} {unit} [{s.clause}{s.item}]" for (lo, hi, unit), s in values.items())


def _under_any(id: str, roots: list[str]) -> bool:
    return any(id == root or id.startswith((f"{root}.", f"{root}(")) for root in roots)


def under_same(first: str, second: str) -> bool:
    """Whether two clauses stand in the same chapter."""
    return first.split(".")[0] == second.split(".")[0]
