"""Which text is read, what wording it counts as, and what a user's data files may hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from regc import assumed
from regc.build import compile_regulation
from regc.errors import DataFileError, UnknownNameError
from regc.job import Compiled, Request
from regc.profiles import profile_folder
from tests.conftest import Outcome

TEXT = profile_folder("un152") / "02.md"


def test_our_own_wording_given_as_a_file_is_not_called_official(tmp_path: Path) -> None:
    copy = tmp_path / "own.md"
    copy.write_bytes(TEXT.read_bytes())
    assert compile_regulation(Request("un152", source=copy)).checked.wording == "embedded"
    without = tmp_path / "plain.md"
    without.write_text(TEXT.read_text("utf-8").split("-->", 1)[1], "utf-8")
    assert compile_regulation(Request("un152", source=without)).checked.wording == "official"


def test_a_folder_without_a_profile_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no profile\.toml in this folder"):
        profile_folder(str(tmp_path))


def test_what_holds_for_one_load_state_reaches_that_one_only(embedded: Compiled) -> None:
    for scenario in embedded.checked.scenarios:
        if scenario.load_state is None:
            continue
        light = scenario.load_state.kind == "running_order"
        assert any(named.name == "max_additional_mass" for named in scenario.envelope) is light
        masses = [item.text for item in scenario.statements if item.topic == "test mass"]
        assert [text[:3] for text in masses] == ["(a)" if light else "(b)"]


def test_a_number_is_cited_on_the_page_where_it_stands(official: Compiled) -> None:
    """The sentence of 6.6.1 on the offset begins on one page and ends with its number on the next."""
    clause = official.document.clause("6.6.1")
    assert clause is not None
    where = clause.text.index("0.1 m")
    page = next(line.page for line in clause.lines if line.start <= where < line.end)
    for scenario in official.checked.scenarios:
        if scenario.family == "car_to_pedestrian":
            offset = scenario.approach.max_lateral_offset
            assert offset is not None
            assert offset.sources[0].page == page


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("maximum_mass = 1950", "maximum_mass = 900", "below running_order"),
        ("length = 4.5", "length = 450.0", "less than or equal to 40"),
    ],
)
def test_vehicle_data_that_cannot_be_is_refused_with_the_way_to_an_example(old: str, new: str, says: str, tmp_path: Path) -> None:
    text = (Path(assumed.__file__).parent / "data" / "vehicles.toml").read_text("utf-8")
    assert old in text
    own = tmp_path / "my.toml"
    own.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(DataFileError, match=says) as caught:
        assumed.vehicles(own)
    assert "my.toml" in str(caught.value)
    assert caught.value.hint.endswith("regc targets --example vehicles")


@pytest.mark.parametrize("name", ["vehicles", "targets", "road", "manoeuvres"])
def test_the_examples_are_the_built_in_files(name: str, cli: Callable[..., Outcome]) -> None:
    shown = cli("targets", "--example", name)
    assert shown.code == 0
    assert shown.out == (Path(assumed.__file__).parent / "data" / f"{name}.toml").read_text("utf-8")


def test_a_wrong_number_in_the_text_says_what_to_do(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    copy = tmp_path / "own.md"
    copy.write_text(TEXT.read_text("utf-8").replace("<td>60</td><td>35.00</td>", "<td>60</td><td>36.00</td>", 1), "utf-8")
    told = cli("build", "un152", "--source", copy, "--out", tmp_path / "out")
    assert told.code == 1
    assert "max_impact_speed: truth 35.00, built 36.00" in told.out
    assert "next: compare the named places with the official text" in told.out
