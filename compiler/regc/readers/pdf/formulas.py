"""Formulas on a page: a line that is one (mathematical letters, or a relation between signs without a word), and fractions, a bar
with an expression above and one below, written as one word "(a + b)/c" on the line they stand on.

Without this a fraction is read as two lines of prose. The bar is an ordinary ruling, so what tells it from an underline, a
table's border or the ruling above footnotes is what stands round it: both expressions are centred on the bar, fill it, and end
with it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from regc.readers.assemble.notes import as_power
from regc.readers.pdf.lines import PrintedLine, box_of, joined, one_line
from regc.readers.pdf.page import Page, PageWord, Ruling
from regc.readers.pdf.ruled_tables import RawTable

#: A bar is so wide (points).
_WIDTH = (4.0, 260.0)
#: Heights of a plain letter above and below its baseline (font sizes): boxes of mathematical typefaces are far higher.
_ASCENT, _DESCENT = 0.72, 0.22
#: An expression stands so far from the bar (font sizes); an underline is nearer to the letters above it.
_NEAREST, _FARTHEST = -0.2, 0.75
_UNDERLINE = 0.14
#: The wider expression fills this share of the bar, and neither runs over its end by more than this (points).
_FILLED, _OVER = 0.55, 3.0
#: Names of functions in formulas.
FUNCTIONS = frozenset({"min", "max", "sin", "cos", "tan", "log", "loge", "ln", "exp", "mod"})
_OPERATOR = re.compile(r"[=≤≥<>≈+×·*∗−-]$")
_LANGUAGE = re.compile(r"[A-Za-z]{3,}")
_COMPOUND = re.compile(r"[-+*/×·−∗=⋅\s]")
_SIGNS = frozenset("+-\N{MINUS SIGN}\N{EN DASH}")
#: Pieces of high brackets in the Symbol typeface and in Unicode.
_PIECES = {
    **dict.fromkeys("\uf0e6\uf0e7\uf0e8\uf8eb\uf8ec\uf8ed\u239b\u239c\u239d", "("),
    **dict.fromkeys("\uf0f6\uf0f7\uf0f8\uf8f6\uf8f7\uf8f8\u239e\u239f\u23a0", ")"),
    **dict.fromkeys("\uf0e9\uf0ea\uf0eb\uf8ee\uf8ef\uf8f0\u23a1\u23a2\u23a3", "["),
    **dict.fromkeys("\uf0f9\uf0fa\uf0fb\uf8f9\uf8fa\uf8fb\u23a4\u23a5\u23a6", "]"),
}
#: A gap wider than this share of the font size is a space: files draw the pieces of a formula in any order.
_SPACE = 0.13
_BRACKETS = frozenset("()[]")
_ROOT = re.compile(r"[√\uFFFD]$")


def with_fractions(page: Page, tables: Sequence[RawTable]) -> Page:
    """The page with each fraction as one word (`Word.fraction`), its bar no ruling any more. Inner fractions come first."""
    bars = [rule for rule in page.rules if _may_be_bar(rule, tables) and not any(_meets(rule, other) for other in page.rules)]
    if not bars:
        return page
    words = _whole_brackets(page.words)
    taken: list[Ruling] = []
    for bar in sorted(bars, key=lambda rule: rule.x1 - rule.x0):
        parts = _parts(words, bar, bars)
        if parts is None:
            continue
        gone = {id(word) for part in parts for word in part}
        rest = [word for word in words if id(word) not in gone]
        made = _fraction(rest, bar, *parts)
        if made is None:
            continue
        words = [_beside_fraction(word, made) for word in _with_powers(rest, made)]
        words.append(made)
        taken.append(bar)
    if not taken:
        return page
    return replace(page, words=tuple(words), rules=tuple(rule for rule in page.rules if rule not in taken))


def linear(line: PrintedLine) -> str:
    """A formula's line as text: powers as superscripts ("v²", "(T/298)^0,7"), indices right behind their letter."""
    made: list[PageWord] = []
    raised: list[PageWord] = []
    for word in line.words:
        if line.raised(word):
            raised.append(word)
            continue
        _add_power(made, raised)
        gap = word.x0 - made[-1].x1 if made else 0.0
        made.append(replace(word, space=gap > _SPACE * line.size))
    _add_power(made, raised)
    return joined(made).strip()


