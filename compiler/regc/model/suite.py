"""All tests that a regulation prescribes, and what became of each sentence and cell that prescribes something."""

from __future__ import annotations

from typing import Literal

from regc.model.criterion import LimitTable
from regc.model.result import Finding
from regc.model.scenario import Card, Form, Scenario, Statement
from regc.model.source import Frozen, Wording

#: test: a scenario rests on it. card: a procedure card. told: words of a test that steer nothing. external: another regulation's
#: matter. waived: the profile says why it is not meant. open: nothing accounts for it.
Fate = Literal["test", "card", "told", "external", "waived", "open"]


class Accounted(Frozen):
    """One sentence that prescribes, one cell of a test table, one mark or rule below a table, and what became of it. `place` is an
    address ("6.4(c)(i)", "5.2.1.4#1 row 42, Maximum mass", "6.9.1^5"). `used_by`: ids of scenarios or cards. `reason`: of a waiver or
    of what is external."""

    kind: Literal["sentence", "cell", "rule"]
    clause: str
    place: str
    text: str
    fate: Fate
    used_by: tuple[str, ...] = ()
    reason: str = ""


class Coverage(Frozen):
    """What of the document's scope reached a test or a card, and the numbers of all scenarios by basis. `borrowed`: stated numbers
    whose tolerance is assumed."""

    entries: tuple[Accounted, ...] = ()
    cited: int = 0
    derived: int = 0
    assumed: int = 0
    borrowed: int = 0

    def count(self, fate: Fate, kind: str | None = None) -> int:
        """Entries of a fate, of one kind or all."""
        return sum(entry.fate == fate and kind in (None, entry.kind) for entry in self.entries)


class Suite(Frozen):
    """The tests of one edition as one document gives them; what targets, judge and report work from.

    `stem` begins every id. `csv_form`, `csv_tests`: the form of test texts that an edition is known for, and its axis values.
    `declared`: what the applicant declared, as given. `quantities`: how people read the quantities that a declaration gives, by name.
    `excerpt`: the document holds only a part of the regulation. `chosen`: ids that
    the filters of a build left; `scenarios` is always the whole edition, so that limits and coverage never depend on a filter.
    `procedures`: clause of a test -> its lines and those below it, in the document's words.
    """

    regulation: str
    edition: str
    wording: Wording
    excerpt: bool = False
    title: str
    stem: str
    document_sha256: str = ""
    source_name: str = ""
    edition_date: str = ""
    csv_form: str = "full"
    csv_categories: tuple[str, ...] = ()
    scenarios: tuple[Scenario, ...]
    tables: tuple[LimitTable, ...] = ()
    cards: tuple[Card, ...] = ()
    forms: tuple[Form, ...] = ()
    procedures: dict[str, tuple[Statement, ...]] = {}
    coverage: Coverage = Coverage()
    findings: tuple[Finding, ...] = ()
    declared: dict[str, str] = {}
    quantities: dict[str, str] = {}
    chosen: tuple[str, ...] | None = None

    @property
    def selected(self) -> tuple[Scenario, ...]:
        """The scenarios that were chosen."""
        if self.chosen is None:
            return self.scenarios
        kept = frozenset(self.chosen)
        return tuple(scenario for scenario in self.scenarios if scenario.id in kept)

    @property
    def forced(self) -> str:
        """What every file says where it is written although the check found errors; "" where it found none."""
        count = sum(finding.severity == "error" for finding in self.findings)
        errors = f"{count} error{'s' * (count > 1)}"
        return f"Made with --force over {errors} of the check (findings.json): not fit for use." if count else ""

    @property
    def chosen_by(self) -> str:
        """What every file says where places of it were chosen by a language model; "" where the profile's words name them all."""
        if not any(finding.code == "M391" for finding in self.findings):
            return ""
        return "Some of its places were chosen by a language model (findings.json, M391): compare them with the document."

    @property
    def caution(self) -> str:
        """What a reader of any file must know before it is used; "" for nothing."""
        return " ".join(filter(None, (self.forced, self.chosen_by)))

    @property
    def note(self) -> str:
        """What the header of every file says behind its title: that the wording is not the official one, and what calls for caution;
        each sentence with a space before it."""
        embedded = " Made from an embedded edition: the wording is not that of the official text, which type approval must use."
        return (embedded if self.wording == "embedded" else "") + (f" {self.caution}" if self.caution else "")

    @property
    def written(self) -> int:
        """Entries of the coverage that a chosen test rests on."""
        chosen = frozenset(scenario.id for scenario in self.selected)
        return sum(entry.fate == "test" and not chosen.isdisjoint(entry.used_by) for entry in self.coverage.entries)

    def table(self, id: str) -> LimitTable | None:
        """The limit table with that id, or None."""
        return next((table for table in self.tables if table.id == id), None)
