"""Reads a CSV of test texts (`Unique_ID,Test_title,test_scenario`) with clear errors for what cannot be scored."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from regc.errors import DataFileError
from regc.model.protocols import Embedder, Vectors
from regc.model.result import Finding
from regc.model.source import Frozen

COLUMNS = ("Unique_ID", "Test_title", "test_scenario")
#: A truth set has hundreds of rows; beyond this the file is something else, and every pair would be compared.
MAX_ROWS = 20_000
#: A single text of a test is a page at most.
_MAX_FIELD = 1_000_000
_DECIMAL_COMMA = re.compile(r"(?<=\d),(?=\d)")
_FUSED_UNIT = re.compile(r"(?<!\w)([+\-]?\d+(?:\.\d+)?)(?=[^\W\d_])")
_NUMBER = re.compile(r"(?<!\w)[+\-]?\d+(?:[.,]\d+)?")
#: Keeps 1 and 1.05 equal at a tolerance of 0.05 although floats disagree.
_SLACK = 1e-9


class ScoreTolerance(Frozen):
    """Two numbers are equal when |a - b| <= max(absolute, relative * |truth|). `relative` is below 1."""

    absolute: float = 0.05
    relative: float = 0.05

    def bounds(self, truth: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lowest and highest equal number for each truth number; both rise with the truth number."""
        values = np.asarray(truth, dtype=np.float64)
        reach = np.maximum(self.absolute, self.relative * np.abs(values)) + _SLACK
        return values - reach, values + reach


EXACT = ScoreTolerance(absolute=0, relative=0)


def normalise(text: str) -> str:
    """Decimal commas become dots, fused units are split: "0,2m at 10km/h" -> "0.2 m at 10 km/h"."""
    return _FUSED_UNIT.sub(r"\1 ", _DECIMAL_COMMA.sub(".", text))


def extract_numbers(text: str) -> tuple[float, ...]:
    """Every number in order, repeats kept; "+0/-2" holds +0 and -2, "M1" none."""
    return tuple(float(number) for number in _NUMBER.findall(normalise(text)))


def extract_terms(text: str, vocabulary: Iterable[str]) -> frozenset[str]:
    """The terms of the vocabulary that begin a word of the text, whatever the case ("laden" is not in "unladen")."""
    return frozenset(term for term in vocabulary if re.search(_term(term), text, re.IGNORECASE))


def _term(term: str) -> str:
    return r"\b" + r"\s+".join(re.escape(word) for word in term.split())


def match_numbers(
    truth: Sequence[float], generated: Sequence[float], tolerance: ScoreTolerance
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The truth numbers and the generated numbers that a maximum one-to-one matching leaves over, in rising order.

    Both ends of the tolerance interval rise with the truth number, so one walk over both sorted lists finds a maximum matching.
    """
    truth, generated = sorted(truth), sorted(generated)
    low, high = tolerance.bounds(truth)
    missing: list[float] = []
    extra: list[float] = []
    i = j = 0
    while i < len(truth) and j < len(generated):
        if generated[j] < low[i]:
            extra.append(generated[j])
            j += 1
        elif generated[j] > high[i]:
            missing.append(truth[i])
            i += 1
        else:
            i, j = i + 1, j + 1
    return (*missing, *truth[i:]), (*extra, *generated[j:])


class NumberTable:
    """Number lists of many texts as one array, to match a truth list against all of them at once."""

    def __init__(self, lists: Sequence[Sequence[float]]) -> None:
        self.counts = np.array([len(numbers) for numbers in lists], dtype=np.int64)
        self._values = np.full((len(lists), max(int(self.counts.max(initial=0)), 1)), np.nan)
        for row, numbers in enumerate(lists):
            self._values[row, : len(numbers)] = sorted(numbers)

    def matched(self, truth: Sequence[float], tolerance: ScoreTolerance) -> NDArray[np.int64]:
        """Size of the maximum matching with each list, shape (lists,); the walk of `match_numbers`, all lists in step."""
        low, high = tolerance.bounds(sorted(truth))
        i = np.zeros(len(self.counts), dtype=np.int64)
        j = i.copy()
        sizes: NDArray[np.int64] = i.copy()
        active = np.flatnonzero(self.counts) if len(low) else np.empty(0, dtype=np.int64)
        while active.size:
            value = self._values[active, j[active]]
            below, above = value < low[i[active]], value > high[i[active]]
            sizes[active] += ~(below | above)
            j[active] += ~above
            i[active] += ~below
            active = active[(i[active] < len(low)) & (j[active] < self.counts[active])]
        return sizes


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
    column_of = {name: lower.index(name.casefold()) for name in columns}
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
            yield reader.line_num + 1, {name: record[place].strip() for name, place in column_of.items()}
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


Matrix = NDArray[np.float64]


class Texts:
    """Rows, the numbers and terms of each, and its unit vector (shape (rows, dimension)); read once for every comparison."""

    def __init__(self, rows: Sequence[TextScore], vectors: Vectors, vocabulary: Sequence[str]) -> None:
        self.rows = tuple(rows)
        self.numbers = tuple(extract_numbers(row.text) for row in rows)
        self.terms = tuple(extract_terms(row.text, vocabulary) for row in rows)
        exact = np.asarray(vectors, dtype=np.float64).reshape(len(rows), -1 if rows else 0)
        norms = np.linalg.norm(exact, axis=1, keepdims=True)
        self.vectors: Matrix = exact / np.where(norms > 0, norms, 1)


def embed_texts(rows: Sequence[TextScore], embedder: Embedder, vocabulary: Sequence[str]) -> Texts:
    """Rows with their vectors; each distinct text is embedded once."""
    order = {text: place for place, text in enumerate(dict.fromkeys(row.text for row in rows))}
    if not order:
        return Texts((), np.zeros((0, 1), dtype=np.float32), vocabulary)
    return Texts(rows, embedder.embed(tuple(order))[[order[row.text] for row in rows]], vocabulary)


class Nearness(Frozen):
    """The lowest cosine between two sets over texts that state the same scenario, and the id of that scenario in the first set."""

    cosine: float
    id: str


class Between(Nearness):
    """The lowest over every pair of sets; `sets` are the names of the two."""

    sets: tuple[str, str]


def nearness(truth: Texts, other: Texts) -> Nearness | None:
    """The lowest over the rows of `truth` of the cosine with the row of the same id, without one with the nearest of its family.

    None where no row of `truth` has such a row in `other`.
    """
    at = {row.id: place for place, row in enumerate(other.rows)}
    lowest: Nearness | None = None
    for row, vector in zip(truth.rows, truth.vectors, strict=True):
        alike = [at[row.id]] if row.id in at else [place for place, text in enumerate(other.rows) if text.family == row.family]
        if not alike:
            continue
        cosine = float(np.max(other.vectors[alike] @ vector))
        if lowest is None or cosine < lowest.cosine:
            lowest = Nearness(cosine=cosine, id=row.id)
    return lowest


def between(names: Sequence[str], sets: Sequence[Texts]) -> Between | None:
    """The lowest nearness of any two of the sets; None for a single set, or sets that share no scenario."""
    pairs = (((names[a], names[b]), nearness(sets[a], sets[b])) for a, b in combinations(range(len(sets)), 2))
    lowest = [Between(cosine=near.cosine, id=near.id, sets=sides) for sides, near in pairs if near is not None]
    return min(lowest, key=lambda near: near.cosine) if lowest else None
