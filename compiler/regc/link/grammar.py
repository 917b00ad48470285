"""How regulations write references: text to mentions, before anything is looked up.

A mention is a chain of parts that belong together, in either order: "paragraph 4.1. of Annex 3 to UN Regulation No. 13",
"Regulation No. 13, Annex 3, paragraph 4.1.".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

PartKind = Literal["document", "annex", "appendix", "paragraph", "table"]

#: "5.2.1.4" or "5"; never "0.9", never the beginning of a longer number or of a quantity.
_NUMBER = r"[1-9]\d?(?:\.\d{1,3})*(?!\d)(?!\.\d)(?!\s*(?:km|mph|m/s|mm|cm|m|kg|kPa|N|lux|s|seconds?|per\s+cent|%|°)(?![\w-]))"
_WORD = r"(?<![\w-])(?:paragraphs?|paras?\.?|pars?\.|points?|sections?|clauses?|§+)"
_JOIN = (
    r"(?P<join>\.?\s*(?:\([a-z]{1,3}\)\s*)?"
    r"(?:[,;]?\s*(?:and/or|and|or|as\s+well\s+as)\s+|[,;]?\s*(?:up\s+to|to|through)\s+|\s*[,/]\s*|\s*[-–]\s*))"
)
_LIST = re.compile(rf"{_WORD}\s*(?={_NUMBER})", re.IGNORECASE)
_FIRST = re.compile(_NUMBER)
_NEXT = re.compile(rf"{_JOIN}(?:{_WORD}\s*)?(?P<number>{_NUMBER})", re.IGNORECASE)
#: A number of at least three levels after words that only a reference follows: "defined in 6.3.2."
_BARE = re.compile(
    r"\b(?:defined|specified|described|prescribed|referred\s+to|set\s+out|laid\s+down|mentioned|listed|given|required|stated|provided)"
    rf"\s+(?:in|by|under|at)\s+(?P<number>(?=\d+\.\d+\.\d){_NUMBER})",
    re.IGNORECASE,
)
#: What may stand behind a number with a letter before it: "S5.1.1(a)(2)", and the stop of "S14.1.5. of".
_ITEMS = r"(?:\([a-z0-9]{1,4}\))*(?:\.(?=\s+of\b))?"
_SERIES = r"(?:\s*(?:,|and/or|and|or|to|[-–])\s*(?:{item}))*"
_ANNEX_NO = r"(?:\d{1,2}[A-Z]?|[IVX]{1,5})(?!\w)"
_ANNEX = re.compile(rf"\bAnnex(?:es)?\s+{_ANNEX_NO}{_SERIES.format(item=_ANNEX_NO)}", re.IGNORECASE)
_APPENDIX = re.compile(rf"\bAppendi(?:x|ces)\s+{_ANNEX_NO}{_SERIES.format(item=_ANNEX_NO)}", re.IGNORECASE)
_THIS = re.compile(r"\b(?:this|the\s+present)\s+(?P<what>annex|appendix|regulation|section|standard)\b", re.IGNORECASE)
_TABLE = re.compile(
    r"\b(?:the\s+)?(?P<before>following|above|below|this|these)\s+tables?\b(?:\s+(?P<after>below|above))?"
    r"|\b(?:the\s+)?tables?\s+(?:shown\s+|given\s+|set\s+out\s+)?(?P<where>below|above)\b"
    r"|\bTables?\s+(?P<number>\d{1,2}(?:\.\d{1,2})?)(?![\d.]*\s*(?:km|m)\b)"
    r"|\b(?:the\s+)?tables?(?=\s+(?:in|of|under|to)\s+(?:para|point|section))",
    re.IGNORECASE,
)

_REGULATION_NO = r"\d{1,3}(?:-[A-Z])?(?![\w/])"
_DOCUMENTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\b(?:UN\s+)?(?:global\s+technical\s+regulation|GTR)\s+No\.?\s*(\d+)", re.IGNORECASE), "UN GTR No. {}"),
    (
        re.compile(
            rf"(?:(?:\bUN(?:/?ECE)?\s+|\bECE\s+)\bRegulations?\s+(?:Nos?\.?\s*)?|(?<!this\s)\bRegulations?\s+(?:Nos?\.?\s*)?)"
            rf"({_REGULATION_NO}(?:(?:\s*,\s*|\s+and\s+|\s+or\s+)(?:No\.\s*)?{_REGULATION_NO})*)",
            re.IGNORECASE,
        ),
        "UN Regulation No. {}",
    ),
    (re.compile(r"\bRegulations?\s+(\((?:EU|EC|EEC)\)\s+(?:No\.?\s+)?\d+/\d+)", re.IGNORECASE), "Regulation {}"),
    (re.compile(r"(?:\b49\s+CFR\s+)?§+\s*(\d{3,4}\.\d{1,4}[a-z]?)(?![\d.]*\d)"), "49 CFR {}"),
    (re.compile(r"\b(\d{1,2}\s+CFR\s+part\s+\d{1,4})", re.IGNORECASE), "{}"),
    (re.compile(r"\bDirectives?\s+((?:\((?:EU|EC)\)\s+)?\d+/\d+(?:/[A-Z]+)?)", re.IGNORECASE), "Directive {}"),
    (re.compile(r"\b(ISO(?:/[A-Z]+)*)\s*(\d+(?:-\d+)*(?::\d{4})?)"), "{} {}"),
    (re.compile(r"\(?\bASTM\)?\s+(?:Method\s+|Standard\s+)?([A-Z]\d+(?:-\d+)?)", re.IGNORECASE), "ASTM {}"),
    (re.compile(r"\bSAE\s+(J\s?\d+)"), "SAE {}"),
    (re.compile(r"\b(EN|IEC|DIN|CISPR)\s+(\d{2,}(?:-\d+)*(?::\d{4})?)"), "{} {}"),
    (
        re.compile(r"\bConsolidated\s+Resolution\b(?:[^().;]{0,90}\()?\s*(R\.E\.\s?\d)\.?\)?", re.IGNORECASE),
        "Consolidated Resolution {}",
    ),
    (re.compile(r"(?<![\w.])\(?(R\.E\.\d)\.?\)?"), "Consolidated Resolution {}"),
    (re.compile(r"\b((?:E/)?ECE/(?:TRANS|TRADE)/[\w./-]*[\w])(?:/?\((?:[^)]*)\))?"), "{}"),
    (re.compile(r"\b(1958\s+Agreement)\b"), "{}"),
)

#: Between a part and a wider one that follows it ("paragraph 4. of Annex 3"), and a narrower one ("Annex 3, paragraph 4.").
_WIDER = re.compile(
    r"^\.?\)?\s*(?:\([a-z]{1,3}\)\s*)?(?:,?\s*(?:above|below)\s*)?(?:(?:of|to|in|from|under)\s+(?:the\s+)?|[-–]\s*)$", re.IGNORECASE
)
#: Before a document after a comma, which only "Annex 3, paragraph 4., UN Regulation No. 78" has.
_COMMA_DOCUMENT = re.compile(r"^\.?,\s*(?:in\s+)?$", re.IGNORECASE)
_NARROWER = re.compile(
    r"^\)?\s*(?:[,:]|[-–])?\s*(?:document\s+|Part\s+[A-Z],?\s*|in\s+its\s+\d+\s+series\s+of\s+amendments,?\s*)?$", re.IGNORECASE
)
_WIDTH: dict[PartKind, int] = {"table": 0, "paragraph": 1, "appendix": 2, "annex": 3, "document": 4}


@dataclass(frozen=True)
class MentionPart:
    """One part of a mention. `values` are numbers or names in order, a range as ("5.3", "to", "5.6"); ("this",) for "this
    annex"; for a table "below", "above", "this" or its number."""

    kind: PartKind
    start: int
    end: int
    values: tuple[str, ...] = ()
    bare: bool = False


