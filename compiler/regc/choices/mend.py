"""Places whose words stand no longer (`--extractor rules+llm`): the model chooses a number or a sentence of the addressed clause.

What it chooses is read as strictly as what a profile says: the words that name it must name it alone, its side must be that of the
slot, and another number of that type in the clause which nothing reads is an error (M393). Each choice is a warning (M391) and marked
in every source; a slot that the model answers with none stays the error that the rules found.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from regc.choices.question import NONE, Question, Questioner, labelled
from regc.choices.slots import Slot, meaning, slots
from regc.lang.citation import words_around, words_of_sentence
from regc.lang.faults import ProfileError
from regc.lang.lint import counts
from regc.lang.places import Hit, Reader, Span, split_place
from regc.lang.profile import Profile
from regc.lang.vocabulary import BindingKind
from regc.lang.words import Measurement, sentences
from regc.model.result import Finding

#: Sentences of a clause that a question shows at most, the nearest to the lost words first.
_SHOWN = 12
#: What is asked of a table, by what its words do not tell.
_OF_A_TABLE = {
    "caption": 'The caption of a table said "{}". It has been reworded. Which caption says it now?',
    "header": 'The header of a column said "{}". It has been reworded. Which header says it now?',
    "rule": 'A table gives limits at some values. A note below it says: "{}" Which limit holds for a value between two rows?',
}
_SIDES = {"<": ("le", "lt"), ">": ("ge", "gt")}


@dataclass(frozen=True)
class Chosen:
    """A number that the model chose, and the others of its type there."""

    place: str
    where: str
    slot: str
    words: str
    hit: Hit
    others: tuple[Hit, ...]


class ModelMender:
    """Asks a model for the places of one profile that no longer read; `findings` say what it chose."""

    def __init__(self, profile: Profile, questioner: Questioner) -> None:
        self.name = questioner.name
        self.questioner, self.slots = questioner, slots(profile)
        self.chosen: list[Chosen] = []
        self._findings: list[Finding] = []

    # ------------------------------------------------------------ the seam of lang/places

    def number(self, reader: Reader, place: str, names: Mapping[str, str], wanted: str, open_: tuple[Hit, ...]) -> str | None:
        """Words that name the number that the model chose; None where it says that none is meant."""
        address, words = split_place(place)
        slot = self._slot(place, names, wanted)
        free = [hit for hit in open_ if not self._is_read(reader, slot, hit, names)] or list(open_)
        named = {label: (hit, self._words(reader, place, wanted, hit)) for label, hit in zip(labelled(len(free)), free, strict=True)}
        question = number_question(f"{reader.resolve(address, names)} {slot.key}", slot, words, free, _title(reader, free[0]))

        def refusal(answer: str) -> str:
            hit, own = named[answer]
            if own is None:
                return "no words of its sentence tell it apart from the other numbers there"
            return wrong_side(reader, slot, hit, own)

        answer = self.questioner.ask(question, refusal)
        own = named[answer][1] if answer != NONE else None
        if own is None:
            self._none(slot, place, names, reader)
            return None
        hit = named[answer][0]
        self.chosen.append(Chosen(place, slot.where, slot.key, own, hit, open_))
        self._told(slot, place, names, reader, own, _sentence(hit))
        return own

    def sentence(self, reader: Reader, place: str, names: Mapping[str, str], spans: tuple[Span, ...]) -> str | None:
        """Words of the sentence that the model chose; None where it says that none is meant."""
        address, words = split_place(place)
        if not words or "&" in words:
            return None
        slot = self._slot(place, names, "")
        found = [(span, start, end) for span in spans for start, end in sentences(span.text)]
        found = sorted(found, key=lambda each: -_likeness(words, each[0].text[each[1] : each[2]]))[:_SHOWN]
        shown = dict(zip(labelled(len(found)), found, strict=True))
        cited = {label: words_of_sentence(span.text, start, end) for label, (span, start, end) in shown.items()}
        question = Question(
            f"{reader.resolve(address, names)} {slot.key} {words}"[:80],
            f'One sentence said "{_said(words)}" ({slot.meaning}). It has been reworded. Which sentence says it now?',
            {label: " ".join(span.text[start:end].split()) for label, (span, start, end) in shown.items()},
        )
        answer = self.questioner.ask(question, lambda label: "" if cited[label] else "its words cannot be cited")
        own = cited.get(answer)
        if own is None:
            self._none(slot, place, names, reader)
            return None
        span, start, end = shown[answer]
        self._told(slot, place, names, reader, own, " ".join(span.text[start:end].split()))
        return own

    def one_of(self, what: str, lost: str, table: str, choices: Mapping[str, str], where: str) -> str | None:
        """The caption, header or rule (`what`) of a table that the model chose; None where it says that none is meant."""
        keys = dict(zip(labelled(len(choices)), choices, strict=True))
        question = Question(
            f"{table} {what} {lost}"[:80],
            _OF_A_TABLE[what].format(lost),
            {label: choices[key] or meaning("between", key) for label, key in keys.items()},
        )
        answer = self.questioner.ask(question)
        verdict = f'{self.name} chose "{question.choices[answer]}"' if answer in keys else f"{self.name} chose none there"
        message = f'{what} of {table}: "{lost}" is not told by the words that are known; {verdict}'
        code, hint = ("M391", "compare it with the document") if answer in keys else ("M392", "what the rules say stands")
        self._keep(Finding(code=code, severity="warning", message=message, place=where or None, hint=hint))
        return keys.get(answer)

    # ------------------------------------------------------------ what is said of it

    def findings(self, reader: Reader) -> tuple[Finding, ...]:
        """A warning for every choice, and an error for every number beside a chosen one that nothing reads."""
        return (*self._findings, *self._rivals(reader))

    def _rivals(self, reader: Reader) -> Iterator[Finding]:
        for chosen in self.chosen:
            own = chosen.hit.measurement
            for other in chosen.others:
                found = other.measurement
                spot = (other.span.key, other.span.start + found.start)
                same = (found.lo, found.hi, found.unit) == (own.lo, own.hi, own.unit) and len({found.bound, own.bound} - {"eq"}) < 2
                idle = not counts(found, other.span.text)
                if same or idle or spot in reader.ledger.numbers or _told_apart(reader, other):
                    continue
                message = (
                    f"[{chosen.place}] was given to {_say(own)} by {self.name}, and nothing reads {_say(found)} beside it: "
                    f'"{_sentence(other)}"'
                )
                hint = "write the words that tell them apart in the profile, or tell or waive the other sentence"
                yield Finding(code="M393", severity="error", message=message, place=chosen.where or None, hint=hint)

    def _told(self, slot: Slot, place: str, names: Mapping[str, str], reader: Reader, own: str, sentence: str) -> None:
        at = reader.resolve(split_place(place)[0], names)
        message = f'{slot.key}: the words "{_said(split_place(place)[1])}" do not stand in {at}; {self.name} chose "{sentence}"'
        hint = f"compare it with the document; if it is right, the profile may say [{split_place(place)[0]}: {own}]"
        self._keep(Finding(code="M391", severity="warning", message=message, place=slot.where or None, hint=hint))

    def _none(self, slot: Slot, place: str, names: Mapping[str, str], reader: Reader) -> None:
        at = reader.resolve(split_place(place)[0], names)
        message = f'{slot.key}: the words "{_said(split_place(place)[1])}" do not stand in {at}; {self.name} chose none there'
        self._keep(
            Finding(code="M392", severity="warning", message=message, place=slot.where or None, hint="what the rules say stands")
        )

    def _keep(self, finding: Finding) -> None:
        if finding not in self._findings:
            self._findings.append(finding)

    # ------------------------------------------------------------ helpers

    def _slot(self, place: str, names: Mapping[str, str], wanted: str) -> Slot:
        """The slot that a place answers here: of the test whose clause it is relative to."""
        held = self.slots.get(place.strip().strip("[]").strip(), [])
        own = [slot for slot in held if slot.at == names.get("at", "") and (not wanted or slot.wanted in ("", wanted))]
        if own or held:
            return (own or held)[0]
        words = split_place(place)[1]
        return Slot("", "place", f"what was said as '{_said(words)}'", BindingKind(wanted.removeprefix("tolerance of ")), wanted)

    def _is_read(self, reader: Reader, slot: Slot, hit: Hit, names: Mapping[str, str]) -> bool:
        """Whether another slot of the same test reads a number by words that stand."""
        spot = (hit.span.key, hit.span.start + hit.measurement.start)
        for place, held in self.slots.items():
            for other in held:
                if other.key == slot.key or (other.test != slot.test and other.at != slot.at) or not other.wanted:
                    continue
                if spot in _spots(reader, place, other.wanted, names):
                    return True
        return False

    def _words(self, reader: Reader, place: str, wanted: str, hit: Hit) -> str | None:
        """The fewest words that name a number alone in the addressed texts."""
        address = split_place(place)[0]
        span, found = hit.span, hit.measurement
        start, end = next((s, e) for s, e in sentences(span.text) if s <= found.start < e)
        for words in words_around(span.text[start : found.start].split(), span.text[found.end : end].split()):
            try:
                hits = reader.hits(address, words, wanted, (span,))
            except ProfileError:
                continue
            if hits == (hit,):
                return words
        return None


def number_question(label: str, slot: Slot, words: str, hits: list[Hit], title: str) -> Question:
    """Which number a slot means; `words` named it in an earlier wording, "" where that is not told."""
    was = f' An earlier wording named it by "{_said(words)}".' if words else ""
    under = f' under the title "{title}"' if title else ""
    return Question(
        label,
        f"A clause of the regulation{under} holds the numbers below. Which one is {slot.meaning}?{was}",
        {label: f"{_say(hit.measurement)}, in: {_marked(hit)}" for label, hit in zip(labelled(len(hits)), hits, strict=True)},
    )


def wrong_side(reader: Reader, slot: Slot, hit: Hit, words: str) -> str:
    """What the compiler says of a number whose words bound the other side than the slot's type; "" where they fit."""
    side = _SIDES.get(slot.kind.side)
    value = reader.value_of(hit, words)
    if side is None or value.bound in (*side, *(["eq"] if slot.kind.loose else [])) or value.is_range:
        return ""
    bound = "an upper" if slot.kind.side == "<" else "a lower"
    return f"{slot.key} is {bound} bound, and the words around {_say(hit.measurement)} are not"