def _add_power(made: list[PageWord], raised: list[PageWord]) -> None:
    """Writes the raised words in hand behind what stands before them."""
    if not raised:
        return
    text = power("".join(word.text for word in raised))
    if made:
        if made[-1].fraction:
            made[-1] = replace(made[-1], text=f"({made[-1].text})")
        made.append(replace(raised[-1], text=text, x0=made[-1].x1, space=False))
    else:
        made.append(replace(raised[-1], text=text))
    raised.clear()


def power(text: str) -> str:
    """A raised text as a power, letters too."""
    made = as_power(text)
    return f"^{text}" if made == text else made


def _may_be_bar(rule: Ruling, tables: Sequence[RawTable]) -> bool:
    if not rule.horizontal or not _WIDTH[0] <= rule.x1 - rule.x0 <= _WIDTH[1]:
        return False
    return not any(
        table.bbox[0] - 3 <= rule.x0 and rule.x1 <= table.bbox[2] + 3 and table.bbox[1] - 3 <= rule.top <= table.bbox[3] + 3
        for table in tables
    )


def _meets(bar: Ruling, other: Ruling) -> bool:
    """Whether another ruling touches the end of a bar: a border of a cell or a box."""
    if other is bar or (other.horizontal and abs(other.top - bar.top) < 1 and abs(other.x0 - bar.x0) + abs(other.x1 - bar.x1) < 2):
        return False  # drawn twice
    level = other.top - 2 <= bar.top <= other.bottom + 2
    return level and (abs(other.x0 - bar.x1) <= 2 or abs(other.x1 - bar.x0) <= 2)


def _extent(word: PageWord) -> tuple[float, float]:
    """Top and bottom of what is printed of a word."""
    if word.fraction:
        return word.top, word.bottom
    return word.base - _ASCENT * word.size, word.base + _DESCENT * word.size


def _parts(words: Sequence[PageWord], bar: Ruling, bars: Sequence[Ruling]) -> tuple[list[PageWord], list[PageWord]] | None:
    """What stands above and below a bar; None where it is no fraction's."""
    above, below = _beside(words, bar, up=True), _beside(words, bar, up=False)
    if not above or not below:
        return None
    width = bar.x1 - bar.x0
    boxes = box_of(above), box_of(below)
    if max(box[2] - box[0] for box in boxes) < _FILLED * width:
        return None
    for box in boxes:
        if box[0] < bar.x0 - _OVER or box[2] > bar.x1 + _OVER or abs((box[0] + box[2]) - (bar.x0 + bar.x1)) / 2 > 2.5 + 0.1 * width:
            return None
    size = max(word.size for word in above)
    if any(not word.fraction and word.size > 0.9 * size and bar.top - word.base <= _UNDERLINE * size for word in above):
        return None
    own = {id(word) for word in (*above, *below)}
    others = [word for word in words if id(word) not in own and not _on_a_bar(word, bars)]
    if any(_goes_on(word, part, bar) for part in (above, below) for word in others):
        return None
    return above, below


def _beside(words: Sequence[PageWord], bar: Ruling, *, up: bool) -> list[PageWord]:
    """The words of the line right above or below a bar, with what is raised or lowered in it."""
    held = [word for word in words if bar.x0 - 1 <= (word.x0 + word.x1) / 2 <= bar.x1 + 1]
    distance = {id(word): bar.top - _extent(word)[1] if up else _extent(word)[0] - bar.top for word in held}
    held = [word for word in held if (word.base < bar.top if up else word.base > bar.top) or word.fraction]
    seeds = [word for word in held if _NEAREST * word.size <= distance[id(word)] <= _FARTHEST * word.size]
    if not seeds:
        return []
    size = max(word.size for word in seeds)
    seeds = [word for word in seeds if word.size > 0.9 * size]
    top, bottom = min(_extent(word)[0] for word in seeds), max(_extent(word)[1] for word in seeds)
    own = [word for word in held if _extent(word)[0] < bottom - 0.1 * word.size and _extent(word)[1] > top + 0.1 * word.size]
    return own if all(distance[id(word)] > -0.5 * size for word in own) else []


def _on_a_bar(word: PageWord, bars: Sequence[Ruling]) -> bool:
    """Whether a word is part of another fraction on the same line."""
    return any(bar.x0 - _OVER <= word.x0 and word.x1 <= bar.x1 + _OVER and abs(bar.top - word.base) < 2 * word.size for bar in bars)


