"""What a shipped profile may hold: addresses and words, no number; and every line of it counts."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from regc.lang import ProfileError, load_profile
from regc.lang.coverage import coverage
from regc.lang.evaluate import make_program, run
from regc.lang.lint import Linter
from regc.lang.words import CATEGORY
from regc.model.document import Document
from regc.pipeline import compile_regulation
from regc.request import Request
from tests.lang.documents import REGULATIONS, embedded

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
    data.pop("scope", None), data.pop("place", None), data.pop("waive", None)
    for key, text in strings(data):
        if key in NAMES or key in ("at", "req", "clauses", "tell", "steps", "said", "waive"):
            continue
        words = re.sub(r"\[[^\[\]:]*(:[^\[\]]*)?\]", lambda match: match[1] or "", text)  # the words of a place without its address
        words = re.sub(r"\blast\(\w+, 0\)", "", CALLED.sub("", CATEGORY.sub("", words)))
        assert not re.search(r"(?<![A-Za-z_])\d", words), f"{key} = {text}"


#: Lines that say who a profile is, and cards' kinds, which the truth of cards holds.
_NAMING = re.compile(r"(?:id|edition|number|title|title_words|text|stem|token|kind) = ")
#: What cites and steers nothing: the sentence that prescribes a test, the clause in which an axis is named.
_CITING = re.compile(r"(?:said|at) = ")


def outcome(file: Path, document: Document) -> tuple[object, ...]:
    """What a profile gives: an error, findings, or its tests."""
    try:
        program = make_program(load_profile(file), document, {}, strict=True)
        suite = run(program)
    except ProfileError as error:
        return ("error", error.code)
    linter = Linter(program, suite)
    left = tuple(finding.message for finding in (*suite.findings, *linter.findings()) if finding.severity != "info")
    open_ = tuple(entry.place for entry in coverage(linter).entries if entry.fate == "open")
    return (left, open_, tuple(test.model_dump_json(exclude={"said", "told"}) for test in suite.scenarios), suite.cards)


def test_no_line_of_a_profile_can_be_lost_in_silence(tmp_path: Path) -> None:
    """Each line of UN R130's profile taken out: an error, a finding, or other tests."""
    document = embedded("un130", "00.md")
    source = (REGULATIONS / "un130" / "profile.toml").read_text("utf-8").splitlines()
    shutil.copytree(REGULATIONS / "parts", tmp_path / "parts")
    file = tmp_path / "un130" / "profile.toml"
    file.parent.mkdir()
    file.write_text("\n".join(source), "utf-8")
    whole = outcome(file, document)
    lost = []
    for index, line in enumerate(source):
        if not line or line.startswith("#") or _NAMING.match(line) or _CITING.match(line):
            continue
        file.write_text("\n".join([*source[:index], *source[index + 1 :]]), "utf-8")
        if outcome(file, document) == whole:
            lost.append(line)
    assert lost == []


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
