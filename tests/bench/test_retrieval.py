"""The retrieval bench on a retriever whose answers are fixed, and the command as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regc.cli.main import main
from regc.errors import DataFileError, RegcError
from regc.model.chunk import Context, Query
from regc.research.retrieval_bench import BenchQuestion, Task, grid, held, measure, read_gold, read_questions
from regc.retrieve.context import Part, Shelf, assemble
from tests.retrieve.deck import corpus, document

GOLD = {("barrel", "", ""): frozenset({"3.2.2", "3.2.2#1", "4.2", "footnote 1"})}
QUESTIONS = (BenchQuestion(family="barrel", wording="1", query="good"), BenchQuestion(family="barrel", wording="2", query="poor"))
TASK = Task(document(), QUESTIONS, GOLD)


class Fixed:
    """Finds all evidence and one other clause for "good", one clause for the rest."""

    def retrieve(self, query: Query) -> Context:
        nodes = ["3.2.2", "3.2.2#1", "4.2", "footnote 1", "1"] if query.text == "good" else ["4.2"]
        return assemble(query, (Shelf.of(corpus()),), [Part(0, node) for node in nodes])


def test_recall_precision_and_the_worst_wording() -> None:
    result = measure("fixed", Fixed, TASK, memory=True)
    assert [row.recall for row in result.rows] == [1.0, 0.25]
    assert [row.precision for row in result.rows] == [0.8, 1.0]
    assert result.rows[1].missed == ("3.2.2", "3.2.2#1", "footnote 1")
    summary = result.summary()
    assert summary["recall"] == 0.625
    assert summary["recall_worst"] == 0.25
    assert summary["recall_spread"] == 0.375
    assert result.index_bytes is not None


def test_a_system_that_cannot_be_built_is_skipped_with_its_reason() -> None:
    def broken() -> Fixed:
        raise RegcError("no wheels", hint="fit some")

    result = measure("broken", broken, TASK)
    assert result.skipped == "no wheels (fit some)"
    assert result.summary() == {}


def test_cells_by_category_and_load() -> None:
    gold = {("barrel", "M1", "light"): frozenset({"4.2"}), ("barrel", "M1", "heavy"): frozenset({"3.2.2"})}
    result = measure("fixed", Fixed, Task(document(), QUESTIONS, gold))
    assert result.rows[1].cells == {"M1 light": 1.0, "M1 heavy": 0.0}
    assert result.summary()["recall_worst_cell"] == 0.0


@pytest.mark.parametrize(("share", "found"), [(0.70, False), (0.80, True)])
def test_a_clause_is_found_with_three_quarters_of_its_text(share: float, found: bool) -> None:
    text = document().clause("4.2")
    assert text is not None
    part = Part(0, "4.2", ((0, int(share * len(text.text))),))
    context = assemble(Query(text="q"), (Shelf.of(corpus()),), [part])
    assert ("4.2" in held(context, document())) is found


def test_pieces_of_another_edition_do_not_count() -> None:
    context = assemble(Query(text="q"), (Shelf.of(corpus("02")),), [Part(0, "4.2")])
    assert held(context, document("01")) == frozenset()


def test_the_grid_has_every_setting() -> None:
    cells = grid(lambda k, size: Fixed, TASK, (1, 2), (100,))
    assert [(cell.top_k, cell.chunk_size, cell.recall) for cell in cells] == [(1, 100, 0.625), (2, 100, 0.625)]


def test_gold_and_questions_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "queries.csv"
    with pytest.raises(DataFileError, match=r"queries\.csv"):
        read_questions(path)
    path.write_text("family,words\nbarrel,x\n", encoding="utf-8")
    with pytest.raises(DataFileError, match="query"):
        read_questions(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(DataFileError):
        read_gold(path)
    path.write_text("family,category,load_kind,item,kind\nbarrel,M1,light,4.2,clause\nbarrel,M1,light,3.1,clause\n", encoding="utf-8")
    assert read_gold(path) == {("barrel", "M1", "light"): frozenset({"4.2", "3.1"})}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs `regc bench ...` with a cache of its own and returns what it printed."""
    monkeypatch.setenv("REGC_CACHE_DIR", str(tmp_path / "cache"))

    def command(*arguments: str) -> str:
        with pytest.raises(SystemExit) as stop:
            main(["bench", *arguments, "--embedder", "hash", "--out", str(tmp_path / "out")])
        assert not stop.value.code
        return capsys.readouterr().out

    return command


@pytest.mark.research
def test_the_command_ranks_systems_and_writes_json(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    printed = json.loads(
        run("retrieval", "--regulation", "un152", "--system", "regc", "--system", "rcs", "--system", "norag", "--json")
    )
    assert printed == json.loads((tmp_path / "out" / "retrieval.json").read_bytes())
    summaries = {name: found["summary"] for name, found in printed["systems"].items()}
    assert summaries["regc"]["recall"] >= 0.97
    assert {key: sorted(names) for key, names in printed["ranking"].items()} == {
        key: ["norag", "rcs", "regc"] for key in ("recall", "recall_worst")
    }
    recalls = [summaries[name]["recall"] for name in printed["ranking"]["recall"]]
    assert recalls == sorted(recalls, reverse=True)
    assert summaries["regc"]["tokens_max"] <= 4000
    assert summaries["norag"]["recall"] == 0.0
    assert 0.0 < summaries["rcs"]["recall"] < 1.0


@pytest.mark.research
def test_the_command_makes_questions_and_plots(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    printed = json.loads(
        run("qa", "--regulation", "un152", "--system", "regc", "--system", "structural:units-rrf", "--system", "norag", "--json")
    )
    assert printed["method"].startswith("cloze")
    assert printed["asked"] <= printed["made"]
    assert printed["systems"]["regc"]["recall"]["20"] >= printed["systems"]["regc"]["recall"]["5"] > 0.5
    assert printed["skipped"] == {"norag": "ranks no passages"}


@pytest.mark.research
def test_plots_are_pngs_and_the_same_twice(run, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    pytest.importorskip("matplotlib", reason="extra plots is not installed")
    from regc.research import retrieval_bench

    text = run("retrieval", "--regulation", "un152", "--system", "regc", "--scaling", "--plots")
    assert "regc" in text
    drawn = (tmp_path / "out" / "scaling.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")
    assert (tmp_path / "out" / "systems.png").read_bytes() == retrieval_bench.bars(
        {"regc": json.loads((tmp_path / "out" / "retrieval.json").read_bytes())["systems"]["regc"]["summary"]}
    )
