"""`--extractor rules+llm` on build and check: recorded, locked, marked in what is written, and stopped by the first Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Outcome
from tests.edits import TEXT, edited
from tests.llm.fakes import choices_of
from tests.llm.loopback import Asked, Played, playing

pytest.importorskip("openai")
pytest.importorskip("instructor")

REWORDED = edited(TEXT, "## 6.4.", "in a straight line for at least two seconds", "along a straight path for at least two seconds")


def two_seconds(asked: Asked) -> Played:
    choices = choices_of(str(asked.body["messages"][1]["content"]))
    return Played(json.dumps({"choice": next((label for label, said in choices.items() if "two seconds" in said), "none")}))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "reworded.md"
    path.write_text(REWORDED, "utf-8")
    return path


def test_chosen_places_are_recorded_locked_and_marked(
    source: Path, tmp_path: Path, cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("build", "un152", "--source", source, "--target", "openscenario", "--family", "stationary", "--sweep", "mandatory")
    with playing(two_seconds) as server:
        monkeypatch.setenv("REGC_LLM_BASE_URL", server.url)
        flags = ("--extractor", "rules+llm", "--llm", "llamacpp:m", "--record", tmp_path / "replies")
        first = cli(*asked, *flags, "--out", tmp_path / "first")
        assert len(server.asked) == 1
    assert "M391" in first.out
    (folder,) = (tmp_path / "first").iterdir()
    sidecars = sorted((folder / "openscenario" / "concrete").glob("*.json"))
    assert len(sidecars) == 12
    for sidecar in sidecars:
        data = json.loads(sidecar.read_text("utf-8"))
        chosen = [place for place in data["sources"] if place.get("chosen")]
        assert [place["chosen"] for place in chosen] == ["llamacpp:m"]
        assert "two seconds" in chosen[0]["quote"]
        assert data["values"]["bind.straight_time"]["lo"] == "2"
    assert "chosen by a language model" in (folder / "README.md").read_text("utf-8")
    assert cli("verify", folder, "--source", source).code == 0

    monkeypatch.delenv("REGC_LLM_BASE_URL")
    flags = ("--extractor", "rules+llm", "--locked", "--llm", "llamacpp:m", "--replies", tmp_path / "replies")
    again = cli(*asked, *flags, "--out", tmp_path / "2")
    assert "M391" in again.out
    (second,) = (tmp_path / "2").iterdir()
    for sidecar in sidecars:
        assert (second / "openscenario" / "concrete" / sidecar.name).read_bytes() == sidecar.read_bytes()


def test_rules_alone_take_no_flag_of_a_model(cli: Callable[..., Outcome]) -> None:
    refused = cli("check", "un152", "--llm", "llamacpp:m")
    assert refused.code == 2
    assert "--extractor rules+llm" in refused.err


@pytest.mark.skipif(os.name != "posix", reason="signals of a terminal are sent as on POSIX")
def test_the_first_ctrl_c_stops_a_run_that_waits_for_a_model(source: Path) -> None:
    with playing(lambda _: Played("{}", hang=60)) as server:
        program = "from regc.cli.main import main; main()"
        flags = ["--source", str(source), "--extractor", "rules+llm", "--llm", "vllm:m"]
        command = [sys.executable, "-c", program, "check", "un152", *flags]
        run = subprocess.Popen(command, env={**os.environ, "REGC_LLM_BASE_URL": server.url}, stderr=subprocess.PIPE, text=True)
        began = time.monotonic()
        while not server.asked and time.monotonic() - began < 60:
            time.sleep(0.1)
        run.send_signal(signal.SIGINT)
