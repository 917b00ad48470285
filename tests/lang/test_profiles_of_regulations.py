"""What a shipped profile may hold: addresses and words, no number."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regc.lang.words import CATEGORY
from regc.pipeline.build import compile_regulation
from regc.pipeline.request import Request
from tests.lang.documents import REGULATIONS

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILES = sorted({*REGULATIONS.glob("*/profile.toml"), *REGULATIONS.glob("parts/*.toml"), REGULATIONS / "un152" / "eu2020-1597.toml"})
#: Keys that name a document or a thing of the profile.
NAMES = {"id", "edition", "stem", "number", "title", "title_words", "text", "date", "notes", "token", "csv_categories", "name", "use"}
#: What the text itself calls a test.
CALLED = re.compile(r"\bType [12]\b")


def strings(data: Any, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(data, str):
        yield key, data
    elif isinstance(data, dict):
        for name, value in data.items():
            yield from strings(value, name)
    elif isinstance(data, list):
        for value in data:
            yield from strings(value, key)


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.name}")
def test_a_profile_holds_no_number(file: Path) -> None:
    data = tomllib.loads(file.read_text("utf-8"))
    data.pop("scope", None), data.pop("place", None), data.pop("waive", None), data.pop("part", None)
    for key, text in strings(data):
        if key in NAMES or key in ("at", "req", "clauses", "tell", "steps", "said", "waive"):
            continue
        words = re.sub(r"\[[^\[\]:]*(:[^\[\]]*)?\]", lambda match: match[1] or "", text)  # the words of a place without its address
        words = re.sub(r"\blast\(\w+, 0\)", "", CALLED.sub("", CATEGORY.sub("", words)))
        assert not re.search(r"(?<![A-Za-z_])\d", words), f"{key} = {text}"


def test_coverage_says_what_became_of_each_cell_and_sentence() -> None:
    suite = compile_regulation(Request("un152")).suite
    entries = {entry.place: entry for entry in suite.coverage.entries}
    cell = entries["5.2.1.4#1 row 42, Stationary/moving target > Maximum mass"]
    assert (cell.kind, cell.fate, cell.text) == ("cell", "test", "10.00")
    assert "UNR152-02_p6.4_CtoStC_M1_MaxMass_042" in cell.used_by
    assert {entry.fate for entry in suite.coverage.entries if entry.kind == "cell"} == {"test"}
    assert (entries["5.4.1"].fate, entries["5.1.1"].fate, suite.coverage.count("open")) == ("card", "waived", 0)
    assert [entry.place for entry in suite.coverage.entries if entry.fate == "test" and not entry.used_by] == []
    # a guard: no number of a test cites it; a rule below a table: of the tests of its category alone
    assert len(entries["5.2.2.3"].used_by) > 10
    assert all("_M1_" in id for id in entries["5.2.1.4#1^3"].used_by)
    assert suite.coverage.cited > suite.coverage.derived > 0
    assert suite.coverage.borrowed == sum(
        value.tolerance is not None and value.tolerance.assumption == "A861" for test in suite.scenarios for _, value in test.values()
    )
