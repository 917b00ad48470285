"""Places of a document: `[address: words]`. Every number and every word of a profile is read through here.

    place   := "[" address [ ":" words ] "]"
    address := base item* [ "^" mark? ]        base := clause | clause "/" n | table | name rest      rest := "" | "." number...
    words   := alternative { "|" alternative } with at most one "_" (the number) and any "..." (any words of the sentence);
               in a table: row words "&" column words

Reading is directed by the wanted type: [6.4: at least] read as a time is 2 s where the sentence also bounds a length.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from typing import Protocol

from regc.lang.bounds import bounded
from regc.lang.faults import ProfileError
from regc.lang.ledger import Ledger
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, quantities, sentences, units_named
from regc.model.document import Clause, Document, Footnote, Table
from regc.model.result import Finding
from regc.model.source import SourceRef, Tolerance
from regc.model.value import Bound, Value

_ADDRESS = re.compile(r"(.*?)(?:/(\d))?((?:\(\w+\))*)(\^\S*)?")

#: How many sentences an error proposes, how much of each it shows, how many letters of a word are compared.
_PROPOSED, _SHOWN, _STEM = 3, 150, 5
_COMMON = frozenset({"the", "and", "for", "with", "that", "shall", "from", "not", "are", "than"})


@dataclass(frozen=True)
class Span:
    """The text that an address names. `key` is its clause, footnote ("6.9.1^5") or table, `start` where it begins there. `chosen`: the
    language model that chose the place in it."""

    key: str
    clause: str
    text: str
    start: int = 0
    lead: str = ""
    item: str = ""
    footnote: str = ""
    table: str = ""
    row: str = ""
    column: str = ""
    cell: tuple[int, int] | None = None
    chosen: str = ""

    @property
    def at(self) -> str:
        """The address as a person would write it: "6.4(c)(i)"."""
        return self.key + self.item


@dataclass(frozen=True)
class Hit:
    """A measurement of a span."""

    span: Span
    measurement: Measurement


class Mender(Protocol):
    """Whoever is asked where the words of a place stand no longer: `name` marks what was chosen. None: nothing there is meant."""

    name: str

    def number(self, reader: Reader, place: str, names: Mapping[str, str], wanted: str, open_: tuple[Hit, ...]) -> str | None:
        """Words that name one of the numbers of the wanted type there, in place of words that name none."""
        ...

    def sentence(self, reader: Reader, place: str, names: Mapping[str, str], spans: tuple[Span, ...]) -> str | None:
        """Words of one of the sentences there, in place of words that stand in none."""
        ...

    def one_of(self, what: str, lost: str, table: str, choices: Mapping[str, str], where: str) -> str | None:
        """The key of the caption, header or rule between rows (`what`) of a table that is meant where its words say nothing known."""
        ...


def flat(text: str) -> str:
    """Words in small letters with single spaces, for comparisons."""
    return " ".join(text.split()).lower()


@lru_cache(maxsize=4096)
def _phrases(words: str) -> tuple[tuple[re.Pattern[str], re.Pattern[str] | None], ...]:
    """Alternatives of words as (before the number, behind it): "_" is the number, "..." any words of the sentence."""
    patterns: list[tuple[re.Pattern[str], re.Pattern[str] | None]] = []
    for part in words.split("|"):
        sides = [re.escape(" ".join(side.split())).replace(r"\.\.\.", ".*?").replace(r"\ ", r"\s*") for side in part.split("_", 1)]
        if len(sides) == 1:
            patterns.append((re.compile(sides[0], re.I | re.S), None))
        else:
            patterns.append((re.compile(rf"(?:{sides[0]})\s*$", re.I | re.S), re.compile(rf"[\s,)]*(?:{sides[1]})", re.I | re.S)))
    return tuple(patterns)


def same_unit(unit: str, around: str, what: str) -> None:
    """A tolerance is in the unit of its quantity, as K is in that of degC; raises E402 where both are known and differ."""
    if unit and around and around != unit and (unit, around) != ("degC", "K"):
        raise ProfileError("E402", f"the tolerance {what} is in {around}, its quantity in {unit}", "compare with the document")


@lru_cache(maxsize=8192)
def _cut(text: str) -> tuple[tuple[int, int], ...]:
    return sentences(text)


def stands(words: str, text: str) -> re.Match[str] | None:
    """Where words (without the number's hole) stand in a text, or None.

    >>> stands("offset ... than", "an offset of not more than 0.2 m").group()
    'offset of not more than'
    >>> stands("TTC | headway", "a headway of 2 s").group()
    'headway'
    """
    for part in words.split("|"):
        before = part.split("_", 1)[0]
        match = _phrases(before)[0][0].search(text)
        if match:
            return match
    return None


def split_place(place: str) -> tuple[str, str]:
    """Address and words of a place.

    >>> split_place("[6.4(a): at least]"), split_place("[5.2.1.3]")
    (('6.4(a)', 'at least'), ('5.2.1.3', ''))
    """
    address, _, words = place.strip().strip("[]").partition(":")
    return address.strip(), words.strip()


class Reader:
    """Reads places of one document, and keeps what was read.

    `strict`: words that only cite must stand there (a check); otherwise another rendering may say it in other words and a warning is
    kept. `regulation` and `edition` go into every source. The names that places are read with are of one profile: of them only `at`
    and `req` may change from one read to the next.
    """

    def __init__(self, document: Document, regulation: str = "", edition: str = "", *, strict: bool = False) -> None:
        self.document, self.strict = document, strict
        self.mender: Mender | None = None
        self.regulation, self.edition = regulation or document.id, edition or document.edition
        self.clauses: dict[str, Clause] = {clause.id: clause for clause in document.clauses}
        self.tables: dict[str, Table] = {table.id: table for table in document.tables}
        self.ledger = Ledger()
        self.warnings: dict[str, Finding] = {}
        self._spans: dict[tuple[str, str], tuple[Span, ...]] = {}
        self._hits: dict[tuple[str, str], tuple[Hit, ...] | ProfileError] = {}
        self._values: dict[tuple[str, str], Value] = {}
        self._keys: dict[tuple[str, str, str, str], tuple[str, str]] = {}
        self._cited: dict[tuple[str, str], Hit] = {}
        self._mended: dict[tuple[str, str], str] = {}
        self._sources: dict[tuple[Span, int, int, str, bool], SourceRef] = {}
        self._numbers: dict[Hit, tuple[Value, ...]] = {}

    # ------------------------------------------------------------ addresses

    def resolve(self, address: str, names: Mapping[str, str]) -> str:
        """An address with its names replaced: "S1.2" with S1 = "Annex 3, 1" is "Annex 3, 1.2"; ".1" is below `at`."""
        base = address.strip()
        if base == "" or base[0] in ".(^/":
            base = "at" + base
        if base[0].isdigit():
            return base
        used: list[str] = []
        while (match := re.match(r"[A-Za-z]\w*", base)) and match[0] in names:
            if match[0] in used:
                raise ProfileError("L207", f"the place '{match[0]}' is defined by itself", "give it an address of the document")
            used.append(match[0])
            base = names[match[0]].strip("[] ") + base[match.end() :]
        return base

    def spans(self, address: str, names: Mapping[str, str], words: str = "") -> tuple[Span, ...]:
        """The texts that an address names; raises L201 (no such clause), L202 (no such item or footnote), T302 (no such cell)."""
        full = self.resolve(address, names)
        key = (full, words if "&" in words else "")
        if key not in self._spans:
            self._spans[key] = self._find(full, key[1])
        return self._spans[key]

    def _find(self, address: str, words: str) -> tuple[Span, ...]:
        match = _ADDRESS.fullmatch(address)
        base, number, items, mark = match.groups() if match else (address, None, "", None)
        base = base.strip()
        if base in self.tables and not mark:
            return self._table(self.tables[base], words)
        home = self.tables[base].clause if base in self.tables else base
        anchored = [note for note in self.document.footnotes if base in (note.table, *note.anchors)]
        if home not in self.clauses and not (mark and anchored):
            near = difflib.get_close_matches(base, self.clauses, 3)
            raise ProfileError("L201", f"the document has no clause '{base}'", f"near: {', '.join(near)}" if near else "")
        if mark:
            spans = self._marked(base, home, mark[1:], anchored)
        elif items:
            path = tuple(re.findall(r"\((\w+)\)", items))
            spans = [
                Span(home, home, item.text, item.start, item.lead, item.label)
                for item in self.clauses[home].items
                if item.path == path and number in (None, str(item.number))
            ]
        else:
            spans = [Span(home, home, self.clauses[home].text)]
        if not spans:
            raise ProfileError("L202", f"{home} has no {items or mark}", self._has(home, base))
        return tuple(spans)

    def _marked(self, base: str, home: str, mark: str, anchored: Iterable[Footnote]) -> list[Span]:
        """Footnotes and rules with that mark ("" for any), or the title of the clause ("title")."""
        clause = self.clauses.get(home)
        if mark == "title":
            return [Span(f"{home}^title", home, clause.title)] if clause and clause.title else []
        return [Span(f"{base}^{note.marker}", home, note.text, footnote=note.marker) for note in anchored if mark in ("", note.marker)]

    def _has(self, home: str, base: str) -> str:
        clause = self.clauses.get(home)
        labels = [item.label for item in clause.items] if clause else []
        marks = [f"^{note.marker}" for note in self.document.footnotes if {base, home} & {note.table, *note.anchors}]
        has = list(dict.fromkeys([*labels, *marks]))
        return f"it has {', '.join(has)}" if has else "it has no items and no footnotes"

    def _table(self, table: Table, words: str) -> tuple[Span, ...]:
        """A table as one text, or the cells that "row words & column words" name, each with the unit of its column, of
        the caption or of the note below."""
        row, also, column = (flat(part) for part in words.partition("&"))
        heads = [table.column_label(index) for index in range(len(table.columns))]
        if not also:
            lines = [table.caption or "", *heads, *(" | ".join(cell.text for cell in cells) for cells in table.rows)]
            return (Span(table.id, table.clause, "\n".join(lines), table=table.id),)
        hits = [
            (r, c)
            for r, cells in enumerate(table.rows)
            if row in flat(cells[0].text)
            for c, head in enumerate(heads)
            if column in flat(head)
        ]
        if not hits:
            rows = ", ".join(cells[0].text for cells in table.rows)
            raise ProfileError("T302", f"{table.id} has no cell '{words}'", f"rows: {rows}; columns: {'; '.join(heads)}")
        return tuple(_cell_span(table, r, c) for r, c in hits)

    # ------------------------------------------------------------ sources

    def source(self, span: Span, start: int = 0, end: int | None = None, quote: str = "", *, number: bool = False) -> SourceRef:
        """The source of [start, end) of a span, with page and box where the document has them; `number`: a number begins there."""
        end = len(span.text) if end is None else end
        key = (span, start, end, quote, number)
        if key not in self._sources:
            self._sources[key] = self._source(span, start, end, quote, number=number)
        return self._sources[key]

    def _source(self, span: Span, start: int, end: int, quote: str, *, number: bool) -> SourceRef:
        left, around = _around(span.text, start, end)
        exact = number and not quote and not span.cell
        page, bbox = None, None
        if span.table and span.cell:
            cell = self.tables[span.table].rows[span.cell[0]][span.cell[1]]
            page, bbox = cell.page, cell.bbox
        elif span.footnote and span.key != span.clause:
            note = next(
                (note for note in self.document.footnotes if span.key.endswith(f"^{note.marker}") and note.text == span.text), None
            )
            page, bbox = (note.page, note.bbox) if note else (None, None)
        elif span.clause in self.clauses:
            at = span.start + start
            line = next((line for line in self.clauses[span.clause].lines if line.start <= at < line.end), None)
            page, bbox = (line.page, line.bbox) if line else (None, None)
        return SourceRef(
            regulation=self.regulation, edition=self.edition, wording=self.document.wording, clause=span.clause,
            item=span.item or None, table=span.table or None, row=span.row or None, column=span.column or None,
            footnote=span.footnote or None, page=page, bbox=bbox, quote=quote or around,
            at=start - left if exact else None,
            chosen=span.chosen or None,
        )  # fmt: skip

    # ------------------------------------------------------------ numbers

    def read(self, place: str, names: Mapping[str, str], dimension: str = "") -> Value:
        """The one quantity of a dimension ("" for any with a unit) at a place: the only one there, or the one that the words name.

        Raises L203 (none), L204 (several that differ).
        """
        key, hits = self._read(place, names, dimension)
        if key not in self._values:
            words = self._mended.get(key, split_place(place)[1])
            self._values[key] = self.value_of(hits[0], "" if "&" in words else words)
        return self._values[key]

    def read_tolerance(self, place: str, names: Mapping[str, str], dimension: str, unit: str = "") -> Tolerance:
        """A tolerance of a quantity of that dimension: "+0/-2 km/h", else an upper bound: "within 1.6 km/h of". `unit`: that of the
        quantity; raises E402 where the tolerance is in another one."""
        _, hits = self._read(place, names, f"tolerance of {dimension}")
        span, measured = hits[0].span, hits[0].measurement
        same_unit(unit, measured.unit, place)
        return Tolerance(minus=measured.lo, plus=measured.hi, sources=(self.source(span, measured.start, measured.end, number=True),))

    def bare_number(self, place: str, names: Mapping[str, str], number: Decimal) -> Value:
        """A number without a unit whose digits stand in a formula, behind the words of the place: the 2 of "√(2aS)". Raises L203."""
        address, words = split_place(place)
        for span in self.spans(address, names, words):
            match = stands(words, span.text) if words else None
            if words and match is None:
                continue
            text, start = span.text, match.end() if match else 0
            digits = re.compile(rf"(?<![\d.,]){re.escape(format(number, 'f'))}(?![\d]|[.,]\d)").search(text, start)
            if digits:
                self.ledger.use_numbers([(span.key, span.start + digits.start())])
                source = self.source(span, digits.start(), digits.end(), number=True)
                return Value(lo=number, hi=number, sources=(source,))
        raise ProfileError(
            "L203", f"[{place.strip().strip('[]')}] has no {number:f}", "a constant of a formula stands in the formula's text"
        )

    def _read(self, place: str, names: Mapping[str, str], wanted: str) -> tuple[tuple[str, str], tuple[Hit, ...]]:
        """The hits of a place, read once; what was read is noted each time."""
        asked = (str(place), wanted, names.get("at", ""), names.get("req", ""))
        key = self._keys.get(asked)
        if key is None:
            address, words = split_place(place)
            key = self._keys[asked] = (f"{self.resolve(address, names)}: {words}", wanted)
            if key not in self._hits:
                try:
                    self._hits[key] = self.hits(place, words, wanted, self.spans(address, names, words))
                except ProfileError as error:
                    self._hits[key] = self._ask_number(key, place, names, error) or error
        hits = self._hits[key]
        if isinstance(hits, ProfileError):
            raise ProfileError(hits.code, hits.message, hits.hint)
        self.ledger.use_numbers((hit.span.key, hit.span.start + hit.measurement.start) for hit in hits)
        self.ledger.use_cells((hit.span.table, *hit.span.cell) for hit in hits if hit.span.cell)
        return key, hits

    def _ask_number(self, key: tuple[str, str], place: str, names: Mapping[str, str], error: ProfileError) -> tuple[Hit, ...] | None:
        """What the words that the mender chooses read, marked as chosen; read as strictly as those of a profile."""
        address, words = split_place(place)
        if self.mender is None or error.code != "L203" or not words or "&" in words:
            return None
        spans = self.spans(address, names, words)
        open_ = tuple(self._hits_of(spans, "", key[1]))
        chosen = self.mender.number(self, place, names, key[1], open_) if open_ else None
        if chosen is None:
            return None
        self._mended[key] = chosen
        hits = self.hits(place, chosen, key[1], spans)
        return tuple(replace(hit, span=replace(hit.span, chosen=self.mender.name)) for hit in hits)

    def hits(self, place: str, words: str, wanted: str, spans: tuple[Span, ...]) -> tuple[Hit, ...]:
        """The numbers of a type that words name in some spans, all of one value; raises L203, L204. Nothing is noted in the ledger."""
        shown = place.strip().strip("[]")
        chosen = "" if "&" in words else words
        hits = tuple(self._hits_of(spans, chosen, wanted))
        values = {(hit.measurement.lo, hit.measurement.hi, hit.measurement.unit) for hit in hits}
        turned = {hit.measurement.bound for hit in hits} - {"eq"}  # "at least 4 s" here and "at most 4 s" there
        if len(values) > 1 or len(turned) > 1:
            says = "".join(f'\n    {_say(hit.measurement)} in "…{_excerpt(hit)}…"' for hit in hits[:4])
            raise ProfileError(
                "L204", f"[{shown}] names {len(hits)} numbers:{says}", "add words of the sentence, with _ for the number"
            )
        if not hits:
            raise self._nothing(shown, chosen, wanted, spans)
        return hits

    def value_of(self, hit: Hit, words: str = "") -> Value:
        """A measurement as a cited value; its bound is that of the words around it, of the line above its list, or of the place."""
        span, measured = hit.span, hit.measurement
        bound: Bound = measured.bound
        if bound == "eq" and measured.lo == measured.hi and measured.dimension != "tolerance" and not measured.either:
            if span.lead.rstrip().endswith(":"):
                bound = bounded(span.lead.rstrip().rstrip(":").rstrip() + " ", dimension=measured.dimension).bound
            elif words:
                bound = bounded(words.split("_")[0].replace("...", " ").strip() + " ", dimension=measured.dimension).bound
        around = measured.tolerance
        return Value(
            lo=measured.lo, hi=measured.hi, unit=measured.unit, bound=bound,
            tolerance=Tolerance(plus=around.plus, minus=around.minus) if around else None,
            sources=(self.source(span, measured.start, measured.end, number=True),),
        )  # fmt: skip

    def _hits_of(self, spans: Iterable[Span], words: str, wanted: str) -> Iterator[Hit]:
        for span in spans:
            own = self._wanted(span, words, wanted)
            if not own:
                continue
            for start, end in _cut(span.text):
                here = [item for item in own if start <= item.start < end]
                yield from (Hit(span, item) for item in _named(here, words, span.text, start, end))

    def _wanted(self, span: Span, words: str, wanted: str) -> list[Measurement]:
        """The measurements of a span that are of the wanted type; examples only where the words say e.g. or i.e."""
        every = [item for item in quantities(span.text).measurements if not item.conversion]
        every = [item for item in every if not item.example or re.search(r"e\.\s?g|i\.\s?e|example", words)]
        if not wanted:
            return [item for item in every if item.unit and item.dimension != "tolerance"]
        _, is_tolerance, of = wanted.partition("tolerance of ")
        if is_tolerance:
            stated = [item for item in every if item.dimension == "tolerance" and item.unit and vocabulary().dimension(item.unit) == of]
            return stated or [replace(item, lo=item.hi) for item in every if item.dimension == of and item.bound in ("le", "lt")]
        own = [item for item in every if item.dimension == wanted]
        return own or [
            replace(item, lo=item.hi, bound="le", dimension=wanted)
            for item in every
            if item.dimension == "tolerance" and item.unit and item.lo == item.hi and vocabulary().dimension(item.unit) == wanted
        ]

    def _nearest(self, words: str, wanted: str | None, spans: tuple[Span, ...]) -> str:
        """The sentences there that share most words with those of a place, for a reader who mends it: those that hold a number of the
        wanted type first, and of these those whose number nothing has read. `wanted` is None where the words only cite."""
        asked = _stems(words)
        ranked: list[tuple[int, int, str]] = []
        for span in spans:
            held = self._wanted(span, words, wanted) if wanted is not None else []
            for start, end in _cut(span.text):
                here = [item for item in held if start <= item.start < end]
                said = ", ".join(dict.fromkeys(_say(item) for item in here))
                unread = any((span.key, span.start + item.start) not in self.ledger.numbers for item in here)
                text = " ".join(span.text[start:end].split())
                shared = len(asked & _stems(text))
                number = f" ({said})" if said else ""
                ranked.append((bool(said) + unread, shared, f'[{span.at}] "{_shortened(text)}"{number}'))
        if not any(number or shared for number, shared, _ in ranked):
            return f'it says: "{spans[0].text[:150]}"'
        ranked.sort(key=lambda each: (-each[0], -each[1]))
        best = [text for number, shared, text in ranked if number == ranked[0][0] and (number or shared)]
        return "nearest: " + "; ".join(best[:_PROPOSED])

    def _nothing(self, shown: str, words: str, wanted: str, spans: tuple[Span, ...]) -> ProfileError:
        doubts = [doubt.reason for span in spans for doubt in quantities(span.text).doubts]
        examples = [item for span in spans for item in quantities(span.text).measurements if item.example]
        if doubts:
            hint = "; ".join(dict.fromkeys(doubts))
        elif examples:
            hint = "a number stands there as an example; words that say e.g. or i.e. reach it"
        else:
            hint = self._nearest(words, wanted, spans)
        near = f' near "{words}"' if words else ""
        return ProfileError("L203", f"[{shown}] has no {wanted or 'quantity'}{near}{_spelt(shown, spans)}", hint)

    # ------------------------------------------------------------ words

    def cite(self, place: str, names: Mapping[str, str], *, told: bool = False) -> Hit | None:
        """Where words stand that say something without being read as a number; a place without words is the whole item or clause.

        None, with a warning kept, where this rendering says it in other words and the reader is not strict. Raises L201, L202, L205.
        """
        address, words = split_place(place)
        key = (self.resolve(address, names), words)
        try:
            if key not in self._cited:
                self._cited[key] = self._cite(place, names)
            hit = self._cited[key]
            self.ledger.use_words(hit.span.at, self._mended.get(key, words), told=told)
            return hit
        except ProfileError as error:
            if self.strict:
                raise
            error.place = getattr(place, "where", "")
            self.warnings.setdefault(error.message, error.finding(warning=True))
            return None

    def _cite(self, place: str, names: Mapping[str, str]) -> Hit:
        address, words = split_place(place)
        spans = self.spans(address, names, words)
        if (hit := _where(words, spans)) is not None:
            return hit
        chosen = self.mender.sentence(self, place, names, spans) if self.mender is not None else None
        hit = _where(chosen, spans) if chosen else None
        if self.mender is not None and chosen and hit is not None:
            self._mended[self.resolve(address, names), words] = chosen
            return replace(hit, span=replace(hit.span, chosen=self.mender.name))
        message = f'[{address}: {words}]: the words "{words}" do not stand there{_spelt(address, spans)}'
        raise ProfileError("L205", message, self._nearest(words, None, spans))

    def numbers_in(self, hit: Hit) -> tuple[Value, ...]:
        """Every quantity with a unit in the words that were cited, for a statement that tells them."""
        if hit not in self._numbers:
            self._numbers[hit] = self._numbers_in(hit)
        return self._numbers[hit]

    def _numbers_in(self, hit: Hit) -> tuple[Value, ...]:
        start, end = hit.measurement.start, hit.measurement.end
        held = [item for item in quantities(hit.span.text).measurements if start <= item.start < end]
        return tuple(
            self.value_of(Hit(hit.span, item))
            for item in held
            if item.unit
            and item.dimension != "tolerance"
            and not item.conversion
            and re.search(r"\d", hit.span.text[item.start : item.end])
        )


def _spelt(address: str, spans: tuple[Span, ...]) -> str:
    """The clause of a place that is written with a short name: " (6.4)" for "[at: TTC]"."""
    return "" if address.startswith(spans[0].key) else f" ({spans[0].at})"


def _where(words: str, spans: tuple[Span, ...]) -> Hit | None:
    """The sentence in which words stand; without words the whole of the first span."""
    for span in spans:
        match = None if "&" in words or not words else stands(words, span.text)
        if not words or "&" in words or match:
            start, end = _sentence_at(span.text, match.start()) if match else (0, len(span.text))
            return Hit(span, Measurement(Decimal(0), Decimal(0), "", "", start, end))
    return None


def _cell_span(table: Table, row: int, column: int) -> Span:
    """A cell as a text with its unit."""
    text, head = table.rows[row][column].text, table.column_label(column)
    unit = _cell_unit(table, head, text)
    return Span(
        table.id, table.clause, f"{text} {unit}".strip(), table=table.id, row=table.rows[row][0].text, column=head, cell=(row, column)
    )


def _cell_unit(table: Table, head: str, text: str) -> str:
    """The unit that header, caption or note give to a bare cell; "" where the cell has its own or holds no number."""
    if not re.fullmatch(r"[-\d.,\s]*\d", text):
        return units_named(head) if re.search(r"\d", text) else ""
    return units_named(head) or units_named(table.caption or "") or units_named(table.unit_note or "")


def _named(here: list[Measurement], words: str, text: str, start: int, end: int) -> list[Measurement]:
    """Of the measurements of a sentence those that the words point to: in the hole "_", or the first behind them."""
    if not words:
        return here
    named: list[Measurement] = []
    for before, behind in _phrases(words):
        if behind is not None:
            named += [item for item in here if before.search(text[start : item.start]) and behind.match(text[item.end : end])]
        elif match := before.search(text[start:end]):
            named += [item for item in here if item.start >= start + match.end()][:1]
    return named


def _sentence_at(text: str, offset: int) -> tuple[int, int]:
    return next(((start, end) for start, end in _cut(text) if start <= offset < end), (0, len(text)))


def _around(text: str, start: int, end: int) -> tuple[int, str]:
    """Where the words around [start, end) begin, and these, verbatim, cut to the sentence and to some 160 characters."""
    first, last = _sentence_at(text, start)
    left = max(first, start - 90)
    if left > first:
        left = text.find(" ", left, start) + 1 or left
    right = min(max(last, end), max(end, left + 160))
    if right < last:
        right = max(end, text.rfind(" ", end, right))
    around = text[left:right]
    return left + len(around) - len(around.lstrip()), around.strip()


def _stems(text: str) -> set[str]:
    """The beginnings of the words of a text that tell something, so that "travelling" and "travels" are one."""
    return {word[:_STEM] for word in re.findall(r"[a-z]{3,}", text.lower())} - _COMMON


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN else text[:_SHOWN].rsplit(" ", 1)[0] + " ..."


def _excerpt(hit: Hit) -> str:
    return hit.span.text[max(0, hit.measurement.start - 32) : hit.measurement.end + 16].strip().replace("\n", " ")


def _say(item: Measurement) -> str:
    number = f"{item.lo}" if item.lo == item.hi else f"{item.lo} to {item.hi}"
    return f"{number} {item.unit}".strip()


def under(id: str, root: str) -> bool:
    """Whether an id is at or below another: "6.4(a)" is under "6.4", "Annex 3, 1" under "Annex 3"."""
    return id.startswith(root) and (len(id) == len(root) or id.startswith((".", "(", ", ", "#", "^", " - "), len(root)))
