"""Which regulation a document is: by its title page and its running heads, never by what its text mentions.

A regulation names its relatives (UN R131 names R152), so a number that stands somewhere in the text says nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from regc.errors import SourceError
from regc.model.document import Document

#: How the first lines of a regulation call it: "Addendum 151 – UN Regulation No. 152", "Regulation No 24 of ...", "Standard No. 127;
#: ...", "Commission Regulation (EU) 2019/2144". Only at the beginning of a line: within one it is a mention.
_NAME = re.compile(
    r"(?:addendum\s+\d+\s*[-–—:]\s*)?(?:[\w/]+\s+){0,5}?(?:regulation|standard|directive|rules?)s?\s+"
    r"(?:\((?:EU|EC|EEC)\)\s*)?(?:no\.?\s*)?(?P<number>\d[\d/]*(?:-[A-Z]\b)?)",
    re.IGNORECASE,
)
#: "UN R.079 - Supplement 5 to the 04 series", "ECE R. 130", "UNR152".
_SHORT = re.compile(r"(?:UN|ECE|UNECE|UN/ECE)[\s/-]*R\.?\s*(?P<number>\d+(?:-?H\b)?)", re.IGNORECASE)
#: "§ 571.127" of the Code of Federal Regulations.
_SECTION = re.compile(r"§\s*(?P<number>\d+\.\d+)")
#: The symbol of a document of the 1958 Agreement: Addendum n holds Regulation n + 1.
_SYMBOL = re.compile(r"E/ECE/(?:\S*/)?Add\.(?P<addendum>\d+)")
#: Where the title page ends: prose that begins here mentions other regulations.
_TITLE_ENDS = re.compile(r"(?:table of )?contents\b|introduction\b|preamble\b", re.IGNORECASE)


def opening(document: Document) -> tuple[tuple[str, ...], str]:
    """The lines of the title page (the unnumbered text before the first clause, an introduction left out), and all words before the
    first clause with that clause (the scope)."""
    before: list[str] = []
    scope = ""
    for clause in document.clauses:
        before += [heading for heading in clause.headings if heading.strip()]
        if clause.number is not None:
            scope = f"{clause.title or ''}\n{clause.text}"
            break
        before += [line.strip() for line in f"{clause.title or ''}\n{clause.text}".splitlines() if line.strip()]
    end = next((index for index, line in enumerate(before) if _TITLE_ENDS.match(line)), len(before))
    return tuple(before[:end]), "\n".join((*before, scope))


def numbers_named(lines: Sequence[str]) -> dict[str, str]:
    """Numbers by which lines call their regulation, without leading zeros, each with the first line that does."""
    numbers: dict[str, str] = {}
    for line in lines:
        for pattern in (_NAME, _SHORT, _SECTION):
            if match := pattern.match(line.lstrip("# *")):
                numbers.setdefault(match["number"].lstrip("0").rstrip("/").upper(), line)
        if match := _SYMBOL.search(line):
            numbers.setdefault(str(int(match["addendum"]) + 1), line)
    return numbers


def check_identity(
    name: str,
    title: Sequence[str],
    heads: Sequence[str],
    words: str,
    *,
    number: str,
    title_words: Sequence[str],
    called: str,
    hint: str,
) -> None:
    """Refuse a document that is another regulation, or that does not say which one it is.

    `name` is the file's, `title` the lines of the title page, `heads` the running heads, `words` all that stands before and in the
    first clause; `number` ("152", "13-H") and `title_words` (all of which the opening has) are those of the regulation asked for,
    `called` its name in messages.

    Raises SourceError naming what was found.
    """
    stated = numbers_named(title) | numbers_named(heads)
    if any(_same_number(number, number_stated) for number_stated in stated):
        return
    if stated:
        places = [f"{_place(line, heads)} {line[:80]!r}" for line in dict.fromkeys(stated.values())]
        raise SourceError(f"{name}: this is not {called}: {'; '.join(places[:3])}", hint=hint)
    missing = [word for word in title_words if _plain(word) not in _plain("\n".join((*heads, words)))]
    if missing or not title_words:
        told = f"; {' and '.join(repr(word) for word in missing)} not found there" if missing else ""
        raise SourceError(f"{name}: does not name {called} on its title page, in its running heads or in its scope{told}", hint=hint)


def words_missing(words: Sequence[str], text: str) -> tuple[str, ...]:
    """The words that a text does not hold, whatever spaces and hyphens a converter lost."""
    plain = _plain(text)
    return tuple(word for word in words if _plain(word) not in plain)


def _place(line: str, heads: Sequence[str]) -> str:
    return "its running head says" if line in heads else "its title page says"


def _same_number(wanted: str, stated: str) -> bool:
    """ "127" is "571.127" of the Code of Federal Regulations."""
    one, other = wanted.upper(), stated.upper()
    return one == other or one.endswith(f".{other}") or other.endswith(f".{one}")


def _plain(text: str) -> str:
    """Letters and digits alone: converters lose spaces, hyphens and subscripts."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).lower()
