"""Open conditions of a test ("where the declared maximum design speed is at least 78 km/h") in the texts that say them: each is one of
the test's own, word for word, and none of the test's own is left out. What is declared is named as the file's list of quantities reads
it, which has the words of the profile."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from regc.verify.spoken_numbers import CALCULATED, UNITS

_SIGNS = {"<=": "not more than", ">=": "at least", "<": "less than", ">": "more than", "==": "exactly", "!=": "other than"}
_OPERATORS = {" + ": " plus ", " - ": " minus ", " * ": " times ", " / ": " divided by "}
_COMPARED = re.compile(r"(?P<left>.+) (?P<sign><=|>=|<|>|==|!=) (?P<right>.+)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_AMOUNT = re.compile(r"(?P<low>-?\d+(?:\.\d+)?)(?: to (?P<high>-?\d+(?:\.\d+)?))?(?: (?P<unit>\S.*))?")
#: What begins a condition in a text that regc made: "(where ...", ", where ...", "; where ...", "only where ...", "Only where ...".
_BEGINS = re.compile(r"(?:[,;] |\b[Oo]nly |\band |\()where ")
#: What ends one.
_ENDS = re.compile(r"[),;:]|\.(?!\d)| and |$")


@dataclass(frozen=True)
class Open:
    """A condition that was open at the build: a comparison as files write it ("v_design >= 78 km/h"), or a statement in words.

    `names`: the declared names of a comparison, with the words that texts have for each.
    """

    text: str
    names: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """How a text for people says it; its numbers are groups."""
        compared = _COMPARED.fullmatch(self.text)
        if compared is None:
            return re.compile(re.escape(self.text))
        left, right = _side(compared["left"], self.names), _side(compared["right"], self.names)
        return re.compile(rf"{left} is {_SIGNS[compared['sign']]} {right}")

    def says(self, text: str, at: int = 0) -> re.Match[str] | None:
        """Where a text says just this condition at a position."""
        match = self.pattern.match(text, at)
        if match is None:
            return None
        own = [Fraction(digits) for digits in _NUMBER.findall(self.text)]
        there = [Fraction(digits) for digits in _NUMBER.findall(match[0])]
        near = len(own) == len(there) and all(abs(one - other) <= CALCULATED for one, other in zip(own, there, strict=True))
        return match if near and _ENDS.match(text, match.end()) else None

    @property
    def words(self) -> str:
        """It for a message."""
        compared = _COMPARED.fullmatch(self.text)
        if compared is None:
            return self.text
        left, right = (_spoken(compared[side], self.names) for side in ("left", "right"))
        return f"{left} is {_SIGNS[compared['sign']]} {right}"


def _side(text: str, names: Sequence[tuple[str, str]]) -> str:
    """A side of a comparison as a pattern: a number in any digits with its unit in any writing, a symbol in words."""
    amount = _AMOUNT.fullmatch(text)
    if amount is None or (amount["unit"] or "") not in UNITS:
        return re.escape(_spoken(text, names))
    digits = r"-?\d+(?:\.\d+)?" + (r" to -?\d+(?:\.\d+)?" if amount["high"] else "")
    return digits + (rf" ?(?:{UNITS[amount['unit']].written})" if amount["unit"] else "")


def _spoken(text: str, names: Sequence[tuple[str, str]]) -> str:
    """A side of a comparison as texts say it: the signs and declared names of a symbol in words."""
    words = dict(names)
    if not any(re.search(rf"\b{re.escape(name)}\b", text) for name in words):
        return text
    tokens = re.split(r"( [-+*/] |\b[A-Za-z_]\w*\b)", text)
    return "".join(_OPERATORS.get(token, "") or _named(token, words) for token in tokens)


def _named(token: str, words: Mapping[str, str]) -> str:
    """A name of what is declared, as texts say it: "the declared maximum design speed"."""
    if token not in words:
        return token
    said = words[token]
    for first in ("the ", "a ", "an ", "its "):
        said = said.removeprefix(first)
    return f"the {said}" if "declare" in said else f"the declared {said}"


def opened(data: Any) -> Open:
    """A condition of a file: words, or a comparison or a statement with its parts."""
    if isinstance(data, str):
        return Open(" ".join(_plain(word) for word in data.split(" ")))
    if "sign" not in data:
        return Open(data["reason"])
    names = tuple((str(name), str(words)) for side in ("left", "right") for name, words in data[side].get("called", ()))
    return Open(f"{_value(data['left'])} {data['sign']} {_value(data['right'])}", names)


def _value(data: Mapping[str, Any]) -> str:
    if data.get("lo") is None:
        return str(data["symbol"])
    ends = " to ".join(_plain(end) for end in dict.fromkeys((data["lo"], data["hi"])))
    return f"{ends} {data.get('unit', '')}".strip()


def _plain(digits: str) -> str:
    """Digits without the zeros that say nothing."""
    return digits.rstrip("0").rstrip(".") if re.fullmatch(r"-?\d+\.\d+", digits) else digits


def asked(test: Mapping[str, Any]) -> tuple[Open, ...]:
    """The conditions of a test itself, of its criteria, and the reasons that leave one out."""
    conditions = [opened(item) for item in test.get("applies_if", ())]
    for criterion in test.get("require", ()):
        conditions += [opened(item) for item in criterion.get("only_if", ())]
        if criterion.get("unless"):
            conditions.append(opened(criterion["unless"]))
    return tuple(dict.fromkeys(conditions))


def every(data: Any) -> Iterator[Open]:
    """Every condition of a part of a file, those of its numbers too."""
    if isinstance(data, dict):
        for key, part in data.items():
            if key in ("applies_if", "only_if", "holds_if"):
                yield from (opened(item) for item in part)
            elif key == "unless" and part:
                yield opened(part)
            if isinstance(part, (dict, list)):
                yield from every(part)
    elif isinstance(data, list):
        for part in data:
            if isinstance(part, (dict, list)):
                yield from every(part)


def said(text: str, own: Iterable[Open]) -> tuple[list[str], set[Open]]:
    """What a text says behind "where" that is none of a test's own conditions, and those of its own that it says."""
    own = tuple(own)
    strange, there = [], set()
    for begin in _BEGINS.finditer(text):
        at = begin.end()
        while True:
            matches = [(match, item) for item in own if (match := item.says(text, at))]
            if not matches:
                end = _ENDS.search(text, at)
                strange.append(text[at : end.start() if end else len(text)].strip()[:80])
                break
            match, item = max(matches, key=lambda held: held[0].end())
            there.add(item)
            if not text.startswith(" and ", match.end()) or text.startswith(" and where ", match.end()):
                break
            at = match.end() + len(" and ")
    return strange, there
