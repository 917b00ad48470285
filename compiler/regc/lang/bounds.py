"""What the words around a number bound it to: "at least", "no later than", "shall in no case exceed".

A comparative bounds ("more than": above) and a "not" of its own clause turns it ("not ... more than": at most), with words, an aside
between commas or another number between them. What could be read to either side is unclear and bounds nothing. A bound that is said of
the first of several alternatives ("at most 5 m or, in rain, 7 m") holds for each. Words are data: vocabulary.toml.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from regc.lang.vocabulary import vocabulary
from regc.model.value import Bound

#: Most words between a "not" and what it turns; more where the comparative is a margin: "not exceed the declared value by more than".
_REACH, _REACH_OF_MARGIN = 6, 16
#: What begins a clause of its own behind a "not".
_CLAUSE = re.compile(r"\b(?:when|if|while|whilst|unless|where|whereas|because|since|although|once|provided|only)\b|[;:]\s", re.I)
#: Whether a "not" before these words reaches what stands behind them is not certain.
_JOINED = re.compile(r"\b(?:and|but|that|which|who|whose)\b", re.I)
_BOTH_SIDES = re.compile(r"\b(?:more|less|greater|smaller|fewer|earlier|later)\s+(?:or|and|nor)\s+(?:no[rt]?\s+)?$", re.I)
_AVERAGED = re.compile(r"\b(?:average[ds]?|averaging|mean|filtered|integrated)\b", re.I)
_WINDOW = re.compile(
    r"\bover (?:any |an? |the )?(?:\w+ )?(?:distance|length|stretch|section|period|interval|time|duration|window) of\s*$", re.I
)
_LASTS_OVER = re.compile(r"\b(?:for|of|by|is|are|be|lasts?|lasting|takes?|taking|well|just)\s+over\s*$", re.I)
_OVER = re.compile(r"\bover\b[^,.;:\d]{0,28}$", re.I)
#: What parts alternatives from one another: "in rain", "for M1", "where the vehicle has a trailer".
_WHEN = r"(?:in|on|for|with|without|where|when|if|at|under|below|above|before|after|from|to|during|unless|until|otherwise)"
_OTHER_WORDS = r"(?:[^,.;:()\d]|(?<=[A-Z])\d)"
#: What stands before another alternative's number: ", in rain,", "for vans", "a time of". A number right behind "of" or "at" is of a
#: phrase of its own ("in a lane of 4 m").
_ASIDE = (
    rf"(?:,\s*{_OTHER_WORDS}{{1,60}},|\s{_WHEN}\s{_OTHER_WORDS}{{1,40}}"
    r"(?<!\bat)(?<!\bof)(?<!\bby)(?<!\bto)(?<!\bin)(?<!\bon)(?<!\bis)(?<!\ba)(?<!\bfor)(?<!\bare)(?<!\bthe)(?<!\bthan)(?<!\bwith)(?<!\bfrom),?)"
)
_NAMED = r"\s(?:after|of|(?:an?|the)\s(?:\w+\s){1,3}of)"
_OR = re.compile(rf"(?:(?!\b(?:shall|must)\b)[^.;:()]){{0,80}}?,?\s+or(?:{_ASIDE}|{_NAMED})?\s+", re.I)
_AND = re.compile(
    rf"\s+{_WHEN}\b(?:(?!\b(?:shall|must)\b)[^.:()]){{1,80}}?(?:[,;]|,?\s+(?:and|but))(?P<aside>{_ASIDE})?(?:{_NAMED})?\s+", re.I
)
_BRACKET = re.compile(rf"\s*\((?P<aside>{_WHEN}\s[^():\d]{{1,40}}:?)?\s*", re.I)
_WHEN_BEHIND = re.compile(rf"\s*,?\s*{_WHEN}\b", re.I)
_UNCLEAR_NOT = "it is not certain whether the \"not\" turns '{0}' before it"
_UNCLEAR_TIME = "'{0}' of a distance may mean at least and may mean at most"


@dataclass(frozen=True)
class Bounded:
    """A bound, with its words ("" for none). `unclear`: why the words cannot be read, "" where they can; `either`: why they name a
    number and no side of it, so that whoever takes it must say the side."""

    bound: Bound = "eq"
    words: str = ""
    unclear: str = ""
    either: str = ""


def bounded(before: str, behind: str = "", dimension: str = "time", clause: str = "") -> Bounded:
    """What words bound a number of a dimension to. `before`: since the number before; `clause`: since the sentence began.

    >>> [bounded(words).bound for words in ("at least ", "shall not exceed ", "a speed of ", "does not start earlier than ")]
    ['ge', 'le', 'eq', 'ge']
    >>> bounded("", " or more").bound, bounded("at the latest ", " before braking").bound
    ('ge', 'ge')
    """
    clause = clause or before
    comparative = _comparative(before)
    if comparative is None:
        behinds = vocabulary().bounds.behind
        after: Bound = next((side for side, pattern in behinds if pattern.match(behind)), "eq")
        return Bounded(after)
    side, match, in_time, only_turned = comparative
    words = " ".join(match["words"].split())
    if words.lower().startswith("over") and _is_window(clause, dimension):
        return Bounded()
    turn = _turn(clause[: len(clause) - len(before) + match.start("words")], words)
    if only_turned and turn != "turned":
        return Bounded()
    if in_time and dimension == "length":
        return Bounded(either=_UNCLEAR_TIME.format(words))
    if in_time and dimension not in ("time", "count"):
        return Bounded()
    if _BOTH_SIDES.search(before[: match.start("words")]):
        return Bounded(unclear=_UNCLEAR_NOT.format(words))
    if side in ("ge", "le") and re.search(r"equal to$|^at or", words, re.I):
        if turn == "unclear":
            return Bounded(unclear=_UNCLEAR_NOT.format(words))
        side = side if not turn else "lt" if side == "ge" else "gt"
    elif side in ("ge", "le"):
        # "not act for at least 5 s" asks 5 s; "not at least 5 s" could ask either; "not within 5 m" asks more
        near = re.search(rf"(?:{vocabulary().bounds.turn.pattern})\s*$", before[: match.start("words")], re.I)
        if words.lower() == "within" and turn == "turned":
            side = "gt"
        elif near and words.lower() not in ("≥", "≤", ">=", "<="):
            return Bounded(unclear=_UNCLEAR_NOT.format(words))
    elif turn == "unclear":
        return Bounded(unclear=_UNCLEAR_NOT.format(words))
    elif turn == "turned":
        side = "le" if side == "gt" else "ge"
    if in_time and vocabulary().bounds.lead.match(behind):
        side = turned(side)
    return Bounded(side, words)


def is_alternative(between: str, behind: str) -> bool:
    """Whether a number is another alternative of the one before it, whose bound it shares. `between`: the words between them.

    >>> is_alternative(" or, in rain, ", ""), is_alternative(" for cars and ", " for vans"), is_alternative(" and a target at ", "")
    (True, True, False)
    """
    between = re.sub(r"\([^()]*\)", "", between)
    if _OR.fullmatch(between):
        return True
    parted = _AND.fullmatch(between) or _BRACKET.fullmatch(between)
    return parted is not None and (parted["aside"] is not None or _WHEN_BEHIND.match(behind) is not None)


def turned(bound: Bound) -> Bound:
    """The bound on the other side: at least -> at most."""
    opposite: dict[Bound, Bound] = {"ge": "le", "le": "ge", "gt": "lt", "lt": "gt"}
    return opposite.get(bound, bound)


def _comparative(before: str) -> tuple[Bound, re.Match[str], bool, bool] | None:
    """The comparative next to a number (the longer of two that end alike): its side, its match, whether it is one in time, and whether
    it bounds only where it is turned ("not before 1 s")."""
    bounds = vocabulary().bounds
    groups = (
        (bounds.touching, False, False),
        (bounds.before, False, False),
        (bounds.in_time, True, False),
        (bounds.turned, True, True),
    )
    matches = [
        (side, match, in_time, only_turned)
        for group, in_time, only_turned in groups
        for side, pattern in group
        if (match := _last(pattern, before)) is not None
    ]
    return max(matches, key=lambda item: (item[1].end("words"), -item[1].start("words")), default=None)


def _last(pattern: re.Pattern[str], before: str) -> re.Match[str] | None:
    """The match that stands nearest to the number."""
    match, last = pattern.search(before), None
    while match is not None:
        last = match
        match = pattern.search(before, match.end("words"))
    return last


def _turn(clause: str, words: str) -> str:
    """Whether a "not" before a comparative turns it: "turned", "unclear", or "" for no."""
    bounds = vocabulary().bounds
    nots = list(bounds.turn.finditer(clause))
    if not nots:
        return ""
    between = clause[nots[-1].end() :]
    margin = re.search(r"\bby\s*$", between, re.I) is not None
    if _CLAUSE.search(between):
        return ""
    aside = re.sub(r"^(\s*(?:\w+)?\s*),[^,]*,", r"\1", between)
    if re.search(r",(?!\d)", aside) or len(aside.split()) > _REACH_OF_MARGIN:
        return ""
    earlier = [match for pattern in bounds.comparatives for match in pattern.finditer(aside)]
    if earlier and not margin:
        rest = aside[max(match.end() for match in earlier) :]
        if words.lower() == "within":
            return ""
        return "turned" if re.search(r"\bor\b", rest, re.I) else "unclear" if re.search(r"\band\b", rest, re.I) else ""
    if _JOINED.search(aside) or (len(aside.split()) > _REACH and not margin):
        return "unclear"
    asked = re.search(r"\b(?:shall|must|may|can)\s*$", clause[: nots[-1].start()], re.I)
    lasting = re.search(r"\bfor(?: a (?:period|time|duration) of)?\s*$", aside, re.I)
    if lasting and aside[: lasting.start()].strip() and not asked:
        return "unclear"
    return "turned"


def _is_window(clause: str, dimension: str) -> bool:
    """Whether "over" names what is averaged or passed ("the average over 2 s", "over a distance of 60 m"): no bound."""
    if _WINDOW.search(clause):
        return True
    over = _OVER.search(clause)
    if over is not None and dimension in ("time", "length") and _AVERAGED.search(clause[: over.start()]):
        return True
    return dimension == "time" and not _LASTS_OVER.search(clause)