@dataclass(frozen=True)
class Mention:
    """Parts that belong together, and their wording."""

    quote: str
    start: int
    parts: tuple[MentionPart, ...]

    def part(self, kind: PartKind) -> MentionPart | None:
        """The part of that kind, or None."""
        return next((part for part in self.parts if part.kind == kind), None)


def mentions(text: str, prefix: str = "") -> tuple[Mention, ...]:
    """Every reference that a text makes, in reading order. `prefix` is the letter before the document's paragraph numbers: with
    it "S7.1" needs no word before it.

    >>> (found,) = mentions("as in paragraphs 5.2.1.3. and 5.2.1.4. of Annex 3")
    >>> found.quote, [(part.kind, part.values) for part in found.parts]
    ('paragraphs 5.2.1.3. and 5.2.1.4. of Annex 3', [('paragraph', ('5.2.1.3', '5.2.1.4')), ('annex', ('3',))])
    """
    chains: list[list[MentionPart]] = []
    for part in _parts(text, prefix):
        if chains and _belongs(chains[-1], part, text):
            chains[-1].append(part)
        else:
            chains.append([part])
    return tuple(Mention(text[chain[0].start : chain[-1].end].strip(), chain[0].start, tuple(chain)) for chain in chains)


def _belongs(chain: Sequence[MentionPart], part: MentionPart, text: str) -> bool:
    last = chain[-1]
    if any(other.kind == part.kind for other in chain):
        return False
    between = text[last.end : part.start]
    if _WIDTH[part.kind] > _WIDTH[last.kind]:
        comma = part.kind == "document" and chain[0].kind == "annex" and _COMMA_DOCUMENT.match(between)
        return bool(comma or _WIDER.match(between))
    if last.kind == "document" and last.values == ("this",):
        return False
    return part.kind != "table" and "\n" not in between and bool(_NARROWER.match(between))


