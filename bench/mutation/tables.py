"""Faults in tables and below them: cells, rows, columns, headers, captions, footnotes and their marks."""

from __future__ import annotations

import random
import re

from bench.mutation.outside import Edit, Outside, digit


def _rows(outside: Outside, rng: random.Random, least: int = 1) -> tuple[list[re.Match[str]], str]:
    spans = [(a, b) for a, b in outside.tables() if len(_body_rows(outside.text, a, b)) >= least]
    start, end = rng.choice(spans)
    return _body_rows(outside.text, start, end), outside.text[start:end]


def _body_rows(text: str, start: int, end: int) -> list[re.Match[str]]:
    pattern = re.compile(r"<tr>(?:(?!</tr>|<th).)*</tr>\n?|<ROW\b.*?</ROW>\s*", re.DOTALL)
    return [hit for hit in pattern.finditer(text, start, end) if re.search(r"<td>|<ENT", hit.group())]


_CELL = re.compile(r"(?<=<td>)[^<]*(?=</td>)|(?<=>)[^<>]+(?=</ENT>|\n)")


def _cells(outside: Outside, row: re.Match[str]) -> list[re.Match[str]]:
    return list(_CELL.finditer(outside.text, row.start(), row.end()))


def cell_digit(outside: Outside, rng: random.Random) -> Edit:
    """One digit of a cell."""
    row = rng.choice(_rows(outside, rng)[0])
    cell = rng.choice([hit for hit in _cells(outside, row) if re.search(r"\d", hit.group()) and not re.search(r"\(S\d", hit.group())])
    return cell.start(), cell.end(), digit(cell.group(), rng), False, ""


def glued_digit(outside: Outside, rng: random.Random) -> Edit:
    """A digit more behind the number of a cell, as a mark that became a digit."""
    row = rng.choice(_rows(outside, rng)[0])
    cell = rng.choice([hit for hit in _cells(outside, row) if hit.group()[-1:].isdigit()])
    return cell.start(), cell.end(), cell.group() + rng.choice("123456789"), False, ""


def dash_for_number(outside: Outside, rng: random.Random) -> Edit:
    """A dash, or nothing, where a cell has a number."""
    row = rng.choice(_rows(outside, rng)[0])
    cell = rng.choice([hit for hit in _cells(outside, row) if any(sign.isdigit() for sign in hit.group())])
    return cell.start(), cell.end(), rng.choice(["-", "–", "", "n/a"]), True, ""


def rows_swapped(outside: Outside, rng: random.Random) -> Edit:
    """Two neighbouring rows change places: what a table says has not changed, or its order is told."""
    rows, _ = _rows(outside, rng, 2)
    at = rng.randrange(len(rows) - 1)
    return rows[at].start(), rows[at + 1].end(), rows[at + 1].group() + rows[at].group(), False, ""


def row_removed(outside: Outside, rng: random.Random) -> Edit:
    """A row is lost."""
    row = rng.choice(_rows(outside, rng, 2)[0])
    return row.start(), row.end(), "", True, ""


def row_twice(outside: Outside, rng: random.Random) -> Edit:
    """A row stands twice, the second time with another number."""
    row = rng.choice(_rows(outside, rng, 2)[0])
    cells = [hit for hit in _cells(outside, row) if any(sign.isdigit() for sign in hit.group())]
    cell = rng.choice(cells[1:] or cells)
    other = row.group()[: cell.start() - row.start()] + digit(cell.group(), rng) + row.group()[cell.end() - row.start() :]
    return row.start(), row.end(), row.group() + other, True, ""


def columns_swapped(outside: Outside, rng: random.Random) -> Edit:
    """The cells of two columns change places below headers that stay: only a finding, or what the cells say."""
    rows, _ = _rows(outside, rng, 2)
    width = min(len(_cells(outside, row)) for row in rows)
    first = rng.randrange(max(1, width - 1))
    second = min(first + 1, width - 1)
    text, at = "", rows[0].start()
    for row in rows:
        cells = _cells(outside, row)
        a, b = cells[first], cells[second]
        text += outside.text[at : a.start()] + b.group() + outside.text[a.end() : b.start()] + a.group()
        at = b.end()
    return rows[0].start(), rows[-1].end(), text + outside.text[at : rows[-1].end()], False, ""


def heads_swapped(outside: Outside, rng: random.Random) -> Edit:
    """Two headers change places above cells that stay."""
    spans = outside.tables()
    start, end = rng.choice(spans)
    heads = [
        hit
        for hit in re.finditer(r"(?<=<th>)[^<]+(?=</th>)|(?<=>)[^<>]+(?=</CHED>)", outside.text)
        if start <= hit.start() < end and hit.group().strip()
    ]
    a, b = sorted(rng.sample(heads, 2), key=lambda hit: hit.start())
    return a.start(), b.end(), b.group() + outside.text[a.end() : b.start()] + a.group(), True, ""


def caption(outside: Outside, rng: random.Random) -> Edit:
    """A caption names another category, is "(continued)", or is lost."""
    parts = [part for part in outside.in_scope() if re.match(r"\*\*[^*\n]+\*\*", outside.text[part.start : part.end])]
    part = rng.choice(parts)
    line = outside.text[part.start : part.end]
    inner = re.match(r"\*\*([^*\n]+)\*\*", line)
    assert inner
    start, end = part.start + 2, part.start + 2 + len(inner.group(1))
    old = inner.group(1)
    swapped = {"M1": "N1", "N1": "M1", "stationary": "moving", "moving": "stationary", "km/h": "m/s"}
    names = [name for name in swapped if name in old]
    choices = [old.replace(name, swapped[name], 1) for name in names] + [f"{old} (continued)", ""]
    new = rng.choice(choices)
    return start, end, new, False, ""


def footnote(outside: Outside, rng: random.Random) -> Edit:
    """A footnote is lost, or its rule says the opposite."""
    notes = [part for part in outside.in_scope() if re.match(r"\[\^|\\?\*+ ", outside.text[part.start : part.end])]
    ruled = [part for part in notes if re.search(r"next higher|apply only|only applies", outside.text[part.start : part.end])]
    part = rng.choice(ruled or notes)
    line = outside.text[part.start : part.end]
    changed = [line.replace(old, new) for old, new in (("next higher", "next lower"), ("above the", "below the")) if old in line]
    return part.start, part.end, rng.choice([*changed, "\n"]), True, ""


def mark(outside: Outside, rng: random.Random) -> Edit:
    """The mark of a footnote is lost, or is that of another one."""
    hits = [hit for part in outside.in_scope() for hit in re.compile(r"\[\^(\d+)\](?!:)").finditer(outside.text, part.start, part.end)]
    hit = rng.choice(hits)
    return hit.start(), hit.end(), rng.choice(["", f"[^{int(hit.group(1)) % 8 + 1}]"]), False, ""
