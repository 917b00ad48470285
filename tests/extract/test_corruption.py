"""No corrupted draft yields an artefact that differs from the truth: it is repaired and flagged, or refused."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regc.build import contexts_of
from regc.cache import Cache
from regc.enrich import enrich
from regc.extract.rules import drafts_of
from regc.job import Request
from regc.language import sentences
from regc.link import link
from regc.model.chunk import Corpus
from regc.model.document import Document
from regc.model.protocols import Resolver
from regc.model.scenario import ClaimValue, Draft, Scenario
from regc.model.source import Cited, Place, Tolerance
from regc.profiles import load_profile, profile_folder
from regc.resolve import resolver
from regc.source import load_document

EDITIONS = ("02", "eu2020-1597")


class Right:
    """The right drafts of an edition, what they resolve to, and what a corruption may put in their place."""

    def __init__(self, edition_id: str) -> None:
        profile = load_profile("un152")
        self.document: Document
        self.document, edition = load_document(profile, profile_folder("un152"), edition_id, None, Cache())
        graph, _ = link(self.document)
        corpus = Corpus(document=self.document, graph=graph, chunks=enrich(self.document, graph))
        contexts = contexts_of((corpus,), profile, edition, Request("un152", edition=edition_id))
        self.drafts: list[Draft] = []
        for family in profile.families_of(edition_id):
            self.drafts += drafts_of(family, contexts[family.name], profile, edition_id)[0]
        self.resolve: Resolver = resolver(self.document, profile, edition)
        self.truth: list[Scenario] = []
        for draft in self.drafts:
            resolution = self.resolve(draft)
            assert resolution.scenario is not None
            assert not resolution.disagreements
            self.truth.append(resolution.scenario)
        self.clauses = [clause.id for clause in self.document.clauses]
        self.tables = [table.id for table in self.document.tables]
        self.rows = sorted({cells[0].text for table in self.document.tables for cells in table.rows} | {f"#{n}" for n in range(1, 5)})
        self.columns = sorted(
            {
                part
                for table in self.document.tables
                for at in range(len(table.columns))
                for part in (table.column_label(at), *table.columns[at])
            }
        )
        self.quotes = [sentence.text for clause in self.document.clauses for sentence in sentences(clause.text)]


@lru_cache
def right(edition: str) -> Right:
    return Right(edition)


numbers = st.one_of(
    st.sampled_from([Decimal(text) for text in ("0", "0.00", "2", "4", "5", "5.0", "0.2", "0.8", "10", "10.00", "20", "42", "60")]),
    st.decimals(min_value=-10, max_value=3000, places=2),
)
tolerances = st.one_of(
    st.none(),
    st.builds(Tolerance, plus=st.sampled_from([Decimal(n) for n in (0, 2, 4)]), minus=st.sampled_from([Decimal(n) for n in (0, 1, 2)])),
)


def corrupted_value(data: st.DataObject, value: ClaimValue) -> ClaimValue:
    part = data.draw(st.sampled_from(["value", "unit", "bound", "tolerance"]), label="part of the value")
    new: Any
    if part == "value":
        new = data.draw(numbers)
    elif part == "unit":
        new = data.draw(st.sampled_from(["km/h", "mph", "m/s", "s", "m", "m/s2", "per cent", "lux", "1"]))
    elif part == "bound":
        new = data.draw(st.sampled_from(["eq", "lt", "le", "gt", "ge"]))
    else:
        new = data.draw(tolerances)
    return value.model_copy(update={part: new})


def corrupted_place(data: st.DataObject, place: Place, edition: Right) -> Place:
    part = data.draw(st.sampled_from(["clause", "table", "row", "column", "quote"]), label="part of the place")
    choices = {
        "clause": edition.clauses,
        "table": edition.tables,
        "row": edition.rows,
        "column": edition.columns,
        "quote": edition.quotes,
    }
    new: Any = data.draw(st.sampled_from(choices[part]))
    if part == "quote" and place.quote and data.draw(st.booleans(), label="cut the quote"):
        start = data.draw(st.integers(0, len(place.quote) - 1))
        new = place.quote[start : data.draw(st.integers(start + 1, len(place.quote)))]
    elif part != "clause" and data.draw(st.integers(0, 9)) == 0:
        new = None
    return place.model_copy(update={part: new})


def corrupted(data: st.DataObject, draft: Draft, edition: Right) -> tuple[Draft, str, bool]:
    """The draft with one thing wrong, what it is, and whether a number of it now differs from the right one."""
    kind = data.draw(
        st.sampled_from(["number", "number", "place", "place", "words", "load", "category", "row", "group", "status"]), label="kind"
    )
    if kind in ("number", "place"):
        name = data.draw(st.sampled_from(sorted(draft.fields)), label="field")
        claims = draft.fields[name]
        at = data.draw(st.integers(0, len(claims) - 1))
        claim = claims[at]
        value = corrupted_value(data, claim.value) if kind == "number" else claim.value
        place = corrupted_place(data, claim.place, edition) if kind == "place" else claim.place
        new = Cited[ClaimValue].model_construct(value=value, place=place)
        fields = {**draft.fields, name: (*claims[:at], new, *claims[at + 1 :])}
        wrong = claim.value.value is not None and value.value != claim.value.value
        return draft.model_copy(update={"fields": fields}), name, wrong
    if kind == "words" and draft.statements:
        topic = data.draw(st.sampled_from(sorted(draft.statements)), label="topic")
        cited = draft.statements[topic]
        place = corrupted_place(data, cited[0].place, edition)
        said = Cited[str].model_construct(value=place.quote or cited[0].value, place=place)
        return draft.model_copy(update={"statements": {**draft.statements, topic: (said, *cited[1:])}}), topic, False
    if kind == "load":
        terms = ["Maximum mass", "Mass in running order", "Laden", "Unladen", "full", "", None]
        return draft.model_copy(update={"load_term": data.draw(st.sampled_from(terms))}), kind, False
    if kind == "category":
        return draft.model_copy(update={"category": data.draw(st.sampled_from(["M1", "N1", "M2", "", None]))}), kind, False
    if kind == "row":
        return draft.model_copy(update={"row": data.draw(st.sampled_from([*edition.rows, None]))}), kind, False
    if kind == "group":
        return (
            draft.model_copy(update={"group": data.draw(st.sampled_from(["alpha > 1.3", "alpha <= 1.3", "heavy", None]))}),
            kind,
            False,
        )
    statuses = ["mandatory", "ts_option", "envelope", "guidance"]
    return draft.model_copy(update={"status": data.draw(st.sampled_from(statuses))}), "status", False


@pytest.mark.parametrize("edition", EDITIONS)
@settings(max_examples=1000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_one_corruption_never_changes_an_artefact(edition: str, data: st.DataObject) -> None:
    known = right(edition)
    at = data.draw(st.integers(0, len(known.drafts) - 1), label="draft")
    draft, what, wrong_number = corrupted(data, known.drafts[at], known)
    resolution = known.resolve(draft)
    if resolution.scenario is None:
        assert any(finding.severity == "error" for finding in resolution.findings), f"{what}: refused in silence"
        assert resolution.disagreements
        return
    assert resolution.scenario.model_dump() == known.truth[at].model_dump(), what
    if wrong_number:
        assert resolution.wrong_values, f"{what}: repaired in silence"
        assert any(finding.code == "X410" for finding in resolution.findings)


def test_every_number_of_every_draft_is_read_again() -> None:
    """Each number of each right draft, changed by one, is repaired from its place and flagged, or the test is refused."""
    known = right("02")
    checked = 0
    for at, draft in enumerate(known.drafts):
        for name, claims in draft.fields.items():
            for index, claim in enumerate(claims):
                if claim.value.value is None:
                    continue
                wrong = claim.value.model_copy(update={"value": claim.value.value + 1})
                new = Cited[ClaimValue].model_construct(value=wrong, place=claim.place)
                resolution = known.resolve(
                    draft.model_copy(update={"fields": {**draft.fields, name: (*claims[:index], new, *claims[index + 1 :])}})
                )
                checked += 1
                assert resolution.wrong_values, name
                assert resolution.scenario is not None, name
                assert resolution.scenario.model_dump() == known.truth[at].model_dump(), name
    assert checked > 4000
