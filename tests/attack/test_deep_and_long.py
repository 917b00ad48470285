"""Inputs nested without end or without a break: an answer in seconds and in words, never a traceback."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.lang.words import quantities
from regc.readers.assemble.header_grids import resolve
from regc.readers.markup.markdown_blocks import html_grid
from regc.readers.markup.printed_text import printed
from tests.conftest import Outcome
from tests.edits import own_regulation

#: Faults made on purpose, many of them: .ci/run has them after the others.
pytestmark = pytest.mark.slow

HEAD = "# UN Regulation No. 152\n\n1. Scope\n\n1.1. A car "


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("braces.md", HEAD + "$" + "{" * 20_000 + "5" + "}" * 20_000 + "$ km/h.\n"),
        ("powers.md", HEAD + "$5" + "^" * 20_000 + "2$ km/h.\n"),
        ("quotes.md", HEAD + "\n" + ">" * 20_000 + " quoted.\n"),
        ("lists.md", HEAD + "\n" + "\n".join(" " * depth + "- item" for depth in range(2000)) + "\n"),
        ("cells.md", HEAD + "\n\n<table>" + "<tr><td><table>" * 3000 + "\n"),
        ("divs.html", "<html><body>" + "<div>" * 20_000 + HEAD),
        ("tables.html", "<html><body>" + "<table><tr><td>" * 3000 + HEAD),
        ("deep_middle.json", "[" * 200_000),
        ("deep2_middle.json", '{"pdf_info": [{"para_blocks": ' + '[{"blocks": ' * 900 + "[]" + "}]" * 900 + "}]}"),
    ],
)
def test_a_deeply_nested_input_is_read_or_refused(name: str, text: str, cli: Callable[..., Outcome], tmp_path: Path) -> None:
    source = tmp_path / name
    source.write_text(text, "utf-8")
    start = time.process_time()
    done = cli("build", "un152", "--source", source, "--target", "text", "--out", tmp_path / "out")
    assert done.code in (1, 2)
    assert done.out or done.err
    assert time.process_time() - start < 20


def test_a_profile_nested_without_end(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text("a = " + "[" * 50_000, "utf-8")
    done = cli("build", tmp_path)
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_braces_that_a_formula_may_have_are_read() -> None:
    assert printed("$" + "{" * 30 + "5 0" + "}" * 30 + r"\,\mathrm{km/h}$")[0] == "50 km/h"
    assert printed("$" + "{" * 3000 + "5 0" + "}" * 3000 + r"\,\mathrm{km/h}$")[0] == "50 km/h"


@pytest.mark.parametrize(
    "piece", ["5 ", "-5 - 6 ", "0. ", "+0/-2 ", "between 0 and 4 km/h and ", "a (b) 3 m/s2; ", "No. 5 ", "one or "]
)
def test_numbers_are_found_in_linear_time(piece: str) -> None:
    """A damaged file is one paragraph of a million signs; four times the text takes about four times as long."""

    def seconds(signs: int) -> float:
        text = piece * (signs // len(piece))
        start = time.process_time()
        quantities.__wrapped__(text)
        return time.process_time() - start

    seconds(1000)
    assert seconds(40_000) < 10 * seconds(10_000) + 0.2


@pytest.mark.parametrize("across", [2, 3, 7, 1000, 10_000_000])
def test_a_span_is_no_wider_than_the_columns_that_there_are(across: int) -> None:
    grid, _, _ = html_grid(
        f'<table><tr><th rowspan="2">v</th><th colspan="{across}">max</th></tr><tr><th>heavy</th><th>light</th></tr>'
        "<tr><td>10</td><td>0.0</td><td>1.0</td></tr></table>"
    )
    found = resolve(grid, None)
    assert found.columns == [("v",), ("max", "heavy"), ("max", "light")]
    assert [cell.text for cell in found.rows[0]] == ["10", "0.0", "1.0"]
    assert found.problems == ([f"has a cell over {min(across, 1000)} columns, but 3 columns"] if across > 3 else [])


@pytest.mark.parametrize(
    ("old", "new", "code"), [('token = "ShToStand"', 'token = "../Sh"', 0), ('words = "crowded"', 'words = "cro/wded"', 1)]
)
def test_a_token_never_leaves_the_folder(old: str, new: str, code: int, cli: Callable[..., Outcome], tmp_path: Path) -> None:
    """Signs that a file name may not have are left out of ids."""
    done = cli("build", own_regulation(tmp_path / "own", (old, new)), "--target", "text", "--out", tmp_path / "out")
    assert done.code == code
    assert sorted(path.name for path in tmp_path.iterdir()) == (["out", "own"] if done.code == 0 else ["own"])
    assert all(path.name.startswith("LR7-2nd") for path in (tmp_path / "out").rglob("text/*.md"))
