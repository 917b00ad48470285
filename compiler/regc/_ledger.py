"""What the places of one draft did not bear out: counted, in words for a re-ask, and as findings. Part of `resolve`."""

from __future__ import annotations

from typing import NoReturn

from regc.model.result import Disagreement, Finding, Part, Resolution
from regc.model.scenario import Draft, Scenario
from regc.model.source import Place, SourceRef


class RefusedError(Exception):
    """A claim whose place is wrong; it stands in the ledger."""


class Ledger:
    """Keeps count of a draft's claims and of what was wrong with them."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.findings: list[Finding] = []
        self.disagreements: list[Disagreement] = []
        self.count = self.wrong_values = self.wrong_places = self.repaired = 0

    @property
    def refused(self) -> bool:
        """Whether a place was wrong or missing: nothing is repaired from it and no scenario comes out."""
        return any(item.kind != "wrong_value" for item in self.disagreements)

    def resolution(self, scenario: Scenario | None, more: tuple[Finding, ...] = ()) -> Resolution:
        """The counts and findings of this draft; findings carry the scenario's id."""
        name = scenario.id if scenario else None
        own = tuple(item.model_copy(update={"scenario": name}) if name else item for item in self.findings)
        return Resolution.model_construct(
            scenario=scenario,
            findings=own + more,
            disagreements=tuple(self.disagreements),
            claims=self.count,
            wrong_values=self.wrong_values,
            wrong_places=self.wrong_places,
            repaired=self.repaired if scenario is not None else 0,
        )

    def label(self) -> str:
        """The draft in words, for messages."""
        parts = (self.draft.family, self.draft.variant, self.draft.category, self.draft.row and f"row {self.draft.row}")
        return " ".join(part for part in (*parts, self.draft.load_term and f'"{self.draft.load_term}"') if part)

    def wrong_place(self, field: str, place: Place, why: str, part: Part = "") -> NoReturn:
        """A claim whose place is not one for its field; nothing is repaired from it. Raises RefusedError, always."""
        self.wrong_places += 1
        where = place.table or place.clause or "no place"
        row = f" row {place.row}" if place.row else ""
        column = f' column "{place.column}"' if place.column else ""
        message = f"{self.label()}: {field}: {where}{row}{column}: {why}"
        self.disagreements.append(Disagreement(field=field, kind="wrong_place", message=message, place=place, part=part))
        self._problem("X411", "error", field, message, hint="nothing is repaired from a wrong place; the scenario is left out")
        raise RefusedError

    def wrong_value(self, field: str, source: SourceRef, said: str, held: str) -> None:
        """A claim at a right place that holds another value; the caller takes that one."""
        self.wrong_values += 1
        self.repaired += 1
        told = f"{source.label()}: {self.label()}: {field}: you said {said}, the place holds another value; read it again"
        place = Place(clause=source.clause, table=source.table, row=source.row, column=source.column)
        self.disagreements.append(Disagreement(field=field, kind="wrong_value", message=told, place=place))
        message = f"{source.label()}: {field}: extracted {said}, the place says {held}"
        self._problem("X410", "warning", field, message, source, hint="repaired from the place; --strict makes it an error")

    def missing(self, field: str, why: str) -> None:
        """A field that is needed and has no place."""
        message = f"{self.label()}: {field}: {why}"
        self.disagreements.append(Disagreement(field=field, kind="missing", message=message))
        self._problem("X412", "error", field, message, hint="a value with no place is never filled in; the scenario is left out")

    def _problem(self, code: str, severity: str, field: str, message: str, source: SourceRef | None = None, *, hint: str = "") -> None:
        self.findings.append(
            Finding.model_validate(
                {"code": code, "severity": severity, "field": field, "message": message, "source": source, "hint": hint}
            )
        )
