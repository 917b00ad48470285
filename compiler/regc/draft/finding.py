"""What the words of the field find for one test: in its own clause, its chapter, its requirement, each as a place that reads back."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field as made
from typing import Any

from regc.draft.addresses import Sentence, number_place, relative, said_place
from regc.draft.field import CriterionField, NumberField, Words, field
from regc.draft.limit_tables import Axis, LimitSpec, Speeds, limits, speeds
from regc.draft.outline import DrivenClause, Outline
from regc.lang.places import Reader
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement
from regc.model.document import Clause, Item


@dataclass
class DraftTest:
    """A test on the way: `data` is its block, `notes` what stands above it as comments."""

    unit: DrivenClause
    data: dict[str, Any]
    axes: list[Axis] = made(default_factory=list)
    tables: dict[str, dict[str, Any]] = made(default_factory=dict)
    declare: dict[str, str] = made(default_factory=dict)
    notes: list[str] = made(default_factory=list)


class Finder:
    """Finds the numbers and words of one test in its own clause, its chapter, the whole document, and its requirement."""

    def __init__(self, outline: Outline, reader: Reader, unit: DrivenClause, units: list[DrivenClause]) -> None:
        self.outline, self.reader, self.unit = outline, reader, unit
        self.manoeuvre = vocabulary().manoeuvres[unit.manoeuvre]
        self.own = list(self.outline.sentences(unit.at))
        others = [other.at for other in units if other.at != unit.at]
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

    def short(self, place: str) -> str:
        return relative(place, self.unit.at, self.unit.requirement or None)

    def note(self, text: str) -> None:
        self.test.notes.append(text)

    def number(self, sentences: Iterable[Sentence], slot: NumberField, dimension: str, near: Words | None = None) -> str | None:
        """The place of the number of a slot; where sentences differ, the first, with the others as a comment."""
        pool = list(sentences)
        for pattern in slot.words.patterns:
            candidates = [
                (sentence, number) for sentence in pool if (number := self._in(sentence, pattern, slot, dimension, near)) is not None
            ]
            # the running text before the items of a list, which often repeat it in an example
            candidates = [each for each in candidates if not each[0].item] or candidates
            values = {(str(n.lo), str(n.hi), n.unit): s for s, n in candidates}
            if len(values) > 1:
                self.note(f"{slot.name}: not decided; the choices: {_said_choices(values)}")
                return None
            for sentence, number in candidates:
                place = number_place(self.reader, sentence, number, dimension)
                if place is not None:
                    return self.short(place)
        return None

    def _in(
        self, sentence: Sentence, pattern: re.Pattern[str], slot: NumberField, dimension: str, near: Words | None
    ) -> Measurement | None:
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

    def _several(self, slot: NumberField, sentence: Sentence, numbers: list[Measurement], text: str) -> bool:
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

    def said(self, sentences: Iterable[Sentence], words: Words) -> str:
        for sentence in sentences:
            match = words.find(sentence.text)
            if match:
                place = said_place(self.reader, sentence, match[0].strip())
                if place:
                    return self.short(place)
        return ""

    def criterion(self, asked: CriterionField, pool: list[Sentence]) -> Any:
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
            slot = NumberField(asked.label, asked.words, Words(()), Words(()))
            number = self._in(sentence, re.compile(re.escape(also[0])), slot, asked.number, None)
            place = number_place(self.reader, sentence, number, asked.number) if number else None
            if place:
                return asked.predicate.replace("[_]", self.short(place))
        return None


def _said_choices(values: dict[tuple[str, str, str], Sentence]) -> str:
    """Numbers with their clauses, for a comment: "2000 lux [6.1.3(a)]"."""
    return "; ".join(f"{lo}{'' if lo == hi else ' to ' + hi} {unit} [{s.clause}{s.item}]" for (lo, hi, unit), s in values.items())


def _under_any(id: str, roots: list[str]) -> bool:
    return any(id == root or id.startswith((f"{root}.", f"{root}(")) for root in roots)


class SpeedFinder(Finder):
    """Finds the speeds of one test; `listing` is the table that lists it, with the words of its rows."""

    def __init__(
        self, outline: Outline, reader: Reader, unit: DrivenClause, units: list[DrivenClause], listing: tuple[str, Speeds, str] | None
    ) -> None:
        super().__init__(outline, reader, unit, units)
        self.listing = listing
        self.bind: dict[str, Any] = {}
        self.let: dict[str, str] = {}
        self.negative = any(
            asked.predicate.startswith("no ") and self.criterion(asked, self.own)
            for asked in field().criteria
            if asked.label not in ("contact", "driver")
        )
        limited = unit.requirement and "relative" in self.manoeuvre.bind and not self.negative
        self.limits: LimitSpec | None = limits(self.outline, unit.requirement) if limited else None
        self.speeds: Speeds | None = None if listing else speeds(self.outline, unit.at)

    def items(self) -> tuple[Clause, list[Item]] | None:
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

    def list_of_speeds(self) -> None:
        held = self.items()
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

    def further(self) -> list[dict[str, Any]]:
        """Tests that the text lets be added: other rows of the limit table, another value of a binding."""
        known = field()
        entries: list[dict[str, Any]] = []
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
                if said and not entries:
                    key = "relative" if "relative" in self.manoeuvre.bind else "subject"
                    entry: dict[str, Any] = {key: "rows(limit)", "status": "option", "said": self.short(said)}
                    if range_:
                        entry["when"] = "subject in range"
                    if self.speeds:
                        entry["borrow"] = True
                    entries.append(entry)
            for name in known.names("list", "different"):
                match = known.words("list", "different", name).find(sentence.text)
                said = said_place(self.reader, sentence, match[0]) if match and name in self.bind else None
                if said:
                    entries.append({"other": [name], "said": self.short(said)})
        return entries

    def examples(self) -> list[dict[str, Any]]:
        """Speeds of worked examples in the list of speeds: some test shall have them."""
        held = self.items()
        entries: list[dict[str, Any]] = []
        for item in held[1] if held else ():
            match = re.search(r"\(e\.g\.[^()]*?(\w+ \w+) \d+ km/h\)", item.text)
            if match:
                place = self.short(f"{held[0].id}{item.label}: e.g. ... {match[1]}") if held else ""
                entries.append({"some": f"subject == {place}"})
        return entries
