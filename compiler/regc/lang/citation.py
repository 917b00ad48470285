"""One place of a document, read on its own as `regc cite` shows it; and the other way round, which words may name a number or a
sentence in a place, the fewest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from regc.lang.faults import known
from regc.lang.places import Reader, stands
from regc.lang.values import plain, say
from regc.lang.vocabulary import vocabulary
from regc.lang.words import quantities, sentences
from regc.model.document import Document
from regc.model.source import Frozen, SourceRef, Tolerance
from regc.model.value import Value


class Citation(Frozen):
    """What a place reads (`reads`: the value as it is written), where, in which sentence, and the other numbers of that sentence."""

    reads: str
    value: Value | None = None
    tolerance: Tolerance | None = None
    sources: tuple[SourceRef, ...]
    sentence: str
    rivals: tuple[str, ...] = ()


def citation(document: Document, place: str, type: str = "", names: Mapping[str, str] | None = None) -> Citation:
    """A place for people: its value, source, sentence and rivals. Raises ProfileError as `read`."""
    value = read(document, place, type, names)
    quote = value.sources[0].quote
    sentence = _sentence(document, value.sources[0])
    others = [item for item in quantities(sentence).measurements if sentence[item.start : item.end] not in quote]
    return Citation(
        reads=f"+{plain(value.plus)}/-{plain(value.minus)}" if isinstance(value, Tolerance) else say(value),
        value=None if isinstance(value, Tolerance) else value,
        tolerance=value if isinstance(value, Tolerance) else None,
        sources=value.sources,
        sentence=sentence,
        rivals=tuple(sentence[max(0, item.start - 24) : item.end].strip() for item in others),
    )


def _sentence(document: Document, source: SourceRef) -> str:
    """The sentence of the clause or footnote in which a quote stands; the quote itself for a table's cell."""
    clause = document.clause(source.clause)
    texts = [clause.text] if clause else []
    texts += [note.text for note in document.footnotes if note.marker == source.footnote]
    for text in texts:
        at = text.find(source.quote)
        for start, end in sentences(text) if at >= 0 else ():
            if start <= at < end:
                return " ".join(text[start:end].split())
    return source.quote


def read(document: Document, place: str, type: str = "", names: Mapping[str, str] | None = None) -> Value | Tolerance:
    """The one quantity at a place: read(document, "[6.4: TTC]", "time").

    `type`: a dimension, "" for any, or "tolerance of" a dimension. `names`: short names of addresses (`at`, `req`, those of [place]).
    Raises ProfileError: P101 (no such type), L201 to L204 (no such place, none, several).
    """
    reader = Reader(document, strict=True)
    _, tolerance, of = type.partition("tolerance of ")
    dimensions = {unit.dimension for unit in vocabulary().units.values()} | {"count", ""}
    known(of if tolerance else type, dimensions, "type")
    if tolerance:
        return reader.read_tolerance(place, names or {}, of)
    return reader.read(place, names or {}, type)


#: What may not stand in the words of a place: brackets, separators, digits, and what TOML would have to escape.
BARRED = re.compile(r"[\[\]|:\d\"\\_&]|\.\.\.")
#: A place is named by a word of some length, not by an article or a unit alone.
_TELLING = re.compile(r"[A-Za-z]{4}|\([A-Z]{2,}\)")
#: Words before and behind a number that are tried, the fewest first.
_BEFORE, _BEHIND = range(1, 9), range(1, 6)
#: Words of a sentence that cite it at most.
_CITED = 12


def words_around(before: list[str], behind: list[str]) -> Iterator[str]:
    """Words of a place for the number between the words of its sentence, with "_" for the number where words follow it."""
    for words in _options(before, behind):
        if not BARRED.search(words.replace("_", "", 1).replace(" ... ", " ")) and _TELLING.search(words):
            yield words


def _options(before: list[str], behind: list[str]) -> Iterator[str]:
    for count in _BEFORE:
        if count <= len(before):
            yield " ".join(before[-count:])
        if count in _BEHIND and count <= len(behind):
            yield "_ " + " ".join(behind[:count])
    for first in (1, 2, 3, 5):
        for second in (1, 2, 3, 5):
            if first <= len(before) and second <= len(behind):
                yield f"{' '.join(before[-first:])} _ {' '.join(behind[:second])}"
    for first in (1, 2, 3, 4):
        for second in (1, 2, 3):
            for skip in range(0, max(0, len(before) - first - second)):
                yield f"{' '.join(before[skip : skip + first])} ... {' '.join(before[-second:])}"


def words_of_sentence(text: str, start: int, end: int) -> str | None:
    """The fewest words of the sentence [start, end) that stand nowhere before it in a text; None where its words cannot be cited."""
    words = text[start:end].split()
    for count in range(2, _CITED + 1):
        for first in range(max(1, len(words) - count + 1)):
            cited = " ".join(words[first : first + count])
            if BARRED.search(cited) or not _TELLING.search(cited):
                continue
            match = stands(cited, text)
            if match and start <= match.start() < end:
                return cited
    return None
