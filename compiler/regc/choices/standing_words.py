"""What the words of a profile that still stand read of a clause: only the rest of it can be what lost words have become.

A sentence is looked at by its requirements ("shall drive ..., and shall start ..."), since a profile may read one and have lost the
other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from regc.choices.slots import Slot, slots
from regc.lang.faults import ProfileError
from regc.lang.places import Hit, Reader, Span, split_place, stands
from regc.lang.profile import Profile
from regc.lang.words import Measurement, sentences

_PLACE = re.compile(r"(?<![\w\])])\[([^\[\]]+)\]")
#: Where a sentence turns to another requirement.
_NEXT = re.compile(r";\s+|[,;]?\s+(?:and|but)\s+(?:(?:it|they)\s+)?(?=(?:shall|must|may)\b)")
#: A count of one, in words, mostly stands before what is one of its kind.
ONE = "one"
#: Keys whose texts are places without brackets.
_BARE = ("tell", "clauses", "steps")


@dataclass(frozen=True)
class OpenSentence:
    """[start, end) of a span's text; `free` are those of its requirements that no standing words read or cite."""

    span: Span
    start: int
    end: int
    free: tuple[tuple[int, int], ...]

    @property
    def text(self) -> str:
        """The sentence in one line."""
        return " ".join(self.span.text[self.start : self.end].split())

    @property
    def open(self) -> str:
        """Its words that nothing reads."""
        return " ".join(self.span.text[start:end] for start, end in self.free)


@dataclass(frozen=True)
class _Place:
    text: str
    at: str
    req: str
    wanted: str = ""


class StandingWords:
    """The places of one profile with words, and what they read in a document as it is."""

    def __init__(self, profile: Profile) -> None:
        self._names = {str(name): str(address) for name, address in profile.place.items()}
        self._tables = {str(name): str(table.at) for name, table in profile.table.items()}
        self._places = tuple(dict.fromkeys(_places(profile)))
        self._numbers: dict[str, frozenset[int]] = {}
        self._cited: dict[str, frozenset[int]] = {}

    def reads(self, reader: Reader, hit: Hit) -> bool:
        """Whether a number is read by words that stand."""
        self._look(reader, hit.span.key)
        return hit.span.start + hit.measurement.start in self._numbers[hit.span.key]

    def cites(self, reader: Reader, hit: Hit) -> bool:
        """Whether standing words cite the requirement that a number stands in."""
        self._look(reader, hit.span.key)
        start, end = next((s, e) for s, e in _requirements(hit.span.text) if s <= hit.measurement.start < e)
        return any(start <= at - hit.span.start < end for at in self._cited[hit.span.key])

    def sentences(self, reader: Reader, spans: Iterable[Span]) -> tuple[OpenSentence, ...]:
        """The sentences of some spans in their order."""
        open_sentences: list[OpenSentence] = []
        for span in spans:
            self._look(reader, span.key)
            marks = {at - span.start for at in self._numbers[span.key] | self._cited[span.key]}
            for start, end in sentences(span.text):
                own = [(s, e) for s, e in _requirements(span.text) if start <= s < end]
                free = tuple((s, e) for s, e in own if not any(s <= mark < e for mark in marks))
                open_sentences.append(OpenSentence(span, start, end, free))
        return tuple(open_sentences)

    def _look(self, reader: Reader, key: str) -> None:
        if key in self._numbers:
            return
        numbers: set[int] = set()
        cited: set[int] = set()
        for place in self._places:
            words = split_place(place.text)[1]
            spans = tuple(span for span in self._spans(reader, place, key) if span.key == key)
            if place.wanted or "_" in words:
                with suppress(ProfileError):
                    hits = reader.hits(place.text, words, place.wanted, spans) if spans else ()
                    numbers.update(hit.span.start + hit.measurement.start for hit in hits)
                continue
            for span in spans:
                matches = (stands(part, span.text) for part in words.split("|"))
                cited.update(span.start + match.start() for match in matches if match)
        self._numbers[key], self._cited[key] = frozenset(numbers), frozenset(cited)

    def _spans(self, reader: Reader, place: _Place, key: str) -> Iterator[Span]:
        """The texts of a place that may be, or hold, the one with a key; a table's name stands for the tables of its clause."""
        names = {**self._names, "at": place.at, "req": place.req}
        address, words = split_place(place.text)
        addresses = [address]
        with suppress(ProfileError):
            match = re.match(r"[A-Za-z_]\w*", address)
            if match and match[0] in self._tables:
                home = reader.resolve(self._tables[match[0]], names)
                tables = reader.clauses[home].tables if home in reader.clauses else (home,)
                addresses = [table + address[match.end() :] for table in tables]
        for each in addresses:
            with suppress(ProfileError):
                if reader.resolve(each, names).startswith(re.split(r"[\^#(]", key)[0]):
                    yield from reader.spans(each, names, words)


