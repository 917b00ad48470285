"""MinerU 4's layout file (schema "docvortex.middle") to the pages of the older *_middle.json.

Boxes are fractions of the page there. Blocks are put in printed order again (top, then left), and what was taken for a running
head though it stands inside the page ("4.5.", "Annex 1") goes back to the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from regc.readers.assemble.numbering import printed

_MARGIN_TOP, _MARGIN_BOTTOM = 0.07, 0.94
#: Two blocks whose tops differ by less stand on one line (a third of a line of small print).
_SAME_LINE = 0.004
_REPEATED = 3
_MARK = re.compile(r"^(?P<mark>\d{1,2})\s*(?=[A-Z(\"“])")


def is_modern(data: object) -> bool:
    """Whether a JSON value is the layout file of MinerU 4."""
    return (
        isinstance(data, dict)
        and isinstance(data.get("pages"), list)
        and any(isinstance(page, dict) and "blocks" in page for page in data["pages"])
    )


def old_pages(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Its pages in the older form, every block with one line."""
    layout = (data.get("extensions") or {}).get("docvortex_layout") or {}
    sizes = {page.get("page_idx"): (page.get("width_pt"), page.get("height_pt")) for page in layout.get("pages") or []}
    pages = [page for page in data["pages"] if isinstance(page, dict)]
    heads = Counter(text for page in pages for kind, _, text in _flat(page.get("blocks") or []) if kind in ("header", "footer"))
    made = []
    for index, page in enumerate(pages):
        number = int(page.get("page_idx", index))
        width, height = sizes.get(number) or (None, None)
        blocks = [entry for entry in _flat(page.get("blocks") or []) if not _is_margin(*entry, heads)]
        text, foot = _parted(_in_printed_order(blocks))
        scale = (float(width), float(height)) if width and height else None
        made.append(
            {
                "page_idx": number,
                "page_size": list(scale or (1.0, 1.0)),
                "para_blocks": [_old(entry, scale) for entry in text],
                "discarded_blocks": [_note(mark, words, box, scale) for mark, words, box in _notes(foot)],
            }
        )
    return made


Entry = tuple[str, list[float], str]


def _flat(blocks: list[dict[str, Any]]) -> Iterator[Entry]:
    """(kind, box, text) of every block with text; lists, indexes and tables are taken apart."""
    for block in blocks:
        kind, box, content = str(block.get("type", "")), list(block.get("bbox") or []), block.get("content")
        if len(box) != 4:
            box = [0.0, 0.5, 1.0, 0.5]
        if kind in ("list", "index", "table", "image", "chart") and isinstance(content, list):
            yield from _flat([{"bbox": box, **child} for child in content])
        elif kind == "table_body" and isinstance(content, str):
            yield kind, box, content
        elif kind not in ("image_body", "chart_body", "code_body") and (text := _text(content)):
            yield kind, box, text


def _text(content: object) -> str:
    if isinstance(content, str):
        return content.strip()
    parts = []
    for span in content if isinstance(content, list) else []:
        words = span.get("content")
        words = _text(words) if isinstance(words, list) else str(words or "")
        styles = span.get("styles") or []
        if "superscript" in styles:
            words = f"<sup>{words}</sup>"
        elif "subscript" in styles:
            words = f"<sub>{words}</sub>"
        elif str(span.get("type", "")).startswith("equation"):
            words = f"${words}$"
        parts.append(words)
    return "".join(parts).strip()


def _is_margin(kind: str, box: list[float], text: str, heads: Counter[str]) -> bool:
    """Running heads and page numbers: in the margin, or the same on several pages."""
    if kind not in ("header", "footer", "page_number", "aside_text"):
        return False
    return (
        box[1] < _MARGIN_TOP
        or box[1] > _MARGIN_BOTTOM
        or (kind != "page_number" and heads[text] >= _REPEATED and not text.startswith("http"))
    )


def _in_printed_order(blocks: list[Entry]) -> list[Entry]:
    """By top, then by left; "2.1. the rest" beside a first line on its right takes that line between number and rest."""
    rows: list[list[Entry]] = []
    for entry in sorted(blocks, key=lambda entry: entry[1][1]):
        if rows and entry[1][1] - rows[-1][0][1][1] <= _SAME_LINE:
            rows[-1].append(entry)
        else:
            rows.append([entry])
    made: list[Entry] = []
    for row in rows:
        row.sort(key=lambda entry: entry[1][0])
        found = printed().match(row[0][2]) if len(row) > 1 else None
        rest = row[0][2][found.end() :] if found else ""
        if found and rest[:1].islower():
            kind, box, _ = row[0]
            made.extend([(kind, box, found["number"]), *row[1:], (kind, box, rest)])
        else:
            made.extend(row)
    return made


def _parted(blocks: list[Entry]) -> tuple[list[Entry], list[Entry]]:
    """Text and the foot of the page: from the first footer, inner "page number" or text with a mark in the lower third on."""
    for index, (kind, box, text) in enumerate(blocks):
        if kind in ("footer", "page_footnote", "page_number") or (box[1] > 0.66 and kind != "table_body" and _MARK.match(text)):
            if kind == "page_number" and (not text.isdigit() or box[1] < 0.5):
                continue
            if all(entry[0] != "table_body" for entry in blocks[index:]):
                return blocks[:index], blocks[index:]
    return blocks, []


def _notes(foot: list[Entry]) -> Iterator[tuple[str, str, list[float]]]:
    """The foot as one text, cut where the next mark follows the end of a sentence."""
    if not foot:
        return
    words = " ".join(text for _, _, text in foot)
    box = [min(entry[1][0] for entry in foot), foot[0][1][1], max(entry[1][2] for entry in foot), max(entry[1][3] for entry in foot)]
    first = re.match(r"(\d{1,2})\s", words)
    while first:
        mark = int(first[1])
        following = re.search(rf"(?<=[.)\w-])\s+(?={mark + 1}\s+[A-Z\"“])", words)
        end = following.start() if following else len(words)
        yield str(mark), words[first.end() : end].strip(), box
        words = words[end:].strip() if following else ""
        first = re.match(r"(\d{1,2})\s", words)


def _scaled(box: list[float], scale: tuple[float, float] | None) -> list[float] | None:
    """A box in points; None when the file does not tell the size of the page."""
    if scale is None:
        return None
    return [round(value * scale[axis % 2], 2) for axis, value in enumerate(box)]


def _old(entry: Entry, scale: tuple[float, float] | None) -> dict[str, Any]:
    kind, box, text = entry
    points = _scaled(box, scale)
    if kind == "table_body":
        return {"type": "table_body", "bbox": points, "lines": [{"bbox": points, "spans": [{"type": "table", "html": text}]}]}
    old = "title" if kind.endswith("title") else "text"
    return {"type": old, "bbox": points, "lines": [{"bbox": points, "spans": [{"type": "text", "content": text}]}]}


def _note(mark: str, words: str, box: list[float], scale: tuple[float, float] | None) -> dict[str, Any]:
    points = _scaled(box, scale)
    return {
        "type": "page_footnote",
        "bbox": points,
        "lines": [{"bbox": points, "spans": [{"type": "text", "content": f"{mark} {words}"}]}],
    }
