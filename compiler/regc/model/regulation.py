"""A regulation's profile: data that says which clauses and tables make a family. No regulation's numbers stand in it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from regc.model.scenario import ApproachType, LoadKind, Status, WarningRule
from regc.model.source import Bound, Frozen, Wording


class Edition(Frozen):
    """An edition of the regulation. `file` is the embedded text beside the profile. `date` (ISO) is the date of entry into force,
    used wherever a file needs a date. `recognise` are patterns of which one stands in an official file of this edition.
    `unknown`: "<family> <category>" whose limits the embedded text is known not to hold."""

    id: str
    title: str
    date: str
    file: str
    wording: Wording = "embedded"
    stem: str
    recognise: tuple[str, ...] = ()
    csv_form: Literal["full", "literature"] = "full"
    csv_categories: tuple[str, ...] = ()
    gaps: bool = Field(default=False, description="the embedded text leaves out paragraph numbers; its notes tell which parts")
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


class LoadTerm(Frozen):
    """Words for a load state (case-insensitive patterns), the enum that they map to, and their tokens in ids."""

    kind: LoadKind
    token: str
    terms: tuple[str, ...]


class CategoryTerm(Frozen):
    """A vehicle category and how captions name it (pattern)."""

    id: str
    pattern: str


class FieldRule(Frozen):
    """Where a field's number stands: in which clauses, in what unit, near which words.

    `load`: the load state that the number is for, where it is not for all.
    Clauses may say {procedure} and {requirement} for those of the family.

    `field`: dotted field of Scenario, or "manoeuvre.<name>" / "envelope.<name>" / "runs.<name>". `clauses`: ids in which the place
    must be, the first that answers wins. `anchor`: pattern that the sentence (or lettered item) must match. `before`: pattern
    that must match directly before the number, `after` directly behind it (unit included).
    `bound`: set where the wording leaves it to the reader ("in excess of").
    """

    field: str
    clauses: tuple[str, ...]
    unit: str
    anchor: str = ""
    before: str = ""
    after: str = ""
    bound: Bound | None = None
    required: bool = True
    load: LoadKind | None = None
    editions: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    def holds_for(self, family: str, edition: str) -> bool:
        """Whether the rule is meant for that family and edition (an empty list means all)."""
        return (not self.families or family in self.families) and (not self.editions or edition in self.editions)


class StatementRule(Frozen):
    """Words that belong to a test: a topic, its clauses, and the pattern of the sentences to take."""

    topic: str
    clauses: tuple[str, ...]
    anchor: str
    load: LoadKind | None = None
    editions: tuple[str, ...] = ()
    families: tuple[str, ...] = ()

    def holds_for(self, family: str, edition: str) -> bool:
        """Whether the rule is meant for that family and edition (an empty list means all)."""
        return (not self.families or family in self.families) and (not self.editions or edition in self.editions)


class Variant(Frozen):
    """One scenario of a family whose scenarios are told in prose, each in clauses of its own."""

    name: str
    token: str
    title: str
    procedure: str
    target_type: str
    target_description: str = ""
    fields: tuple[FieldRule, ...]
    statements: tuple[StatementRule, ...] = ()


class Family(Frozen):
    """A family of tests. `token` stands in ids. `procedure` is the clause of the test, `requirement` that of the performance.

    `limit_clause` holds the limit tables; `limit_column` is a pattern that a limit column's path or the caption must match (or no
    column names it). `lookup`: by which speed the limit row is found. `speed_clause` holds the test-speed tables or prose.
    `demonstrates` are clauses that a test shows without a number of theirs.
    `query` are the words asked of the retriever.
    """

    name: str
    token: str
    title: str
    approach_type: ApproachType
    target_type: str
    target_description: str = ""
    procedure: str
    requirement: str
    limit_clause: str | None = None
    limit_column: str = ""
    speed_clause: str | None = None
    lookup: Literal["relative", "subject"] = "subject"
    other_speeds: str = ""
    prescribed_status: Status = "mandatory"
    further_status: Status = "ts_option"
    warning_rule: WarningRule = "none"
    quota_group: str = ""
    demonstrates: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    editions: tuple[str, ...] = ()
    query: str
    variants: tuple[Variant, ...] = ()


class CardRule(Frozen):
    """A procedure card: the clauses it tells of and why it is not driven."""

    id: str
    title: str
    clauses: tuple[str, ...]
    reason: str = "not driven"
    editions: tuple[str, ...] = ()


class Profile(Frozen):
    """Everything that generic code needs to know of one regulation."""

    id: str
    title: str
    number: str
    stem: str
    title_words: tuple[str, ...] = Field(
        default=(), description="words of the title, all of which a file must have in front that does not state the number there"
    )
    default_edition: str
    official_texts: str = ""
    speed_unit: str = "km/h"
    vocabulary: tuple[str, ...] = ()
    editions: tuple[Edition, ...]
    load_states: tuple[LoadTerm, ...] = ()
    categories: tuple[CategoryTerm, ...] = ()
    fields: tuple[FieldRule, ...] = ()
    statements: tuple[StatementRule, ...] = ()
    families: tuple[Family, ...]
    cards: tuple[CardRule, ...] = ()
    testable: tuple[str, ...] = Field(default=(), description="clause ids (or 'x.*') whose coverage is counted")
    not_simulable: dict[str, str] = Field(default={}, description="clause id -> reason that no scenario shows it")

    def edition(self, id: str) -> Edition | None:
        """The edition with that id, or None."""
        return next((edition for edition in self.editions if edition.id == id), None)

    def field_rules(self, family: Family, edition: str, variant: Variant | None = None) -> tuple[FieldRule, ...]:
        """The rules of a family's (or variant's) fields with the family's own clauses filled in."""
        if variant is not None:
            return variant.fields
        return tuple(
            rule.model_copy(update={"clauses": _fill(rule.clauses, family)})
            for rule in self.fields
            if rule.holds_for(family.name, edition)
        )

    def statement_rules(self, family: Family, edition: str, variant: Variant | None = None) -> tuple[StatementRule, ...]:
        """The rules of a family's (or variant's) statements with the family's own clauses filled in."""
        if variant is not None:
            return variant.statements
        return tuple(
            rule.model_copy(update={"clauses": _fill(rule.clauses, family)})
            for rule in self.statements
            if rule.holds_for(family.name, edition)
        )

    def families_of(self, edition: str) -> tuple[Family, ...]:
        """The families that an edition has."""
        return tuple(family for family in self.families if not family.editions or edition in family.editions)

    def family(self, name: str) -> Family | None:
        """The family with that name, or None."""
        return next((family for family in self.families if family.name == name), None)


def _fill(clauses: tuple[str, ...], family: Family) -> tuple[str, ...]:
    return tuple(clause.replace("{procedure}", family.procedure).replace("{requirement}", family.requirement) for clause in clauses)
