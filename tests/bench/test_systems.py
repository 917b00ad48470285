"""The table of systems x models: figures worked out by hand, and the recorded replies of the local model."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from regc.bench.systems import Cell, Made, Scored, Task, run
from regc.errors import LLMError
from regc.llm._open import replies_folder
from regc.llm.replay import default_model
from regc.model.chunk import Context
from tests.conftest import Outcome

STATS = {
    "llm.claims": 50.0, "llm.wrong_values": 2.0, "llm.wrong_places": 3.0, "llm.prompt_tokens": 900.0, "llm.completion_tokens": 100.0,
    "llm.seconds": 12.5, "llm.cost": 0.01, "llm.reasks": 4.0, "llm.refused": 1.0, "llm.final_wrong_values": 2.0,
}  # fmt: skip


def test_figures_of_a_cell() -> None:
    scored = Scored(families={"A": 100.0, "B": 50.0}, exact={"A": 80.0, "B": 40.0}, fields=200, wrong_fields=1)
    found = Cell(task=Task(system="s"), scored=scored, stats=STATS).summary()
    assert (found["mean"], found["sigma"], found["meta"], found["exact"]) == (75.0, 25.0, 50.0, 60.0)
    assert found["wrong before"] == pytest.approx(10.0)
    assert found["wrong after"] == pytest.approx(0.5)
    assert (found["tokens"], found["seconds"], found["USD"], found["re-asks"]) == (1000.0, 12.5, 0.01, 4.0)


def test_prose_is_judged_by_its_texts() -> None:
    scored = Scored(families={"A": 0.0}, exact={"A": 0.0}, texts=8, unmatched=6)
    assert Cell(task=Task(system="s", ask="prose"), scored=scored).summary()["wrong after"] == 75.0


def test_a_task_that_cannot_run_does_not_stop_the_others() -> None:
    told: list[str] = []

    def contexts(system: str) -> Mapping[str, Context]:
        if system == "broken":
            raise LLMError("no index", hint="install it")
        return {}

    cells = run(
        [Task(system="broken"), Task(system="good")],
        contexts,
        lambda task, _: Made(stats={"llm.claims": 1.0}),
        lambda *_: Scored(families={"A": 100.0}, exact={"A": 100.0}),
        lambda cell: told.append(cell.task.system),
    )
    assert told == ["broken", "good"]
    assert cells[0].skipped == "no index (install it)"
    assert cells[0].summary() == {}
    assert cells[1].summary()["mean"] == 100.0


def test_the_recorded_model_is_right_in_every_field_with_our_contexts(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("onnxruntime")
    model = default_model(replies_folder("un152", "02"))
    assert model is not None
    done = cli("bench", "systems", "--system", "regc", "--model", model, "--locked", "--json", "--out", tmp_path)
    assert done.code == 0, done.err
    (cell,) = json.loads(done.out)["cells"]
    assert cell["skipped"] == ""
    found = cell["summary"]
    assert (found["mean"], found["sigma"], found["exact"], found["wrong after"]) == (100.0, 0.0, 100.0, 0.0)
    assert cell["scored"]["wrong_fields"] == 0
    assert cell["stats"]["llm.refused"] == 0
    assert cell["stats"]["llm.claims"] > 100


@pytest.mark.parametrize("system", ["regularag", "hybrid"])
def test_no_wrong_number_comes_out_of_the_contexts_of_others(cli: Callable[..., Outcome], tmp_path: Path, system: str) -> None:
    pytest.importorskip("openai")
    pytest.importorskip("onnxruntime")
    model = default_model(replies_folder("un152", "02"))
    done = cli("bench", "systems", "--system", system, "--model", model, "--locked", "--json", "--out", tmp_path)
    assert done.code == 0, done.err
    (cell,) = json.loads(done.out)["cells"]
    assert cell["skipped"] == ""
    assert (cell["summary"]["mean"], cell["summary"]["wrong after"]) == (100.0, 0.0)
    assert cell["summary"]["wrong before"] > 5, "the model itself is not that good"
