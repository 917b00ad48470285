"""One fault in a file: in a text by its kind, or in one of a Markdown and its layout, which then differ."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence

from bench.mutation import sentences, tables
from bench.mutation.outside import NUMBER, Edit, Outside, digit, hits_of
from bench.mutation.reading import Mutant

TEXT_KINDS: dict[str, Callable[[Outside, random.Random], Edit]] = {
    "sentence: number": sentences.sentence_number,
    "sentence: worked example": sentences.example_number,
    "sentence: bound word": sentences.bound_word,
    "sentence: unit": sentences.unit_word,
    "tolerance sign": sentences.tolerance_sign,
    "sentence: second number": sentences.second_number,
    "sentence: negation": sentences.negation,
    "sentence: letter": sentences.characters,
    "cell: digit": tables.cell_digit,
    "cell: glued digit": tables.glued_digit,
    "cell: dash": tables.dash_for_number,
    "rows swapped": tables.rows_swapped,
    "row removed": tables.row_removed,
    "row twice": tables.row_twice,
    "columns swapped": tables.columns_swapped,
    "heads swapped": tables.heads_swapped,
    "caption": tables.caption,
    "footnote": tables.footnote,
    "mark": tables.mark,
}


def text_mutant(name: str, text: str, scope: Sequence[str], kind: str, rng: random.Random) -> Mutant | None:
    """A text with one change of a kind; None where the text has no place for it."""
    outside = Outside(text, scope)
    try:
        start, end, new, must_tell, bound = TEXT_KINDS[kind](outside, rng)
    except (IndexError, ValueError):
        return None
    old = text[start:end]
    if old == new:
        return None
    place = next((part.clause for part in outside.parts if part.start <= start < part.end), "")
    changed = text[:start] + new + text[end:]
    around = " ".join(text[max(0, start - 40) : start].split())
    return Mutant(kind, f"{place}: ...{around}", old, new, {name: changed.encode()}, must_tell, bound, tail=text[end : end + 60])


def pair_mutant(files: Mapping[str, bytes], scope: Sequence[str], rng: random.Random) -> Mutant | None:
    """One digit of the Markdown or of the layout, which say the same: they differ now."""
    name = rng.choice(list(files))
    text = files[name].decode()
    if name.endswith(".md"):
        outside = Outside(text, scope)
        hits = hits_of(outside, NUMBER, outside.in_scope())
    else:
        hits = [
            hit
            for hit in re.finditer(r"(?<=<td>)\d+(?:\.\d+)?(?=</td>)|(?<= )\d+(?:\.\d+)? (?=km/h|m/s|seconds)", text)
            if text.rfind('"para_blocks"', 0, hit.start()) > text.rfind('"preproc_blocks"', 0, hit.start())
        ]
    hit = rng.choice(hits)
    new = digit(hit.group(), rng)
    around = " ".join(text[max(0, hit.start() - 60) : hit.start()].split())
    changed = {**files, name: (text[: hit.start()] + new + text[hit.end() :]).encode()}
    return Mutant(f"pair: {'Markdown' if name.endswith('.md') else 'layout'}", around, hit.group(), new, changed, must_tell=True)
