"""The table of `bench/llm.py`, made again from the replies on file: systems x models x ways of asking."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from regc.bench.systems import Cell
from regc.commands._bench_systems import SYSTEMS, SystemsBench

pytest.importorskip("openai")
pytest.importorskip("onnxruntime")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_llm", ROOT / "bench" / "llm.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def table(script: ModuleType) -> tuple[dict[tuple[str, str, str], Cell], SystemsBench]:
    """The cells that can be made here by system, model and way of asking, and the bench that made them."""
    bench = SystemsBench("un152", "minilm", record=False, locked=True, replies=None)
    tasks = [task for part in script.PARTS.values() for task in part]
    if importlib.util.find_spec("chromadb") is None:
        tasks = [task for task in tasks if task.system != "openai_rag"]
    cells = bench.run(tasks, told=lambda _: None)
    assert bench.ask_variants(script.LARGE) == 4
    return {(cell.task.system, cell.task.model, cell.task.ask): cell for cell in cells}, bench


def test_every_cell_is_on_file(table: tuple[dict[tuple[str, str, str], Cell], SystemsBench]) -> None:
    cells, _ = table
    assert {key: cell.skipped for key, cell in cells.items() if cell.skipped} == {}
    assert {system for system, _, ask in cells if ask == "template"} >= set(SYSTEMS) - {"openai_rag"}
    assert {(system, ask) for system, _, ask in cells if ask != "template"} == {
        (system, ask) for system in ("regc", "regularag") for ask in ("rows", "prose")
    }


def test_no_wrong_number_comes_through(table: tuple[dict[tuple[str, str, str], Cell], SystemsBench]) -> None:
    """Whatever the model, the way of asking and the contexts: what comes out as a scenario is right."""
    cells, _ = table
    for (system, model, ask), cell in cells.items():
        if ask != "prose":  # prose passes nothing; its texts are scored as they are
            assert cell.scored
            assert cell.scored.wrong_fields == 0, (system, model, ask)


@pytest.mark.parametrize("size", ["LARGE", "SMALL"])
def test_every_test_comes_out_right_from_a_small_model_with_our_contexts(
    table: tuple[dict[tuple[str, str, str], Cell], SystemsBench], script: ModuleType, size: str
) -> None:
    cells, _ = table
    figures = cells["regc", getattr(script, size), "template"].summary()
    assert (figures["mean"], figures["sigma"], figures["exact"], figures["wrong after"]) == (100.0, 0.0, 100.0, 0.0)
    assert figures["refused"] == 0
    assert figures["claims"] > 100
    assert figures["wrong before"] > 5, "the model itself is not that good"


def test_nothing_is_asked_without_evidence(table: tuple[dict[tuple[str, str, str], Cell], SystemsBench], script: ModuleType) -> None:
    cells, _ = table
    cell = cells["norag", script.LARGE, "template"]
    assert cell.stats["llm.questions"] == 0
    assert cell.summary()["mean"] == 0


def test_no_reply_on_file_is_stale(table: tuple[dict[tuple[str, str, str], Cell], SystemsBench]) -> None:
    cells, bench = table
    if not any(system == "openai_rag" for system, _, _ in cells):
        pytest.skip("openai_rag, which needs chroma, may use replies that the others do not")
    assert [path.name for path in bench.stale_replies()] == [], "python bench/llm.py --locked --prune"
