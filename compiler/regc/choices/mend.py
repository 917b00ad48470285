"""Places whose words stand no longer (`--extractor rules+llm`): the model chooses a number or a sentence of the addressed clause.

It is shown what the lost words can have become: no number and no sentence that other words of the profile account for. What it chooses
is read as strictly as what a profile says: the words that name it must name it alone, its side must be that of the slot, and what
nothing reads beside it is an error (M393, see `rivals`). Each choice is a warning (M391) and marked in every source; a slot that the
model answers with none stays the error that the rules found.
"""

from __future__ import annotations

from collections.abc import Mapping

from regc.choices.likeness import Likeness, other_words, same_force
from regc.choices.question import NONE, Question, Questioner, labelled
from regc.choices.rivals import Chosen, Cited, rivals
from regc.choices.slots import Slot, meaning, slots
from regc.choices.standing_words import (
    OpenSentence,
    StandingWords,
    marked,
    only_names,
    say,
    says_the_same,
    sentence_of,
    sentence_span,
)
from regc.lang.citation import words_around, words_of_sentence
from regc.lang.faults import ProfileError
from regc.lang.places import Hit, Reader, Span, split_place
from regc.lang.profile import Profile
from regc.lang.vocabulary import BindingKind
from regc.model.result import Finding

#: Sentences of a clause that a question shows at most, the nearest to the lost words first.
_SHOWN = 12
#: Share of what the nearest sentence says of lost words from which another one may be meant too.
_NEAR = 0.5
#: What is asked of a table, by what its words do not tell.
_OF_A_TABLE = {
    "caption": 'The caption of a table said "{}". It has been reworded. Which caption says it now?',
    "header": 'The header of a column said "{}". It has been reworded. Which header says it now?',
    "rule": 'A table gives limits at some values. A note below it says: "{}" Which limit holds for a value between two rows?',
}
_SIDES = {"<": ("le", "lt"), ">": ("ge", "gt")}


