"""A profile: a regulation as a small, cited program in TOML. It holds addresses and a few words of the text, no number and no pattern.

One form everywhere: a word of the vocabulary stands with the place that says it, "WORD [place]". Unknown names are errors with the
nearest known one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from regc.lang.faults import known
from regc.lang.located_toml import Text
from regc.lang.vocabulary import BindingKind, vocabulary

Raw = dict[str, Any]


class ProfileBlock(BaseModel):
    """Base of every block of a profile; keys are closed."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


class AxisValueSpec(ProfileBlock):
    """A value of an axis and the words by which captions, headers, cells or sentences name it."""

    words: tuple[Text, ...] = Field(description="the words that name it; one of them must stand at the place")
    token: Text | None = Field(None, description="what stands for it in ids; the value's name by default")
    covers: tuple[Text, ...] = Field((), description="vehicle categories that it covers, with the place of a bound")
    status: Text | None = Field(None, description="status of its tests")
    set: dict[Text, Text] = Field({}, description="conditions that go with it")
    bind: dict[Text, Any] = Field({}, description="bindings that go with it; those of the test come first")
    let: dict[Text, Text] = Field({}, description="names for expressions in its tests; every value gives its own")
    only: dict[Text, tuple[Text, ...]] = Field({}, description="axis = the only values that it goes with")


class AxisSpec(ProfileBlock):
    """What tests are varied over: categories, load states, light."""

    at: Text | None = Field(None, description="the clause in which sentences name the values")
    values: dict[Text, AxisValueSpec] = Field(description="value = its words")


class MarkSpec(ProfileBlock):
    """The rule of a mark in a table's cells."""

    covers: tuple[Text, ...] = Field((), description="categories that the marked cell holds for")
    said: Text = Field(description="the rule's place")


class BeyondSpec(ProfileBlock):
    """What holds past a value of an axis."""

    said: Text = Field(description="the place that says so")
    axes: dict[Text, Text] = Field(description="axis value = value whose column is taken past it")


class CheckSpec(ProfileBlock):
    """A worked example or what the text says twice."""

    axes: dict[Text, Text] = Field({}, description="axis = value of the tests that it speaks of")
    some: Text | None = Field(None, description="a comparison that one test fulfils")
    all: Text | None = Field(None, description="a comparison that all tests fulfil")
    declared: Text | None = Field(None, description="a comparison that what is declared must fulfil in every test")


class TableSpec(ProfileBlock):
    """A table of the document: a lookup (`columns` or none) or a list of tests (`cells`)."""

    at: Text = Field(description="the clause or table")
    caption: Text | None = Field(None, description="the axis whose value the caption names")
    columns: Text | None = Field(None, description="the axis whose value a column's header names")
    cells: dict[Text, Text] = Field({}, description="binding, axis or tol.B = header words or axis")
    transposed: bool = Field(False, description="the columns are the tests, and the first cell of a row is its header")
    blank: Literal["above"] | None = Field(None, description="a blank cell repeats the one above")
    unit: dict[Text, Text] = Field({}, description="binding = place of the unit of bare cells")
    between: dict[Text, Text] = Field({}, description="next_higher | next_lower | interpolate = place that says so")
    beyond: BeyondSpec | None = Field(None, description="what holds past a value of the axis")
    marks: dict[Text, MarkSpec] = Field({}, description="mark = its rule")
    rows: dict[Text, int] = Field({}, description="address of a table = how many rows you count in it")
    check: tuple[CheckSpec, ...] = Field((), description="worked examples")

    @property
    def is_list(self) -> bool:
        """Whether the rows are tests."""
        return bool(self.cells)


class CriterionSpec(ProfileBlock):
    """One requirement on a run."""

    is_: Text = Field(alias="is", description="the predicate")
    if_: Text | None = Field(None, alias="if", description="asked only then: a declared quantity or a comparison")
    else_: Text | None = Field(None, alias="else", description="the predicate where the reason that `said` states is on record")
    unless: Text | None = Field(None, description="not asked where this declared statement is on record")
    instead: Text | None = Field(None, description="label of the criterion that it replaces where `if` holds")
    not_: dict[Text, Text | tuple[Text, ...]] = Field({}, alias="not", description="axis = values that it is not asked of")
    said: Text | None = Field(None, description="the place that says so")
    phase: Text | None = Field(None, description="the phase of a sequence in which it is asked; all of them by default")


