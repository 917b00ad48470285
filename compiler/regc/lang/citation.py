"""One place of a document, read on its own: what `regc cite` shows."""

from __future__ import annotations

from collections.abc import Mapping

from regc.lang.faults import known
from regc.lang.places import Reader
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
    found = read(document, place, type, names)
    quote = found.sources[0].quote
    sentence = _sentence(document, found.sources[0])
    others = [item for item in quantities(sentence).measurements if sentence[item.start : item.end] not in quote]
    return Citation(
        reads=f"+{plain(found.plus)}/-{plain(found.minus)}" if isinstance(found, Tolerance) else say(found),
        value=None if isinstance(found, Tolerance) else found,
        tolerance=found if isinstance(found, Tolerance) else None,
        sources=found.sources,
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
