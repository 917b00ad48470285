"""A grid with spans to header paths and rows of cells; tables cut by a page break to one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from regc.model.document import Cell
from regc.readers.assemble.blocks import GridCell
from regc.readers.assemble.notes import split_marks

Grid = tuple[tuple[GridCell, ...], ...]

_NUMBER = re.compile(r"^[<>≤≥=±+-]?\s*\d+(?:[.,]\d+)?$")
#: What counts rows in the first column of a table of words: "3 to 4", "1a.".
_COUNT = re.compile(r"^\d{1,3}(?:\s*(?:to|-)\s*\d{1,3}|[a-z]?\.)$")
_TOLERANCE = re.compile(r"^[+±-]\s*\d+(?:[.,]\d+)?\s*/\s*[+-]\s*\d+(?:[.,]\d+)?$")
_FIGURE = r"[<>≤≥=±+-]{0,2}\s*\d+(?:[.,]\d+)?(?:\s?[A-Za-z°µ%]{1,3}(?:/[A-Za-z]{1,3})?[²³]?)?"
#: A figure with what may stand beside it in a cell: a tolerance, the other end of a range, a unit.
_VALUE = re.compile(rf"^{_FIGURE}(?:\s*(?:±|\+/-|-|\.\.\.|…|to|and|or)\s*{_FIGURE}|\s*\+\s*{_FIGURE}\s*/\s*-\s*{_FIGURE})?$")
_COMMA = re.compile(r"^([<>≤≥±+-]?\s*\d+),(\d+)$")
#: What a unit looks like: a quotient, a sign, a word for one, or letters in brackets behind a name ("Speed (km/h)").
_UNIT = re.compile(
    r"[A-Za-z]/[A-Za-z]|%|°|\bper ?cent|"
    r"\((?:m|s|g|t|N|K|Hz|V|A|l|h|min|mm|cm|km|kg|mg|ms|kN|daN|kW|W|J|Pa|kPa|MPa|bar|lux|dB|rpm|mph|ft|lb)[²³]?\)|"
    r"\b(?:in|,)\s*(?:m|s|g|t|N|mm|cm|km|kg|kN|daN|kW|lux|seconds|metres|meters|minutes|hours|litres|degrees|mph|rpm)\b|"
    r"\d\s?(?:m|s|mm|cm|km|kg|N|mph)\b",
    re.IGNORECASE,
)
#: Every dash of Unicode that stands for "no requirement".
_DASH = re.compile(r"^\s*(?:[-\u2010-\u2015\u2212\ufe58\ufe63\uff0d]\s*)+$")
#: What an OCR makes of a dash that stands alone in a cell.
_LOOKS_LIKE_DASH = re.compile(r"^\s*[_~¯=·•.\u2022\u2219\u22c5\u30fb\u4e00\u30fc\u2500\u2501\uff5e\u3161]{1,3}\s*$")


#: No header is longer than this (characters), ends one sentence and begins another, or states values ("Initial speed: 60 km/h").
_LONGEST_HEADER = 250
_NEXT_SENTENCE = re.compile(r"[a-z)]{2}\.\s+[A-Z][a-z]+\s[a-z]")
_STATED = re.compile(r"[a-z]\s?:\s*[<>≤≥±]?\s?\d+(?:[.,]\d+)?\s?[A-Za-z°%]")


@dataclass
class Resolved:
    """A table after its spans: one header path a column, rows of cells, what was put right and what is odd."""

    columns: list[tuple[str, ...]]
    rows: list[tuple[Cell, ...]]
    has_header: bool
    repairs: list[tuple[str, str, str]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    column_marks: list[tuple[str, ...]] = field(default_factory=list)

    def marks(self) -> tuple[str, ...]:
        """The footnote marks of headers and cells in reading order, each once."""
        cells = (cell.marks for row in self.rows for cell in row)
        return tuple(dict.fromkeys(mark for marks in (*self.column_marks, *cells) for mark in marks))


def resolve(grid: Grid, page: int | None, *, exact: bool = False, head: int | None = None) -> Resolved:
    """Spans spread, header rows found (`exact`: just those that the format marks; `head`: so many), marks set apart, body cells
    normalised."""
    grid = tuple(tuple(_marked(cell) for cell in row) for row in grid)
    matrix, problems = _spread(grid)
    count = _marked_rows(matrix) if exact else min(head, len(matrix)) if head is not None else _header_rows(matrix)
    width = max((len(row) for row in matrix), default=0)
    columns = [_path([matrix[row][column].text for row in range(count)]) for column in range(width)]
    marks = [tuple(dict.fromkeys(mark for row in matrix[:count] for mark in row[column].marks)) for column in range(width)]
    made = Resolved(columns, [], count > 0, problems=problems, column_marks=marks)
    for index, row in enumerate(matrix[count:]):
        cells = []
        for column, cell in enumerate(row):
            text, repair = _by_line(cell.text) if exact else normalised(cell.text)
            if repair:
                label = " > ".join(columns[column])
                made.repairs.append((f'row {index + 1} column "{label}"', cell.text, repair))
            cells.append(Cell(text=text, marks=cell.marks, page=cell.page or page, bbox=cell.bbox))
        made.rows.append(tuple(cells))
    _decimal_columns(made)
    made.problems.extend(_odd_cells(made))
    return made


def _decimal_columns(table: Resolved) -> None:
    """ "1,985" in a column that also says "2,26" is a decimal; alone it might be thousands."""
    for column, path in enumerate(table.columns):
        whole = [row[column].text for row in table.rows]
        if not any("decimal" in reason and f'column "{" > ".join(path)}"' in place for place, _, reason in table.repairs):
            continue
        if any(re.fullmatch(r"\d+,\d{3}", text) and len(text) > 5 for text in whole):
            continue
        for index, row in enumerate(table.rows):
            if _maybe_thousands(row[column].text):
                cells = list(row)
                cells[column] = row[column].model_copy(update={"text": row[column].text.replace(",", ".")})
                label = " > ".join(path)
                table.repairs.append((f'row {index + 1} column "{label}"', row[column].text, "decimal comma"))
                table.rows[index] = tuple(cells)


def _marked(cell: GridCell) -> GridCell:
    text, marks = split_marks(cell.text)
    return replace(cell, text=text, marks=(*cell.marks, *marks)) if marks else cell


def normalised(text: str) -> tuple[str, str | None]:
    """A cell's text and, when the change is more than typography, the reason for it."""
    plain = _plain(text)
    if _DASH.match(text) or _DASH.match(plain):
        return "-", None
    if _LOOKS_LIKE_DASH.match(text):
        return "-", "a sign alone in a cell that an OCR makes of a dash"
    plain = re.sub(r"[\u2010-\u2015\u2212]", "-", plain)
    comma = _COMMA.match(plain)
    if comma and not _maybe_thousands(plain):
        return f"{comma[1]}.{comma[2]}", "decimal comma"
    if _TOLERANCE.match(plain):
        tight = plain.replace(" ", "")
        return tight.replace(",", "."), "decimal comma" if "," in tight else None
    return plain, None


