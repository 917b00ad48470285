"""A folder that is not whole, and what the command says of it."""

from __future__ import annotations

import ast
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.pipeline.build import build
from regc.pipeline.request import Built, Request
from regc.verify import verify
from tests.conftest import INVENTED, ROOT, Outcome, all_targets

VERIFY = ROOT / "compiler" / "regc" / "verify"


@pytest.fixture(scope="module")
def shuttles(tmp_path_factory: pytest.TempPathFactory) -> Built:
    chosen = {name: options for name, options in all_targets().items() if name in ("text", "csv")}
    return build(Request(str(INVENTED), targets=chosen), tmp_path_factory.mktemp("shuttles"))


@pytest.fixture
def copy(shuttles: Built, tmp_path: Path) -> Path:
    return Path(shutil.copytree(shuttles.folder, tmp_path / "copy"))


def codes(folder: Path, made: Built) -> list[tuple[str, str, str]]:
    return [(item.code, item.file, item.severity) for item in verify(folder, made.compiled.document).differences]


def test_it_shares_no_code_with_the_first_reading() -> None:
    for path in VERIFY.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("regc"):
                assert (node.module or "").startswith(
                    ("regc.verify", "regc.model.document", "regc.model.source", "regc.model.result", "regc.second_process")
                ), path


def test_a_missing_file_is_named(copy: Path, shuttles: Built) -> None:
    (copy / "csv" / "test_cases.csv").unlink()
    assert codes(copy, shuttles) == [("V566", "csv/test_cases.csv", "error")]


def test_a_changed_word_is_named_by_its_file(copy: Path, shuttles: Built) -> None:
    path = copy / "coverage.json"
    path.write_text(path.read_text("utf-8").replace("sentence", "sentences", 1), "utf-8")
    assert codes(copy, shuttles) == [("V565", "coverage.json", "error")]


def test_files_too_many(copy: Path, shuttles: Built) -> None:
    (copy / "text" / "extra.md").write_text("# extra\n", "utf-8")
    (copy / "my-notes.txt").write_text("mine", "utf-8")
    assert codes(copy, shuttles) == [
        ("V563", "text/extra.md", "error"),
        ("V567", "my-notes.txt", "warning"),
        ("V567", "text/extra.md", "error"),
    ]


def test_the_manifest_holds_itself(copy: Path, shuttles: Built) -> None:
    path = copy / "manifest.json"
    path.write_text(path.read_text("utf-8").replace('"points": 0', '"points": 3'), "utf-8")
    assert codes(copy, shuttles) == [("V565", "manifest.json", "error")]


@pytest.mark.parametrize(
    "content", ["", "[]", "{", "null", '{"scenarios": 3, "sources": []}', "[" * 100000, '{"sources": [{}], "scenarios": []}']
)
def test_a_suite_that_is_none_is_told_and_is_no_success(copy: Path, shuttles: Built, content: str) -> None:
    (copy / "scenarios.json").write_text(content, "utf-8")
    found = verify(copy, shuttles.compiled.document)
    assert not found.clean
    assert {"V569", "V571"} <= {item.code for item in found.differences if item.file == "scenarios.json"}


def test_an_empty_build_is_no_success(tmp_path: Path, shuttles: Built) -> None:
    found = verify(tmp_path, shuttles.compiled.document)
    assert not found.clean
    assert found.line.startswith("0 numbers in 0 files read again at their places, 0 recalculated")


def test_another_document_is_told(copy: Path, shuttles: Built) -> None:
    other = shuttles.compiled.document.model_copy(update={"sha256": "0" * 64})
    assert {item.code for item in verify(copy, other).differences} == {"V568"}


# ---------------------------------------------------------------- the command


def test_the_command_reads_a_folder_again(cli: Callable[..., Outcome], copy: Path) -> None:
    told = cli("verify", copy, "--source", INVENTED / "rules.md")
    assert told.code == 0
    assert "read again at their places" in told.out


def test_the_command_names_a_changed_number(cli: Callable[..., Outcome], copy: Path) -> None:
    (file,) = copy.glob("text/*_ShToStand_LS_crowded_012.md")
    file.write_text(file.read_text("utf-8").replace("at least 5 s", "at least 6 s"), "utf-8")
    told = cli("verify", copy, "--source", INVENTED / "rules.md", "--json")
    data = json.loads(told.out)
    assert told.code == 1
    assert not data["clean"]
    assert {(item["file"], item["said"]) for item in data["differences"]} >= {(f"text/{file.name}", "at least 6 s")}


def test_the_command_needs_a_build_and_its_document(cli: Callable[..., Outcome], copy: Path, tmp_path: Path) -> None:
    assert "give its folder with --profile FOLDER" in cli("verify", copy).err
    none = cli("verify", tmp_path / "nothing")
    assert none.code == 2
    assert "give the folder that regc build wrote" in none.err


def test_an_embedded_edition_is_found_by_its_name(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    build(Request("un130"), tmp_path)
    assert cli("verify", tmp_path / "un130-00").code == 0


def test_a_build_says_what_was_read_again(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    told = cli("build", INVENTED, "--out", tmp_path)
    assert "numbers in" in told.out
    assert "read again at their places" in told.out
