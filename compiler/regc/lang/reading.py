"""One place of a document, read on its own: what `regc cite` shows."""

from __future__ import annotations

from collections.abc import Mapping

from regc.lang.errors import known
from regc.lang.places import Reader
from regc.lang.vocabulary import vocabulary
from regc.model.document import Document
from regc.model.source import Tolerance
from regc.model.value import Value


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
