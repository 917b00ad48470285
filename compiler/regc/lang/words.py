"""Numbers in running text: value or range, unit, bound, tolerance; whether it is an example or a conversion.

quantities("a speed of 50 km/h +0/-2 km/h") holds one measurement: 50 km/h with a tolerance of +0/-2. What stands there and cannot be
read with certainty ("2 0 0 0 lux", "20 km/h ± a little") is a doubt and no number. Words, units and bounds are data: vocabulary.toml.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache

from regc.lang.bounds import Bounded, bounded, is_alternative
from regc.lang.vocabulary import vocabulary
from regc.model.units import lacking_units
from regc.model.value import Bound


@dataclass(frozen=True)
class Around:
    """A tolerance as magnitudes >= 0 in a unit ("" where the text gives none)."""

    plus: Decimal
    minus: Decimal
    unit: str = ""


@dataclass(frozen=True)
class Measurement:
    """A quantity at [start, end) of its text. `lo` == `hi` unless it is a range.

    `unit` is "" for a bare number (dimension "count"). Dimension "tolerance": a tolerance of its own, lo = minus, hi = plus.
    `example`: it stands inside "(e.g. ...)" or "(i.e. ...)". `conversion`: "(6.2 mph)" behind 10 km/h.
    `either`: why its words name no side of it ("no later than 55 m"), "" where they do or need not.
    """

    lo: Decimal
    hi: Decimal
    unit: str
    dimension: str
    start: int
    end: int
    bound: Bound = "eq"
    tolerance: Around | None = None
    example: bool = False
    conversion: bool = False
    either: str = ""


@dataclass(frozen=True)
class Doubt:
    """Digits at [start, end) that cannot be read with certainty, and why; no number comes from them."""

    start: int
    end: int
    reason: str


@dataclass(frozen=True)
class QuantitiesRead:
    """What a text holds: its measurements in reading order and the doubts."""

    measurements: tuple[Measurement, ...]
    doubts: tuple[Doubt, ...] = ()


@dataclass
class _Number:
    """A number before lists, ranges and tolerances are joined; `digits_end` is where its digits end, `end` with the unit."""

    value: Decimal
    unit: str
    start: int
    digits_end: int
    end: int
    conversion: bool = False
    dimension: str = ""


@dataclass(frozen=True)
class _Said:
    """The last number of a dimension in a sentence: its bound, the words before it, where it ends; `between`: it is a range whose ends
    "between" and "and" give."""

    held: Bounded
    before: str
    end: int
    between: bool = False


_DASHES = str.maketrans("\u2212\u2013\u2010\u2011\u00a0\u2009\u202f\u2007\u2044\u2215\uff0f", "----    ///")
_N = r"\d+(?:[.,]\d+)?"
_GROUPED = r"[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?(?![\d,])|[1-9]\d{0,2}(?: \d{3})+(?! ?\d)"
#: "M3 > 8t" and "N2 <= 8 t" are names of vehicle categories.
CATEGORY = re.compile(r"\b[LMNOT]\d?\s*(?:≤|≥|<=|>=|<|>)\s*\d+(?:[.,]\d+)?\s*t(?:onnes?)?\b")
#: Numbers of paragraphs, annexes, figures and other Regulations are no quantities.
_REFERENCE = re.compile(
    r"\b(?:paragraphs?|paras?\.?|sections?|annex(?:es)?|appendi(?:x|ces)|tables?|figures?|footnotes?|scenarios?|regulations?|nos?\.?|items?|steps?)"
    r"\s+(?:no\.?\s*)?[A-Z]?\d[\w.]*(?:(?:\s*,\s*|\s+(?:and|or|to)\s+|\s*,?\s*(?:and|or)\s+)(?:paragraphs?\s+)?\d+\.[\d.]*(?!\d))*",
    re.I,
)
_EXAMPLE = re.compile(r"\(\s*(?:e\.\s?g|i\.\s?e|for example|for instance)\b[^()]*(?:\([^()]*\)[^()]*)*\)", re.I)
_ASIDE = re.compile(r"\(\s*(?:with\s+)?(?:an?\s+)?tolerance of[^()]*\)", re.I)
_JOINT = re.compile(r"\s*(?:,\s*and|,\s*or|and/or|and|to|or|,|;|-|/|×|x|\.\.\.|…|~)\s*", re.I)
_SPAN = re.compile(r"\s*(?:-|to|\.\.\.|…|~|up to)\s*", re.I)
_BETWEEN = re.compile(r"\b(?:between|from|ranges? (?:of|from)|ranging from|range)\s*$", re.I)
#: "2 s or 3 s at least": the bound behind the last of a list holds for all of it; that of "2 s, 3 s or more" does not.
_AT_LEAST = re.compile(r"\s*,?\s*at (?:the )?(?:least|most)\b", re.I)
_SPACES = re.compile(" *")
#: How far from a number its words are looked for, in signs: a long text stays linear.
_NEAR = 80
#: How far before a number the "not" of its clause is looked for.
_CLAUSE = 200
_SENTENCE_END = re.compile(r"\n|(?<!\bNo)(?<!\be\.g)(?<!\bi\.e)(?<!\bparas)(?<!\bpara)[.;]\s+(?=[A-Z(\"“])")
#: "at once", "once more", "once the test has begun" count nothing.
_NO_COUNT_BEFORE, _NO_COUNT_BEHIND = re.compile(r"\bat\s+$", re.I), re.compile(r"\s+(?:more|again|the|a|an|it|all|this|that)\b", re.I)
#: A lettered item that begins inside a line: "...: (a) the first; and (b) the second".
ITEM_INSIDE = r"[:;.,]\s+(?:and\s+|or\s+)?(?=\([a-z0-9]{1,4}\)\s)"


@cache
def _units() -> re.Pattern[str]:
    """One unit, with what may stand before it: " km/h", "half a second"."""
    groups = "|".join(f"(?P<u{index}>{unit.pattern})" for index, unit in enumerate(vocabulary().units.values()))
    return re.compile(rf"\s?(?:an?\s)?(?:{groups})(?![\w/²³])")


@cache
def _numbers() -> re.Pattern[str]:
    """A number in digits or in words."""
    words = "|".join(sorted(vocabulary().numbers, key=len, reverse=True))
    tens = "|".join(vocabulary().tens)
    units = "one|two|three|four|five|six|seven|eight|nine"
    return re.compile(
        rf"(?<![\w,])(?<!\d\.)(?<!\D/)(?P<sign>-(?=\d))?(?:(?P<grouped>{_GROUPED})|(?P<digits>{_N}))(?!\.?\d)"
        rf"|\b(?:(?P<tens>{tens})(?:[- ](?P<one>{units}))?|(?P<word>{words}))\b",
        re.I,
    )


@cache
def _tolerances() -> re.Pattern[str]:
    """Tolerances in all their typography; an inner unit may stand behind the first number."""
    inner = "(?:" + "|".join(unit.pattern for unit in vocabulary().units.values()) + ")?"
    return re.compile(
        rf"(?:±|\+\s*/\s*-|\+-)\s*(?P<both>{_N})"
        rf"|\+\s*(?P<plus>{_N})\s*{inner}\s*[/,]?\s*-\s*(?P<minus>{_N})"
        rf"|(?<![\d.])-\s*(?P<minus2>{_N})\s*{inner}\s*/\s*\+\s*(?P<plus2>{_N})"
        rf"|(?<![\d.,+/-])(?P<plus3>{_N})\s*/\s*-\s*(?P<minus3>{_N})"
        rf"|\+\s*(?P<plus4>{_N})\s*/\s*(?P<minus4>{_N})"
    )


def unit_at(text: str, at: int) -> tuple[str, int]:
    """The unit that begins at a position and where it ends; "" and the position for none.

    >>> unit_at("5 km/h", 2), unit_at("5 trees", 2)
    (('km/h', 6), ('', 2))
    """
    match = _units().match(text, at)
    if match is None:
        return "", at
    index = next(int(name[1:]) for name, group in match.groupdict().items() if group is not None)
    return list(vocabulary().units)[index], match.end()


def units_named(text: str) -> str:
    """The unit that a header or a note gives to bare numbers: "speed (km/h)", "in km/h", "[m]"; "" for none."""
    return next(iter(units_listed(text)), "")


def units_listed(text: str) -> tuple[str, ...]:
    """Every unit that a header or a note gives, in order: "speed in km/h (mph)" gives km/h and its conversion mph."""
    units = (unit_at(text, match.end())[0] for match in re.finditer(r"[(\[]|\bin ", text))
    return tuple(unit for unit in units if unit)


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """[start, end) of every sentence, line or lettered item of a text."""
    return tuple(pieces(text, rf"{_SENTENCE_END.pattern}|{ITEM_INSIDE}"))


def pieces(text: str, ends: str) -> Iterator[tuple[int, int]]:
    """[start, end) of what a pattern of ends cuts a text into; blank pieces are left out."""
    cuts = [0, *(match.end() for match in re.finditer(ends, text)), len(text)]
    yield from ((start, end) for start, end in itertools.pairwise(cuts) if text[start:end].strip())


@lru_cache(maxsize=16384)
def quantities(text: str, unit: str = "") -> QuantitiesRead:
    """Every quantity of a text in reading order; `unit` is that of bare numbers (a cell's, from its header).

    >>> for item in quantities("at 20 km/h +0/-2 km/h, for at least two seconds").measurements:
    ...     print(item.dimension, item.bound, item.lo, item.unit, item.tolerance)
    speed eq 20 km/h Around(plus=Decimal('0'), minus=Decimal('2'), unit='km/h')
    tolerance eq 2 km/h None
    time ge 2 s None
    >>> [(item.lo, item.hi, item.unit) for item in quantities("between 10 km/h and 60 km/h").measurements]
    [(Decimal('10'), Decimal('60'), 'km/h')]
    >>> quantities("2 0 0 0 lux").measurements
    ()
    """
    text = text.translate(_DASHES)
    tolerances = list(_tolerances().finditer(text))
    bare = _masked(text, tolerances)
    bare, doubts = _apart(bare)
    raw = _bare_numbers(bare, doubts)
    _mark_conversions(raw, bare)
    _share_units(raw, bare)
    for number in raw:
        number.unit = number.unit or unit
        number.dimension = vocabulary().dimension(number.unit)
    examples = _covered(len(text), (match.span() for match in _EXAMPLE.finditer(text)))
    measured = [replace(item, example=bool(examples[item.start])) for item in _joined(raw, text, bare, tolerances, doubts)]
    for match in tolerances:
        around = _around(match, text)
        measured.append(Measurement(around.minus, around.plus, around.unit or unit, "tolerance", match.start(), match.end()))
    doubts += _unread_signs(text, tolerances)
    refused = _covered(len(text), ((doubt.start, doubt.end) for doubt in doubts))
    kept = [item for item in measured if refused.find(1, item.start, item.end) < 0]
    return QuantitiesRead(tuple(sorted(kept, key=lambda item: item.start)), tuple(sorted(doubts, key=lambda item: item.start)))


def _masked(text: str, tolerances: list[re.Match[str]]) -> str:
    """The text with blanks for what holds digits and is no quantity: tolerances, category names, references."""
    starts = [match.start() for match in tolerances]
    blanks = [match.span() for match in tolerances]
    for match in _ASIDE.finditer(text):
        behind = bisect.bisect_right(starts, match.start())
        if behind < len(starts) and starts[behind] < match.end():
            inside = tolerances[behind]
            if not re.search(r"\d", text[match.start() : inside.start()] + text[inside.end() : match.end()]):
                blanks.append(match.span())
    blanks += [match.span() for pattern in (CATEGORY, _REFERENCE) for match in pattern.finditer(text)]
    return _blanked(text, blanks)


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    bare = list(text)
    for start, end in spans:
        bare[start:end] = " " * (end - start)
    return "".join(bare)


def _covered(size: int, spans: Iterable[tuple[int, int]]) -> bytearray:
    """A 1 for every sign of a text that one of the spans holds."""
    marks = bytearray(size)
    for start, end in spans:
        marks[start:end] = b"\1" * (end - start)
    return marks


def _apart(text: str) -> tuple[str, list[Doubt]]:
    """Digits that stand apart before a unit ("2 0 0 0 lux", "1 4 seconds", "0. 2 m", "4 1/2 s") are no number."""
    doubts: list[Doubt] = []
    patterns = (
        (r"\bminus \d+(?:[.,]\d+)?", "a sign in words"),
        (r"(?<=[a-z]{2} )- \d+(?:[.,]\d+)?(?= ?°)", "its sign stands apart"),
        (r"(?<![\w.,])(?:\d+ ?)?[½¼¾⅓⅔]", "a fraction"),
        (r"(?<![\w.,])\d+(?:[.,]\d+)? ?[×·*] ?10(?:\^?-?\d+|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?(?!\d)", "a power of ten"),
        (r"(?<![\w.,])\d+(?:[.,]\d+)?e[+-]?\d+(?!\w)", "a power of ten"),
        (r"(?<![\w.,])\d+\.\d+,\d+", "a point and a comma"),
        (r"(?<![\w.,])\d+\.[OoIl]\d*", "a letter among its digits"),
        (r"(?<![\w.,])(?-i:[OIl]\.\d+|l\d+)(?![\w.])", "a letter among its digits"),
        (r"(?<![\w.,/-])\d{1,3}(?: \d{1,3})+(?![\w.,])", "digits stand apart"),
        (r"(?<![\w.,])0\. \d+(?![\w.])", "digits stand apart"),
        (r"(?<![\w.,])\d+ \.\d+(?![\w.])", "digits stand apart"),
        (r"(?<![\w.,/-])\d{1,3} \d+\.\d+(?![\w.,])", "digits stand apart"),
        (r"(?<![\w.,\n])(?<!^)\d+\. \d+(?![\w.])", "digits stand apart"),
        (r"(?<![\w.,/])(?:\d+ )?\d/\d(?![\w.,/-])", "a fraction"),
        (r"(?<![\w.,/])\d+[·'’]\d+(?!\w)", "a sign that is no decimal point"),
        (r"\b(?:\w+) point \w+\b", "a number in words that is not understood"),
        (r"\b(?:\w+ )?(?:hundred|thousand)(?: and \w+)?\b", "a number in words that is not understood"),
    )
    for pattern, reason in patterns:
        for match in re.finditer(pattern, text, re.I):
            if re.fullmatch(_GROUPED, match[0]) or not unit_at(text, match.end())[0]:
                continue
            doubts.append(Doubt(match.start(), match.end(), f"'{match[0]}' cannot be read: {reason}"))
    for match in re.finditer(rf"(?<![\w.,/-]){_N} ?(?=[A-Za-z°Ω])", text):
        unit = lacking_units().match(text, match.end())
        if unit is not None:
            doubts.append(
                Doubt(match.start(), unit.end(), f"'{text[match.start() : unit.end()]}' cannot be read: a unit that regc does not have")
            )
    return _blanked(text, ((doubt.start, doubt.end) for doubt in doubts)), doubts


def _bare_numbers(bare: str, doubts: list[Doubt]) -> list[_Number]:
    """Numbers with the units that stand behind them."""
    numbers: list[_Number] = []
    for match in _numbers().finditer(bare):
        value, dimension = _value(match)
        spaces = len(_SPACES.match(bare, match.end())[0])  # type: ignore[index]
        unit, end = ("", match.end()) if dimension else unit_at(bare, match.end() + max(0, spaces - 1) if spaces else match.end())
        if dimension:
            unit = next(name for name, known in vocabulary().units.items() if known.dimension == dimension)
        elif not unit and _is_name(bare, match):
            continue
        sign = match["sign"] is not None and not (numbers and not bare[numbers[-1].end : match.start()].strip())
        start = match.start() if sign or match["sign"] is None else match.start() + 1
        number = _Number(-value if sign else value, unit, start, match.end(), end if unit and not dimension else match.end())
        limit = vocabulary().largest.get(vocabulary().dimension(unit))
        if limit is not None and abs(Fraction(value)) * vocabulary().factor(unit) > limit:
            doubts.append(
                Doubt(match.start(), end, f"'{bare[match.start() : end]}' is too much for a road test: a decimal comma, or a slip?")
            )
        numbers.append(number)
    return numbers


def _value(match: re.Match[str]) -> tuple[Decimal, str]:
    """The value of a matched number and, for a word for rest, its dimension."""
    if match["word"]:
        digits, dimension = vocabulary().numbers[match["word"].lower()]
        return Decimal(digits), dimension
    if match["tens"]:
        ones = vocabulary().numbers[match["one"].lower()][0] if match["one"] else "0"
        return Decimal(vocabulary().tens[match["tens"].lower()]) + Decimal(ones), ""
    return decimal(match["grouped"] or match["digits"]), ""


def decimal(text: str) -> Decimal:
    """A number with its source's digits; digit groups and a decimal comma are understood: "1,000" is 1000, "0,5" is 0.5."""
    if re.fullmatch(_GROUPED, text):
        return Decimal(re.sub(r"[ ,]", "", text))
    return Decimal(text.replace(",", "."))


def _is_name(bare: str, match: re.Match[str]) -> bool:
    """Whether digits are part of a name ("30F", "13-H", "2nd") or a word counts nothing ("at once")."""
    if match["word"] and match["word"].lower() in ("once", "twice"):
        return bool(
            _NO_COUNT_BEFORE.search(bare, max(0, match.start() - _NEAR), match.start()) or _NO_COUNT_BEHIND.match(bare, match.end())
        )
    return not match["word"] and not match["tens"] and bool(re.match(r"[A-Za-z]|-[A-Za-z]", bare[match.end() : match.end() + 2]))


def _mark_conversions(raw: list[_Number], bare: str) -> None:
    """ "10 km/h (6.2 mph)": the second says the first again in another unit."""
    for before, number in itertools.pairwise(raw):
        same = number.unit and before.unit and number.unit != before.unit
        if same and vocabulary().dimension(number.unit) == vocabulary().dimension(before.unit):
            number.conversion = bool(
                re.fullmatch(r"\s*[(\[]\s*", bare[before.end : number.start])
                and re.match(r"\s*[)\]]", bare[number.end : number.end + _NEAR])
            )


def _share_units(raw: list[_Number], bare: str) -> None:
    """ "10 to 15 km/h", "20, 42 and 60 km/h": a bare number takes the unit behind it."""
    for first, second in reversed(list(itertools.pairwise(raw))):
        if (
            not first.unit
            and second.unit
            and (second.end > second.digits_end or re.search(r"\d", bare[second.start : second.digits_end]))  # no word for rest
            and _JOINT.fullmatch(bare, first.end, second.start)
        ):
            first.unit = second.unit


def _joined(raw: list[_Number], text: str, bare: str, tolerances: list[re.Match[str]], doubts: list[Doubt]) -> Iterator[Measurement]:
    """Ranges joined, bounds and tolerances put on; a tolerance or a bound of a list holds for all of it."""
    numbers = [number for number in raw if not number.conversion]
    ends = sorted(_sentence_starts(text))
    asides = [number for number in raw if number.conversion]
    starts = [match.start() for match in tolerances]
    out: list[tuple[Measurement, bool]] = []
    said: dict[str, _Said] = {}
    index, chain, sentence, last_end = 0, _Said(Bounded(), "", -1), -1, -1
    while index < len(numbers):
        first = last = numbers[index]
        follows = bool(out) and _JOINT.fullmatch(bare, last_end, first.start) is not None
        index += 1
        start = ends[bisect.bisect_right(ends, first.start) - 1]
        said, sentence = (said if start == sentence else {}), start
        other = said.get(first.dimension)
        paired = other is not None and other.between and (follows or is_alternative(bare[other.end : first.start], ""))
        if index < len(numbers) and _spans(bare, asides, first, numbers[index], paired=paired):
            last = numbers[index]
            index += 1
        behind = text[last.end : last.end + _NEAR]
        since = max(start, last_end if last_end > 0 else 0)
        before, held = text[since : first.start], Bounded()
        if first is last:
            held = bounded(before[-_NEAR:], behind, first.dimension, text[max(start, first.start - _CLAUSE) : first.start])
            alternative = other is not None and is_alternative(bare[other.end : first.start], behind)
            shared = other if alternative else chain if follows else None
            if held == Bounded() and shared is not None:
                before = shared.before
                held = bounded(before[-_NEAR:], behind, first.dimension, before) if shared.held.words else shared.held
        if held.unclear:
            doubts.append(Doubt(first.start, first.digits_end, f"'{text[first.start : last.end]}' cannot be read: {held.unclear}"))
        tolerance = _tolerance_of(last, text, tolerances[bisect.bisect_left(starts, last.digits_end) :][:2], doubts)
        low, high = min(first.value, last.value), max(first.value, last.value)
        item = Measurement(low, high, first.unit, first.dimension, first.start, last.end, held.bound, tolerance, either=held.either)
        out.append((item, follows))
        between = first is not last and re.fullmatch(r"\s*and\s*", bare[first.end : last.start], re.I) is not None
        chain = _Said(held, before[-_CLAUSE:], last.end, between)
        said[first.dimension], last_end = chain, last.end
    yield from _list_tolerances(_list_bounds(out, text))
    yield from (
        Measurement(item.value, item.value, item.unit, item.dimension, item.start, item.end, conversion=True)
        for item in raw
        if item.conversion
    )


def _sentence_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in _SENTENCE_END.finditer(text))]


