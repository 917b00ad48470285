"""Figures apart from text: drawings, their captions ("Figure 3") and the lines that belong to one.

Words inside a drawing state nothing that a clause says, so they never become its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from regc.model.document import Clause, Figure
from regc.model.result import Finding
from regc.model.source import Bbox
from regc.readers.assemble.paragraphs import PrintedUnit, title_like

#: A number with its unit, as drawings and texts write it.
_QUANTITY = re.compile(
    r"(?<![\w.,])(?P<number>\d+(?:[.,]\d+)?)\s?(?:km/h|mph|m/s²|m/s|per cent|metres?|meters?|seconds?|sec|[cmk]m|kg|[ms%°])(?![\w/²])"
)
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)?(?![\d])")
_CAPTION = re.compile(
    r"^Figure\s+\d{1,3}[A-Za-z]?(?:\s+to\s+(?:§\s*)?[A-Z]?\d[\d.]*[a-z]?)?\s*(?:$|[.:–—-]\s*\S.{0,160}$|\s(?=[A-Z(]).{0,160}$)"
)
_BARE = re.compile(r"^Figure\s+\d{1,3}[A-Za-z]?\s*[.:]?$")
#: "(A) Driving on the right": a line that names one of several drawings.
_PART = re.compile(r"^\([A-Z]\)\s.{1,80}$")


@dataclass
class Drawn:
    """One figure as it is found: its caption lines, and its drawings."""

    captions: list[PrintedUnit] = field(default_factory=list)
    drawings: list[PrintedUnit] = field(default_factory=list)

    @property
    def caption(self) -> str | None:
        """The caption's lines as one."""
        return " ".join(" ".join(unit.whole.split()) for unit in self.captions) or None

    @property
    def words(self) -> str:
        """What stands in the drawings, one printed line a line."""
        return "\n".join(unit.whole for unit in self.drawings if unit.whole)

    @property
    def page(self) -> int | None:
        """The page of the first drawing, else of the caption."""
        return next((unit.page for unit in (*self.drawings, *self.captions) if unit.page is not None), None)

    @property
    def bbox(self) -> Bbox | None:
        """The box round what stands on that page."""
        boxes = [unit.bbox for unit in (*self.drawings, *self.captions) if unit.bbox is not None and unit.page == self.page]
        if not boxes:
            return None
        return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def figures(units: Iterable[PrintedUnit]) -> list[Drawn]:
    """The figures among units in order. A caption stands above or below its drawings; one without a drawing is a figure too."""
    drawn: list[Drawn] = []
    current: Drawn | None = None
    for unit in units:
        if unit.kind == "footnote":
            continue
        if unit.kind == "figure":
            if current is None:
                current = Drawn()
                drawn.append(current)
            current.drawings.append(unit)
        elif unit.kind != "text" or unit.printed or unit.slot:
            current = None
        elif _CAPTION.match(unit.whole.strip()):
            if current is None or current.captions:
                current = Drawn()
                drawn.append(current)
            current.captions.append(unit)
        elif current is not None and _goes_with(unit, current):
            current.captions.append(unit)
        else:
            current = None
    return drawn


def _goes_with(unit: PrintedUnit, figure: Drawn) -> bool:
    """Whether a text is part of a figure's caption: its title below a bare "Figure 3", or the name of one of its drawings."""
    text = unit.whole.strip()
    if not figure.captions:
        return False
    if _PART.match(text):
        return True
    return len(figure.captions) == 1 and bool(_BARE.match(figure.captions[0].whole.strip())) and title_like(text)


def contradictions(figures: Iterable[Figure], clauses: Iterable[Clause]) -> list[Finding]:
    """Figures with a number that their clause does not say, where it says most of them: one of the two may be misread or misprinted.

    A number of the text counts without its unit: it may share the one of a range or a list ("from 22 to 30 km/h").
    """
    clauses = tuple(clauses)
    made = []
    for figure in figures:
        drawn = {match[0]: match["number"].replace(",", ".") for match in _QUANTITY.finditer(" ".join(figure.words.split()))}
        own = (clause.text for clause in clauses if clause.id == figure.clause or clause.id.startswith(f"{figure.clause}."))
        said = {number.replace(",", ".") for text in own for number in _NUMBER.findall(text)}
        missing = [quantity for quantity, number in drawn.items() if number not in said] if figure.caption else []
        if missing and 2 * len(missing) <= len(drawn):
            made.append(
                Finding(
                    code="R117",
                    severity="warning",
                    message=f"{figure.clause}: {figure.caption} says {', '.join(missing)}, which its text does not",
                    place=f"page {figure.page}" if figure.page else figure.clause,
                    hint="compare the drawing with the text; a number comes from the text alone",
                )
            )
    return made
