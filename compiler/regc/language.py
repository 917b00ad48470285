"""How regulations write numbers: values with units, bounds, tolerances, ranges, lists and spelled-out counts.

Nothing here belongs to one regulation. The extractor finds numbers with it, the resolver and the checks read them again.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from regc.model.source import Bound, Tolerance

#: How units are written -> the unit's one name (model/units.py).
_UNITS = (
    (r"km\s*/\s*h(?:our)?|kph", "km/h"),
    (r"mph|mi\s*/\s*h", "mph"),
    (r"m\s*/\s*s\s*(?:2|²|\^\s*2)", "m/s2"),
    (r"m\s*/\s*s(?!\s*[\^²2])", "m/s"),
    (r"°\s*C|degrees?\s+C(?:elsius)?|º\s*C|℃", "degC"),
    (r"lux", "lux"),
    (r"per\s*cent|percent|%", "per cent"),
    (r"kg", "kg"),
    (r"km(?![\w/])", "km"),
    (r"mm(?![\w/])", "mm"),
    (r"cm(?![\w/])", "cm"),
    (r"(?:seconds?|s)(?![\w/])", "s"),
    (r"(?:met(?:re|er)s?|m)(?![\w/])", "m"),
    (r"(?:feet|ft)(?![\w/])", "ft"),
    (r"K(?![\w/])", "K"),
    (r"times?(?![\w/])", "times"),
    (r"modes?(?![\w/])", "modes"),
    (r"years?(?![\w/])", "years"),
)
_ANY_UNIT = "|".join(pattern for pattern, _ in _UNITS)
_UNIT = "|".join(f"(?P<u{i}>{pattern})" for i, (pattern, _) in enumerate(_UNITS))
_DECLARED = re.compile(rf"(?:\bin\s+|[(\[]\s*)(?:{_UNIT})(?=\s*(?:[)\].,;:]|$))", re.IGNORECASE)
_WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "once": 1, "twice": 2, "level": 0,
}  # fmt: skip
#: Digits in groups of three ("1 000", "1,000"); a comma before fewer or more digits, or behind a zero, is a decimal one.
_GROUPED = r"[1-9]\d{0,2}(?:(?:[ \u00a0\u2009\u202f']\d{3})+|(?:,\d{3})+)(?![\d,])"
_NUMBER = rf"(?:{_GROUPED}(?:\.\d+)?|\d+(?:[.,]\d+)?)"
#: Only a dash that touches its number or follows a word is a sign; between numbers it is a range.
_SIGN = r"(?:[+\-−–]|[\-−–]\s|minus\s+)"
_MINUS = re.compile(r"[\-−–]|minus", re.IGNORECASE)
#: What stands before the rest of a number that cannot be read as a whole ("0. 2", "4 1/2", "1'2", "twenty-four", "four point five").
_BROKEN = re.compile(
    r"(?:(?<![\d.])\d+\.\s+|\d\s*/\s*|\d[·'’,]|\b(?:twen|thir|for|fif|six|seven|eigh|nine)ty[\s-]+|\bpoint\s+"
    r"|\b(?:hundred|thousand)\s+(?:and\s+)?)$",
    re.IGNORECASE,
)
_TOLERANCE = re.compile(
    r"(?:±\s*(?P<both>\d+(?:[.,]\d+)?)"
    r"|\+\s*(?P<plus>\d+(?:[.,]\d+)?)(?:\s*(?:km/h|mph|m/s2?|m|s))?\s*/\s*[-−–]\s*(?P<minus>\d+(?:[.,]\d+)?)"
    r"|[-−–]\s*(?P<minus2>\d+(?:[.,]\d+)?)\s*/\s*\+\s*(?P<plus2>\d+(?:[.,]\d+)?))"
)
_VALUE = re.compile(
    rf"(?<![\w.])(?:(?P<sign>{_SIGN})?(?P<digits>{_NUMBER})|\b(?P<word>{'|'.join(_WORDS)})\b)"
    rf"(?P<aside>\s*\((?:with a )?tolerance of [^)]*\))?"
    rf"\s*(?:{_UNIT})?",
    re.IGNORECASE,
)
#: A number that continues a list or range ("20, 42 and 60 km/h", "0 °C and 45 °C", "10 to 15 km/h").
_JOIN = re.compile(r"^\s*(?:,|;|\band\b|\bor\b|\bto\b|,\s*and\b|,\s*or\b|[-–])\s*$", re.IGNORECASE)
_BOUNDS: tuple[tuple[str, Bound], ...] = (
    (
        r"(?:at least|not less than|no less than|not below|not lower than|minimum(?: of)?|a minimum|at the latest|not earlier than)",
        "ge",
    ),
    (r"(?:not|never) (?:fall )?below", "ge"),
    (r"(?:at most|not more than|no more than|not exceed(?:ing)?|no greater than|maximum(?: of)?|up to|not later than|within)", "le"),
    (r"(?:less or equal to|less than or equal to)", "le"),
    (r"(?:in excess of|more than|greater than|above|exceed(?:s|ing)?|over)", "gt"),
    (r"(?:less than|below|under|lower than)", "lt"),
)
_BOUND = re.compile("|".join(f"(?P<b{i}>\\b{pattern}\\b)" for i, (pattern, _) in enumerate(_BOUNDS)), re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from|range of|ranging from)\b[^.;]{0,24}$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?:[.;:]+(?:\s*\b(?:and|or)\b)?(?=\s+\([a-z]\)\s)|[.;:]+(?=\s+[A-Z(\"“])|\n)")
_ITEM = re.compile(r"\([a-z]\)\s")
_PARAGRAPH_NUMBER = re.compile(r"(?:paragraphs?|paras?\.?|annex|appendix|table|no\.?|figure|scenario)\s*$", re.IGNORECASE)


#: What goes on behind digits that are no number ("5.2.1.4", "R152B").
_GOES_ON = re.compile(r"\w|\.\d")
_NO_COUNT = re.compile(r"\s+(?:more|again|the|a|an|it|all)\b", re.IGNORECASE)
_UNIT_BEHIND = re.compile(rf"\s*(?:{_UNIT})", re.IGNORECASE)
_TOLERANCE_WORDS = re.compile(r"\s*,?\s*(?:\(?\s*(?:with\s+)?(?:a\s+)?(?:tolerance\s+of\s+)?)?")
#: How far before a number its words are looked for; farther ones are about something else, and a long text stays linear.
_NEAR = 80


@dataclass(frozen=True)
class Measurement:
    """A number in running text: [start, end) covers number, tolerance aside and unit."""

    value: Decimal
    unit: str
    bound: Bound
    tolerance: Tolerance | None
    start: int
    end: int


@dataclass(frozen=True)
class Sentence:
    """A sentence, a lettered item or a line: [start, end) of the text it stands in."""

    text: str
    start: int
    end: int


def decimal(text: str) -> Decimal:
    """A number with its source's digits; digit groups, a decimal comma and a long minus are understood."""
    grouped = re.fullmatch(rf"(?P<whole>{_GROUPED})(?P<rest>\.\d+)?", text)
    if grouped:
        return Decimal(re.sub(r"\D", "", grouped["whole"]) + (grouped["rest"] or ""))
    return Decimal(text.replace(",", ".").replace("−", "-").replace("–", "-"))


