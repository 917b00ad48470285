"""MinerU's and magic-pdf's *_middle.json: what stands where on which page, and what the Markdown lost."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from regc.errors import SourceError
from regc.model.source import Bbox
from regc.readers.assemble.blocks import Block
from regc.readers.assemble.numbering import parse, size
from regc.readers.assemble.numbering import printed as printed_number
from regc.readers.markup.printed_text import printed

#: Wider than any paragraph number of five levels, in points.
_MAX_NUMBER_WIDTH = 60.0
_NOTE_START = re.compile(r"^(?P<mark>\d{1,2}|\*+)\s*(?=[A-Z(\"“])")
_ITEM_START = re.compile(r"^(?:\d{1,3}(?:\.\d{1,3})*\.|\([a-z]\)|[-•])(?:\s|$)")


@dataclass(frozen=True)
class LayoutLine:
    """A line of the layout. `key` is its writing without blanks, `at` where that stands in `Layout.keys`, `text` what is printed."""

    key: str
    text: str
    at: int
    page: int
    bbox: Bbox | None


@dataclass(frozen=True)
class UnreadNumber:
    """A box in the column of paragraph numbers in which nothing could be read. `size` in digits where its width tells."""

    at: int
    page: int
    bbox: Bbox
    size: float | None


@dataclass(frozen=True)
class Placed:
    """A table of the layout; `parts` are the page and box of each part when a page break cuts it."""

    at: int
    parts: list[tuple[int, Bbox | None]]


@dataclass
class LayoutFile:
    """The whole layout. `heads` are running heads and feet, `markdown` is the same content as MinerU's own Markdown writes it."""

    lines: list[LayoutLine] = field(default_factory=list)
    slots: list[UnreadNumber] = field(default_factory=list)
    tables: list[Placed] = field(default_factory=list)
    notes: list[tuple[int, Block]] = field(default_factory=list)
    heads: tuple[str, ...] = ()
    keys: str = ""
    markdown: str = ""


def key(text: str) -> str:
    """What two writings of the same text share: no blanks, no marks of Markdown."""
    return re.sub(r"[\s$\\#*`]|</?[a-z]+[^>]*>", "", text)


def is_middle(data: object) -> bool:
    """Whether a JSON value is a middle.json of the older kind: pages under "pdf_info" (or a bare list of them)."""
    pages = data.get("pdf_info") if isinstance(data, dict) else data
    return (
        isinstance(pages, list)
        and bool(pages)
        and all(isinstance(page, dict) for page in pages)
        and any("para_blocks" in page for page in pages)
    )


def load(content: bytes, name: str) -> list[dict[str, Any]]:
    """The pages of a middle.json. Raises SourceError when it is none."""
    try:
        data = json.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise SourceError(f"{name} is no JSON: {error}", hint="give the *_middle.json that MinerU wrote beside its Markdown") from error
    if is_modern(data):
        try:
            return old_pages(data)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise SourceError(f"{name} is a damaged layout file: {error}", hint="let MinerU write it again, or read the PDF") from error
    if not is_middle(data):
        raise SourceError(
            f"{name} is JSON but no *_middle.json of MinerU or magic-pdf (no pages with para_blocks)",
            hint="give the *_middle.json, the Markdown or the PDF; *_content_list.json and *_model.json do not hold enough",
        )
    return list(data["pdf_info"] if isinstance(data, dict) else data)


def layout(pages: list[dict[str, Any]]) -> LayoutFile:
    """Lines, unreadable numbers, tables and footnotes in reading order."""
    made = LayoutFile()
    parts: list[str] = []
    keys: list[str] = []
    at = 0
    boxes: list[tuple[int, int, Bbox]] = []
    widths: list[tuple[float, float, float]] = []
    for index, page in enumerate(pages):
        number = int(page.get("page_idx", index)) + 1
        height = float((page.get("page_size") or [0, 0])[1] or 0)
        for block in _leaves(page.get("para_blocks") or []):
            kind = str(block.get("type", ""))
            if kind in ("table_body", "table"):
                source = _html(block)
                if source:
                    made.tables.append(Placed(at, [(number, _bbox(block))]))
                    parts.append(source)
                elif block.get("lines_deleted") and made.tables:
                    made.tables[-1].parts.append((number, _bbox(block)))
                continue
            texts = []
            for line in block.get("lines") or []:
                text = _line(line)
                if not key(text):
                    continue
                made.lines.append(LayoutLine(key(text), printed(text)[0], at, number, _bbox(line)))
                keys.append(key(text))
                at += len(key(text))
                texts.append((text, bool(line.get("is_list_start_line"))))
            box = _bbox(block)
            if not texts and box is not None and not block.get("blocks") and not _moved(block):
                boxes.append((at, number, box))
            if len(texts) == 1 and box is not None and (bare := parse(texts[0][0])):
                widths.append((box[0], box[2] - box[0], size(bare)))
            if texts:
                parts.append(_paragraph(kind, texts))
        made.notes.extend((at, note) for note in _notes(page.get("discarded_blocks") or [], number, height))
    margins = Counter(text for page in pages for text in {_margin(block) for block in page.get("discarded_blocks") or []})
    made.heads = tuple(text for text, times in margins.items() if times > 1 and len(text) > 3)
    made.keys = "".join(keys)
    made.slots = list(_slots(boxes, widths))
    made.markdown = "\n\n".join(parts) + "\n"
    return made