def _parts(text: str, prefix: str) -> list[MentionPart]:
    parts = sorted((*_all_parts(text, prefix), *_lettered(text, prefix)), key=lambda part: (part.start, -part.end))
    kept: list[MentionPart] = []
    for part in parts:
        if not kept or part.start >= kept[-1].end:
            kept.append(part)
        elif part.kind == "table" and kept[-1].kind == "table":
            continue
    return kept


def _all_parts(text: str, prefix: str) -> Iterator[MentionPart]:
    for pattern, form in _DOCUMENTS:
        for match in pattern.finditer(text):
            yield MentionPart("document", match.start(), match.end(), _names(match, form))
    for match in _ANNEX.finditer(text):
        yield MentionPart("annex", match.start(), match.end(), _series(match[0]))
    for match in _APPENDIX.finditer(text):
        yield MentionPart("appendix", match.start(), match.end(), _series(match[0]))
    for match in _THIS.finditer(text):
        what = match["what"].lower()
        if what in ("section", "standard") and not prefix:
            continue
        kind: PartKind = "annex" if what == "annex" else "appendix" if what == "appendix" else "document"
        yield MentionPart(kind, match.start(), match.end(), ("this",))
    for match in _TABLE.finditer(text):
        if match["number"] and (match.start() == 0 or text[match.start() - 1] == "\n"):
            continue  # a caption
        where = (match["number"] or match["where"] or match["after"] or match["before"] or "of").lower()
        yield MentionPart("table", match.start(), match.end(), (where,))
    for match in _LIST.finditer(text):
        yield _paragraphs(text, match)
    for match in _BARE.finditer(text):
        yield MentionPart("paragraph", match.start("number"), match.end("number"), (match["number"],), bare=True)


def _lettered(text: str, prefix: str) -> Iterator[MentionPart]:
    """Paragraph numbers with the document's letter, "S7.1" or "S5.1 through S5.3"; not the number that a line begins with."""
    if not prefix:
        return
    number = rf"(?<![\w.-]){prefix}[1-9]\d?(?:\.\d{{1,3}})*(?!\w)"
    for match in re.finditer(rf"(?P<first>{number}){_ITEMS}(?:\s+(?:through|to)\s+(?P<last>{number}){_ITEMS})?", text):
        values = (match["first"], "to", match["last"]) if match["last"] else (match["first"],)
        yield MentionPart("paragraph", match.start(), match.end(), values)


def _names(match: re.Match[str], form: str) -> tuple[str, ...]:
    groups = [re.sub(r"\s+", " ", group).strip().rstrip(".") for group in match.groups() if group]
    if form.startswith("UN Regulation"):
        return tuple(form.format(number) for number in re.findall(_REGULATION_NO, groups[0]))
    return (form.format(*groups),)


def _series(text: str) -> tuple[str, ...]:
    """Numbers of "Annexes 1, 2 and 4 to 6", ranges kept as ("4", "to", "6")."""
    values: list[str] = []
    for token in re.findall(r"(?<!\w)(?:\d{1,2}[A-Za-z]?|[IVX]{1,5}|to|[-–])(?!\w)", text):
        values.append("to" if token in ("to", "-", "–") else token.upper())
    return tuple(values)


def _paragraphs(text: str, word: re.Match[str]) -> MentionPart:
    first = _FIRST.match(text, word.end())
    assert first is not None  # the lookahead of _LIST
    values = [first[0]]
    end = first.end()
    while following := _NEXT.match(text, end):
        number = following["number"]
        if "." not in number and "." in values[-1]:
            break  # "paragraph 5.3. and 2 tests": a count, no paragraph
        if re.search(r"to|through|[-–]", following["join"], re.IGNORECASE) and not re.search(r"\bor\b", following["join"]):
            values.append("to")
        values.append(number)
        end = following.end()
    if text[end : end + 1] == "." and not text[end + 1 : end + 2].isdigit():
        end += 1
    return MentionPart("paragraph", word.start(), end, tuple(values))