class PhaseSpec(ProfileBlock):
    """A part of a sequence: a manoeuvre of its own with its own end."""

    name: Text = Field(description="what criteria with `phase` and a log's marks call it")
    manoeuvre: Text = Field(description="the kind of drive of this phase")
    let: dict[Text, Text] = Field({}, description="names for expressions")
    bind: dict[Text, Text] = Field({}, description="bindings beside those of the test, which hold in every phase")
    tol: dict[Text, Text] = Field({}, description="binding = place of its tolerance")
    actors: dict[Text, Text] = Field({}, description='role = "kind [place]"')
    until: CriterionSpec | None = Field(None, description="the predicate that ends it; its last motion by default")
    said: Text | None = Field(None, description="the sentence that describes it")


class ChoiceSpec(ProfileBlock):
    """What is done where the document says two things that do not go together."""

    is_: Text = Field(alias="is", description="what is done, in words of one's own")
    said: tuple[Text, ...] = Field(description="the sentences that do not go together")


class FurtherSpec(ProfileBlock):
    """More tests that the text lets be added."""

    bind: dict[Text, Any] = Field({}, description="bindings that differ")
    when: Text | None = Field(None, description="guard")
    status: Text | None = Field(None, description="their status")
    token: Text | None = Field(None, description="what ends their ids")
    require: dict[Text, CriterionSpec] | None = Field(None, description="their criteria, in place of the test's")
    runs: dict[Text, Text] | None = Field(None, description="their repetitions, in place of the test's; false: none")
    said: Text | None = Field(None, description="the sentence that lets them be added")
    other: tuple[Text, ...] = Field((), description="bindings and actors.ROLE that must differ from the prescribed test's")
    borrow: bool = Field(False, description="take the tolerance of the next higher prescribed value (assumed)")


class TestSpec(ProfileBlock):
    """One test, after `like` and `use`."""

    name: Text = Field(description="what `like`, --family and the reports call it")
    token: Text | None = Field(None, description="what stands for it in ids; the name by default")
    id: Text | None = Field(None, description='the end of its ids, "{axis} {binding}"; axes and the subject speed by default')
    title: Text | None = Field(None, description="a title; the clause's by default")
    at: Text = Field(Text(""), description="the clause of the procedure")
    req: Text | None = Field(None, description="the clause of the requirement")
    like: Text | None = Field(None, description="the test that it takes over")
    in_: Text | None = Field(None, alias="in", description="the group whose keys it takes over")
    status: Text | None = Field(None, description="mandatory, option, guidance, evidence")
    when: Text | None = Field(None, description="guard of the whole test")
    only: dict[Text, Text | tuple[Text, ...]] = Field({}, description="axis = the only values; said = the place")
    manoeuvre: Text = Field(Text(""), description="the kind of drive")
    phases: tuple[PhaseSpec, ...] = Field((), description="the parts of a sequence, in order")
    vary: tuple[Text, ...] = Field((), description="axes in full")
    merge: dict[Text, Text] = Field({}, description="axis = the place that lets equal neighbours on it be one test")
    fix: dict[Text, Text] = Field({}, description='axis = "value [place]"')
    points: Text | None = Field(None, description='"table: words of the rows"')
    let: dict[Text, Text] = Field({}, description="names for expressions")
    bind: dict[Text, Text | tuple[Text, ...]] = Field({}, description="binding = expression; a list is one test each")
    tol: dict[Text, Text] = Field({}, description="binding = place of its tolerance")
    with_: dict[Text, dict[Text, Any]] = Field({}, alias="with", description="axis.value = what is otherwise")
    further: tuple[FurtherSpec, ...] = Field((), description="more tests")
    require: dict[Text, CriterionSpec] = Field({}, description="label = criterion")
    actors: dict[Text, Text] = Field({}, description='role = "kind [place]"')
    conditions: dict[Text, Text] = Field({}, description="surroundings and vehicle")
    runs: dict[Text, Text] = Field({}, description="repetitions")
    said: Text | None = Field(None, description="the sentence that prescribes it")
    tell: tuple[Text, ...] = Field((), description="sentences whose numbers steer nothing")
    choice: tuple[ChoiceSpec, ...] = Field((), description="contradictions of the document, and what is done")
    check: tuple[CheckSpec, ...] = Field((), description="worked examples")