def sentences(text: str) -> tuple[Sentence, ...]:
    """Sentences with their positions; a line break always ends one, the dots of paragraph numbers do not."""
    found: list[Sentence] = []
    start = 0
    for match in _SENTENCE_END.finditer(text):
        if match.group(0) == "." and re.search(
            r"\b(?:No|e\.g|i\.e|para|paras|approx)$", text[max(start, match.start() - _NEAR) : match.start()]
        ):
            continue
        found.append(Sentence(text[start : match.end()].strip(), start, match.end()))
        start = match.end()
    if text[start:].strip():
        found.append(Sentence(text[start:].strip(), start, len(text)))
    return tuple(sentence for sentence in found if sentence.text)


def units_named(text: str) -> tuple[str, ...]:
    """Units that a caption or header declares: "... in km/h", "... (km/h)", "... [km/h]"."""
    return tuple(name for match in _DECLARED.finditer(text) if (name := _unit(match)))


def tolerance(text: str) -> Tolerance | None:
    """The first tolerance in a text ("+0/-2", "+0/-0.4 km/h", "±1"), None when there is none."""
    match = _TOLERANCE.search(text)
    if match is None:
        return None
    if match["both"]:
        return Tolerance(plus=decimal(match["both"]), minus=decimal(match["both"]))
    return Tolerance(plus=decimal(match["plus"] or match["plus2"]), minus=decimal(match["minus"] or match["minus2"]))


