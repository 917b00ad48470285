"""Every line of a shipped profile counts: without it there is an error, a finding, an open sentence, or other tests.

A line that steers nothing would be taken for a reading of the document that nobody holds it to.
"""

from __future__ import annotations

import random
import shutil
from functools import cache
from pathlib import Path

import pytest
from tests.lang.documents import REGULATIONS, embedded

from regc.lang import ProfileError, load_profile
from regc.lang.coverage import coverage
from regc.lang.evaluate import make_program, run
from regc.lang.lint import Linter
from regc.model.document import Document
from regc.model.scenario import Scenario, Statement
from regc.model.suite import Suite
from regc.model.value import Stated
from regc.pipeline.documents import title_words_missing
from regc.truth import cells

#: Profile or part -> the profile that is checked without one of its lines, and its embedded text.
SHIPPED = {
    "fmvss127/profile.toml": ("fmvss127/profile.toml", "2024.md"),
    "un130/profile.toml": ("un130/profile.toml", "00.md"),
    "un131/profile.toml": ("un131/profile.toml", "02.md"),
    "un152/profile.toml": ("un152/profile.toml", "02.md"),
    "un152/eu2020-1597.toml": ("un152/eu2020-1597.toml", "eu2020-1597.md"),
    "un171/profile.toml": ("un171/profile.toml", "00.md"),
    "parts/aebs_examples.toml": ("un152/profile.toml", "02.md"),
}
#: Lines of each that the default run takes out; `-m slow` takes out every one.
SAMPLE = 4


def outcome(file: Path, document: Document) -> tuple[object, ...]:
    """What `regc check` says of a profile, and the tests that it gives; the code of what it is refused for."""
    try:
        profile = load_profile(file)
        program = make_program(profile, document, {}, strict=True)
        suite = run(program)
    except ProfileError as error:
        return (error.code,)
    linter = Linter(program, suite)
    findings = tuple((finding.code, finding.message) for finding in (*suite.findings, *linter.findings()))
    fates = tuple((entry.place, entry.fate, entry.used_by) for entry in coverage(linter).entries)
    # what a check holds against each other is equal in a sound document: it says something of every other one
    checks = tuple((test.name, str(check)) for test in profile.tests for check in test.check)
    checks += tuple((str(name), str(table.rows)) for name, table in profile.table.items() if table.rows)  # so is a count of rows
    return (profile.text, profile.notes, title_words_missing(profile, document), findings, fates, checks, *built_tests(suite))


def built_tests(suite: Suite) -> tuple[object, ...]:
    """What a suite says to its readers: fields, words, and the places that it cites for them."""
    said = {"edition", "title", "stem", "excerpt", "edition_date", "csv_form", "csv_categories", "quantities"}
    about = suite.model_dump(include=said)
    tests = tuple(
        (
            test.id,
            test.title,
            cells(test),
            texts(test.said),
            texts(test.told),
            [word.word for word in test.only],
            [one.text for one in test.choices],
            places(test),
            [axis.called for axis in test.axes.values()],
            [(asked.called, asked.instead) for asked in test.require],
            reasons(test),
        )
        for test in suite.scenarios
    )
    tables = tuple((table.id, table.between, table.beyond, [(row.key.lo, row.only) for row in table.rows]) for table in suite.tables)
    cards = tuple((card.id, card.title, card.kind, card.clauses, texts(card.steps), texts(card.proposes)) for card in suite.cards)
    return (about, tests, tables, cards)


def places(test: Scenario) -> list[str]:
    """Where the document says what a test takes, in order."""
    cited = (
        *test.axes.values(), *test.bind.values(), *test.actors, *test.require, *test.conditions.values(), *test.runs.values(),
    )  # fmt: skip
    return [source.label() for item in cited for source in item.sources]


def reasons(test: Scenario) -> list[str]:
    """What a person must state, as people read it."""
    asked = (*test.applies_if, *(held for one in test.require for held in (*one.only_if, one.unless)))
    return [held.reason for held in asked if isinstance(held, Stated)]


def texts(statements: tuple[Statement, ...]) -> list[tuple[str, str]]:
    return [(statement.part, statement.text) for statement in statements]


def lines_of(file: str) -> list[tuple[int, str]]:
    """The lines of a profile that say something, with their index."""
    lines = (REGULATIONS / file).read_text("utf-8").splitlines()
    return [(index, line) for index, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]


@cache
def whole(profile: str, text: str) -> tuple[object, ...]:
    return outcome(REGULATIONS / profile, embedded(profile.split("/")[0], text))


def lost(file: str, indexes: list[int], folder: Path) -> list[str]:
    """The lines without which all is as before."""
    profile, text = SHIPPED[file]
    document, expected = embedded(profile.split("/")[0], text), whole(profile, text)
    copy = folder / "regulations"
    shutil.copytree(REGULATIONS, copy, ignore=shutil.ignore_patterns("*.md", "*.j2", "__pycache__"))
    lines = (copy / file).read_text("utf-8").splitlines()
    silent = []
    for index in indexes:
        (copy / file).write_text("\n".join([*lines[:index], *lines[index + 1 :]]), "utf-8")
        if outcome(copy / profile, document) == expected:
            silent.append(f"{file}:{index + 1}: {lines[index]}")
    return silent


@pytest.mark.parametrize("file", SHIPPED)
def test_a_line_cannot_be_lost_in_silence(file: str, tmp_path: Path) -> None:
    indexes = [index for index, _ in lines_of(file)]
    assert lost(file, sorted(random.Random(7).sample(indexes, SAMPLE)), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("file", SHIPPED)
def test_no_line_can_be_lost_in_silence(file: str, tmp_path: Path) -> None:
    silent = lost(file, [index for index, _ in lines_of(file)], tmp_path)
    assert not silent, "\n".join(silent)
