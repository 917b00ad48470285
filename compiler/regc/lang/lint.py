"""What stands in the scope of a profile and is neither read, told, waived nor on a card.

C101 number, C102 cell, C103 item of a list that is used, C104 rule below a table or footnote, C105 requirement, C106 unused name,
C107 worked example without a check, C108 digits that cannot be read, C109 a conversion that differs, C110 a waiver with nothing left
to waive, C112 a sum that does not add up, C113 an alternative beside a number that is read, C114 a number read from a negation, C115 a
number that stands twice and differs, C116 a profile that would take another document for its own. Errors of the profile itself are
findings too (P, L, T, E, X), and nothing else is looked at then.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field

from regc.lang.evaluate import make_program, run
from regc.lang.faults import ProfileError
from regc.lang.located_toml import Text, where
from regc.lang.places import split_place, stands, under
from regc.lang.profile import Profile
from regc.lang.program import Program
from regc.lang.twice import Said, differing, formula_differs
from regc.lang.vocabulary import vocabulary
from regc.lang.words import Measurement, quantities, sentences, unit_at
from regc.model.criterion import Criterion
from regc.model.document import Clause, Document, Item
from regc.model.result import Finding, Severity
from regc.model.scenario import Scenario
from regc.model.source import SourceRef
from regc.model.suite import Suite

#: Criteria that ask that something happens, and when: they meet two requirements of a sentence.
_ORDER = ("before", "after", "within", "until")
#: What joins a number with another one that may be taken in its place.
_OR = re.compile(r"\s*[,)]?\s*(?:and/or|or)\s+(?:at |of )?", re.I)
_NOT = r"\b(?:(?:shall|must|may|can|will|is|are|does|do|need)\s+not|cannot)\b"
#: What ends the part of a sentence that a verb governs, and what makes its "not" one of a bound ("does not exceed", "not more than").
_APART = r"[,;:()\n]|\b(?:and|but|which|that|who|whose|whether|unless|until|if|when|while|before|after)\b"
_BOUNDS = r"\b(?:more|less|greater|higher|lower|later|earlier|fewer|over|above|below|beyond|exceeds?|outside)\b"
_NOT_BEFORE = re.compile(
    rf"(?:{_NOT}(?:(?!{_APART}|{_BOUNDS}).)*|\b(?:shall|must)\s+not\b(?:(?!{_APART.replace(',', '', 1)}|{_BOUNDS}).)*)$", re.I
)
_NOT_BEHIND = re.compile(rf"(?:(?!{_APART}).)*\b(?:shall|must)\s+not\b(?!\s+(?:be\s+)?{_BOUNDS})", re.I)
#: A worked example in whole numbers.
_SUM = re.compile(r"(?<![\d.])\d{1,6}(?:\s*\+\s*\d{1,6})+\s*=\s*\d{1,6}(?![\d.])")
#: A conversion may differ by what its last digit leaves open, and a little for rounding.
_ROUNDING = 0.02


@dataclass(frozen=True)
class ScopeSentence:
    """A sentence of the scope: `id` of its clause or footnote, `at` with its item, `start` where it begins there.

    `homes`: the addresses under which a place may have reached it. `lead`: the words that introduce its items ("Tests
    shall be done").
    """

    id: str
    at: str
    text: str
    start: int
    homes: tuple[str, ...]
    lead: str = ""


def clause_spots(clause: Clause) -> Iterator[ScopeSentence]:
    """The sentences of a clause, each at the item that it stands in."""
    text = clause.text
    items = {item.start: clause.id + item.label for item in clause.items}
    for start, end in sentences(text):
        begins = next((at for at in sorted(items, reverse=True) if at <= start and "\n" not in text[at:start]), None)
        at = items[begins] if begins is not None else clause.id
        lead = _lead(text[:begins], items) if begins is not None else ""
        yield ScopeSentence(clause.id, at, text[start:end], start, tuple(dict.fromkeys((clause.id, at))), lead)


def _lead(before: str, items: Container[int]) -> str:
    """The words with a colon that introduce the items before which a text ends; "" where no such words stand."""
    at = len(before)
    for line in reversed(before.splitlines(keepends=True)):
        at -= len(line)
        words = line.strip()
        if words.endswith(":"):
            return words.rstrip(": ")
        if words and at not in items:
            return ""
    return ""


@dataclass
class Counts:
    """What the numbers and cells of the scope became."""

    read: int = 0
    told: int = 0
    examples: int = 0
    unread: int = 0


@dataclass
class Linter:
    """The lint of one program after it has run."""

    program: Program
    suite: Suite
    counts: Counts = field(default_factory=Counts)

    def __post_init__(self) -> None:
        self.reader, self.profile = self.program.reader, self.program.profile
        self.ledger = self.reader.ledger
        self.waived = [*map(self.place, self.profile.waive), *(self.place(c) for card in self.profile.card for c in card.clauses)]
        roots = [self.place(address)[0] for address in self.profile.scope]
        self.scope = [clause for clause in self.reader.document.clauses if any(under(clause.id, root) for root in roots)]
        self.spots = list(self._spots())
        self.used: dict[str, bool] = {}
        self.required = tuple(dict.fromkeys(self._criteria_sources()))
        #: Test -> its scenarios with their places in the suite.
        self.by_test: dict[str, list[tuple[int, Scenario]]] = {}
        for place, scenario in enumerate(self.suite.scenarios):
            self.by_test.setdefault(scenario.test, []).append((place, scenario))

    def place(self, place: str) -> tuple[str, str]:
        """Address and words of a place, its short names resolved."""
        address, words = split_place(place)
        return self.reader.resolve(address, self.program.places), words

    def findings(self) -> tuple[Finding, ...]:
        """Every finding, in the order of the document and each once."""
        notes = [
            *self._numbers(), *self._cells(), *self._items(), *self._requirements(), *self._unused(), *self._idle(),
            *self._doubts(), *self._conversions(), *self._alternatives(), *self._negations(), *self._sums(),
            *self._twice(), *self._identity(), *self._scope_lacks(),
        ]  # fmt: skip
        return tuple(dict.fromkeys(notes))

    # ------------------------------------------------------------ sentences

    def _spots(self) -> Iterator[ScopeSentence]:
        """Every sentence of the clauses in scope, of their footnotes and of the rules under their tables."""
        ids = {clause.id for clause in self.scope} | {table for clause in self.scope for table in clause.tables}
        ids |= {clause.region for clause in self.scope if clause.region != "body"}
        for clause in self.scope:
            yield from clause_spots(clause)
        for note in self.reader.document.footnotes:
            anchors = tuple(dict.fromkeys(filter(None, (note.table, *note.anchors))))
            if any(anchor in ids for anchor in anchors):
                keys = tuple(f"{anchor}^{note.marker}" for anchor in anchors)
                yield from (ScopeSentence(keys[0], keys[0], note.text[start:end], start, keys) for start, end in sentences(note.text))

    def hit(self, places: Iterator[tuple[str, str]] | list[tuple[str, str]] | set[tuple[str, str]], spot: ScopeSentence) -> bool:
        """Whether one of (address, words) speaks of a sentence; an address without words, of all below it."""
        return any(
            (home == address or (not words and under(home, address))) and (not words or stands(words, spot.text) is not None)
            for address, words in places
            for home in spot.homes
        )

    def is_told(self, spot: ScopeSentence) -> bool:
        """Whether a sentence is told. A clause told as a whole tells no rule under its tables: these hold exceptions."""
        rule = "^" in spot.id
        told = [(address, words) for address, words in self.ledger.told if words or not rule or "^" in address or "#" in address]
        return self.hit(told, spot)

    def is_read(self, spot: ScopeSentence, item: Measurement) -> bool:
        """Whether something read a quantity of a sentence."""
        offset = spot.start + item.start
        return any((key, offset) in self.ledger.numbers for key in spot.homes)

    # ------------------------------------------------------------ rules

    def _numbers(self) -> Iterator[Finding]:
        """C101, C104, C107: quantities that nothing reads or tells, rules that nothing uses, examples that nothing checks.

        A clause told as a whole tells its numbers, but no example: that is what a reading is held against.
        """
        by_name = [(address, words) for address, words in self.ledger.told if words or "(" in address]
        for spot in self.spots:
            told = self.is_told(spot) or self.hit(self.waived, spot)
            named = self.hit([*by_name, *self.waived], spot)
            every = [item for item in quantities(spot.text).measurements if not item.conversion]
            read = [item for item in every if self.is_read(spot, item)]
            for item in every:
                if not counts(item, spot.text):
                    continue
                beside = item.dimension == "tolerance" and any(other.tolerance and other in read for other in every)
                yield from self._number(spot, item, item in read or beside, named if item.example else told)
            said = self.hit(self.ledger.said, spot)
            used = bool(read) or self.is_told(spot) or self.hit(self.waived, spot) or said
            self.used[spot.at] = self.used.get(spot.at, False) or used
            if "^" in spot.id and not used and vocabulary().modal.search(spot.text):
                yield _found("C104", spot.at, "a rule that nothing uses", spot.text, "read it, cite it, tell it or waive it")

    def _number(self, spot: ScopeSentence, item: Measurement, read: bool, told: bool) -> Iterator[Finding]:
        excerpt = spot.text[max(0, item.start - 40) : item.end + 24].strip()
        if read:
            self.counts.read += 1
        elif told:
            self.counts.told += 1
        elif item.example:
            self.counts.examples += 1
            yield _found("C107", spot.at, "an example that no check holds", excerpt, "a check reads it: e.g. ... words", "info")
        else:
            self.counts.unread += 1
            shown = spot.text[item.start : item.end]
            yield _found(
                "C101",
                spot.at,
                f"'{shown}' is neither read nor told",
                excerpt,
                "bind it, check it, tell its sentence, or waive it with a reason",
            )

    def _cells(self) -> Iterator[Finding]:
        """C102: cells with a digit of every table in the scope, or that a test's clauses name."""
        for table_id in dict.fromkeys((*(table for clause in self.scope for table in clause.tables), *self._referred())):
            table = self.reader.tables[table_id]
            if any(under(table_id, address) and not words for address, words in [*self.waived, *self.ledger.told] if "#" in address):
                continue
            for row, cells in enumerate(table.rows):
                for column, cell in enumerate(cells):
                    if not re.search(r"\d", cell.text):
                        continue
                    if (table_id, row, column) in self.ledger.cells:
                        continue
                    message = f"the cell '{cell.text}' of row '{cells[0].text}', column '{table.column_label(column)}' is not read"
                    yield _found(
                        "C102", table_id, message, cell.text, "a criterion, a list table or a check reads it; else waive the table"
                    )

    def _referred(self) -> Iterator[str]:
        """Tables of clauses that the clauses of tests name ("the tables in paragraph 5.2.1.4."), wherever they stand."""
        for test in self.profile.tests:
            roots = [self.reader.resolve(str(at), self.program.places) for at in (test.at, test.req) if at]
            for clause in self.reader.document.clauses:
                if any(under(clause.id, root) for root in roots):
                    for name in re.findall(r"\d+(?:\.\d+)+", clause.text):
                        named = self.reader.clauses.get(name)
                        yield from named.tables if named else ()

    def _items(self) -> Iterator[Finding]:
        """C103: of a list of which one item is used, every item."""
        for clause in self.scope:
            items = clause.items
            leaves = [item for item in items if item.lead.rstrip().endswith(":") and not _has_below(items, item.path, item.number)]
            for number in dict.fromkeys(item.number for item in leaves):
                own = [clause.id + item.label for item in leaves if item.number == number]
                if not any(self.used.get(at, False) for at in own):
                    continue
                for at in own:
                    if not self.used.get(at, True):
                        text = next(item.text for item in leaves if clause.id + item.label == at)
                        yield _found(
                            "C103", at, "an item of a list that is used, and nothing uses it", text[:90], "use it, tell it, or waive it"
                        )

    def _requirements(self) -> Iterator[Finding]:
        """C105: clauses under a test's requirement that nothing is read of; sentences with more requirements than criteria."""
        consumed = self._consumed()
        required: dict[str, list[tuple[str, SourceRef]]] = {}
        for label, source in self.required:
            required.setdefault(source.clause, []).append((label, source))
        for test in self.profile.tests:
            if test.req is None:
                continue
            root = self.reader.resolve(str(test.req), self.program.places)
            for clause in self.reader.document.clauses:
                if under(clause.id, root) and vocabulary().must.search(clause.text):
                    used = any(under(id, clause.id) for id in consumed)
                    used = used or any(under(clause.id, at) and not words for at, words in self.waived)
                    yield from self._requirement(clause, str(test.name), required.get(clause.id, []), used=used)

    def _requirement(self, clause: Clause, test: str, required: list[tuple[str, SourceRef]], *, used: bool) -> Iterator[Finding]:
        """`required`: the criteria that rest on this clause, with their places."""
        if not used:
            yield _found(
                "C105", clause.id, f"nothing of this requirement of test {test} is used", clause.text[:90], "a criterion, or waive it"
            )
        for spot in self.spots:
            if spot.id != clause.id:
                continue
            asked = _asked(spot.text)
            held = {label for label, source in required if _same(source.quote, spot.text)}
            met = sum(2 if label.rsplit(".", 1)[1] in _ORDER else 1 for label in held)
            if held and asked > met and not self.is_told(spot) and not self.hit(self.waived, spot):
                message = (
                    f"the sentence asks {asked} things, {len(held)} criteri{'on' if len(held) == 1 else 'a'} of test {test} read it"
                )
                yield _found("C105", spot.at, message, spot.text[:120], "one criterion each; or tell the sentence")

    def _consumed(self) -> set[str]:
        """The clauses that a criterion, a number, a cell, a told or waived sentence is of; a mere citation is not enough."""
        by_criterion = {source.clause for _, source in self.required}
        read = {key.split("^")[0].split("#")[0] for key, _ in self.ledger.numbers}
        cells = {table.split("#")[0] for table, _, _ in self.ledger.cells}
        told = {at.split("^")[0].split("#")[0].split("(")[0] for at, _ in [*self.ledger.told, *self.waived]}
        return by_criterion | read | cells | told

    def _criteria_sources(self) -> Iterator[tuple[str, SourceRef]]:
        """Every criterion with the places that it rests on."""
        for scenario in self.suite.scenarios:
            ends = (phase.until for phase in scenario.phases if phase.until is not None)
            for criterion in (*scenario.require, *ends):
                yield from (
                    (f"{scenario.test}.{criterion.label}.{part.form}", source) for part in _parts(criterion) for source in part.sources
                )

    def _unused(self) -> Iterator[Finding]:
        """C106: declared names that nothing uses."""
        conditions = {str(c.if_) for test in self.profile.tests for c in test.require.values() if c.if_ is not None}
        blocks = (("let", [*self.profile.let]), ("declare", [*self.profile.declare]), ("table", [*self.profile.table]))
        for block, names in blocks:
            for name in names:
                if f"{block}.{name}" not in self.program.used and name not in conditions:
                    yield _found("C106", f"{block}.{name}", "nothing uses it", "", "use it or take it out", place=where(name))
        yield from self._unused_names()
        varied = {str(axis) for test in self.profile.tests for axis in (*test.vary, *test.fix)}
        listed = {str(name) for table in self.profile.table.values() for name in table.cells}
        for axis in self.profile.axis:
            if axis not in varied | listed:
                yield _found(
                    "C106",
                    f"axis.{axis}",
                    "no test varies over it",
                    "",
                    "vary it or take it out",
                    place=axis.where if hasattr(axis, "where") else "",
                )

    def _unused_names(self) -> Iterator[Finding]:
        """C106: names of `[place]`, and of `let` of tests and axis values, that nothing uses."""
        reached = self._reached_names()
        for name in filter(self._is_own, self.profile.place):
            if name not in reached:
                yield _found("C106", f"place.{name}", "nothing uses it", "", "use it or take it out", place=where(name))
        lets = [(f"axis.{a}.{v}.let", value.let) for a, axis in self.profile.axis.items() for v, value in axis.values.items()]
        lets += [(f"test.{test.name}.let", test.let) for test in self.profile.tests]
        for block, names in lets:
            for name in names:
                if f"{block}.{name}" not in self.program.used:
                    yield _found("C106", f"{block}.{name}", "nothing uses it", "", "use it or take it out", place=where(name))

    def _reached_names(self) -> set[str]:
        """Names of `[place]` that other blocks use, directly or through names: two that only name each other are not."""
        texts = [*_strings(self.profile.model_dump(exclude={"place", "file"})), *map(str, self.profile.waive)]
        reached: set[str] = set()
        while texts:
            names = {
                name
                for name in {*map(str, self.profile.place)} - reached
                if any(re.search(rf"(?:^|\[)\s*{re.escape(name)}(?!\w)", text) for text in texts)
            }
            reached |= names
            texts = [str(self.profile.place[Text(name)]) for name in names]
        return reached

    def _idle(self) -> Iterator[Finding]:
        """C110: a waiver of a place where nothing is left: every number, cell and requirement there is read, told or on a card."""
        cards = [self.place(clause) for card in self.profile.card for clause in card.clauses]
        spots = {(spot.id, spot.start): spot for clause in self.reader.document.clauses for spot in clause_spots(clause)}
        spots |= {(spot.id, spot.start): spot for spot in self.spots}
        for waived in filter(self._is_own, self.profile.waive):
            place = self.place(waived)
            there = [spot for spot in spots.values() if self.hit([place], spot)]
            if not any(self._left(spot, cards) for spot in there) and not self._cells_left(place):
                hint = "take the waiver out" if there else "no sentence in the scope has this address and these words: see regc cite"
                yield _found("C110", f"waive.{waived}", "nothing is left there to waive", "", hint, place=where(waived))

    def _is_own(self, name: str) -> bool:
        """Whether a name stands in the profile itself, not in a part or an edition that it uses."""
        return not where(name) or where(name).startswith(f"{self.profile.file}:")

    def _left(self, spot: ScopeSentence, cards: list[tuple[str, str]]) -> bool:
        """Whether a sentence holds something that only a waiver accounts for."""
        if self.is_told(spot) or self.hit(cards, spot):
            return False
        every = [item for item in quantities(spot.text).measurements if not item.conversion and counts(item, spot.text)]
        if any(not self.is_read(spot, item) and item.dimension != "tolerance" for item in every):
            return True
        asks = vocabulary().modal.search(spot.text) is not None or "(" in spot.at
        return (asks and not (every or self.hit(self.ledger.said, spot))) or _asked(spot.text) > 1

    def _cells_left(self, place: tuple[str, str]) -> bool:
        """Whether a table at a place, or of a clause there, has a cell with a digit that nothing reads."""
        return any(
            re.search(r"\d", cell.text) and (id, row, column) not in self.ledger.cells
            for id, table in self.reader.tables.items()
            if under(id, place[0]) or under(table.clause or "", place[0])
            for row, cells in enumerate(table.rows)
            for column, cell in enumerate(cells)
        )

    def _scope_lacks(self) -> Iterator[Finding]:
        """C106: an address of the scope that the document does not have; an excerpt may lack it."""
        if self.profile.excerpt:
            return
        for address in self.profile.scope:
            root = self.place(address)[0]
            if not any(under(clause.id, root) for clause in self.reader.document.clauses):
                message, hint = f"the document has no clause '{root}' of the scope", "take it out, or compare with the document"
                yield _found("C106", "scope", message, "", hint, place=where(address))

    def _doubts(self) -> Iterator[Finding]:
        """C108: digits in the scope that cannot be read with certainty."""
        for spot in self.spots:
            for doubt in quantities(spot.text).doubts:
                yield _found(
                    "C108", spot.at, doubt.reason, spot.text[max(0, doubt.start - 40) : doubt.end + 24], "compare with the document"
                )

    def _alternatives(self) -> Iterator[Finding]:
        """C113: "40 km/h or 43 km/h", of which one number is read."""
        for spot in self.spots:
            every = [item for item in quantities(spot.text).measurements if not item.conversion]
            for first, second in itertools.pairwise(every):
                same = "tolerance" in (first.dimension, second.dimension) or first.dimension == second.dimension
                end = unit_at(spot.text, first.end)[1] if first.dimension == "tolerance" else first.end
                if not same or not first.unit or not _OR.fullmatch(spot.text[end : second.start]):
                    continue
                read = [self._is_taken(spot, item, every) for item in (first, second)]
                if any(read) and not all(read):
                    other = second if read[0] else first
                    yield _found(
                        "C113",
                        spot.at,
                        f"'{spot.text[other.start : other.end]}' may be taken instead, and is not read",
                        spot.text[max(0, first.start - 40) : second.end + 24],
                        "compare with the document; a profile reads both, one test each",
                    )

    def _is_taken(self, spot: ScopeSentence, item: Measurement, every: list[Measurement]) -> bool:
        """Whether a quantity is read, or is the tolerance of one that is."""
        if item.dimension != "tolerance":
            return self.is_read(spot, item)
        return self.is_read(spot, item) or any(other.tolerance and self.is_read(spot, other) for other in every if other is not item)

    def _negations(self) -> Iterator[Finding]:
        """C114: "shall not drive at 40 km/h": a number is read from what the sentence forbids."""
        for spot in self.spots:
            for item in quantities(spot.text).measurements:
                if item.example or not self.is_read(spot, item):
                    continue
                before, behind = spot.text[: item.start], spot.text[item.end :]
                if _NOT_BEFORE.search(before) or _NOT_BEHIND.match(behind) or _NOT_BEFORE.search(spot.lead):
                    shown = spot.text[item.start : item.end]
                    yield _found(
                        "C114",
                        spot.at,
                        f"'{shown}' is read from a sentence that says not",
                        spot.text[:120],
                        "compare with the document: is it a condition, or what is forbidden?",
                    )

    def _twice(self) -> Iterator[Finding]:
        """C115: a number that a test reads, or that a formula gives, stands once more in its clause and differs."""
        said = [
            Said(spot.at, spot.id, spot.text, item, self.is_read(spot, item))
            for spot in self.spots
            for item in quantities(spot.text).measurements
            if item.unit
            and not item.conversion
            and item.dimension != "tolerance"
            and re.search(r"\d", spot.text[item.start : item.end])
        ]
        for read, other in differing(said):
            yield _found(
                "C115",
                other.at,
                f"'{other.words}' stands where the same words say '{read.words}' at {read.at}",
                other.text[max(0, other.item.start - 60) : other.item.end + 40],
                "compare with the document: one of them is wrong, or a check or a binding reads both",
            )
        by_clause: dict[str, list[str]] = {}
        for spot in self.spots:
            by_clause.setdefault(spot.id, []).append(spot.text)
        for formula in self.reader.document.formulas:
            if (told := formula_differs(formula.text, by_clause.get(formula.clause, ()))) is not None:
                yield _found("C115", formula.clause, f"'{formula.text}': {told}", formula.text, "compare with the document")

    def _sums(self) -> Iterator[Finding]:
        """C112: "20 + 70 + 8 = 98 km/h" that does not add up."""
        for spot in self.spots:
            for match in _SUM.finditer(spot.text):
                *parts, total = (int(number) for number in re.findall(r"\d+", match[0]))
                if sum(parts) != total:
                    yield _found("C112", spot.at, f"'{match[0]}' does not add up: {sum(parts)}", match[0], "compare with the document")

    def _identity(self) -> Iterator[Finding]:
        """C116: keys by which a given file is known to be this edition of this regulation."""
        told = {
            "edition": "nothing says of which edition its tests are",
            "number": "another regulation would be taken for it",
            "title_words": "another edition would be taken for it",
        }
        for key, why in told.items():
            if not getattr(self.profile, key):
                hint = f"{key} = ..., as the title page has it"
                yield _found("C116", f"no {key}", why, "", hint, place=f"{self.profile.file}:1")

    def _conversions(self) -> Iterator[Finding]:
        """C109: "(6.2 mph)" behind a speed that is another one."""
        known = vocabulary()
        for spot in self.spots:
            held: Measurement | None = None
            for item in quantities(spot.text).measurements:
                if item.conversion and held is not None and held.dimension == item.dimension:
                    first, second = (float(known.si(value.hi, value.unit)) for value in (held, item))
                    step = float(known.factor(item.unit)) * 10 ** -_places(item)
                    if abs(first - second) > max(step, abs(first) * _ROUNDING):
                        yield _found(
                            "C109", spot.at, "a conversion that differs", spot.text[held.start : item.end], "compare with the document"
                        )
                held = item


def lint(profile: Profile, document: Document, declared: Mapping[str, str] | None = None) -> tuple[Finding, ...]:
    """Errors of a profile against a document, or what it leaves of it; words that only cite must stand there."""
    program = make_program(profile, document, declared, strict=True)
    try:
        suite = run(program)
    except ProfileError as error:
        return (error.finding(),)
    return (*suite.findings, *Linter(program, suite).findings())


def _strings(data: object) -> Iterator[str]:
    """Every text in a block; keys are the language's words and names, no places."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, Mapping):
        for value in data.values():
            yield from _strings(value)
    elif isinstance(data, list | tuple):
        for value in data:
            yield from _strings(value)


def counts(item: Measurement, text: str) -> bool:
    """Whether the lint asks after a quantity: not after bare numbers, unless worded "at least", nor after words for rest."""
    if item.dimension == "count" and item.bound != "ge":
        return False
    return not (item.unit and item.lo == 0 and not re.search(r"\d", text[item.start : item.end]))


def _asked(text: str) -> int:
    """How many requirements a sentence holds: "shall ... and shall ...", "shall ... until ..."."""
    return max(1, len(vocabulary().must.findall(text)))


def _same(quote: str, text: str) -> bool:
    return " ".join(quote.split()) in " ".join(text.split()) or " ".join(text.split()) in " ".join(quote.split())


def _parts(criterion: Criterion) -> Iterator[Criterion]:
    yield criterion
    if criterion.otherwise is not None:
        yield from _parts(criterion.otherwise)


def _has_below(items: tuple[Item, ...], path: tuple[str, ...], number: int) -> bool:
    return any(item.path[:-1] == path and item.number == number for item in items)


def _places(item: Measurement) -> int:
    exponent = item.hi.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _found(code: str, at: str, message: str, excerpt: str, hint: str, severity: Severity = "warning", place: str = "") -> Finding:
    return Finding(code=code, severity=severity, message=f"{at}: {message}", place=place or at, excerpt=excerpt or None, hint=hint)


# ---- a number that stands twice in a clause: two sentences that say the same words around a quantity and another number.
#
# "... at the latest 0.8 seconds before the emergency braking ... foreseen early enough for a warning 0.8 seconds before emergency
# braking": the words alone say that both are one number.
