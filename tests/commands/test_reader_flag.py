"""`--reader NAME`: the same file by another reader, on every command that reads a document."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.lang.documents import REGULATIONS


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """UN R130's embedded Markdown under a suffix that no reader takes."""
    path = tmp_path / "un130.txt"
    shutil.copy(REGULATIONS / "un130" / "00.md", path)
    return path


COMMANDS = [("inspect", "--json"), ("check",), ("cite", "[6.5.1: at a speed of]"), ("show", "6.5.1"), ("graph",)]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_named_reader_reads_what_the_suffix_does_not_tell(
    command: tuple[str, ...], source: Path, cli: Callable[..., Outcome]
) -> None:
    name, *rest = command
    asked = (name, "un130", *rest, "--source", source)
    assert "no reader for .txt" in cli(*asked).err
    read = cli(*asked, "--reader", "markdown")
    assert read.code != 2
    assert read.out


def test_bench_takes_it_too(source: Path, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    asked = ("bench", "qa", "--regulation", "un130", "--source", source, "--system", "regc", "--embedder", "hash", "--out", tmp_path)
    assert "no reader for .txt" in cli(*asked).err
    assert cli(*asked, "--reader", "markdown").code == 0


def test_draft_takes_it_too(source: Path, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    assert cli("draft", source, "--out", tmp_path / "new").code == 2
    assert cli("draft", source, "--reader", "markdown", "--out", tmp_path / "new").code == 0


def test_the_manifest_names_the_reader(source: Path, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    assert cli("build", "un130", "--source", source, "--reader", "markdown", "--target", "csv", "--out", tmp_path).code == 0
    (folder,) = (each for each in tmp_path.iterdir() if each.is_dir())
    assert json.loads((folder / "manifest.json").read_text("utf-8"))["source"]["reader"] == "markdown"
    assert cli("verify", folder, "--source", source, "--reader", "markdown").code == 0


@pytest.mark.parametrize(("name", "said"), [("markdwon", "markdown"), ("word", "xml")])
def test_an_unknown_reader_is_told_the_known_ones(name: str, said: str, source: Path, cli: Callable[..., Outcome]) -> None:
    refused = cli("inspect", "un130", "--source", source, "--reader", name)
    assert refused.code == 2
    assert said in refused.err


def test_mineru_that_is_not_installed_says_how(tmp_path: Path, cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    pdf = tmp_path / "a.pdf"
    pdf.write_bytes(b"%PDF-1.7")
    monkeypatch.setenv("REGC_MINERU", "/no/such/program")
    refused = cli("inspect", pdf, "--reader", "mineru")
    assert refused.code == 2
    assert "REGC_MINERU" in refused.err


def test_a_reader_without_a_file_is_refused(cli: Callable[..., Outcome]) -> None:
    assert cli("check", "un130", "--reader", "pdf").code == 2
