"""The speeds that a list of items gives a test, the range that the system works in, and the tests that the text lets be added."""

from __future__ import annotations

import re
from typing import Any

from regc.draft.field import field
from regc.draft.finding import Finder
from regc.draft.places import number_place, said_place
from regc.draft.structure import Outline, Unit
from regc.draft.tables import Limits, Speeds, limits, speeds
from regc.lang.places import Reader
from regc.model.document import Clause, Item


class SpeedFinder(Finder):
    """Finds the speeds of one test; `listing` is the table that lists it, with the words of its rows."""

    def __init__(
        self, outline: Outline, reader: Reader, unit: Unit, units: list[Unit], listing: tuple[str, Speeds, str] | None
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
        self.limits: Limits | None = limits(self.outline, unit.requirement) if limited else None
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

    def examples(self) -> list[dict[str, Any]]:
        """Speeds of worked examples in the list of speeds: some test shall have them."""
        held = self.items()
        found: list[dict[str, Any]] = []
        for item in held[1] if held else ():
            match = re.search(r"\(e\.g\.[^()]*?(\w+ \w+) \d+ km/h\)", item.text)
            if match:
                place = self.short(f"{held[0].id}{item.label}: e.g. ... {match[1]}") if held else ""
                found.append({"some": f"subject == {place}"})
        return found