def _spans(bare: str, asides: list[_Number], first: _Number, second: _Number, *, paired: bool = False) -> bool:
    """Whether two numbers are the ends of a range: "10 to 15 km/h", "between 0 °C and 45 °C", "10 km/h (6.2 mph) to 80 km/h"; `paired`:
    the "between" of a range before them holds for them, too."""
    if not first.unit or first.unit != second.unit or first.value > second.value:
        return False
    aside = next((item for item in asides if first.end <= item.start < second.start), None)
    between = bare[first.end : second.start]
    if aside is not None:
        between = re.sub(r"^\s*[)\]]", "", bare[aside.end : second.start])
    if _SPAN.fullmatch(between):
        return True
    joined = re.fullmatch(r"\s*and\s*", between, re.I) is not None
    return joined and (paired or _BETWEEN.search(bare[max(0, first.start - _NEAR) : first.start]) is not None)


def _tolerance_of(number: _Number, text: str, tolerances: list[re.Match[str]], doubts: list[Doubt]) -> Around | None:
    """The tolerance right behind a number, in the number's unit; a doubt where one is near and not understood."""
    for match in tolerances:
        if match.start() < number.digits_end:
            continue
        if not re.fullmatch(r"\s*,?\s*\(?\s*(?:with\s+)?(?:an?\s+)?(?:tolerance\s+of\s+)?", text[number.end : match.start()], re.I):
            break
        around = _around(match, text)
        if around.unit in ("", number.unit):
            return replace(around, unit=number.unit)
        if (number.unit, around.unit) == ("degC", "K"):
            return replace(around, unit=number.unit)
        doubts.append(Doubt(number.start, match.end(), f"the tolerance of '{text[number.start : match.end()]}' is in another unit"))
        return None
    rest = text[number.end : number.end + 60]
    if number.unit and re.match(r"\s*,?\s*\(?\s*(?:with\s+)?(?:an?\s+)?tolerance\s+of\b(?![^.;)]*\d)", rest, re.I):
        doubts.append(Doubt(number.start, number.end, f"a tolerance near '{text[number.start : number.end]}' is not understood"))
    return None


