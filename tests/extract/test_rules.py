"""The rules see a context and nothing else: what it holds they claim with its place, what it lacks is a finding."""

from __future__ import annotations

import pytest

from regc import registry
from regc.enrich import enrich
from regc.extract import rules
from regc.job import Compiled
from regc.model.chunk import Context, Corpus, Query
from regc.model.regulation import Family, Profile
from regc.model.result import Finding
from regc.model.scenario import Draft
from regc.profiles import load_profile
from tests.conftest import INVENTED


@pytest.fixture(scope="module")
def profile() -> Profile:
    return load_profile(str(INVENTED))


@pytest.fixture(scope="module")
def whole(invented: Compiled) -> Context:
    """The whole document as evidence."""
    corpus = Corpus(document=invented.document, graph=invented.graph, chunks=enrich(invented.document, invented.graph))
    module = registry.load("retrieve", "fulltext")
    context: Context = module.build((corpus,), embedder=None, llm=None, options=module.Options()).retrieve(Query(text="all"))
    return context


def without(context: Context, *ids: str) -> Context:
    return context.model_copy(update={"items": tuple(item for item in context.items if item.id not in ids)})


def family(profile: Profile, name: str = "shuttle_to_standing_cart") -> Family:
    found = profile.family(name)
    assert found is not None
    return found


def made(profile: Profile, context: Context, name: str = "shuttle_to_standing_cart") -> tuple[list[Draft], list[Finding]]:
    return rules.drafts_of(family(profile, name), context, profile, "2nd")


def test_one_draft_a_prescribed_speed_and_a_further_row(profile: Profile, whole: Context) -> None:
    drafts, findings = made(profile, whole)
    assert findings == []
    light = [(item.load_term, item.row, item.status) for item in drafts if item.category == "LS"]
    assert light == [
        *(("Crowded", row, "mandatory") for row in ("12", "18")),
        *(("Crowded", row, "ts_option") for row in ("6", "24")),
        *(("Empty", row, "mandatory") for row in ("12", "18")),
        *(("Empty", row, "ts_option") for row in ("6", "24", "30")),
    ]


def test_every_claim_has_a_place_that_the_context_holds(profile: Profile, whole: Context) -> None:
    for draft in made(profile, whole)[0]:
        for claims in draft.fields.values():
            for claim in claims:
                place = claim.place
                clause = whole.clause(place.clause)
                assert clause is not None
                if place.table:
                    assert any(table.id == place.table for table in whole.tables())
                else:
                    assert place.quote
                    assert place.quote in clause.text


def test_a_rolling_target_leaves_out_what_the_range_cannot_give(profile: Profile, whole: Context) -> None:
    drafts, _ = made(profile, whole, "shuttle_to_rolling_cart")
    rows = {item.row for item in drafts if item.category == "LS" and item.load_term == "Empty"}
    assert rows == {"6", "12", "18", "24"}  # 30 mph closing on a cart of 6 mph needs 36 mph, and the range ends at 30 mph


def test_a_missing_test_clause_stops_the_family(profile: Profile, whole: Context) -> None:
    drafts, findings = made(profile, without(whole, "4.2"))
    assert drafts == []
    assert ("X403", "error") in {(item.code, item.severity) for item in findings}
    assert any(item.message.startswith("4.2: ") for item in findings)
    assert made(profile, without(whole, "4.2"), "shuttle_to_rolling_cart")[0]


def test_a_missing_limit_table_stops_its_category_only(profile: Profile, whole: Context) -> None:
    drafts, findings = made(profile, without(whole, "3.1.4#2"))
    assert {item.category for item in drafts} == {"LS"}
    (finding,) = findings
    assert (finding.code, finding.severity) == ("X403", "error")
    assert "no limit table whose caption names category HS" in finding.message


def test_a_limit_that_an_edition_is_known_to_lack_is_no_error(profile: Profile, whole: Context) -> None:
    edition = profile.editions[0].model_copy(update={"unknown": ("shuttle_to_standing_cart HS",)})
    known = profile.model_copy(update={"editions": (edition,)})
    assert made(known, without(whole, "3.1.4#2"))[1] == []
    assert made(known, without(whole, "3.1.4#2"), "shuttle_to_rolling_cart")[1] != []


def test_a_number_that_the_clause_does_not_say_is_a_finding(profile: Profile, whole: Context) -> None:
    silent = tuple(
        item.model_copy(update={"clause": item.clause.model_copy(update={"text": "The buzzer shall be loud."})})
        if item.clause and item.id == "3.1.1"
        else item
        for item in whole.items
    )
    drafts, findings = made(profile, whole.model_copy(update={"items": silent}))
    (finding,) = findings
    assert (finding.code, finding.field) == ("X401", "criteria.min_warning_lead_time")
    assert "3.1.1" in finding.message
    assert all("criteria.min_warning_lead_time" not in draft.fields for draft in drafts)


def test_numbers_that_differ_are_never_chosen_from(profile: Profile, whole: Context) -> None:
    double = tuple(
        item.model_copy(
            update={
                "clause": item.clause.model_copy(update={"text": "A buzzer sounds at least 0.5 s before. The buzzer: at least 0.9 s."})
            }
        )
        if item.clause and item.id == "3.1.1"
        else item
        for item in whole.items
    )
    drafts, findings = made(profile, whole.model_copy(update={"items": double}))
    (finding,) = findings
    assert finding.code == "X402"
    assert "0.5 s, 0.9 s" in finding.message
    assert all("criteria.min_warning_lead_time" not in draft.fields for draft in drafts)


def test_other_regulations_in_a_context_are_not_looked_at(profile: Profile, whole: Context, invented: Compiled) -> None:
    foreign = tuple(item.model_copy(update={"regulation": "boats"}) for item in whole.items)
    extraction = rules.extract(
        {"shuttle_to_standing_cart": whole.model_copy(update={"items": foreign})},
        profile,
        "2nd",
        lambda draft: pytest.fail(f"a draft from another regulation: {draft.family}"),
    )
    assert extraction.resolutions == ()
    assert extraction.findings


def test_a_family_without_a_context_is_left_alone(profile: Profile) -> None:
    extraction = rules.extract({}, profile, "2nd", lambda draft: pytest.fail("a draft from nothing"))
    assert (extraction.resolutions, extraction.findings) == ((), ())


def test_the_real_prose_speeds_of_the_literature_edition(literature: Compiled) -> None:
    """20, 42 and 60 km/h with one tolerance behind the list; the target's speed in the same sentence is none of them."""
    mandatory = {
        family: {
            str(item.subject.test_speed.value)
            for item in literature.checked.scenarios
            if item.family == family and item.status == "mandatory"
        }
        for family in ("car_to_stationary_car", "car_to_moving_car", "car_to_pedestrian")
    }
    assert mandatory == {
        "car_to_stationary_car": {"20", "42", "60"},
        "car_to_moving_car": {"30", "60"},
        "car_to_pedestrian": {"20", "30", "60"},
    }
