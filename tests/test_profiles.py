"""Profiles: what is built in, a folder of one's own, and mistakes that are named by file, key and value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from regc.errors import ProfileError, UnknownNameError
from regc.profiles import choose_edition, load_profile, profile_folder, regulation_names
from tests.conftest import INVENTED

TEXT = (INVENTED / "profile.toml").read_text("utf-8")


def test_un152_is_built_in_with_both_editions() -> None:
    assert "un152" in regulation_names()
    profile = load_profile("un152")
    assert profile.default_edition == "02"
    assert [edition.id for edition in profile.editions] == ["02", "eu2020-1597"]
    assert all((profile_folder("un152") / edition.file).is_file() for edition in profile.editions)
    assert all(edition.wording == "embedded" for edition in profile.editions)


@pytest.mark.parametrize("name", [*regulation_names(), str(INVENTED)])
def test_no_number_of_a_regulation_stands_in_a_profile(name: str) -> None:
    """Clause ids, tokens, dates and patterns hold digits; no value, limit, speed or tolerance does."""
    text = re.sub(r"#.*", "", (profile_folder(name) / "profile.toml").read_text("utf-8"))
    assert re.findall(r"^\s*\w+\s*=\s*[+-]?\d", text, re.MULTILINE) == []
    patterns = re.findall(r"(?:anchor|before|after|terms)\s*=\s*\[?\s*['\"](.*?)['\"]\s*[\],}\n]", text)
    assert patterns
    assert [pattern for pattern in patterns if re.search(r"\d+(?:\.\d+)?\s*(?:km|mph|m\b|s\b|kg|lux|per cent)", pattern)] == []


@pytest.mark.parametrize("name", [*regulation_names(), str(INVENTED)])
def test_a_profile_holds_together(name: str) -> None:
    profile = load_profile(name)
    families = {family.name for family in profile.families}
    editions = {edition.id for edition in profile.editions}
    categories = {category.id for category in profile.categories}
    for rule in (*profile.fields, *profile.statements):
        assert set(rule.families) <= families
        assert set(rule.editions) <= editions
    for family in profile.families:
        assert set(family.categories) <= categories
        assert set(family.editions) <= editions
        assert family.variants or family.limit_clause
        for pattern in (family.limit_column, family.other_speeds):
            re.compile(pattern)
    for edition in profile.editions:
        assert {entry.split()[0] for entry in edition.unknown} <= families
        assert {entry.split()[1] for entry in edition.unknown} <= categories
    for pattern in (term for load in profile.load_states for term in load.terms):
        re.compile(pattern)
    assert len({family.token for family in profile.families}) == len(families)
    assert len({load.token for load in profile.load_states}) == len(profile.load_states)


def test_a_query_holds_no_clause_and_no_regulation_number() -> None:
    """Retrieval is asked as a user would ask, or it would prove nothing."""
    for family in load_profile("un152").families:
        assert not re.search(r"\d", family.query), family.name


def test_a_folder_of_ones_own_is_a_regulation() -> None:
    assert profile_folder(str(INVENTED)) == INVENTED
    assert load_profile(str(INVENTED)).id == "shuttles"


def test_an_unknown_regulation_names_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="regulation: no 'un125'") as raised:
        load_profile("un125")
    assert "did you mean 'un152'" in raised.value.hint


def test_an_unknown_edition_names_those_that_there_are() -> None:
    profile = load_profile("un152")
    assert choose_edition(profile, None).id == "02"
    assert choose_edition(profile, "eu2020-1597").id == "eu2020-1597"
    with pytest.raises(UnknownNameError) as raised:
        choose_edition(profile, "03")
    assert "02, eu2020-1597" in raised.value.hint


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('lookup = "relative"', 'lookup = "absolute"', "families.0.lookup"),
        ('kind = "maximum_mass"', 'kind = "heavy"', "load_states.0.kind"),
        ('default_edition = "2nd"\n', "", "default_edition"),
        ('speed_unit = "mph"', 'speed_units = "mph"', "speed_units"),
        ('unit = "s"', "unit = 5", "fields.0.unit"),
        ('id = "shuttles"', "id = shuttles", "line"),
        ("[[editions]]", "[[editions", "line"),
    ],
)
def test_a_mistake_is_named_by_file_key_and_value(old: str, new: str, says: str, tmp_path: Path) -> None:
    assert old in TEXT
    (tmp_path / "profile.toml").write_text(TEXT.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ProfileError) as raised:
        load_profile(str(tmp_path))
    assert "profile.toml" in str(raised.value)
    assert says in str(raised.value)
    assert raised.value.hint


def test_a_profile_in_another_encoding_is_told(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_bytes(TEXT.encode("utf-16"))
    with pytest.raises(ProfileError):
        load_profile(str(tmp_path))