def measurements(text: str) -> tuple[Measurement, ...]:
    """Every number with a unit (or count) in reading order, also dimensionless ones (unit "1").

    Numbers in a list or range take the unit of the one that has it; tolerances are attached to their number and are
    not reported as numbers. Left out are paragraph numbers, the rest of a number that cannot be read as a whole ("4 1/2"),
    and a number whose tolerance is stated in another unit.
    """
    in_tolerances = {at for match in _TOLERANCE.finditer(text) for at in range(*match.span())}
    found: list[Measurement] = []
    pending: list[re.Match[str]] = []
    for match in _VALUE.finditer(text):
        if match.start() in in_tolerances:
            continue
        if match["word"] and _unit(match) is None and match["word"].lower() != "level":
            if match["word"].lower() not in ("once", "twice"):
                pending.append(match)  # "one or two seconds"
            elif not _no_count(text, match):
                found.append(_measure(text, match, "times"))
            continue
        if match["digits"] and _PARAGRAPH_NUMBER.search(_before(text, match.start())):
            continue
        if match["digits"] and _unit(match) is None and _GOES_ON.match(text, match.end("digits")):
            continue  # part of a paragraph number or a name ("5.2.1.4", "R152B")
        unit = _unit(match)
        if _BROKEN.search(_before(text, match.start())) or _foreign_tolerance(text, match, unit):
            pending = []
            continue
        if unit is None:
            pending.append(match)
            continue
        chain: list[re.Match[str]] = []
        right = _start(text, match)
        while pending and _JOIN.match(text[_bare_end(pending[-1]) : right]):
            right = _start(text, pending[-1])
            chain.insert(0, pending.pop())
        found.extend(_measure(text, member, "1") for member in pending if not member["word"])
        pending = []
        last = _measure(text, match, unit)
        # a tolerance behind a list holds for the whole list
        listed = [replace(item, tolerance=item.tolerance or last.tolerance) for item in (_measure(text, m, unit) for m in chain)]
        found.extend(_one_bound(text, [*listed, last]))
    found.extend(_measure(text, member, "1") for member in pending if not member["word"])
    found.sort(key=lambda item: item.start)
    return _with_ranges(text, found)


def _before(text: str, end: int) -> str:
    """The words near before a place."""
    return text[max(0, end - _NEAR) : end]


def _no_count(text: str, match: re.Match[str]) -> bool:
    """Whether "once" is no count: "at once", "once more", "once the test has begun"."""
    at_once = re.search(r"\bat\s+$", _before(text, match.start()), re.IGNORECASE)
    return bool(at_once or _NO_COUNT.match(text, match.end("word")))


def _unit(match: re.Match[str]) -> str | None:
    for index, (_, name) in enumerate(_UNITS):
        if match[f"u{index}"]:
            return name
    return None


def _measure(text: str, match: re.Match[str], unit: str) -> Measurement:
    start = _start(text, match)
    value = decimal(match["digits"]) if match["digits"] else Decimal(_WORDS[match["word"].lower()])
    if match["sign"] and start == match.start() and _MINUS.match(match["sign"]):
        value = -value
    end = match.end() if _unit(match) else _bare_end(match)
    attached = tolerance(match["aside"]) if match["aside"] else _tolerance_behind(text, end)
    return Measurement(value, unit, _bound(text, start), attached, start, end)


