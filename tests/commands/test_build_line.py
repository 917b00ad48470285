"""What `regc build` prints about what became of the text and of the numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.conftest import INVENTED, Outcome

from regc.cli.results import by_test, coverage_line
from regc.model.suite import Accounted, Coverage, Suite
from regc.pipeline.build_folder import chosen, summary
from regc.pipeline.request import Compiled, Request


def entry(kind: str, fate: str) -> Accounted:
    return Accounted(kind=kind, clause="1", place="1", text="x", fate=fate)  # type: ignore[arg-type]


def test_the_line_says_what_was_counted() -> None:
    entries = (entry("sentence", "test"), entry("cell", "test"), entry("rule", "card"), entry("sentence", "open"))
    suite = Suite(
        regulation="made", edition="1", wording="official", title="Made", stem="MADE", scenarios=(), coverage=Coverage(entries=entries)
    )
    line = coverage_line(suite)
    assert line.startswith("of 4 sentences, cells and rules in the scope: 2 in tests, 1 by card, 0 told, ")
    assert "1 open; cards: 0" in line


def test_the_numbers_of_a_build_stand_in_what_it_prints(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    done = cli("build", INVENTED, "--target", "csv", "--sweep", "mandatory", "--out", tmp_path)
    assert done.code == 0
    assert "12 of 29 tests of the edition were chosen" in done.out
    assert "334 cited, 58 derived, 0 assumed" in done.out
    rows = [line.split() for line in done.out.splitlines() if line.startswith(("standing_cart", "rolling_cart", "all "))]
    assert rows == [["standing_cart", "8", "8"], ["rolling_cart", "4", "4"], ["all", "12", "12"]]


def test_chosen_tests_are_counted_by_status(invented: Compiled) -> None:
    suite = invented.suite
    assert by_test(suite) == {"standing_cart": {"option": 7, "mandatory": 8}, "rolling_cart": {"option": 10, "mandatory": 4}}


def test_a_part_build_says_what_of_the_document_its_tests_rest_on(embedded: Compiled) -> None:
    suite = embedded.suite
    part = chosen(suite, Request("un152", tests=("bicycle",), sweep="mandatory"))
    assert "written here" not in coverage_line(suite)
    assert "test_written" not in summary(suite)
    written = summary(part)["test_written"]
    assert 0 < written < summary(part)["test"] == suite.coverage.count("test")
    assert f"{suite.coverage.count('test')} in tests ({written} of them in the tests written here), " in coverage_line(part)
