"""Numbers that the sequence does not force but that something else speaks for: reported, never repaired."""

from __future__ import annotations

from collections.abc import Sequence

from regc.readers.assemble.numbering import Number, parse, show
from regc.readers.assemble.paragraphs import ITEM, Unit, goes_on, title_like


def suspects(units: Sequence[Unit], *, damaged: bool, prefix: str = "") -> list[tuple[tuple[Number, ...], str]]:
    """Numbers that the sequence does not force but that something else speaks for, each with what speaks for it.

    Only where numbers are known to be lost (in this region, or `damaged`: in the document): elsewhere an only child is one.
    """
    numbered = [(index, unit.number) for index, unit in enumerate(units) if unit.number]
    if not damaged and not any(unit.number and parse(unit.printed or "") != unit.number for unit in units):
        return []
    children: dict[Number, list[Number]] = {}
    for _, number in numbered:
        children.setdefault(number[:-1], []).append(number)
    depths = {len(number) for _, number in numbered}
    found: list[tuple[tuple[Number, ...], str]] = []
    for position, (index, number) in enumerate(numbered):
        end = numbered[position + 1][0] if position + 1 < len(numbered) else len(units)
        following = numbered[position + 1][1] if position + 1 < len(numbered) else None
        extra = _extra(units, index, end)
        if not extra:
            continue
        only = next((number[:depth] for depth in range(len(number), 1, -1) if len(children.get(number[: depth - 1], ())) == 1), None)
        if only and (following is None or following[: len(only) - 1] != only[:-1]) and _all_last(number, only, children):
            names = tuple((*only[:-1], only[-1] + step) for step in range(1, (extra if extra <= 2 else 1) + 1))
            found.append((names, f"{show(only, prefix)} is an only child, unnumbered paragraphs after it: {extra}"))
        elif extra > 1 and parse(units[index].printed or "") != number and not children.get(number) and len(number) + 1 in depths:
            found.append(
                (((*number, 1),), f"the number {show(number, prefix)} was lost itself, unnumbered paragraphs after it: {extra}")
            )
    return found


def _extra(units: Sequence[Unit], index: int, end: int) -> int:
    """Paragraphs of a clause beyond its first text, without items and the rest of cut sentences."""
    texts: list[str] = []
    for unit in units[index:end]:
        text = unit.text.strip()
        if unit.kind != "text" or not text or ITEM.match(text) or (texts and goes_on(texts[-1], text)):
            continue
        texts.append(text)
    if texts and title_like(texts[0]):
        texts = texts[1:]
    return max(len(texts) - 1, 0)


def _all_last(number: Number, only: Number, children: dict[Number, list[Number]]) -> bool:
    """Whether `number` is the last descendant of `only`."""
    return all(
        children.get(number[:depth], [number[: depth + 1]])[-1] == number[: depth + 1] for depth in range(len(only), len(number))
    )
