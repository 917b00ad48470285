"""What a question names: regulations, paragraphs, vehicle categories, and the quantity that it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from regc.link.identity import numbers_named, opening
from regc.model.document import Document
from regc.tomlfiles import packaged

#: "R152", "UN R 152", "ECE-R79", "UN Regulation No. 79", "regulation 130", "un152".
_UN = re.compile(
    r"\b(?:(?:UN|ECE|UNECE)[\s/-]*)?(?:R\.?[\s-]?|Reg(?:ulation|\.)?s?\s+(?:No\.?|number|nr\.?)?\s*)0*(?P<number>\d{1,3})\b(?![.,]\d)"
    r"|\bUN[\s-]?0*(?P<short>\d{1,3})\b(?![.,]\d)",
    re.IGNORECASE,
)
#: "FMVSS 127", "FMVSS No. 127", "49 CFR 571.127", "Standard No. 127".
_FMVSS = re.compile(
    r"\bFMVSS[\s-]*(?:No\.?|number|nr\.?)?\s*(?P<number>\d{3}[a-z]?)\b"
    r"|\b(?:49\s*CFR\s*(?:Part\s*)?)?(?:§\s*)?571\.(?P<section>\d{3}[a-z]?)\b|\bStandard\s+No\.?\s*(?P<standard>\d{3}[a-z]?)\b",
    re.IGNORECASE,
)
_ANNEX = re.compile(r"\bAnnex\s+(?P<annex>\d+|[A-Z]\b)(?:\s*[-–,/]?\s*(?:to\s+)?Appendix\s+(?P<appendix>\d+))?", re.IGNORECASE)
_APPENDIX = re.compile(r"\bAppendix\s+(?P<appendix>\d+)(?:\s*(?:of|to|in|,)\s*Annex\s+(?P<annex>\d+))?", re.IGNORECASE)
#: "paragraph 6.6.1", "para. 5.2", "§ 6.4", "clauses 6.4"; "S7.3.1"; a number of three parts or more needs no word before it.
_PARAGRAPH = re.compile(
    r"(?:\b(?:paragraphs?|paras?\.?|clauses?|sections?|sect\.?|points?|items?)\s+|§\s*)(?P<said>S?\d+(?:\.\d+)*)\b"
    r"|(?<![/\w])(?P<letter>(?-i:S)\d+(?:\.\d+)*)\b|(?<![\d.])(?P<bare>\d+(?:\.\d+){2,})\b",
    re.IGNORECASE,
)
#: "6.4 of R152", "6.4 in UN R131": a number right before the name of its regulation.
_OF = re.compile(
    r"(?<![\w.])(?P<said>\d+(?:\.\d+)+)\.?\s+(?:of|in|from)\s+(?:the\s+)?(?=(?:UN|ECE|R\.?\s?\d|Reg|FMVSS|Annex))", re.IGNORECASE
)
#: "how fast", "how many seconds": says which quantity is asked for, and nothing of the subject.
_HOW = re.compile(
    r"\bhow\s+(?:long|soon|fast|quick(?:ly)?|far|wide|broad|big|thick|tall|high|hard|strong(?:ly)?|much|many|often|bright|dark|hot|"
    r"cold|warm|heavy|loud)\b",
    re.IGNORECASE,
)
_CATEGORY = re.compile(r"\b([MN][1-3]|O[1-4]|[LT][1-7])\b", re.IGNORECASE)
#: Categories as a scope lists them: "M2, M3, N2 and N3", "Categories M and N".
_SCOPE = re.compile(r"\bcategor(?:y|ies)\s+((?:[LMNORST]\d?\b(?:\s*(?:,|and|or|to)\s*)*)+)", re.IGNORECASE)
_LISTED = re.compile(r"\b[LMNORST]\d?\b")


@dataclass(frozen=True)
class FieldWords:
    """The words of the field from field_words.toml."""

    synonyms: tuple[tuple[str, ...], ...]
    categories: Mapping[str, tuple[str, ...]]
    issuers: Mapping[str, tuple[str, ...]]
    quantities: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]


@lru_cache(maxsize=1)
def field_words() -> FieldWords:
    """The words of the field."""
    data = packaged("retrieve", "field_words.toml")
    return FieldWords(
        synonyms=tuple(tuple(group) for group in data["synonyms"]),
        categories={name: tuple(spellings) for name, spellings in data["categories"].items()},
        issuers={name: tuple(spellings) for name, spellings in data["issuers"].items()},
        quantities={name: (tuple(spellings["asked"]), tuple(spellings["units"])) for name, spellings in data["quantities"].items()},
    )


@dataclass(frozen=True)
class Named:
    """What a question names. `regulations` as (issuer, number); `issuers` by a word ("US") alone; `places` as the ids of clauses or
    regions ("6.6.1", "Annex 8, 3.2", "Annex 3 - Appendix 2"); `text` is the question without all these names."""

    text: str
    regulations: tuple[tuple[str, str], ...] = ()
    issuers: frozenset[str] = frozenset()
    places: tuple[str, ...] = ()
    categories: frozenset[str] = frozenset()
    quantities: tuple[str, ...] = ()


def named_in(question: str) -> Named:
    """What a question names."""
    addresses, text = _places(question)
    regulations, text = regulations_in(text)
    words = field_words()
    spoken = {name for name, phrases in words.categories.items() if said(phrases, question)}
    return Named(
        text=_HOW.sub(" ", text),
        regulations=regulations,
        issuers=frozenset(name for name, phrases in words.issuers.items() if said(phrases, text)),
        places=addresses,
        categories=frozenset(category.upper() for category in _CATEGORY.findall(text)) or frozenset(spoken),
        quantities=tuple(name for name, (asked, _) in words.quantities.items() if said(asked, text)),
    )


def regulations_in(text: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """The regulations that a text names, as (issuer, number), and the text without their names."""
    named: dict[tuple[str, str], None] = {}
    for issuer, pattern in (("fmvss", _FMVSS), ("un", _UN)):
        for match in pattern.finditer(text):
            number = next(group for group in match.groups() if group)
            named.setdefault((issuer, number.lower()))
        text = pattern.sub(" ", text)
    return tuple(named), text


def _places(question: str) -> tuple[tuple[str, ...], str]:
    """The paragraphs and regions that a question names, and the question without them."""
    region = ""
    if match := _ANNEX.search(question):
        region = f"Annex {match['annex'].upper()}"
        appendix = match["appendix"] or (other["appendix"] if (other := _APPENDIX.search(question)) else None)
        region += f" - Appendix {appendix}" if appendix else ""
    addresses: dict[str, None] = {}
    for pattern in (_PARAGRAPH, _OF):
        for match in pattern.finditer(question):
            number = next(group for group in match.groups() if group)
            addresses.setdefault(f"{region}, {number}" if region else number.upper())
    if region and not addresses:
        addresses.setdefault(region)
    for pattern in (_ANNEX, _APPENDIX, _PARAGRAPH, _OF):
        question = pattern.sub(" ", question)
    return tuple(addresses), question


def said(phrases: Iterable[str], text: str) -> bool:
    """Whether one of the phrases stands in a text as whole words; one in capitals ("US") only in capitals."""
    return any(_phrase(phrase).search(text) for phrase in phrases)


@lru_cache(maxsize=4096)
def _phrase(phrase: str) -> re.Pattern[str]:
    spaced = r"[\s-]+".join(re.escape(part) for part in re.split(r"[\s-]+", phrase))
    plural = f"{spaced[:-1]}(?:y|ies)" if re.search(r"[^aeiou]y$", spaced) else f"{spaced}(?:e?s)?"
    return re.compile(rf"(?<![\w]){plural}(?![\w])", 0 if phrase.isupper() else re.IGNORECASE)


@dataclass(frozen=True)
class Identity:
    """How a document can be named: its numbers, who issued it, and the categories of its scope (empty: it lists none)."""

    issuer: str
    numbers: frozenset[str]
    categories: frozenset[str]

    @classmethod
    def of(cls, document: Document) -> Identity:
        """By its title page, its running heads and its id."""
        lines, words = opening(document)
        stated = numbers_named(lines) | numbers_named(document.heads)
        federal = any("." in number for number in stated) or "fmvss" in document.id.lower()
        numbers = {number.rpartition(".")[2].lower() for number in stated}
        if match := re.search(r"(\d+[a-z]?)$", document.id.lower()):
            numbers.add(match[1])
        scope = " ".join((document.title, words, *(clause.text for clause in document.clauses if _is_scope(clause.id))))
        listed = {one for phrase in _SCOPE.findall(scope) for one in _LISTED.findall(phrase)}
        return cls("fmvss" if federal else "un", frozenset(numbers), frozenset(listed))

    def is_named(self, named: Named) -> bool:
        """Whether a question names this document by issuer and number."""
        return any(issuer == self.issuer and number in self.numbers for issuer, number in named.regulations)

    def fits(self, categories: frozenset[str]) -> bool | None:
        """Whether the scope covers one of the categories ("M" covers "M1"); None when either names none."""
        if not categories or not self.categories:
            return None
        return any(wanted.startswith(own) or own.startswith(wanted) for wanted in categories for own in self.categories)


def _is_scope(id: str) -> bool:
    """The first section of a regulation and its paragraphs."""
    return re.fullmatch(r"S?1(?:\.\d+)?|S3", id) is not None