def _by_line(text: str) -> tuple[str, str | None]:
    """The same for each line of a cell, where the format says what a line is: "Daylight" above "Darkness" are two entries."""
    lines = [normalised(line) for line in text.split("\n")]
    return "\n".join(line for line, _ in lines if line), next((reason for _, reason in lines if reason), None)


def _plain(text: str) -> str:
    """One form of every character, single spaces; superscripts stay what they are (a power is no figure)."""
    pieces = re.split(r"([⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+)", text)
    return " ".join("".join(piece if index % 2 else unicodedata.normalize("NFKC", piece) for index, piece in enumerate(pieces)).split())


def _maybe_thousands(text: str) -> bool:
    """ "3,100" is three thousand one hundred or 3.1: nothing in the cell tells which."""
    return bool(re.match(r"^[<>≤≥±+-]?\s*[1-9]\d{0,2},\d{3}$", text))


def is_number(text: str) -> bool:
    """A number, a tolerance or a dash: what the body of a table of figures consists of."""
    plain = normalised(text)[0]
    return plain == "-" or bool(_NUMBER.match(plain) or _TOLERANCE.match(plain))


def is_value(text: str) -> bool:
    """What `is_number` says, a range ("10 to 20"), a value with its tolerance ("15 ± 0.5"), each with a unit or without."""
    return is_number(text) or bool(_VALUE.match(normalised(text)[0]))