def _start(text: str, match: re.Match[str]) -> int:
    """Where a number begins: with its sign, unless that is the dash of a range ("10 – 15 km/h")."""
    if match["sign"] and re.search(rf"\d\s*(?:{_ANY_UNIT})?\s*$", _before(text, match.start()), re.IGNORECASE):
        return match.start("digits")
    return match.start()


def _bare_end(match: re.Match[str]) -> int:
    """Where a number without its unit ends, a tolerance in brackets included."""
    return match.end("aside") if match["aside"] else match.end("digits" if match["digits"] else "word")


def _one_bound(text: str, listed: list[Measurement]) -> list[Measurement]:
    """ "at least 3 or 4 seconds": the bound of the first holds for the whole list; a range ("3 to 4") is no list."""
    first = listed[0].bound
    between = [text[before.end : after.start] for before, after in pairwise(listed)]
    if first == "eq" or any(re.search(r"\bto\b|[-–]", words) for words in between):
        return listed
    return [replace(item, bound=first) if item.bound == "eq" else item for item in listed]


def _foreign_tolerance(text: str, match: re.Match[str], unit: str | None) -> bool:
    """Whether the tolerance of a number names another unit ("20 km/h +0/-2 m/s"); a difference of degC may be in K."""
    if unit is None:
        return False
    held = _tolerance_match(text, match.end()) if not match["aside"] else _TOLERANCE.search(match["aside"])
    if held is None:
        return False
    behind = _UNIT_BEHIND.match(held.string, held.end())
    inside = re.search(rf"\d\s*(?:{_UNIT})\s*/", held.group(0), re.IGNORECASE)
    return any(_unit(found) not in (unit, "K" if unit == "degC" else unit) for found in (behind, inside) if found)


def _tolerance_behind(text: str, end: int) -> Tolerance | None:
    """A tolerance that directly follows: "5 km/h +0/-0.4 km/h", "20 km/h (with a tolerance of +0/-2 km/h)"."""
    match = _tolerance_match(text, end)
    return tolerance(match.group(0)) if match else None


def _tolerance_match(text: str, end: int) -> re.Match[str] | None:
    behind = _TOLERANCE_WORDS.match(text, end)
    return _TOLERANCE.match(text, behind.end()) if behind else None


def _bound(text: str, start: int) -> Bound:
    """The bound that the words just before a number give it ("at least", "not more than"), "eq" when none does."""
    before = text[max(0, start - 48) : start]
    before = re.split(r"[.;:(]\s|\d", before)[-1]
    last: Bound = "eq"
    for match in _BOUND.finditer(before):
        if len(before) - match.end() > 26:
            continue
        name = next(name for name, group in match.groupdict().items() if group)
        last = _BOUNDS[int(name[1:])][1]
        if re.search(r"\b(?:not|never|no)\s+$", before[: match.start()]):
            last = {"lt": "ge", "gt": "le"}.get(last, last)  # type: ignore[assignment]
    return last


def lead_in_bound(text: str, item: Sentence) -> Bound:
    """The bound that the words before a list of lettered items give its numbers ("... shall be at most:"), "eq" when none does."""
    if not _ITEM.match(item.text):
        return "eq"
    lead = text[: item.start].rpartition(":")[0].rstrip()
    ends = [match for match in _BOUND.finditer(lead, max(0, len(lead) - 48)) if match.end() == len(lead)]
    return _bound(lead, len(lead)) if ends else "eq"


def _with_ranges(text: str, found: list[Measurement]) -> tuple[Measurement, ...]:
    """ "between 0 °C and 45 °C": the first is a lower, the second an upper bound."""
    result: list[Measurement] = []
    for index, item in enumerate(found):
        result.append(item)
        if index == 0:
            continue
        low = result[index - 1]
        joined = re.match(r"^\s*(?:km/h|mph)?\s*(?:and|to)\s*$", text[low.end : item.start], re.IGNORECASE)
        if joined and low.unit == item.unit and _BETWEEN.search(_before(text, low.start)):
            result[index - 1] = replace(low, bound="ge")
            result[index] = replace(item, bound="le")
    return tuple(result)