def _goes_on(word: PageWord, part: Sequence[PageWord], bar: Ruling) -> bool:
    """Whether a word beside the bar goes on with the line above or below it: then that line is none of a fraction."""
    near = word.x1 > bar.x1 and word.x0 - bar.x1 < 0.6 * word.size if word.x0 > bar.x0 else bar.x0 - word.x1 < 0.6 * word.size
    return near and any(abs(word.base - other.base) < 1.5 and word.size > 0.9 * other.size for other in part if not other.fraction)


def _fraction(rest: Sequence[PageWord], bar: Ruling, above: Sequence[PageWord], below: Sequence[PageWord]) -> PageWord | None:
    """The fraction as one word on the line of what stands beside the bar; None for a line of words with another below it."""
    size = max(word.size for word in (*above, *below))
    axis = [word for word in rest if -0.2 * word.size < word.base - bar.top < 0.75 * word.size and not word.fraction]
    beside = [word for word in axis if word.x1 <= bar.x0 + 2 or word.x0 >= bar.x1 - 2]
    left = max((word for word in beside if word.x1 <= bar.x0 + 2 and bar.x0 - word.x1 < 2.5 * size), key=lambda w: w.x1, default=None)
    right = min((word for word in beside if word.x0 >= bar.x1 - 2 and word.x0 - bar.x1 < 2.5 * size), key=lambda w: w.x0, default=None)
    if left is not None and _ROOT.search(left.text) and abs(bar.x0 - left.x1) < 2:
        return None  # the bar of a root
    operated = any(word is not None and _OPERATOR.search(word.text[-1:]) for word in (left, right))
    wordy = [word for word in (*above, *below) if word.size > 0.85 * size and _is_word(word)]
    if wordy and not operated:
        return None
    host = next((word for word in (left, right) if word is not None and word.size > 0.6 * size), None)
    text = f"{_bracketed(_written(above))}/{_bracketed(_written(below))}"
    box = box_of([*above, *below])
    top, bottom = min(_extent(word)[0] for word in above), max(_extent(word)[1] for word in below)
    base = host.base if host is not None else bar.top + 0.3 * size
    return PageWord(
        text,
        min(box[0], bar.x0),
        top,
        max(box[2], bar.x1),
        bottom,
        base,
        host.size if host else size,
        above[0].bold,
        True,
        fraction=True,
    )


def _is_word(word: PageWord) -> bool:
    match = _LANGUAGE.search(word.text)
    return bool(match) and not word.fraction and word.text.lower() not in FUNCTIONS


def _written(words: Sequence[PageWord]) -> str:
    """One line of a fraction as text."""
    return linear(one_line(words, 0))


def _bracketed(text: str) -> str:
    """An expression of several terms in brackets."""
    return f"({text})" if _COMPOUND.search(text) and not _enclosed(text) else text


def _enclosed(text: str) -> bool:
    depth = 0
    for index, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return index == len(text) - 1 and text[0] == "("
    return False


def _with_powers(words: Sequence[PageWord], fraction: PageWord) -> list[PageWord]:
    """A small figure at the upper right of a fraction is a power of it, so it moves onto the fraction's line, with its sign."""
    small = {id(word): word for word in words if word.size <= 0.85 * fraction.size and _is_power(word, fraction)}
    signs = {
        id(word)
        for word in words
        if word.text in _SIGNS
        and _is_power(word, fraction)
        and any(abs(word.x1 - figure.x0) < 1.5 and abs(word.base - figure.base) < 4 for figure in small.values())
    }
    base, size = fraction.base - 0.35 * fraction.size, 0.7 * fraction.size
    return [replace(word, base=base, size=min(word.size, size)) if id(word) in small or id(word) in signs else word for word in words]


def _is_power(word: PageWord, fraction: PageWord) -> bool:
    behind = -1 <= word.x0 - fraction.x1 < 1.4 * fraction.size
    return behind and fraction.top - 0.5 * fraction.size <= word.base < fraction.base - 0.3 * word.size


