"""Nothing that an extractor claims is believed: places first, then values; a wrong place gives no scenario, whatever its number."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from regc import registry
from regc.enrich import enrich
from regc.extract.rules import drafts_of
from regc.job import Compiled
from regc.model.chunk import Corpus, Query
from regc.model.protocols import Resolver
from regc.model.result import Resolution
from regc.model.scenario import ClaimValue, Draft
from regc.model.source import Cited, Place, Tolerance
from regc.profiles import load_profile
from regc.resolve import resolver
from tests.conftest import INVENTED

LIMIT, SPEED, TTC, TARGET = "criteria.max_impact_speed", "subject.test_speed", "trigger.min_ttc", "target.speed"


@pytest.fixture(scope="module")
def resolve(invented: Compiled) -> Resolver:
    profile = load_profile(str(INVENTED))
    edition = profile.edition("2nd")
    assert edition is not None
    return resolver(invented.document, profile, edition)


@pytest.fixture(scope="module")
def drafts(invented: Compiled) -> tuple[Draft, ...]:
    """What the rules claim from the whole document."""
    profile = load_profile(str(INVENTED))
    corpus = Corpus(document=invented.document, graph=invented.graph, chunks=enrich(invented.document, invented.graph))
    module = registry.load("retrieve", "fulltext")
    context = module.build((corpus,), embedder=None, llm=None, options=module.Options()).retrieve(Query(text="all"))
    return tuple(draft for family in profile.families for draft in drafts_of(family, context, profile, "2nd")[0])


@pytest.fixture(scope="module")
def draft(drafts: tuple[Draft, ...]) -> Draft:
    """Standing cart, light shuttle, crowded, row 18 (limit 6.5), a prescribed speed."""
    return next(
        item
        for item in drafts
        if (item.family, item.category, item.load_term, item.row, item.status)
        == ("shuttle_to_standing_cart", "LS", "Crowded", "18", "mandatory")
    )


def with_claim(draft: Draft, field: str, *, value: dict[str, Any] | None = None, place: dict[str, Any] | None = None) -> Draft:
    """The draft with its first claim of a field changed."""
    first, *rest = draft.fields[field]
    changed = Cited[ClaimValue](
        value=first.value.model_copy(update=value or {}), place=Place.model_validate(first.place.model_dump() | (place or {}))
    )
    return draft.model_copy(update={"fields": draft.fields | {field: (changed, *rest)}})


def codes(resolution: Resolution) -> set[str]:
    return {finding.code for finding in resolution.findings if finding.severity != "info"}


def limit(resolution: Resolution) -> str:
    assert resolution.scenario is not None
    quantity = resolution.scenario.criteria.max_impact_speed
    assert quantity is not None
    return str(quantity.value)


def refused(resolution: Resolution, code: str = "X411") -> bool:
    return resolution.scenario is None and code in codes(resolution) and bool(resolution.disagreements)


def test_true_claims_become_scenarios_without_a_word(drafts: tuple[Draft, ...], resolve: Resolver, invented: Compiled) -> None:
    found = [resolve(draft) for draft in drafts]
    assert [item for item in found if item.disagreements or codes(item)] == []
    assert all(item.claims >= 10 for item in found)
    assert {item.scenario for item in found} == set(invented.checked.scenarios)


@pytest.mark.parametrize("value", ["6.4", "65", "14.0", "0"])
def test_a_wrong_limit_at_the_right_place_is_repaired_and_counted(value: str, draft: Draft, resolve: Resolver) -> None:
    found = resolve(with_claim(draft, LIMIT, value={"value": Decimal(value)}))
    assert limit(found) == "6.5"
    assert (found.wrong_values, found.wrong_places, found.repaired) == (1, 0, 1)
    assert codes(found) == {"X410"}
    (told,) = found.disagreements
    assert (told.field, told.kind) == (LIMIT, "wrong_value")
    assert "6.5" not in told.message  # a re-ask does not give the answer away
    (finding,) = (item for item in found.findings if item.code == "X410")
    assert f"extracted <= {value} mph" in finding.message
    assert "6.5 mph" in finding.message
    assert finding.source is not None
    assert finding.source.row == "18"


def test_other_digits_of_the_same_number_become_the_sources_digits(draft: Draft, resolve: Resolver) -> None:
    found = resolve(with_claim(draft, LIMIT, value={"value": Decimal("6.50")}))
    assert limit(found) == "6.5"
    assert (found.wrong_values, codes(found)) == (0, set())


@pytest.mark.parametrize(
    ("field", "change", "held"),
    [
        (TTC, {"value": Decimal(4)}, ("5", "s", "ge")),
        (TTC, {"unit": "m"}, ("5", "s", "ge")),
        (TTC, {"bound": "le"}, ("5", "s", "ge")),
        ("approach.max_lateral_offset", {"value": Decimal("0.52")}, ("0.25", "m", "le")),
        ("criteria.min_braking_demand", {"value": Decimal("40")}, ("4.0", "m/s2", "ge")),
        (SPEED, {"unit": "km/h"}, ("18", "mph", "eq")),
    ],
)
def test_a_wrong_number_of_a_sentence_is_repaired_from_it(
    field: str, change: dict[str, Any], held: tuple[str, str, str], draft: Draft, resolve: Resolver
) -> None:
    found = resolve(with_claim(draft, field, value=change))
    assert found.scenario is not None
    quantity = dict(found.scenario.quantities())[field]
    assert (str(quantity.value), quantity.unit, quantity.bound) == held
    assert (found.wrong_values, codes(found)) == (1, {"X410"})


def test_a_wrong_tolerance_is_repaired_from_its_place(draft: Draft, resolve: Resolver) -> None:
    wrong = Tolerance(plus=Decimal(2), minus=Decimal(2))
    found = resolve(with_claim(draft, SPEED, value={"tolerance": wrong}))
    assert found.scenario is not None
    held = found.scenario.subject.test_speed.tolerance
    assert held is not None
    assert (held.plus, held.minus) == (0, 1)
    assert found.wrong_values == 1


@pytest.mark.parametrize(
    "place",
    [
        {"table": "3.1.4#2"},  # the heavy shuttles' table
        {"column": "Any cart > Empty"},
        {"row": "24"},
        {"row": "12"},
        {"row": "17"},
        {"column": "Closing speed (mph)"},
        {"column": None},
        {"table": "3.1.4#7"},
        {"table": None},
        {"clause": "4.2"},
    ],
    ids=str,
)
def test_a_limit_from_a_wrong_place_is_refused_even_if_its_number_is_right(
    place: dict[str, Any], draft: Draft, resolve: Resolver
) -> None:
    found = resolve(with_claim(draft, LIMIT, place=place))
    assert refused(found)
    assert found.wrong_places == 1
    assert found.repaired == 0


@pytest.mark.parametrize(
    ("field", "place"),
    [
        (TTC, {"quote": "the time to collision shall be at least 5 minutes"}),
        (TTC, {"quote": None}),
        (TTC, {"clause": "4.3"}),  # the same words, but the rolling cart's clause
        (TTC, {"clause": "9.9"}),
        (TTC, {"table": "3.1.4#1", "row": "6", "column": "Empty"}),
        (SPEED, {"clause": "4.3"}),
        (SPEED, {"quote": "any other speeds"}),
        (TARGET, {"clause": "3.1.4"}),
        ("criteria.min_warning_lead_time", {"clause": "3.1.2"}),
    ],
    ids=str,
)
def test_a_number_from_a_wrong_clause_or_words_is_refused(field: str, place: dict[str, Any], draft: Draft, resolve: Resolver) -> None:
    assert refused(resolve(with_claim(draft, field, place=place)))


@pytest.mark.parametrize("field", [LIMIT, SPEED, TTC, TARGET, "criteria.min_braking_demand", "envelope.max_speed"])
def test_a_value_without_a_place_is_never_filled_in(field: str, draft: Draft, resolve: Resolver) -> None:
    without = {name: claims for name, claims in draft.fields.items() if name != field}
    found = resolve(draft.model_copy(update={"fields": without}))
    assert refused(found, "X412")
    assert field in {item.field for item in found.disagreements}


def test_a_field_that_the_profile_does_not_know_is_refused(draft: Draft, resolve: Resolver) -> None:
    fields = draft.fields | {"environment.min_slope": draft.fields[TTC]}
    assert refused(resolve(draft.model_copy(update={"fields": fields})))


@pytest.mark.parametrize(
    "change",
    [
        {"family": "shuttle_to_moon"},
        {"category": "HS"},
        {"category": None},
        {"load_term": "Empty"},
        {"load_term": "half full"},
        {"group": "Tall"},
        {"family": "shuttle_to_rolling_cart"},
    ],
    ids=str,
)
def test_a_draft_whose_parts_do_not_fit_together_is_refused(change: dict[str, Any], draft: Draft, resolve: Resolver) -> None:
    assert refused(resolve(draft.model_copy(update=change)))


def test_words_that_do_not_stand_there_are_left_out(draft: Draft, resolve: Resolver) -> None:
    false = Cited[str](value="The driver may brake.", place=Place(clause="4.2", quote="The driver may brake."))
    found = resolve(draft.model_copy(update={"statements": {"driver's controls": (false,)}}))
    assert found.scenario is None or found.scenario.statements == ()
    assert codes(found)


def test_a_relative_speed_picks_the_row_and_not_the_claim(drafts: tuple[Draft, ...], resolve: Resolver) -> None:
    """The rolling cart's limit is looked up by the difference of the speeds, whatever row the draft names."""
    rolling = next(
        item
        for item in drafts
        if (item.family, item.category, item.load_term, item.row) == ("shuttle_to_rolling_cart", "LS", "Crowded", "12")
        and item.status == "mandatory"
    )
    assert limit(resolve(rolling)) == "1.5"
    assert refused(resolve(with_claim(rolling, LIMIT, place={"row": "18"})))  # the subject vehicle's own speed


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_no_claim_whatever_brings_in_a_number_of_its_own(data: st.DataObject, drafts: tuple[Draft, ...], resolve: Resolver) -> None:
    """Any field, any value, any place: what comes out equals the document's scenario, or nothing does."""
    draft = data.draw(st.sampled_from(drafts))
    field = data.draw(st.sampled_from(sorted(draft.fields)))
    value = {
        "value": data.draw(st.decimals(min_value=0, max_value=99, places=1)),
        "unit": data.draw(st.sampled_from(["mph", "km/h", "s", "m", "m/s2", "1"])),
        "bound": data.draw(st.sampled_from(["eq", "le", "ge"])),
    }
    other = data.draw(st.sampled_from(drafts))
    places = [claim.place.model_dump() for claims in other.fields.values() for claim in claims]
    place = data.draw(st.sampled_from([{}, *places]))
    truth = resolve(draft).scenario
    found = resolve(with_claim(draft, field, value=value, place=place)).scenario
    assert truth is not None
    if found is not None:
        assert {name: (q.value, q.unit, q.bound) for name, q in found.quantities()} == {
            name: (q.value, q.unit, q.bound) for name, q in truth.quantities()
        }