class ModelMender:
    """Asks a model for the places of one profile that no longer read; `findings` say what it chose."""

    def __init__(self, profile: Profile, questioner: Questioner) -> None:
        self.name = questioner.name
        self.questioner, self.slots = questioner, slots(profile)
        self.standing = StandingWords(profile)
        self.likeness: Likeness | None = None
        self.chosen: list[Chosen] = []
        self.cited: list[Cited] = []
        self._findings: list[Finding] = []

    # ------------------------------------------------------------ the seam of lang/places

    def number(self, reader: Reader, place: str, names: Mapping[str, str], wanted: str, open_: tuple[Hit, ...]) -> str | None:
        """Words that name the number that the model chose; None where it says that none is meant, or none can be."""
        address, words = split_place(place)
        slot = self._slot(place, names, wanted)
        free = self._unread(reader, slot, open_)
        if not free:
            return None
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
        self.chosen.append(Chosen(place, slot.where, hit, tuple(other for other in open_ if not only_names(slot, other))))
        self._told(slot, place, names, reader, own, sentence_of(hit))
        return own

    def sentence(self, reader: Reader, place: str, names: Mapping[str, str], spans: tuple[Span, ...]) -> str | None:
        """Words of the sentence that the model chose; None where it says that none is meant, or none can be."""
        address, words = split_place(place)
        if not words or "&" in words:
            return None
        shown = dict(zip(labelled(_SHOWN), self._possible(reader, words, spans)[:_SHOWN], strict=False))
        if not shown:
            return None
        slot = self._slot(place, names, "")
        cited = {label: words_of_sentence(one.span.text, one.start, one.end) for label, one in shown.items()}
        question = Question(
            f"{reader.resolve(address, names)} {slot.key} {words}"[:80],
            f'One sentence said "{_said(words)}" ({slot.meaning}). It has been reworded. Which sentence says it now?',
            {label: one.text for label, one in shown.items()},
        )
        answer = self.questioner.ask(question, lambda label: "" if cited[label] else "its words cannot be cited")
        own = cited.get(answer)
        if own is None:
            self._none(slot, place, names, reader)
            return None
        others = tuple(one for label, one in shown.items() if label != answer)
        self.cited.append(Cited(place, slot.where, shown[answer], others))
        self._told(slot, place, names, reader, own, shown[answer].text)
        return own

    def one_of(self, what: str, lost: str, table: str, choices: Mapping[str, str], where: str) -> str | None:
        """The caption, header or rule (`what`) of a table that the model chose; None where it says that none is meant."""
        keys = dict(zip(labelled(len(choices)), choices, strict=True))
        question = Question(
            f"{table} {what} {lost}"[:80],
            _OF_A_TABLE[what].format(lost),
            {label: _shown(choices[key], lost) or meaning("between", key) for label, key in keys.items()},
        )
        answer = self.questioner.ask(question)
        verdict = f'chose "{choices[keys[answer]] or meaning("between", keys[answer])}"' if answer in keys else "chose none there"
        message = f'{what} of {table}: "{lost}" is not told by the words that are known; {self.name} {verdict}'
        code, hint = ("M391", "compare it with the document") if answer in keys else ("M392", "what the rules say stands")
        self._keep(Finding(code=code, severity="warning", message=message, place=where or None, hint=hint))
        return keys.get(answer)

    # ------------------------------------------------------------ what is said of it

    def findings(self, reader: Reader) -> tuple[Finding, ...]:
        """A warning for every choice, and an error for what nothing reads beside it."""
        return (*self._findings, *rivals(reader, self.name, self.chosen, self.cited))

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

    def _unread(self, reader: Reader, slot: Slot, open_: tuple[Hit, ...]) -> list[Hit]:
        """The numbers that a slot can mean: of those that no words that stand read, each value once in a requirement, and not where it
        only says again what stands in one that nothing cites."""
        free = [hit for hit in open_ if not only_names(slot, hit) and not self.standing.reads(reader, hit)]
        if slot.wanted == "count":
            read = {hit.measurement.lo for hit in open_ if self.standing.reads(reader, hit)}
            free = [hit for hit in free if hit.measurement.lo not in read] or free
        told = [hit for hit in free if self.standing.cites(reader, hit)]
        kept: list[Hit] = []
        for hit in sorted(free, key=lambda hit: hit in told):
            if not any(says_the_same(hit, other) for other in kept if hit in told or sentence_of(hit) == sentence_of(other)):
                kept.append(hit)
        return sorted(kept, key=free.index)

    def _possible(self, reader: Reader, words: str, spans: tuple[Span, ...]) -> list[OpenSentence]:
        """The sentences that lost words can have become, the nearest first: of those of which no words that stand read or cite every
        requirement, the ones that say about as much of the words as the one that says most (all, where none says any of it). Where
        all are accounted for, the one that says by far the most."""
        if self.likeness is None:
            self.likeness = Likeness(reader)
        fitting = [one for one in self.standing.sentences(reader, spans) if same_force(words, one.open or one.text)]
        scored = [(self.likeness.of(words, one.open or one.text), one) for one in fitting]
        free = [each for each in scored if each[1].free]
        most = max((score for score, _ in free or scored), default=0.0)
        near = sorted((each for each in free or scored if each[0] >= _NEAR * most), key=lambda each: -each[0])
        return [one for _, one in near] if free or (most and len(near) == 1) else []

    def _words(self, reader: Reader, place: str, wanted: str, hit: Hit) -> str | None:
        """The fewest words that name a number alone in the addressed texts."""
        address = split_place(place)[0]
        span, measured = hit.span, hit.measurement
        start, end = sentence_span(hit)
        for words in words_around(span.text[start : measured.start].split(), span.text[measured.end : end].split()):
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
        {label: f"{say(hit.measurement)}, in: {marked(hit)}" for label, hit in zip(labelled(len(hits)), hits, strict=True)},
    )


def wrong_side(reader: Reader, slot: Slot, hit: Hit, words: str) -> str:
    """What the compiler says of a number whose words bound the other side than the slot's type; "" where they fit."""
    side = _SIDES.get(slot.kind.side)
    value = reader.value_of(hit, words)
    if side is None or value.bound in (*side, *(["eq"] if slot.kind.loose else [])) or value.is_range:
        return ""
    bound = "an upper" if slot.kind.side == "<" else "a lower"
    return f"{slot.key} is {bound} bound, and the words around {say(hit.measurement)} are not"


def _shown(text: str, lost: str) -> str:
    """A caption or header, with what the field says of its words."""
    held = other_words(lost, text) if text else None
    return f'{text} ("{held[0]}" is another word for "{held[1]}")' if held else text


def _title(reader: Reader, hit: Hit) -> str:
    clause = reader.clauses.get(hit.span.clause)
    while clause is not None and not clause.title:
        clause = reader.clauses.get(clause.parent or "")
    return (clause.title or "") if clause else ""


def _said(words: str) -> str:
    """Words of a place for a reader: the first alternative, "_" as the number."""
    return words.split("|")[0].replace("_", "(number)").strip()