def _margin(block: dict[str, Any]) -> str:
    """What stands in a block beside the text: a running head, a page number, a footnote."""
    return " ".join(text for line in block.get("lines") or [] if (text := _line(line)))


def _leaves(blocks: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Blocks that hold lines: tables and images nest theirs."""
    for block in blocks:
        nested = block.get("blocks")
        if nested and not block.get("lines"):
            yield from _leaves(nested)
        else:
            yield block


def _moved(block: dict[str, Any]) -> bool:
    """A box whose lines were joined to the paragraph on the page before is not empty."""
    return bool(block.get("lines_deleted")) or str(block.get("type", "")) not in ("text", "title")


def _line(line: dict[str, Any]) -> str:
    parts = []
    for span in line.get("spans") or []:
        content = str(span.get("content") or "").strip()
        if content:
            parts.append(f"${content}$" if str(span.get("type", "")).endswith("equation") else content)
    return " ".join(parts)


def _html(block: dict[str, Any]) -> str:
    for line in block.get("lines") or []:
        for span in line.get("spans") or []:
            if span.get("html"):
                return str(span["html"])
    return str(block.get("html") or "")


def _paragraph(kind: str, texts: list[tuple[str, bool]]) -> str:
    if kind == "title":
        return "# " + " ".join(text for text, _ in texts)
    if kind == "interline_equation":
        return "$$\n" + "\n".join(text.strip("$") for text, _ in texts) + "\n$$"
    flagged = any(start for _, start in texts)
    groups: list[list[str]] = []
    for text, start in texts:
        begins = start if flagged else kind in ("list", "index") and bool(_ITEM_START.match(text))
        if begins or not groups:
            groups.append([])
        groups[-1].append(text)
    return "  \n".join(" ".join(group) for group in groups)


def _bbox(block: dict[str, Any]) -> Bbox | None:
    box = block.get("bbox")
    if not isinstance(box, (list, tuple)) or len(box) != 4:
        return None
    return (float(box[0]), float(box[1]), float(box[2]), float(box[3]))


def _slots(boxes: list[tuple[int, int, Bbox]], widths: list[tuple[float, float, float]]) -> Iterator[UnreadNumber]:
    """Empty boxes in the column where lone numbers are printed; a printed number of the same width tells its size."""
    if not widths:
        return
    column = median(x for x, _, _ in widths)
    for at, page, box in boxes:
        width = box[2] - box[0]
        if width > _MAX_NUMBER_WIDTH or abs(box[0] - column) > 6:
            continue
        like = Counter(digits for _, known, digits in widths if abs(known - width) <= 1)
        yield UnreadNumber(at, page, box, like.most_common(1)[0][0] if like else None)


def _notes(blocks: list[dict[str, Any]], page: int, height: float) -> Iterator[Block]:
    """Footnotes among what was left out of the text: in the lower half, with a mark; further notes count on from the first."""
    ordered = sorted(blocks, key=lambda block: (_bbox(block) or (0.0,) * 4)[1])
    for block in ordered:
        box = _bbox(block)
        lines = [text for line in block.get("lines") or [] if (text := _line(line))]
        if not lines or not _NOTE_START.match(lines[0]):
            continue
        if block.get("type") != "page_footnote" and (box is None or box[1] < height / 2 or sum(map(len, lines)) < 20):
            continue
        mark = ""
        parts: list[str] = []
        for text in lines:
            match = _NOTE_START.match(text)
            if match and (not mark or (mark.isdigit() and match["mark"] == str(int(mark) + 1))):
                if parts:
                    yield Block("footnote", text=printed(" ".join(parts))[0], mark=mark, page=page, bbox=box)
                mark, parts = match["mark"], [text[match.end() :]]
            else:
                parts.append(text)
        yield Block("footnote", text=printed(" ".join(parts))[0], mark=mark, page=page, bbox=box)


# ---- MinerU 4's layout file (schema "docvortex.middle") to the pages of the older *_middle.json.
#
# Boxes are fractions of the page there. Blocks are put in printed order again (top, then left), and what was taken for a running
# head though it stands inside the page ("4.5.", "Annex 1") goes back to the text.


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
                "discarded_blocks": [_note(mark, words, box, scale) for mark, words, box in _modern_notes(foot)],
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
        match = printed_number().match(row[0][2]) if len(row) > 1 else None
        rest = row[0][2][match.end() :] if match else ""
        if match and rest[:1].islower():
            kind, box, _ = row[0]
            made.extend([(kind, box, match["number"]), *row[1:], (kind, box, rest)])
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


def _modern_notes(foot: list[Entry]) -> Iterator[tuple[str, str, list[float]]]:
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
