"""Reads a CSV of test texts (`Unique_ID,Test_title,test_scenario`) with clear errors for what cannot be scored."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from regc.errors import DataFileError
from regc.model.result import Finding
from regc.model.source import Frozen

COLUMNS = ("Unique_ID", "Test_title", "test_scenario")
#: A truth set has hundreds of rows; beyond this the file is something else, and every pair would be compared.
MAX_ROWS = 20_000
#: A single text of a test is a page at most.
_MAX_FIELD = 1_000_000
ALL = "all"


class TextScore(Frozen):
    """One test text. `family` is the token found in the id, "all" when there is none."""

    id: str
    title: str
    text: str
    family: str = ALL


class TextTable(Frozen):
    """The rows of one file in order, and what was odd about it."""

    name: str
    rows: tuple[TextScore, ...]
    findings: tuple[Finding, ...] = ()


def family_of(id: str, tokens: Sequence[str]) -> str:
    """The token that stands in the id between separators (`..._CtoStC_...`), else "all"."""
    for token in tokens:
        if re.search(rf"(?<![A-Za-z0-9]){re.escape(token)}(?![A-Za-z0-9])", id, re.IGNORECASE):
            return token
    return ALL


def with_families(table: TextTable, tokens: Sequence[str]) -> TextTable:
    """The table with each row's family read from its id."""
    rows = tuple(row.model_copy(update={"family": family_of(row.id, tokens)}) for row in table.rows)
    return table.model_copy(update={"rows": rows})


def read_texts(path: Path, *, truth: bool = False, max_rows: int = MAX_ROWS) -> TextTable:
    """Rows of a CSV file. Raises DataFileError for a file that cannot be scored.

    UTF-8 with or without a mark, UTF-16 with one; lines that are not UTF-8 are read as Windows-1252 and reported. Ids may repeat in a
    generated file (a doubled scenario is a false positive) but not in the truth.
    """
    findings: list[Finding] = []
    rows: list[TextScore] = []
    for line, record in records(path, COLUMNS, findings):
        if len(rows) == max_rows:
            raise DataFileError(
                f"{path.name}: more than {max_rows} rows", hint="score one build at a time, or split the file by family"
            )
        id, title, text = (record[column] for column in COLUMNS)
        if not text.strip():
            findings.append(_finding("R193", f"{path.name} line {line}: {id!r} has no text, so nothing can match it", path, line))
        rows.append(TextScore(id=id, title=title, text=text))
    doubled = sorted(id for id, count in Counter(row.id for row in rows).items() if count > 1)
    if doubled and truth:
        raise DataFileError(f"{path.name}: {doubled[0]!r} stands more than once", hint="every truth row needs an id of its own")
    for id in doubled:
        findings.append(_finding("R192", f"{path.name}: id {id!r} stands more than once; each row is scored", path))
    if truth and not rows:
        raise DataFileError(f"{path.name}: no rows below the header", hint="a truth file needs at least one scenario")
    return TextTable(name=path.name, rows=tuple(rows), findings=tuple(findings))


def records(path: Path, columns: Sequence[str], findings: list[Finding]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line, {column: value}) of each row, one at a time; other columns are passed over. Raises DataFileError."""
    try:
        with path.open("rb") as file:
            yield from _rows(file, path, columns, findings)
    except OSError as error:
        raise DataFileError(f"{path}: {error.strerror or error}", hint="give the path of a CSV file") from error


def _rows(file: BinaryIO, path: Path, columns: Sequence[str], findings: list[Finding]) -> Iterator[tuple[int, dict[str, str]]]:
    lines = _decoded(file, path, findings)
    header_line = next((line for line in lines if line.strip()), "")
    delimiter = ";" if ";" in header_line and "," not in header_line else ","
    header = [name.strip() for name in next(csv.reader([header_line], delimiter=delimiter), [])]
    if not header:
        raise DataFileError(f"{path.name}: the file is empty", hint=f"the first line must be {','.join(columns)}")
    lower = [name.casefold() for name in header]
    absent = [name for name in columns if name.casefold() not in lower]
    if absent:
        raise DataFileError(
            f"{path.name}: no column {', '.join(absent)}; found {', '.join(header)[:200]}",
            hint=f"the first line must be {','.join(columns)}",
        )
    places = {name: lower.index(name.casefold()) for name in columns}
    csv.field_size_limit(_MAX_FIELD)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for record in reader:
            if not any(record):
                continue
            if len(record) < len(header):
                raise DataFileError(
                    f"{path.name} line {reader.line_num + 1}: {len(record)} values for {len(header)} columns",
                    hint="a text with commas or line breaks must stand in double quotes",
                )
            yield reader.line_num + 1, {name: record[place].strip() for name, place in places.items()}
    except csv.Error as error:
        raise DataFileError(f"{path.name} line {reader.line_num + 1}: {error}", hint="save the file as CSV again") from error


def _decoded(file: BinaryIO, path: Path, findings: list[Finding]) -> Iterator[str]:
    start = file.read(2)
    file.seek(0)
    if start in (b"\xff\xfe", b"\xfe\xff"):
        yield from io.StringIO(file.read().decode("utf-16", errors="replace"), newline="")
        return
    reported = False
    for number, raw in enumerate(file, start=1):
        if b"\0" in raw:
            raise DataFileError(f"{path.name} line {number}: a NUL byte; this is not a CSV file", hint="save the file as CSV in UTF-8")
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            if not reported:
                message = f"{path.name} line {number}: not UTF-8; read as Windows-1252"
                findings.append(_finding("R191", message, path, number))
            reported = True
            yield raw.decode("cp1252", errors="replace")


def _finding(code: str, message: str, path: Path, line: int | None = None) -> Finding:
    place = f"{path.name}, line {line}" if line else path.name
    return Finding(code=code, severity="warning", message=message, place=place, hint="look at the file at this place")
