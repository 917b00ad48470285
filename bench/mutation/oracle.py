"""How a mutant that was built came out: by what the mutated place says, read by other means than the compiler's."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation

from bench.mutation.outside import Outside
from bench.mutation.reading import Mutant, Reading, shape

from regc.model.source import SourceRef
from regc.model.value import Value

_SPELLED = {"two": 2, "three": 3, "four": 4, "five": 5}


def judged(mutant: Mutant, before: Reading, after: Reading) -> tuple[str, str]:
    """The outcome of a mutant that was built, and why."""
    if after.told - before.told:
        first = sorted(after.told - before.told)[0]
        return ("refused" if after.errors else "told"), f"{first[0]} {first[1][:120]}"
    changed = sorted(
        key for key in before.values.keys() | after.values.keys() if _changed(before.values.get(key), after.values.get(key))
    )
    words = sorted(key for key in before.words.keys() | after.words.keys() if before.words.get(key) != after.words.get(key))
    steering = [key for key in changed if "|told" not in key and "|said" not in key]
    told_only = mutant.kind == "sentence: second number" and not steering and not _taken(mutant, before)
    as_above = mutant.kind == "cell: dash" and not mutant.new and not changed and not words  # a blank says what the row above says
    if mutant.must_tell and not told_only and not as_above and not (mutant.kind == "sentence: worked example" and changed):
        return "silent", f"nothing told; changed: {[*changed, *words][:3]}"
    if as_above:
        return "equal", "as the row above says"
    wrong = [key for key in changed if not _as_it_stands(mutant, key, before.values.get(key), after.values.get(key))]
    if wrong:
        key = wrong[0]
        return "silent", f"{key}: {_say(before.values.get(key))} -> {_say(after.values.get(key))} (and {len(wrong) - 1} more)"
    lost = _unheard(mutant, before, changed, words)
    if lost:
        return "silent", f"{lost} says {mutant.new!r} now, and nothing changed"
    return "equal", f"{len(changed)} numbers, {len(words)} words changed"


def _changed(before: Value | None, after: Value | None) -> bool:
    if before is None or after is None:
        return before is not after
    return shape(before) != shape(after)


def _say(value: Value | None) -> str:
    if value is None:
        return "none"
    around = f" +{value.tolerance.plus}/-{value.tolerance.minus}" if value.tolerance else ""
    return f"{value.bound} {value.lo}..{value.hi} {value.unit}{around}{f' ({value.symbol})' if value.symbol else ''}"


def _numbers(text: str) -> set[Decimal]:
    found = {Decimal(word) for word in re.findall(r"\d+(?:\.\d+)?", text)}
    return found | {Decimal(number) for word, number in _SPELLED.items() if word in text.lower().split()}


def _as_it_stands(mutant: Mutant, key: str, before: Value | None, after: Value | None) -> bool:
    """Whether a changed number is what the mutated place says: the new number, unit, bound or tolerance where the old one was; or the
    number of another cell that the table's own rule gives at a changed key."""
    if after is None or before is None:
        held = after or before
        assert held is not None
        if "|told" in key and mutant.kind in ("sentence: bound word", "sentence: negation"):
            return True  # the same digits with other words before them, which are told as they stand
        near = _numbers(mutant.new if before is None else mutant.old)
        whole = {held.lo, held.hi} - {None}
        return (
            bool(whole & near)
            or held.basis != "cited"
            or mutant.kind.startswith(("cell", "columns", "rows", "pdf"))
            or _stands(mutant, held)
        )
    if mutant.bound == "negated":
        return before.bound != after.bound
    new, old = _numbers(mutant.new), _numbers(mutant.old)
    stood = {before.lo, before.hi, *_around(before)}
    for number in {after.lo, after.hi, *_around(after)} - stood - {None}:
        if number not in new and after.basis == "cited" and not _stands(mutant, after):
            return False
    if before.unit != after.unit and after.unit not in mutant.new and not (old - new):
        return mutant.kind == "sentence: unit"
    if before.bound != after.bound and mutant.bound and mutant.bound != after.bound:
        return False
    return before.bound == after.bound or bool(mutant.bound) or mutant.kind == "sentence: letter"


