"""What stands beside a model's choice: a number or sentence of the clause that nothing reads is an error, as it is for the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from regc.choices.standing_words import ONE, OpenSentence, say, says_the_same, sentence_of, sentence_span, spelt
from regc.lang.lint import counts
from regc.lang.places import Hit, Reader, Span, flat, split_place, stands
from regc.lang.words import quantities
from regc.model.result import Finding


@dataclass(frozen=True)
class Chosen:
    """A number that the model chose, and the others of its type there."""

    place: str
    where: str
    hit: Hit
    others: tuple[Hit, ...]


@dataclass(frozen=True)
class Cited:
    """A sentence that the model chose, and the others that it was shown."""

    place: str
    where: str
    sentence: OpenSentence
    others: tuple[OpenSentence, ...]


def rivals(reader: Reader, model: str, chosen: Sequence[Chosen], cited: Sequence[Cited]) -> Iterator[Finding]:
    """M393 for every number and sentence beside a choice that nothing accounts for once all is read, and for a number that two lost
    places were given to."""
    for one in chosen:
        for other in one.others:
            if _is_rival(reader, one.hit, other):
                rival = f'{say(other.measurement)} beside it: "{sentence_of(other)}"'
                yield _error(one, f"[{one.place}] was given to {say(one.hit.measurement)} by {model}, and nothing reads {rival}")
    for each in cited:
        for rest in each.others:
            if not _is_used(reader, rest.span, rest.start, rest.end):
                yield _error(each, f'[{each.place}] was given to "{each.sentence.text}" by {model}, and nothing reads "{rest.text}"')
    for first, second in combinations(chosen, 2):
        lost = [flat(split_place(each.place)[1]) for each in (first, second)]
        if _spot(first.hit) == _spot(second.hit) and lost[0] not in lost[1] and lost[1] not in lost[0]:
            yield _error(first, f"[{first.place}] and [{second.place}] were both given to {say(first.hit.measurement)} by {model}")


def _error(one: Chosen | Cited, message: str) -> Finding:
    hint = "write in the profile the words that tell them apart, or tell or waive the other sentence"
    return Finding(code="M393", severity="error", message=message, place=one.where or None, hint=hint)


def _is_rival(reader: Reader, hit: Hit, other: Hit) -> bool:
    """Whether nothing accounts for a number beside the chosen one: it says something else, or the same in a sentence that is unused."""
    if says_the_same(hit, other):
        return not _is_used(reader, other.span, *sentence_span(other))
    if other.measurement.dimension == "count":
        # a count is said again ("one of the two runs"): each number of a clause counts once
        return spelt(other) != ONE and other.measurement.lo not in set(_counts_read(reader, hit.span))
    unread = counts(other.measurement, other.span.text) and _spot(other) not in reader.ledger.numbers
    return unread and not _is_told(reader, other)


def _counts_read(reader: Reader, span: Span) -> Iterator[object]:
    """The counts of a span that were read."""
    for item in quantities(span.text).measurements:
        if item.dimension == "count" and (span.key, span.start + item.start) in reader.ledger.numbers:
            yield item.lo


def _is_used(reader: Reader, span: Span, start: int, end: int) -> bool:
    """Whether something read a number of a sentence, or cited or told it by words of its own."""
    if any(start <= at - span.start < end for key, at in reader.ledger.numbers if key == span.key):
        return True
    text = span.text[start:end]
    return any(words and at.startswith(span.key) and stands(words, text) for at, words in reader.ledger.told | reader.ledger.said)


def _is_told(reader: Reader, hit: Hit) -> bool:
    """Whether the sentence of a number is told by words of its own, and not with its clause as a whole."""
    sentence = sentence_of(hit)
    return any(words and at.startswith(hit.span.key) and stands(words, sentence) for at, words in reader.ledger.told)


def _spot(hit: Hit) -> tuple[str, int]:
    """Where a number stands."""
    return hit.span.key, hit.span.start + hit.measurement.start
