"""What a report is made of; beside result.py, since that one may not know documents."""

from __future__ import annotations

from typing import Any

from regc.model.document import Document
from regc.model.references import RefGraph
from regc.model.regulation import Profile
from regc.model.result import Checked
from regc.model.source import Frozen


class RecordField(Frozen):
    """One line of the record sheet: what the engineer notes, and the paragraph that asks for it.

    `clause` and `anchor` (a pattern) find the sentence of the document that asks; `value` stays blank until somebody knows it.
    """

    key: str
    label: str
    clause: str
    anchor: str = ""
    value: str = ""


class ReportInput(Frozen):
    """Everything that a report shows. `texts`: test case by scenario id. `provenance`: (what, value) lines.

    `judgement` and `evaluation` are the JSON of `regc judge` and `regc eval`. `files`: artefact path -> SHA-256 of a build.
    `pdf` are the bytes of a PDF source, for the pictures of its pages.
    """

    document: Document
    graph: RefGraph
    checked: Checked
    profile: Profile
    texts: dict[str, str] = {}
    provenance: tuple[tuple[str, str], ...] = ()
    files: dict[str, str] = {}
    judgement: dict[str, Any] | None = None
    evaluation: dict[str, Any] | None = None
    record: tuple[RecordField, ...] = ()
    pdf: bytes | None = None
