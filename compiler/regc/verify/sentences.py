"""Numbers in sentences made for people: each must be a number of the test that the sentence is about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from regc.verify.cited_places import Place
from regc.verify.folder import Folder
from regc.verify.numbers import WrittenNumber, shown
from regc.verify.open_conditions import Open, every, opened, said
from regc.verify.recalculation import FormulaFault, leaves, parsed
from regc.verify.scenarios_file import Test, cited
from regc.verify.spoken_numbers import CALCULATED, Spoken, spoken, tolerances

#: How a sentence begins that says the limits of several rows of a test's limit table.
BY_ROW = "The limit changes inside the tolerance"


def strange(text: str, numbers: Iterable[WrittenNumber], *, bare: bool = False) -> list[str]:
    """The quantities of a text that none of the numbers is; with `bare` also digits without a unit."""
    numbers = tuple(numbers)
    unknown = []
    for item in _in_digits(text):
        if not (item.unit or bare):
            continue
        if not any(_is(number, item) for number in numbers):
            unknown.append(f"{shown(item.value)} {item.unit}".strip())
    for around in tolerances(text):
        sides = {(n.tolerance.plus, n.tolerance.minus) for n in numbers if n.tolerance and around.unit in ("", n.unit)}
        if (around.plus, around.minus) not in sides:
            unknown.append(f"+{shown(around.plus)}/-{shown(around.minus)} {around.unit}".strip())
    return unknown


def states(text: str) -> bool:
    """Whether a text states any quantity in digits, or a tolerance."""
    return bool(_in_digits(text) or tolerances(text))


def _is(number: WrittenNumber, item: Spoken) -> bool:
    if number.lo is None or number.hi is None:
        return any(item.unit == leaf.unit and item.value in (leaf.lo, leaf.hi) for leaf in _symbol(number))
    if item.unit != number.unit:
        return False
    if item.value in (number.lo, number.hi):
        return True
    return number.basis == "derived" and any(abs(item.value - end) <= CALCULATED for end in (number.lo, number.hi))


@lru_cache(maxsize=65536)
def _in_digits(text: str, unit: str = "") -> tuple[Spoken, ...]:
    """The quantities that a text states in digits; `unit`: of a bare number."""
    return tuple(item for item in spoken(text, unit) if re.search(r"\d", text[item.start : item.end]))


def _symbol(number: WrittenNumber) -> tuple[Any, ...]:
    try:
        return leaves(parsed(number.symbol))
    except FormulaFault:
        return ()


#: A condition that a number holds under, behind it or its tolerance.
_WHERE = re.compile(r"(?: \(|, )where ")


def says(text: str, number: WrittenNumber, unit: str = "", *, whole: bool = True) -> bool:
    """Whether a text states just that number: its ends or symbol, unit, side, tolerance, and the conditions that it holds under.
    `unit`: of a bare number. Without `whole` the tolerance may be left out, and all conditions."""
    text, *conditions = _WHERE.split(text.removesuffix(")")) if _WHERE.search(text) else [text]
    if (whole or conditions) and len(conditions) != len(number.conditions):
        return False
    if not all(own.says(text) for own, text in zip(number.conditions, conditions, strict=False)):
        return False
    items = _in_digits(text, unit)
    around = [(item.plus, item.minus) for item in tolerances(text)]
    if (whole or around) and around != ([(number.tolerance.plus, number.tolerance.minus)] if number.tolerance else []):
        return False
    if number.lo is None or number.hi is None:
        return number.symbol in text and all(_is(number, item) for item in items)
    ends = list(dict.fromkeys((number.lo, number.hi)))
    near = CALCULATED if number.basis == "derived" else 0
    side = {"ge": 1, "gt": 1, "le": -1, "lt": -1}.get(number.bound, 0)
    return (
        len(items) == len(ends)
        and all(item.unit == number.unit and abs(item.value - end) <= near for item, end in zip(items, ends, strict=True))
        and items[0].side == side
    )


def without(text: str, names: Iterable[str]) -> str:
    """A text without names that hold digits ("M3<=8t"), the longer ones first; `max` is no name in "maximum"."""
    for name in names:
        if name in text:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
    return text


def labels(test: Test, *more: Any) -> dict[str, Place]:
    """Every place that a test cites, or that `more` of the file does, by the label that files give it."""
    positions = sorted({*test.cited, *(position for part in more for position in cited(part))})
    return {test.places[index].label(test.regulation): test.places[index] for index in positions}


def conditions(folder: Folder, file: str, test: Test, path: str, text: str, more: Iterable[Any] = ()) -> set[Open]:
    """Note every condition of a text that the test does not have; the test's own that it says. `more`: parts of the file whose numbers
    the text may name, too."""
    if "where" not in text:
        return set()
    strange, there = said(without(text, test.names), (*test.conditions, *every(list(more))))
    own = " / ".join(dict.fromkeys(item.words for item in test.conditions))
    for words in strange:
        folder.differ("V563", file, path, f"where {words}", f"the test has {f'where {own}' if own else 'no condition'}", test.id)
    return there


def left_out(folder: Folder, file: str, test: Test, wanted: Iterable[Open], there: set[Open]) -> None:
    """Note the conditions of a test that a text of it must say and does not."""
    for item in dict.fromkeys(wanted):
        if item not in there:
            folder.differ("V563", file, f"{test.id}.conditions", "", f"where {item.words} of scenarios.json is missing", test.id)


def noted(test: Test) -> list[Open]:
    """What the notes of a file say: the conditions of the whole test, and of each of its numbers."""
    own = [opened(item) for item in test.data.get("applies_if", ())]
    return [*own, *(held for number in test.numbers.values() for held in number.conditions)]