def _spots(reader: Reader, place: str, wanted: str, names: Mapping[str, str]) -> set[tuple[str, int]]:
    address, words = split_place(place)
    try:
        hits = reader.hits(place, words, wanted, reader.spans(address, names, words))
    except ProfileError:
        return set()
    return {(hit.span.key, hit.span.start + hit.measurement.start) for hit in hits}


def _told_apart(reader: Reader, hit: Hit) -> bool:
    """Whether the sentence of a number is told by words of its own, and not with its clause as a whole."""
    sentence = _sentence(hit).casefold()
    return any(
        words and at.startswith(hit.span.key) and " ".join(words.split()).casefold() in sentence
        for at, words in reader.ledger.told | reader.ledger.said
    )


def _title(reader: Reader, hit: Hit) -> str:
    clause = reader.clauses.get(hit.span.clause)
    while clause is not None and not clause.title:
        clause = reader.clauses.get(clause.parent or "")
    return (clause.title or "") if clause else ""


def _sentence(hit: Hit) -> str:
    text, at = hit.span.text, hit.measurement.start
    start, end = next(((s, e) for s, e in sentences(text) if s <= at < e), (0, len(text)))
    return " ".join(text[start:end].split())


def _marked(hit: Hit) -> str:
    """The sentence of a number with the number between signs."""
    text, found = hit.span.text, hit.measurement
    start, end = next(((s, e) for s, e in sentences(text) if s <= found.start < e), (0, len(text)))
    return " ".join(f"{text[start : found.start]}>>{text[found.start : found.end]}<<{text[found.end : end]}".split())


def _said(words: str) -> str:
    """Words of a place for a reader: the first alternative, "_" as the number."""
    return words.split("|")[0].replace("_", "(number)").strip()


def _say(item: Measurement) -> str:
    if item.dimension == "tolerance":
        return f"+{item.hi}/-{item.lo} {item.unit}".strip()
    return (f"{item.lo} {item.unit}" if item.lo == item.hi else f"{item.lo} to {item.hi} {item.unit}").strip()


def _likeness(words: str, text: str) -> float:
    return difflib.SequenceMatcher(None, _said(words).casefold(), text.casefold()).ratio() + sum(
        word in text.casefold() for word in _said(words).casefold().split() if len(word) > 3
    )