# ---------------------------------------------------------------- numbers as they stand


def spelt(hit: Hit) -> str:
    """A number that is written as a word, in small letters; "" for one in digits."""
    shown = hit.span.text[hit.measurement.start : hit.measurement.end]
    return "" if re.search(r"\d", shown) else shown.partition(" ")[0].casefold()


def only_names(slot: Slot, hit: Hit) -> bool:
    """Whether a number counts nothing that a slot can mean: the "one" of "one category"; a word for what is measured in digits."""
    word = spelt(hit)
    return word == ONE or bool(word and slot.wanted == "count" and slot.key.startswith(("bind.", "conditions.")))


def says_the_same(hit: Hit, other: Hit) -> bool:
    """Whether two numbers are one value, and neither bounds it from the other side."""
    first, second = hit.measurement, other.measurement
    return (first.lo, first.hi, first.unit) == (second.lo, second.hi, second.unit) and len({first.bound, second.bound} - {"eq"}) < 2


def sentence_span(hit: Hit) -> tuple[int, int]:
    """[start, end) of the sentence of a number."""
    text, at = hit.span.text, hit.measurement.start
    return next(((s, e) for s, e in sentences(text) if s <= at < e), (0, len(text)))


def sentence_of(hit: Hit) -> str:
    """The sentence of a number in one line."""
    start, end = sentence_span(hit)
    return " ".join(hit.span.text[start:end].split())


def marked(hit: Hit) -> str:
    """The sentence of a number with the number between signs."""
    text, measured = hit.span.text, hit.measurement
    start, end = sentence_span(hit)
    return " ".join(f"{text[start : measured.start]}>>{text[measured.start : measured.end]}<<{text[measured.end : end]}".split())


def say(item: Measurement) -> str:
    """A number for a reader: "5 km/h", "10 to 60 km/h", "+0/-2 km/h"."""
    if item.dimension == "tolerance":
        return f"+{item.hi}/-{item.lo} {item.unit}".strip()
    return (f"{item.lo} {item.unit}" if item.lo == item.hi else f"{item.lo} to {item.hi} {item.unit}").strip()


# ---------------------------------------------------------------- places of a profile


def _requirements(text: str) -> Iterator[tuple[int, int]]:
    """[start, end) of the requirements of every sentence."""
    for start, end in sentences(text):
        cuts = [start, *(match.end() for match in _NEXT.finditer(text, start, end)), end]
        yield from ((first, last) for first, last in pairwise(cuts) if text[first:last].strip())


def _places(profile: Profile) -> Iterator[_Place]:
    """Every place of a profile that has words, with the clauses that it may be relative to, and the type that it reads."""
    for text, held in slots(profile).items():
        if split_place(text)[1] and "&" not in text:
            yield from (_Place(text, slot.at, slot.req, slot.wanted) for slot in held)
    typed = {(text, slot.at) for text, held in slots(profile).items() for slot in held}
    for test in profile.tests:
        for text in _texts(test.model_dump(by_alias=True)):
            if (text, str(test.at)) not in typed:
                yield _Place(text, str(test.at), str(test.req or ""))
    rest = profile.model_dump(by_alias=True, exclude={"tests", "place", "file", "raws"})
    homes = {(str(test.at), str(test.req or "")) for test in profile.tests}
    for text in (*_texts(rest), *map(str, profile.waive)):
        yield from (_Place(text, at, req) for at, req in homes)


def _texts(data: Any, bare: bool = False) -> Iterator[str]:
    """The places with words in a block."""
    if isinstance(data, str):
        held = [data] if bare else _PLACE.findall(data)
        yield from (place.strip() for place in held if split_place(place)[1] and "&" not in place)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key != "check":  # a worked example is held against what its sentence says
                yield from _texts(value, key in _BARE)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _texts(value, bare)
