"""Numbers as a text states them, read a second time and in the plainest way: digits or a word for a number, a unit behind it, a
tolerance behind that, and the words before it that bound it.

Shares nothing with the compiler's own reading (regc.lang): what both read alike is unlikely to be read wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

#: How far a calculated number that is shown with three places may be from what it is.
CALCULATED = Fraction(51, 10**5)

#: Exponents of length, time and mass, and a name for what has none of them.
Dimension = tuple[int, int, int, str]


@dataclass(frozen=True)
class SpokenUnit:
    """`factor`: to SI. `written`: how texts write it, as a pattern."""

    factor: Fraction
    dimension: Dimension
    written: str


def _unit(factor: str, written: str, length: int = 0, time: int = 0, mass: int = 0, other: str = "") -> SpokenUnit:
    return SpokenUnit(Fraction(factor), (length, time, mass, other), written)


#: The longer writing first.
UNITS: dict[str, SpokenUnit] = {
    "m2/s2": _unit("1", r"m²/s²|m2/s2", 2, -2),
    "m/s3": _unit("1", r"m\s?/\s?s\s?(?:³|\^?\s?3)", 1, -3),
    "m/s2": _unit("1", r"m\s?/\s?s\s?(?:²|\^?\s?2)", 1, -2),
    "mm/s": _unit("1/1000", r"mm\s?/\s?s", 1, -1),
    "km/h": _unit("5/18", r"km\s?/\s?h(?:our)?|kph|k/h", 1, -1),
    "mph": _unit("0.44704", r"mph|mi\s?/\s?h", 1, -1),
    "m/s": _unit("1", r"m\s?/\s?s", 1, -1),
    "deg/s": _unit("1", r"(?:degrees?|deg|°)\s?/\s?s|degrees? (?:per|a) second", 0, -1, 0, "deg"),
    "degC": _unit("1", r"[°º]\s?C|℃|degC|degrees? C(?:elsius)?", other="temperature"),
    "per cent": _unit("1/100", r"per\s?cent(?:age)?|%"),
    "ms": _unit("1/1000", r"ms|milliseconds?", 0, 1),
    "min": _unit("60", r"minutes?|min", 0, 1),
    "s": _unit("1", r"[Ss]econds?|secs?|s", 0, 1),
    "h": _unit("3600", r"hours?|h", 0, 1),
    "mm": _unit("1/1000", r"mm|millimet(?:re|er)s?", 1),
    "cm": _unit("1/100", r"cm|centimet(?:re|er)s?", 1),
    "km": _unit("1000", r"km|kilomet(?:re|er)s?", 1),
    "m2": _unit("1", r"m²|m2", 2),
    "m": _unit("1", r"met(?:re|er)s?|m", 1),
    "ft": _unit("0.3048", r"feet|foot|ft", 1),
    "kg": _unit("1", r"kilograms?|kg", 0, 0, 1),
    "lb": _unit("0.45359237", r"pounds?|lbs?", 0, 0, 1),
    "t": _unit("1000", r"tonnes?|tons?|t", 0, 0, 1),
    "Nm": _unit("1", r"N\s?[·.]?\s?m|newton[ -]?met(?:re|er)s?", 2, -2, 1),
    "N": _unit("1", r"newtons?|N", 1, -2, 1),
    "g": _unit("9.80665", r"g", 1, -2),
    "K": _unit("1", r"K", other="temperature"),
    "lux": _unit("1", r"[Ll]ux|lx", other="illuminance"),
    "deg": _unit("1", r"degrees?|deg|°", other="deg"),
    "Hz": _unit("1", r"Hz", 0, -1),
    "dB": _unit("1", r"dB(?:\s?\(A\))?", other="level"),
    "1": _unit("1", r"(?!)"),
    "": _unit("1", r"(?!)"),
}
_NAMES = [name for name, unit in UNITS.items() if unit.written != "(?!)"]
_WRITTEN = "|".join(f"(?P<u{n}>{UNITS[name].written})" for n, name in enumerate(_NAMES))
_UNIT = re.compile(rf"\s?(?:an?\s)?(?:{_WRITTEN})(?![\w/²³])")
_WORDS = {
    "half": "1/2", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12", "fifteen": "15", "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50",
    "sixty": "60", "once": "1", "twice": "2",
}  # fmt: skip
#: Words for rest and flatness are a zero of any speed and of any ratio.
_REST = {"stationary": "km/h", "standstill": "km/h", "stopped": "km/h", "halted": "km/h", "level": "per cent"}
_DASHES = str.maketrans("−–‐‑\u00a0\u2009\u202f\u2007\u2044\u2215\uff0f", "----    ///")
_DIGITS = r"\d{1,3}(?:[ ,]\d{3})+(?![\d,]|\.\d)|\d+(?:[.,]\d+)?"
_NUMBER = re.compile(
    rf"(?<![\w,])(?<!\d\.)(?P<sign>-)?(?P<digits>{_DIGITS})(?!\.?\d)(?![A-Za-z]\d)|\b(?P<word>{'|'.join((*_WORDS, *_REST))})\b", re.I
)
#: "30 (with a tolerance of +0/-2 km/h) km/h"
_ASIDE = re.compile(r"\(\s*(?:with\s+)?(?:an?\s+)?tolerance of[^()]*\)", re.I)
_N = r"\d+(?:[.,]\d+)?"
_INNER = r"\s*(?:km/h|mph|m/s|m|s|K|°\s?C|per cent|%)?\s*"
_TOLERANCE = re.compile(
    rf"(?:±|\+\s*/\s*-|\+-)\s*(?P<both>{_N})"
    rf"|\+\s*(?P<plus>{_N}){_INNER}[/,]?\s*-\s*(?P<minus>{_N})"
    rf"|(?<![\w.])-\s*(?P<first>{_N}){_INNER}/\s*\+\s*(?P<then>{_N})"
    rf"|(?<![\w.,+/-])\+?(?P<up>{_N})\s*/\s*-?\s*(?P<down>{_N})(?!\w)"
)
#: Numbers of paragraphs and the like bound nothing.
_REFERENCE = re.compile(r"\b(?:paragraphs?|sections?|annex(?:es)?|appendix|appendices|tables?|figures?|footnotes?)\s+\d[\d.]*", re.I)
_JOINT = re.compile(r"\s*(?:,?\s*(?:and|or|to|up to|and/or)\b|,|;|-|/|\.\.\.|…|~|×|x\b)\s*", re.I)
_RANGE = re.compile(r"\s*(?:\([^()]*\)\s*)?(?:to|(?P<and>and)|up to|-|\.\.\.|…|~)\s*", re.I)
_BETWEEN = re.compile(r"\b(?:between|from|rang\w*(?: of| from)?)\s*$", re.I)
_MORE = r"(?:(?:more|greater|higher|longer|wider|faster|larger|bigger|further|farther) than|exceed\w*|in excess of|above|over|>)"
_LESS = r"(?:(?:less|lower|fewer|shorter|slower|narrower|smaller|nearer|closer) than|below|under|<)"
_SIDE = re.compile(
    rf"(?P<low>at least|minimum(?: of)?|(?:greater|more|larger) (?:than )?or equal to|at or above|at the earliest|≥|>=)"
    r"|(?P<high>at most|not more(?! than)|maximum(?: of)?|up to|within|(?:less|lower) (?:than )?or equal to"
    r"|at or below|at the latest|≤|<=)"
    rf"|(?P<late>(?:later|after more) than)|(?P<early>(?:earlier|sooner) than)|(?P<more>{_MORE})|(?P<less>{_LESS})"
    rf"|(?P<behind>\bafter\s*$)|(?P<ahead>\b(?:before|until)\s*$)",
    re.I,
)
_NO = re.compile(r"not|no|never|neither|nor|none|cannot|without|\w+n['’]t", re.I)
#: A "not" does not reach over the beginning of another clause.
_OTHER_CLAUSE = re.compile(r"when|if|while|whilst|unless|where|whereas|because|since|although|once|provided|only", re.I)
_LEADS = re.compile(r"\s*(?:before|prior to|ahead of|in advance)\b", re.I)
_WINDOW = re.compile(
    r"\bover (?:(?:any|an?|the) )?(?:\w+ )?(?:distance|length|stretch|section|period|interval|time|duration|window) of\s*$", re.I
)
_AVERAGE = re.compile(r"\b(?:average|averaged|averages|averaging|mean|filtered|integrated)\b", re.I)
_LASTS = re.compile(r"\b(?:for|of|by|is|are|be|lasts?|lasting|takes?|taking|well|just) over\s*$", re.I)
#: What parts two alternatives of one bound, and the words by which they say when each holds.
_OR = re.compile(r"\b(?:or|and|but)\b|[,;(]", re.I)
_IF = r"(?:in|on|for|with|without|where|when|if|at|under|below|above|before|after|from|to|during|unless|until|otherwise)\b"
_OPEN_END = re.compile(r"\b(?:at|of|by|to|in|on|is|are|a|the|for|than|with|from)\s*$", re.I)
#: How far, in words, a "not" stands before what it turns; "not exceed the declared value by more than" may be farther.
_REACH, _REACH_BY = 7, 17
_BREAK = re.compile(r"[.;:\n]\s|\d")
#: How many signs before a number its words are looked for.
_NEAR = 60


@dataclass(frozen=True)
class Spoken:
    """A number at [start, end) of its text, in its unit ("" for none). `side`: 1 where the words before it ask at least so much, -1 at
    most, 0 where they say neither."""

    value: Fraction
    unit: str
    start: int
    end: int
    side: int = 0


@dataclass(frozen=True)
class WordsAround:
    """A tolerance at [start, end) of its text."""

    plus: Fraction
    minus: Fraction
    unit: str
    start: int
    end: int


def same_unit(first: str, second: str) -> bool:
    """Whether two units measure the same."""
    return first in UNITS and second in UNITS and UNITS[first].dimension == UNITS[second].dimension


def in_si(value: Fraction, unit: str) -> Fraction:
    """A number of a unit in SI; differences of temperature, not its zero."""
    return value * UNITS[unit].factor


def fraction(digits: str) -> Fraction:
    """A number with groups of thousands or a decimal comma: "1,000" is 1000, "0,5" is 1/2."""
    if re.fullmatch(r"\d{1,3}(?:[ ,]\d{3})+", digits) and not digits.startswith("0"):
        return Fraction(re.sub(r"\D", "", digits))
    return Fraction(digits.replace(",", "."))


@lru_cache(maxsize=65536)
def spoken(text: str, unit: str = "") -> tuple[Spoken, ...]:
    """Every number of a text but those of tolerances and references; `unit` is that of bare numbers (of a cell, by its head)."""
    text = text.translate(_DASHES)
    bare = list(text)
    for match in (*_ASIDE.finditer(text), *_TOLERANCE.finditer(text), *_REFERENCE.finditer(text)):
        bare[match.start() : match.end()] = " " * (match.end() - match.start())
    blanked = "".join(bare)
    numbers: list[Spoken] = []
    for match in _NUMBER.finditer(blanked):
        value, own, end = _read(match, blanked)
        start = match.start()
        if match["sign"] and numbers and not blanked[numbers[-1].end : start].strip():
            value, start = -value, start + 1  # the dash of a range: "10 -20"
        numbers.append(Spoken(value, own, start, end))
    behind = {around.start: around.unit for around in tolerances(text)}
    for index, number in enumerate(numbers):
        if not number.unit:  # "4.0 ± 0.1 m"
            own = next((behind[start] for start in behind if start >= number.end and not text[number.end : start].strip(" ,(")), "")
            numbers[index] = replace(number, unit=own)
    out: list[Spoken] = []
    for number in _with_units(numbers, blanked, unit):
        kind = UNITS[number.unit].dimension
        side = _side(blanked, number.start, number.end, kind)
        other = next((item for item in reversed(out) if UNITS[item.unit].dimension == kind), None)
        if not side and other is not None and other.side and not _SIDE.search(blanked, other.end, number.start):
            early = _LEADS.match(blanked, number.end) and not _LEADS.match(blanked, other.end)
            side = other.side if _is_alternative(blanked, other.end, number.start, number.end) and not early else 0
        out.append(replace(number, side=side))
    return tuple(out)


def _is_alternative(text: str, end: int, start: int, behind: int) -> bool:
    """Whether the number that begins at `start` is another alternative of the one that ends at `end`: "or 7 m", "or, in rain, 7 m",
    "for cars and 7 m for vans"."""
    between = re.sub(r",[^,\d]*,\s*$", " ", text[end:start])
    parted = list(_OR.finditer(between))
    if not parted or re.search(r"[.:]\s|\bshall\b|\bmust\b", between):
        return False
    when = between[parted[-1].end() :].strip()
    if when and (not re.match(_IF, when, re.I) or _OPEN_END.search(when)):
        return False
    if parted[-1][0].lower() == "or":
        return True
    aside = bool(when) or between != text[end:start]
    return bool(re.match(rf"\s*\(?\s*{_IF}", between, re.I)) and (aside or bool(re.match(rf"\s*{_IF}", text[behind:], re.I)))


def _read(match: re.Match[str], text: str) -> tuple[Fraction, str, int]:
    word = (match["word"] or "").lower()
    if word in _REST:
        return Fraction(0), _REST[word], match.end()
    value = Fraction(_WORDS[word]) if word else fraction(match["digits"])
    spaces = re.match(r" *", text[match.end() :])
    assert spaces is not None
    behind = _UNIT.match(text, match.end() + max(0, spaces.end() - 1))
    unit, end = (name_of(behind), behind.end()) if behind else ("", match.end())
    return (-value if match["sign"] else value), unit, end


def name_of(match: re.Match[str]) -> str:
    """The unit that was matched."""
    return next(_NAMES[int(name[1:])] for name, group in match.groupdict().items() if group is not None)


def unit_named(text: str) -> str:
    """The unit that a head, caption or note gives to bare numbers: "Speed (km/h)", "All values in mph"; "" for none."""
    for match in re.finditer(r"[(\[]|\bin ", text):
        unit = _UNIT.match(text, match.end())
        if unit:
            return name_of(unit)
    return ""


def _with_units(numbers: list[Spoken], text: str, unit: str) -> Iterable[Spoken]:
    """ "20, 42 and 60 km/h": a bare number takes the unit of the next one."""
    out: list[Spoken] = []
    for number in reversed(numbers):
        own = number.unit
        if not own and out and _JOINT.fullmatch(text, number.end, out[-1].start):
            own = out[-1].unit
        out.append(replace(number, unit=own or unit))
    return reversed(out)


def _side(text: str, start: int, end: int = -1, dimension: Dimension | None = None) -> int:
    """What the words around the number at [start, end) bound it to: the words before it, as far as no other number or end of sentence
    parts them. 0 too where they could be read to either side."""
    before = text[max(0, start - _NEAR) : start]
    last = None
    for match in _SIDE.finditer(before):
        last = match
    if last is None or len(before) - last.end() > 32 or _BREAK.search(before, last.end()):
        return 0
    kind, words = str(last.lastgroup), last[0].lower()
    in_time = kind in ("late", "early", "behind", "ahead") or words in ("at the latest", "at the earliest")
    if in_time and dimension is not None and dimension not in (UNITS["s"].dimension, UNITS[""].dimension):
        return 0
    if words == "over" and _passes(text[max(0, start - 2 * _NEAR) : start], dimension):
        return 0
    if re.search(r"\b(?:more|less|greater|smaller|fewer|earlier|later) (?:or|and|nor) (?:no |not )?$", before[: last.start()], re.I):
        return 0
    equal = words.endswith("equal to") or words.startswith("at or")
    side = 1 if kind in ("low", "late", "behind", "more") else -1
    negated = _negated(text[: max(0, start - _NEAR) + last.start()], words)
    directly = re.search(rf"\b(?:{_NO.pattern})\s*$", before[: last.start()], re.I) and words[0] not in "≥≤<>"
    if (negated is None and (equal or kind not in ("low", "high"))) or (
        kind in ("low", "high") and words != "within" and not equal and directly
    ):
        return 0
    if kind in ("behind", "ahead") and not negated:
        return 0
    if negated and (kind not in ("low", "high") or words == "within" or equal):
        side = -side
    return -side if in_time and end >= 0 and _LEADS.match(text, end) else side


def _passes(before: str, dimension: Dimension | None) -> bool:
    """Whether "over" names the way or the time that something is averaged over, or passes."""
    if _WINDOW.search(before):
        return True
    long, lasting = dimension == UNITS["m"].dimension, dimension == UNITS["s"].dimension
    return bool((long or lasting) and _AVERAGE.search(before)) or (lasting and not _LASTS.search(before))


def _negated(before: str, words: str) -> bool | None:
    """Whether a "not" of the same clause stands before the words that bound; None where that is not certain."""
    sentence = re.split(r"[;:\n]\s|\.\s+(?=[A-Z(])", before[-3 * _NEAR :])[-1]
    tokens = re.findall(r"[^\s,]+|,(?!\d)", sentence)
    reach = _REACH_BY if tokens and tokens[-1].lower() == "by" else _REACH
    at, commas = len(tokens), 0
    while at > 0:
        at -= 1
        if tokens[at] == ",":
            commas += 1
        elif _NO.fullmatch(tokens[at]):
            break
        elif _OTHER_CLAUSE.fullmatch(tokens[at]):
            return False
    else:
        return False
    between = tokens[at + 1 :]
    if [word.lower() for word in tokens[max(0, at - 2) : at]] == ["whether", "or"]:
        return False
    if commas:
        if commas != 2 or "," not in between[:2]:
            return False
        first = between.index(",")
        between = between[:first] + between[between.index(",", first + 1) + 1 :]
    if len(between) >= reach:
        return None if len(between) < _REACH_BY and not re.search(rf"{_MORE}|{_LESS}", " ".join(between), re.I) else False
    rest = " ".join(between).lower()
    earlier = None if reach == _REACH_BY else re.search(rf"(?:{_MORE}|(?:later|earlier|sooner) than|{_LESS})(?!.*\bthan\b)", rest)
    if earlier:
        behind = rest[earlier.end() :]
        return (
            False if words == "within" else True if re.search(r"\bor\b", behind) else None if re.search(r"\band\b", behind) else False
        )
    if re.search(r"\b(?:and|but|that|which|who|whose)\b", rest):
        return None
    asked = at > 0 and tokens[at - 1].lower() in ("shall", "must", "may", "can")
    if not asked and re.search(r"\S+ for(?: a (?:period|time|duration) of)?$", rest):
        return None
    return True


def side_of_lead(lead: str) -> int:
    """What a line above a list bounds its items to: "shall not exceed:"."""
    return _side(lead.rstrip().rstrip(":").rstrip() + " ", len(lead.rstrip().rstrip(":").rstrip()) + 1)


@lru_cache(maxsize=65536)
def tolerances(text: str, unit: str = "") -> tuple[WordsAround, ...]:
    """Every tolerance of a text; `unit` is that of bare ones."""
    text = text.translate(_DASHES)
    around = []
    for match in _TOLERANCE.finditer(text):
        group = match.groupdict()
        plus = group["both"] or group["plus"] or group["then"] or group["up"]
        minus = group["both"] or group["minus"] or group["first"] or group["down"]
        behind = _UNIT.match(text, match.end())
        around.append(WordsAround(fraction(plus), fraction(minus), name_of(behind) if behind else unit, match.start(), match.end()))
    return tuple(around)


def are_range(text: str, first: Spoken, second: Spoken) -> bool:
    """Whether two numbers are the ends of a range: "10 to 60 km/h", "between 0 °C and 45 °C"; not "12 and 18 mph"."""
    text = text.translate(_DASHES)
    joint = _RANGE.fullmatch(text, first.end, second.start)
    return joint is not None and (joint["and"] is None or _BETWEEN.search(text[: first.start]) is not None)