def continues(first: Resolved, rest: Resolved) -> bool:
    """Whether `rest` is the lower part of `first`: same width, no header or the same one, and the first column goes on."""
    if len(first.columns) != len(rest.columns) or not first.rows or not rest.rows:
        return False
    if rest.has_header and rest.columns != first.columns:
        return False
    above, below = _value(first.rows[-1][0].text), _value(rest.rows[0][0].text)
    if above is None or below is None:
        return not rest.has_header
    steps = [_value(row[0].text) for row in first.rows]
    rising = [step for step in steps if step is not None]
    return below > above and rising == sorted(rising)


def joined(first: Resolved, rest: Resolved) -> Resolved:
    """Both parts as one table."""
    return Resolved(
        first.columns,
        first.rows + rest.rows,
        first.has_header,
        first.repairs + rest.repairs,
        first.problems + rest.problems,
        first.column_marks,
    )


def unitless(table: Resolved, around: Sequence[str]) -> bool:
    """Whether a table of figures has no unit anywhere: in `around` (caption, line below), in a header or in a cell."""
    columns = range(1, len(table.columns))
    figures = [all(is_number(row[column].text) for row in table.rows) for column in columns]
    if len(table.rows) < 2 or not any(figures) or not any(re.search(r"\d", row[c].text) for row in table.rows for c in columns):
        return False
    texts = (*around, *(header for path in table.columns for header in path), *(cell.text for row in table.rows for cell in row))
    return not any(_UNIT.search(text) for text in texts)


def _spread(grid: Grid) -> tuple[list[list[GridCell]], list[str]]:
    """Every position of the grid filled with the cell that covers it; short rows are filled up and reported."""
    taken: dict[tuple[int, int], GridCell] = {}
    # a column in which no cell begins is none: of a span of thousands no more is left than the table has columns
    most = sum(map(len, grid))
    begun: set[int] = set()
    for row_index, row in enumerate(grid):
        column = 0
        for cell in row:
            while (row_index, column) in taken:
                column += 1
            begun.add(column)
            across = min(max(cell.colspan, 1), most)
            for down in range(min(max(cell.rowspan, 1), len(grid) - row_index)):
                for right in range(across):
                    taken[(row_index + down, column + right)] = cell
            column += across
    columns = sorted(begun)
    width = len(columns)
    widest = max((cell.colspan for row in grid for cell in row), default=1)
    matrix, problems = [], [f"has a cell over {widest} columns, but {width} columns"] if widest > width else []
    for row_index in range(len(grid)):
        missing = sum((row_index, column) not in taken for column in columns)
        if missing == width:
            continue
        if missing:
            problems.append(f"row {row_index + 1} has {width - missing} of {width} cells")
        matrix.append([taken.get((row_index, column), GridCell("")) for column in columns])
    return matrix, problems


def _marked_rows(matrix: Sequence[Sequence[GridCell]]) -> int:
    """Leading rows of cells that the format marks as header."""
    marked = 0
    while marked < len(matrix) and all(cell.header or not cell.text.strip() for cell in matrix[marked]):
        marked += 1
    return marked


