"""What a document says of itself on its title page and in its running heads: its symbol and the supplement that it includes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from regc.model.document import Document

#: Symbols under which regulations are published: the 1958 Agreement, the Code of Federal Regulations, acts of the Union.
_SYMBOLS = (
    re.compile(r"\bE/ECE/[^\s,;()]*\w"),
    re.compile(r"\b\d+ CFR (?:Part |§ ?)?\d+(?:\.\d+)?"),
    re.compile(r"§ ?\d+\.\d+"),
    re.compile(r"\bL \d+/\d+\b"),
    re.compile(r"\(E[UC]\) (?:No )?\d+/\d+"),
)
_LEVEL = re.compile(
    r"Supplement \d+ to (?:the )?(?:original version|\d\d(?:st|nd|rd|th)? series)[^\n.;–—]*"
    r"|\b\d\d series of amendments",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Edition:
    """`symbol` and `level` as printed, blank where the document does not say them. `standing`: what its text is."""

    symbol: str
    level: str
    standing: str


def edition_of(document: Document) -> Edition:
    """A text is called official only where its title page or running head bears the symbol of a published regulation."""
    lines = (*document.heads, *_title_page(document))
    symbol = next((match.group() for pattern in _SYMBOLS for line in lines if (match := pattern.search(line))), "")
    # a title page lists what it includes, and other documents that it goes with: the highest series counts, then its supplements
    levels = [" ".join(match.group().split()) for line in lines for match in _LEVEL.finditer(line)]
    if document.wording == "embedded":
        standing = "embedded wording, not the legal text"
    else:
        standing = "official text" if symbol else "file given by the user"
    return Edition(symbol, max(levels, key=_height, default=""), standing)


def _height(level: str) -> tuple[int, int]:
    """Series and supplement: "Supplement 2 to the 01 series of amendments" is (1, 2), "02 series of amendments" (2, 0)."""
    series = re.search(r"(\d\d)(?:st|nd|rd|th)? series", level)
    supplement = re.match(r"Supplement (\d+)", level, re.IGNORECASE)
    return (int(series.group(1)) if series else 0, int(supplement.group(1)) if supplement else 0)


def _title_page(document: Document) -> tuple[str, ...]:
    """The lines before the first numbered paragraph."""
    found: list[str] = []
    for clause in document.clauses:
        if clause.number is not None:
            break
        found += [line for line in f"{clause.title or ''}\n{clause.text}".splitlines() if line.strip()]
    return tuple(found)