def _around(match: re.Match[str], text: str) -> Around:
    group = match.groupdict()
    plus = next(group[name] for name in ("both", "plus", "plus2", "plus3", "plus4") if group[name])
    minus = next(group[name] for name in ("both", "minus", "minus2", "minus3", "minus4") if group[name])
    return Around(decimal(plus), decimal(minus), unit_at(text, match.end())[0])


def _list_bounds(listed: list[tuple[Measurement, bool]], text: str) -> list[tuple[Measurement, bool]]:
    """ "2 s or 3 s at least": what stands behind the last bounds the whole list."""
    out: list[tuple[Measurement, bool]] = []
    held: Measurement | None = None
    for item, follows in reversed(listed):
        if held is not None and item.bound == "eq" and item.lo == item.hi and item.unit == held.unit:
            item = replace(item, bound=held.bound)
        elif not _AT_LEAST.match(text, item.end):
            held = None
        if _AT_LEAST.match(text, item.end):
            held = item
        held = held if follows else None
        out.append((item, follows))
    return out[::-1]


def _list_tolerances(listed: list[tuple[Measurement, bool]]) -> Iterator[Measurement]:
    """ "20, 42 and 60 km/h +0/-2 km/h": the tolerance behind the last holds for the whole list."""
    held: Around | None = None
    out: list[Measurement] = []
    follows_next = False
    for item, follows in reversed(listed):
        if item.tolerance is None and follows_next and held is not None and held.unit == item.unit:
            item = replace(item, tolerance=held)
        held, follows_next = item.tolerance, follows
        out.append(item)
    yield from reversed(out)


def _unread_signs(text: str, tolerances: list[re.Match[str]]) -> list[Doubt]:
    """A sign of a tolerance that no tolerance was read at, with the number before it: "20 km/h ± a little"."""
    doubts: list[Doubt] = []
    read = _covered(len(text), (held.span() for held in tolerances))
    for match in re.finditer(r"±|\+\s*/|(?<=[\dh])\s*/\s*-\s*(?=\d)", text):
        if read.find(1, max(0, match.start() - 1), match.end() + 1) >= 0:
            continue
        near = max(0, match.start() - _NEAR)
        number = re.search(rf"{_N}[^\d.;]{{0,12}}$", text[near : match.start()])
        doubts.append(
            Doubt(
                near + number.start() if number else match.start(),
                match.end(),
                f"a tolerance near '{text[match.start() : match.end() + 12]}' is not understood",
            )
        )
    return doubts
