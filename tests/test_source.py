"""Which text is read, what wording it counts as, and what a user's data files may hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from regc.errors import UnknownNameError
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import profile_folder
from regc.pipeline.request import Compiled, Request
from regc.resources import package_data
from tests.conftest import Outcome

TEXT = profile_folder("un152") / "02.md"


@pytest.mark.parametrize(
    "made",
    [
        lambda text: text.encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.encode("utf-8-sig"),
        lambda text: text.split("-->", 1)[1].encode(),  # another format lost the comment; the title says it too
        lambda text: b"\xfe\xff" + text.split("-->", 1)[1].encode("utf-16-be"),
    ],
    ids=["as it is", "UTF-16", "UTF-8 with BOM", "without its comment", "UTF-16 without its comment"],
)
def test_our_own_wording_given_as_a_file_is_not_called_official(made: Callable[[str], bytes], tmp_path: Path) -> None:
    copy = tmp_path / "own.md"
    copy.write_bytes(made(TEXT.read_text("utf-8")))
    assert compile_regulation(Request("un152", source=copy)).suite.wording == "embedded"


def test_a_text_that_does_not_call_itself_ours_is_taken_as_official(tmp_path: Path) -> None:
    plain = tmp_path / "plain.md"
    plain.write_text(TEXT.read_text("utf-8").split("-->", 1)[1].replace("), reworded", ")", 1), "utf-8")
    assert compile_regulation(Request("un152", source=plain)).suite.wording == "official"


def test_a_folder_without_a_profile_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"no profile\.toml in this folder"):
        profile_folder(str(tmp_path))


def test_what_holds_for_one_load_state_reaches_that_one_only(embedded: Compiled) -> None:
    """6.2.1(a): the additional mass is of the mass in running order."""
    for scenario in embedded.suite.scenarios:
        if scenario.axes:
            light = scenario.axes["load"].value == "run"
            assert ("extra_mass" in scenario.conditions) is light
            assert scenario.conditions["mass"].word == ("run" if light else "max")  # type: ignore[union-attr]


def test_a_number_is_cited_on_the_page_where_it_stands(official: Compiled) -> None:
    """The sentence of 6.6.1 on the offset begins on one page and ends with its number on the next."""
    clause = official.document.clause("6.6.1")
    assert clause is not None
    where = clause.text.index("0.1 m")
    page = next(line.page for line in clause.lines if line.start <= where < line.end)
    offsets = [scenario.number("offset") for scenario in official.suite.scenarios if scenario.test == "pedestrian"]
    assert len(offsets) == 42
    assert {offset.sources[0].page for offset in offsets if offset} == {page}


@pytest.mark.parametrize("name", ["road_users", "test_track", "layouts"])
def test_the_examples_are_the_built_in_files(name: str, cli: Callable[..., Outcome]) -> None:
    shown = cli("targets", "--example", name)
    assert shown.code == 0
    assert shown.out == package_data("data", f"{name}.toml").read_text("utf-8")


def test_a_wrong_number_in_the_text_says_what_to_do(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    copy = tmp_path / "own.md"
    copy.write_text(TEXT.read_text("utf-8").replace("<td>60</td><td>35.00</td>", "<td>60</td><td>36.00</td>", 1), "utf-8")
    told = cli("build", "un152", "--source", copy, "--out", tmp_path / "out")
    assert told.code == 1
    assert "truth 35.00 km/h, built 36.00 km/h" in told.out
    assert "next: compare the named places with the official text" in told.out
