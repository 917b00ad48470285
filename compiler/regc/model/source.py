"""Where a number stands, and what is known about it."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer

Wording = Literal["official", "embedded"]
Basis = Literal["cited", "derived", "assumed"]

#: x0, top, x1, bottom in PDF points (1/72 inch), origin at the top left of the page.
Bbox = tuple[float, float, float, float]

#: A decimal with the source's digits ("0.00" stays "0.00"); a JSON string, never a float.
Digits = Annotated[Decimal, PlainSerializer(lambda value: format(value, "f"), return_type=str)]


class Frozen(BaseModel):
    """Base of every type that travels between stages: immutable, and no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SourceRef(Frozen):
    """One place in one document: a clause, or a table cell or a footnote of it.

    `quote` is verbatim in that source. `row` is the row's header text ("42"), `column` the header path
    joined with " > " ("Stationary/Moving > Maximum mass"). `item` is the path of a lettered item ("(c)(i)"). `chosen` is the language
    model that chose the place, where the profile's words do not stand; None where they do. `at` is where in the quote the number
    begins, since a sentence may hold several; None for a cell and for words.
    """

    regulation: str
    edition: str
    wording: Wording
    clause: str
    item: str | None = None
    table: str | None = None
    row: str | None = None
    column: str | None = None
    footnote: str | None = None
    page: int | None = None
    bbox: Bbox | None = None
    quote: str
    chosen: str | None = None
    at: int | None = Field(None, ge=0)

    def label(self) -> str:
        """The place in one line, as an engineer would cite it: 'un152 5.2.1.4 row 42, "Maximum mass"'."""
        parts = [f"{self.regulation} {self.clause}{self.item or ''}"]
        if self.table:
            parts.append(f"table {self.table}")
        if self.row:
            parts.append(f"row {self.row}")
        if self.column:
            parts.append(f'column "{self.column}"')
        if self.footnote:
            parts.append(f"footnote {self.footnote}")
        if self.page:
            parts.append(f"page {self.page}")
        return ", ".join(parts)


class Tolerance(Frozen):
    """One-sided or two-sided tolerance as magnitudes >= 0, in the unit of its quantity.

    `sources`: where it stands when that is not the place of the value. `assumption`: an A8xx code when the document states it for
    another speed and this one borrows it.
    """

    plus: Digits = Field(ge=0)
    minus: Digits = Field(ge=0)
    sources: tuple[SourceRef, ...] = ()
    assumption: str | None = None
