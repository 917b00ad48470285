"""What a report is made of; beside result.py, since that one may not know documents."""

from __future__ import annotations

from typing import Any

from regc.model.document import Document, RefGraph
from regc.model.source import Frozen
from regc.model.stage import Staged
from regc.model.suite import Suite


class RecordField(Frozen):
    """One line of the record sheet: what the engineer notes, and the paragraph that asks for it.

    `asked` are the document's words for it, or `clause` and `anchor` (a pattern) find them; `value` stays blank until somebody
    knows it.
    """

    key: str
    label: str
    clause: str
    anchor: str = ""
    asked: str = ""
    value: str = ""


class ReportInput(Frozen):
    """Everything that a report shows. `staged`: the tests as they are driven, for the drawings; `reference`: the same with the model
    that meets the requirements. `texts`: test case by scenario id. `provenance`: (what, value) lines.

    `judgement` and `evaluation` are the JSON of `regc judge` and `regc eval`. `files`: artefact path -> SHA-256 of a build.
    `official_texts`: where the regulation's own text is published. `forms`: token of a form -> what is filled into it, by key.
    `number`, `date`: of this report, blank for the pen. `pdf` are the
    bytes of a PDF source, for the pictures of its pages.
    """

    document: Document
    graph: RefGraph
    suite: Suite
    staged: Staged = Staged()
    reference: Staged = Staged()
    texts: dict[str, str] = {}
    provenance: tuple[tuple[str, str], ...] = ()
    files: dict[str, str] = {}
    judgement: dict[str, Any] | None = None
    evaluation: dict[str, Any] | None = None
    record: tuple[RecordField, ...] = ()
    forms: dict[str, dict[str, str]] = {}
    official_texts: str = ""
    number: str = ""
    date: str = ""
    pdf: bytes | None = None