def _around(value: Value) -> set[Decimal]:
    return {value.tolerance.plus, value.tolerance.minus} if value.tolerance else set()


def _stands(mutant: Mutant, value: Value) -> bool:
    """Whether a cell of the mutated text, read by a grid of its own, says the number at the row and column that the value names."""
    name, content = next(iter(mutant.files.items()))
    if not name.endswith(".md"):
        return True
    outside = Outside(content.decode(), ())
    return all(_cell_says(outside, source, value) for source in value.sources[:1] if source.table)


def _cell_says(outside: Outside, source: SourceRef, value: Value) -> bool:
    for grid in outside.grids(source.clause):
        for row in grid:
            for head, cell in zip(_heads(grid), row, strict=True):
                if row[0] == source.row and head.endswith((source.column or "").split(" > ")[-1]):
                    try:
                        if value.lo in (Decimal(cell), None):
                            return True
                    except InvalidOperation:
                        if value.lo in _numbers(cell):
                            return True
    return False


def _heads(grid: list[list[str]]) -> list[str]:
    first = next((index for index, row in enumerate(grid) if re.fullmatch(r"[\d.]+", row[0])), 1)
    return [grid[first - 1][column] for column in range(len(grid[0]))]


def _unheard(mutant: Mutant, before: Reading, changed: list[str], words: list[str]) -> str:
    """A number of a test that stood at the mutated place, where nothing changed."""
    if mutant.kind == "sentence: negation":
        return "" if any(key for key in changed if "|told" not in key and "|said" not in key) else _negated(mutant, before)
    if changed or words or not mutant.matters or mutant.kind in ("rows swapped", "sentence: letter", "mark", "caption"):
        return ""
    if mutant.kind == "tolerance sign" and (mutant.new == mutant.old.lstrip("+") or mutant.old[0] == "±"):
        return ""
    if mutant.kind == "pdf: digit":
        return _quoted(mutant, before)
    if mutant.kind.startswith(("cell", "columns", "pdf")):
        return mutant.place if _numbers(mutant.old) != _numbers(mutant.new) else ""
    clause = mutant.place.partition(":")[0]
    old = _numbers(mutant.old)
    for key, value in before.values.items():
        cited = [source for source in value.sources if source.clause == clause and not source.table]
        around = {value.lo, value.hi, *_around(value)} & old
        if cited and (around or (not old and mutant.old.strip() in cited[0].quote and mutant.bound)):
            return key
    return ""


def _quoted(mutant: Mutant, before: Reading) -> str:
    """A number of a test whose quote ends with the words at the mutated place."""
    stood = _plain(mutant.place + mutant.old)
    for key, value in before.values.items():
        for source in value.sources:
            quote = _plain(source.quote)
            if not source.table and len(quote) > 8 and (stood.endswith(quote) or quote.endswith(stood[-24:])):
                return key
    return ""


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _taken(mutant: Mutant, before: Reading) -> bool:
    """Whether a test takes a number of the mutated clause that the old text has."""
    clause = mutant.place.partition(":")[0]
    return any(
        source.clause == clause and {value.lo, value.hi, *_around(value)} & _numbers(mutant.old)
        for key, value in before.values.items()
        if "|told" not in key and "|said" not in key
        for source in value.sources
        if not source.table
    )


def _negated(mutant: Mutant, before: Reading) -> str:
    """A number that a test takes from the part of the sentence that says the opposite now."""
    clause = mutant.place.partition(":")[0]
    text = next(iter(mutant.files.values())).decode()
    at = text.find(mutant.tail)
    sentence = " ".join(re.split(r"(?<=[a-z\d)])[.;](?=\s|<)", text[at:], maxsplit=1)[0].split())
    for key, value in before.values.items():
        if "|told" in key or "|said" in key or value.lo is None:
            continue
        for source in value.sources:
            if source.clause == clause and not source.table and " ".join(source.quote.split()) in sentence:
                return key
    return ""
