"""The documents, and what `regc explain` says, name files, commands and options that there are; links lead to headings."""

from __future__ import annotations

import contextlib
import io
import re
from functools import cache
from pathlib import Path

import pytest

from regc.catalogue import codes
from regc.cli.main import main
from regc.plugins import COMMANDS
from tests.docs.shown import ROOT
from tests.docs.test_documents import TEXTS


def anchor(heading: str) -> str:
    """A heading as links write it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", TEXTS[name], flags=re.DOTALL)):
        file, _, part = target.partition("#")
        path = (ROOT / name).parent / file if file else ROOT / name
        assert path.exists(), target
        headings = {anchor(text) for text in re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)} if part else set()
        assert not part or part in headings, target


@pytest.mark.parametrize("name", TEXTS)
def test_commands_and_their_options_are_there(name: str) -> None:
    """Of commands in running text; those of console blocks are run."""
    known = COMMANDS.names()
    for command, rest in re.findall(r"`regc (\w+)([^`\n]*)`", TEXTS[name]):
        assert command in known, command
        assert set(re.findall(r"--[\w-]+", rest)) - flags(command) == set(), command


@cache
def flags(command: str) -> set[str]:
    """Every option that the command's help names."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([command, "--help"])
    return set(re.findall(r"--[\w-]+", out.getvalue()))


def test_options_that_a_code_advises_are_there() -> None:
    every = set().union(*(flags(command) for command in COMMANDS.names()))
    for code, entry in codes().items():
        assert set(re.findall(r"--[a-z][\w-]+", entry.model_dump_json())) - every == set(), code


def test_what_ci_runs_is_what_the_page_says() -> None:
    ci = (ROOT / ".ci" / "run").read_text("utf-8")
    for command in ("ruff check .", "ruff format --check .", "mypy"):
        assert command in TEXTS["CONTRIBUTING.md"]
        assert command in ci


def test_files_that_the_page_names_are_there() -> None:
    named = re.findall(r"`((?:compiler|golden|schemas|docs|tests)/[\w./*]*)`", TEXTS["CONTRIBUTING.md"])
    assert named
    assert [name for name in named if "ID" not in name and not any(True for _ in Path(ROOT).glob(name.rstrip("/")))] == []
