"""Forms of a regulation (a communication, an assessment form) as the document prints them: headings, fields to fill in, words between.

A line that ends with a colon asks for something; words joined by strokes ("granted/refused/extended") are to be chosen from; a line of
several labels with dots between them ("Signed: ... Date: ...") is a field each; everything else is words of the form.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from regc.lang import ids
from regc.lang.places import Span, under
from regc.lang.program import Program
from regc.model.document import Clause, Footnote
from regc.model.scenario import Form, FormLine
from regc.model.source import SourceRef

_CHOICE = re.compile(r"\b\w[\w ]*(?:/\w[\w ]*){2,}")
#: "Signed: ... Date:": a label and the dots for what is written behind it.
_DOTS = re.compile(r":\s*(?:\.{2,}|…|_{2,})[\s.…_]*")


def form(program: Program, index: int, stem: str) -> Form:
    """A form that the profile declares. Raises L201 for a place that the document does not have."""
    spec, reader = program.profile.form[index], program.reader
    head = reader.spans(spec.at.strip("[]"), program.places)[0].clause
    clauses = [clause for clause in reader.document.clauses if clause.id == head or _below(clause.id, head)]
    homes = [clause.id for clause in clauses]
    notes = [(home, note) for note in reader.document.footnotes for home in homes if home in note.anchors]
    notes = list({note.id: (home, note) for home, note in reversed(notes)}.values())[::-1]
    lines = [line for clause in clauses for line in _lines(program, clause, top=clause.id == head)]
    title = str(spec.title or next((clause.title for clause in clauses if clause.title), "") or head)
    return Form(
        id="_".join((stem, "form", ids.safe(str(spec.token))))[:120], regulation=reader.regulation, edition=reader.edition,
        wording=reader.document.wording, token=str(spec.token), title=title, clause=head,
        lines=(*lines, *(_note(program, note, home) for home, note in notes)),
    )  # fmt: skip


def _below(id: str, head: str) -> bool:
    """Whether a clause is of the form: at or below it, and not of an appendix to it."""
    return under(id, head) and not id.startswith(f"{head} - ")


def _lines(program: Program, clause: Clause, *, top: bool) -> Iterator[FormLine]:
    span = Span(clause.id, clause.id, clause.text)
    number = clause.number or ""
    if clause.title and not top:
        yield FormLine(kind="heading", number=number, text=clause.title, sources=(program.reader.source(span, quote=clause.title),))
        number = ""
    start = 0
    for line in clause.text.splitlines(keepends=True):
        text = line.strip()
        if text:
            source = program.reader.source(span, start, start + len(line.rstrip()), quote=text)
            yield from _of_line(number, text, source)
            number = ""
        start += len(line)


def _of_line(number: str, text: str, source: SourceRef) -> Iterator[FormLine]:
    choice = _CHOICE.search(text)
    labels = _DOTS.split(text)
    if choice is not None:
        said = f"{text[: choice.start()]}{text[choice.end() :]}".strip(" :")
        choices = tuple(word.strip() for word in choice.group().split("/"))
        # "to car to car scenario granted/refused": what stands before the first word of the choice is the label
        lead, _, first = choices[0].rpartition(" ")
        yield FormLine(
            kind="choice", number=number, text=" ".join(filter(None, (lead, said))), choices=(first, *choices[1:]), sources=(source,)
        )
    elif not labels[-1].endswith(":") and labels[-1]:
        yield FormLine(kind="words", number=number, text=text, sources=(source,))
    else:
        for label in filter(None, labels):
            yield FormLine(kind="field", number=number, text=label.rstrip(" :"), sources=(source,))
            number = ""


def _note(program: Program, note: Footnote, home: str) -> FormLine:
    span = Span(f"{home}^{note.marker}", home, note.text, footnote=note.marker)
    return FormLine(kind="note", number=note.marker, text=note.text, sources=(program.reader.source(span, quote=note.text),))