def _header_rows(matrix: Sequence[Sequence[GridCell]]) -> int:
    """Leading rows marked as header, or before the first row that begins with a figure; in a table of words the first row.

    Several rows are one header only where a cell ties them together: rows of words above the first figure are none.
    """
    marked = _marked_rows(matrix)
    if not marked and matrix and any(_is_prose(cell.text) for cell in matrix[0]):
        return 0
    first_figure = next((index for index, row in enumerate(matrix) if _counts(row[0].text) or _mostly_figures(row)), None)
    if first_figure is not None:
        return max(marked, _tied(matrix, first_figure)) if first_figure <= 4 else marked or 1
    if marked:
        return min(marked, len(matrix) - 1)
    if len(matrix) < 2 or 2 * len({id(cell) for cell in matrix[0] if cell.text.strip()}) < len(set(map(id, matrix[0]))):
        return 0  # a form without a header: names, and room to write behind them
    return min(max((_depth(matrix, column) for column in range(len(matrix[0]))), default=1), len(matrix) - 1)


def _is_prose(text: str) -> bool:
    """More than a header says: a sentence and the beginning of another, several stated values, or too many words for a name."""
    return len(text) > _LONGEST_HEADER or bool(_NEXT_SENTENCE.search(text)) or len(_STATED.findall(text)) > 1


def _depth(matrix: Sequence[Sequence[GridCell]], column: int) -> int:
    """How many rows the first cell of a column covers."""
    return sum(row[column] is matrix[0][column] for row in matrix)


def _tied(matrix: Sequence[Sequence[GridCell]], rows: int) -> int:
    """How many of the first rows are one header: each is tied to the next by a cell over both rows, a cell over several columns
    that the next row parts, or an empty or repeated cell."""
    for index in range(1, rows):
        above, below = matrix[index - 1], matrix[index]
        over_both = any(cell is other for cell, other in zip(above, below, strict=True))
        parted = any(above[c] is above[c - 1] and below[c] is not below[c - 1] for c in range(1, len(above)))
        texts = [cell.text.strip() for cell in above]
        bare = not all(texts) or len(set(texts)) < len(texts) or not below[0].text.strip()
        if not (over_both or parted or bare):
            return index
    return rows


def _counts(text: str) -> bool:
    return is_number(text) or bool(_COUNT.match(normalised(text)[0]))


def _mostly_figures(row: Sequence[GridCell]) -> bool:
    return len(row) > 1 and all(is_number(cell.text) for cell in row[1:])


def _path(texts: Sequence[str]) -> tuple[str, ...]:
    path: list[str] = []
    for text in texts:
        plain = header_text(text)
        if plain and (not path or path[-1] != plain):
            path.append(plain)
    return tuple(path)


def header_text(text: str) -> str:
    """A header without the accidents of line breaks: "Speed(km/h)" and "Stationary/ Moving" as a typesetter meant them."""
    plain = _plain(text)
    plain = re.sub(r"(?<=[a-z])\((?=[a-zA-Z%°])", " (", plain)
    return re.sub(r"\s*/\s*", "/", plain)


def _value(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d+(?:\.\d+)?", text) else None


def _odd_cells(table: Resolved) -> list[str]:
    """Cells that are no figure in a column of figures (at least four of five are): an OCR's "1O.00" or an empty cell."""
    odd: list[str] = []
    for column, path in enumerate(table.columns):
        texts = [row[column].text for row in table.rows]
        figures = [is_number(text) for text in texts]
        label = " > ".join(path)
        odd.extend(
            f'row "{row[0].text}" column "{label}": {row[column].text!r} may be thousands or a decimal, so it was left as it is'
            for row in table.rows
            if _maybe_thousands(row[column].text)
        )
        if len(texts) >= 3 and sum(figures) >= 0.8 * len(texts):
            odd.extend(
                f'row "{table.rows[index][0].text}" column "{label}": {texts[index]!r} is no figure'
                for index, figure in enumerate(figures)
                if not figure
            )
    return odd