def _whole_brackets(words: Sequence[PageWord]) -> list[PageWord]:
    """High brackets of several pieces one above the other, each as one bracket."""
    columns: list[list[PageWord]] = []
    kept: list[PageWord] = []
    for word in sorted(words, key=lambda word: word.base):
        if word.text not in _PIECES:
            kept.append(word)
            continue
        sign = _PIECES[word.text]
        own = next(
            (c for c in columns if _PIECES[c[0].text] == sign and abs(c[0].x0 - word.x0) < 3 and word.base - c[-1].base < 12), None
        )
        if own is None:
            columns.append([word])
        else:
            own.append(word)
    for column in columns:
        x0, _, x1, _ = box_of(column)
        top, bottom = column[0].base - _ASCENT * column[0].size, column[-1].base + _DESCENT * column[-1].size
        kept.append(replace(column[0], text=_PIECES[column[0].text], x0=x0, x1=x1, top=top, bottom=bottom, base=(top + bottom) / 2))
    return kept


def _beside_fraction(word: PageWord, fraction: PageWord) -> PageWord:
    """A high bracket round a fraction stands on the fraction's line."""
    near = -2 < fraction.x0 - word.x1 < fraction.size or -2 < word.x0 - fraction.x1 < fraction.size
    if near and word.text in _BRACKETS and word.bottom - word.top > 1.5 * word.size and word.top < fraction.base < word.bottom:
        return replace(word, base=fraction.base, size=fraction.size, space=word.text in "([")
    return word


_SHORT_WORDS = frozenset({"at", "or", "of", "is", "to", "in", "by", "be", "as", "on", "if", "an", "no"})
_RELATION = re.compile(r"[=≤≥≈]")
_LABEL = re.compile(r"^(?:\(?\w{1,3}\)|[-–•]|\d{1,2}(?:\.\d{1,3})*\.)\s")
_UNIT = re.compile(r"(?<=\d)\s?[A-Za-z°%]+(?:/[A-Za-z]+[²³]?)?")
_OPERATION = re.compile(r"[-+*/×·−∗√∑∫(]")
#: Lines of a fraction stand closer than the lines of a text (font sizes); those of mathematical letters are spread wider.
_CLOSE, _SPREAD = 1.05, 1.7


def formulas(lines: Sequence[PrintedLine]) -> dict[int, int]:
    """Which lines of a page (by id) are a formula, and which one: parts of a fraction are one formula."""
    parts: dict[int, int] = {}
    run: list[PrintedLine] = []
    for line in (*lines, None):
        if line is not None and run and _is_part(line) and _follows(line, run):
            run.append(line)
            continue
        if run and _is_formula(run):
            parts.update({id(part): len(parts) for part in run})
        run = [line] if line is not None and _is_part(line) else []
    return parts


def _is_part(line: PrintedLine) -> bool:
    """Signs, figures and variables, and no word."""
    return not _words(line) and not _LABEL.match(line.text) and bool(re.search(r"[^\W_]", line.text))


def _follows(line: PrintedLine, run: Sequence[PrintedLine]) -> bool:
    spread = _SPREAD if _mathematical(line) or any(_mathematical(part) for part in run) else _CLOSE
    return line.page == run[-1].page and line.base - run[-1].base <= spread * max(line.size, run[-1].size)


def _is_formula(run: Sequence[PrintedLine]) -> bool:
    """Mathematical letters, a relation with an operation ("a = 8 mm" states a value), or a relation beside a fraction."""
    if any(_mathematical(line) or _alone(line) or any(word.fraction for word in line.words) for line in run):
        return True
    signs = [bool(_RELATION.search(line.text)) for line in run]
    return len(run) > 1 and any(signs) and any(_OPERATION.search(line.text) for line, sign in zip(run, signs, strict=True) if not sign)


def _mathematical(line: PrintedLine) -> bool:
    letters = [character for character in line.text if character.isalpha()]
    mathematical = sum(0x1D400 <= ord(character) <= 0x1D7FF for character in letters)
    return bool(mathematical) and 3 * mathematical >= len(letters)


def _alone(line: PrintedLine) -> bool:
    relation = _RELATION.search(line.text)
    if not relation or "..." in line.text or line.text.count("(") != line.text.count(")"):
        return False
    behind = _UNIT.sub("", line.text[relation.end() :])
    return bool(re.search(r"[^\W\d_]", line.text)) and bool(_OPERATION.search(behind))


def _words(line: PrintedLine) -> bool:
    """Whether the line holds a word of a language; names below a variable ("overlap") are none."""
    plain = joined([word for word in line.words if not word.fraction and not line.lowered(word)])
    words = [word.lower() for word in re.findall(r"[A-Za-z]{2,}", plain)]
    return any(word in _SHORT_WORDS or (len(word) > 2 and word not in FUNCTIONS) for word in words)
