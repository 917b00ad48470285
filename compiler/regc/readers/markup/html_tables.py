"""An HTML table as a converter writes it (unquoted spans, no tbody) to a grid; a truncated one as far as it goes."""

from __future__ import annotations

from html.parser import HTMLParser

from regc.readers.assemble.blocks import GridCell
from regc.readers.markup.printed_text import printed


class _Table(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.rows: list[list[GridCell]] = []
        self.caption = ""
        self.closed = False
        self.in_caption = False
        self.cell: list[str] | None = None
        self.header = False
        self.spans = (1, 1)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self._end_cell()
            self.rows.append([])
        elif tag in ("td", "th"):
            self._end_cell()
            if not self.rows:
                self.rows.append([])
            given = dict(attrs)
            self.cell, self.header = [], tag == "th"
            self.spans = (_span(given.get("rowspan")), _span(given.get("colspan")))
        elif tag == "caption":
            self.in_caption = True
        elif self.cell is not None:
            self.cell.append(f"<{tag}>" if tag in ("sup", "sub", "br") else " ")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr"):
            self._end_cell()
        elif tag == "caption":
            self.in_caption = False
        elif tag == "table":
            self._end_cell()
            self.closed = True
        elif self.cell is not None and tag in ("sup", "sub"):
            self.cell.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        if self.in_caption:
            self.caption += data
        elif self.cell is not None:
            self.cell.append(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def _end_cell(self) -> None:
        if self.cell is None:
            return
        text, marks = printed("".join(self.cell))
        self.rows[-1].append(GridCell(text, self.spans[0], self.spans[1], self.header, marks=marks))
        self.cell = None


def _span(value: str | None) -> int:
    """A span of at least 1; HTML's own limit of 1000 keeps a damaged one from filling the memory."""
    return min(max(int(value), 1), 1000) if value and value.isdecimal() and len(value) < 10 else 1


def html_grid(source: str) -> tuple[tuple[tuple[GridCell, ...], ...], str, bool]:
    """(rows, caption, whether the table was closed)."""
    parser = _Table()
    parser.feed(source)
    parser.close()
    parser._end_cell()
    return tuple(tuple(row) for row in parser.rows if row), " ".join(parser.caption.split()), parser.closed