class CardSpec(ProfileBlock):
    """A requirement that is not driven."""

    title: Text = Field(description="what it is called")
    token: Text | None = Field(None, description="what stands for it in ids")
    kind: Text = Field(description="inspection, standing, driving, review")
    clauses: tuple[Text, ...] = Field(description="the clauses that it covers")
    steps: tuple[Text, ...] = Field((), description="places that say what to do")
    proposes: Text | None = Field(None, description="the place that lets further speeds be driven after a failed run")


class FormSpec(ProfileBlock):
    """A form that the regulation prints; its headings and fields are read from the document."""

    token: Text = Field(description="what stands for it in ids and in a file of values")
    at: Text = Field(description="where it stands: an annex or an appendix")
    title: Text | None = Field(None, description="what it is called; the document's own heading by default")


class Profile(ProfileBlock):
    """An edition of a regulation. `raws` are the tests as written and inherited, for `with`."""

    id: Text = Field(description="the regulation's id, as commands take it")
    edition: Text = Field(Text(""), description="the edition's id; that of the document by default")
    stem: Text = Field(Text(""), description="what every id of a test begins with; ID-EDITION by default")
    title: Text = Field(Text(""), description="what it is called in artefacts")
    number: Text | None = Field(None, description="its number, which the title page of a given file must show")
    title_words: tuple[Text, ...] = Field((), description="words of the title page that tell this edition apart")
    covers: tuple[Text, ...] = Field((), description="vehicle categories of tests whose axes name none, with their place")
    scope: tuple[Text, ...] = Field(description="addresses that the lint accounts for")
    text: Text | None = Field(None, description="file of the embedded wording")
    excerpt: bool = Field(
        False, description="true: the embedded wording holds a part of the regulation, and its references may lead out"
    )
    date: Text | None = Field(None, description="edition date, never guessed")
    notes: tuple[Text, ...] = Field((), description="known gaps of an embedded edition")
    csv_form: Text = Field(Text("full"), description="form of the CSV: full, or literature")
    csv_categories: tuple[Text, ...] = Field((), description="categories that the literature's form lists; all by default")
    place: dict[Text, Text] = Field({}, description="NAME = address: short names")
    declare: dict[Text, Text] = Field({}, description='NAME = "TYPE [place]"')
    words: dict[Text, Text] = Field(
        {}, description="NAME of what is declared, of an axis, or LABEL of a criterion with an exception = how people read it"
    )
    axis: dict[Text, AxisSpec] = Field({}, description="what tests are varied over")
    table: dict[Text, TableSpec] = Field({}, description="tables of the document")
    let: dict[Text, Text] = Field({}, description="NAME = expression, worked out in the test that uses it")
    tests: tuple[TestSpec, ...]
    card: tuple[CardSpec, ...] = Field((), description="requirements that are not driven")
    part: dict[Text, tuple[Text, ...]] = Field(
        {}, description="prepare, approach, functional, end or assess = clauses whose told sentences belong there in a test case"
    )
    form: tuple[FormSpec, ...] = Field((), description="forms that the regulation prints")
    waive: dict[Text, Text] = Field(
        {}, description='place = reason why it is not meant; "external: ..." where another regulation has it'
    )
    file: str = ""
    raws: dict[str, Any] = {}

    def test(self, name: str) -> TestSpec:
        """A test by name; raises P101."""
        by_name = {test.name: test for test in self.tests}
        return by_name[Text(known(name, by_name, "test"))]


@dataclass(frozen=True)
class Declared:
    """What an applicant declares: its type, the axis of which every value has its own ("" for none), and the place that asks for it.

    Declared.parse("speed per range [5.6: maximum]") is a speed for each value of the axis range; "first|second [5.7]" one of two words.
    """

    kind: BindingKind
    axis: str
    place: Text

    @classmethod
    def parse(cls, text: Text) -> Declared:
        """A declaration as a profile writes it."""
        match = re.match(r"(\S+)(?: per (\w+))?\s*(.*)", text)
        assert match is not None
        words = [*match[1].split("|")] if "|" in match[1] else []
        return cls(BindingKind.parse(words or match[1]), match[2] or "", Text(match[3], text.where))

    @property
    def is_statement(self) -> bool:
        """Whether it is stated in words and no quantity."""
        return bool(self.kind.words) or self.kind.dimension in vocabulary().declared
