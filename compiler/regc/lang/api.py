"""What the rest of regc asks of the language: evaluate, lint, read."""

from __future__ import annotations

from collections.abc import Mapping

from regc.lang.coverage import coverage
from regc.lang.errors import ProfileError, known
from regc.lang.evaluate import make_program, run
from regc.lang.lint import Linter
from regc.lang.places import Reader
from regc.lang.profile import Profile
from regc.lang.vocabulary import vocabulary
from regc.model.document import Document
from regc.model.result import Finding
from regc.model.source import Tolerance
from regc.model.suite import Suite
from regc.model.value import Value


def evaluate(profile: Profile, document: Document, declared: Mapping[str, str] | None = None, *, strict: bool = False) -> Suite:
    """All tests of a profile as a document says them, and what became of each sentence and cell.

    `declared`: what the applicant declares, as written ("v_design": "90 km/h"). `strict`: words that only cite must stand there (a
    check); otherwise they are warnings in `findings`. Raises ProfileError.
    """
    program = make_program(profile, document, declared, strict=strict)
    suite = run(program)
    return suite.model_copy(update={"coverage": coverage(program, suite)})


def lint(profile: Profile, document: Document, declared: Mapping[str, str] | None = None) -> tuple[Finding, ...]:
    """Errors of a profile against a document, or what it leaves of it; words that only cite must stand there."""
    try:
        program = make_program(profile, document, declared, strict=True)
        suite = run(program)
    except ProfileError as error:
        return (error.finding(),)
    return (*suite.findings, *Linter(program, suite).findings())


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
