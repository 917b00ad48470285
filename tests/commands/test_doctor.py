"""`regc doctor`: each optional part as it is found here, with the next step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Outcome


def parts(cli: Callable[..., Outcome]) -> dict[str, dict[str, Any]]:
    return {check["part"]: check for check in json.loads(cli("doctor", "--json").out)["checks"]}


def test_every_part_that_is_not_ready_says_what_to_do(cli: Callable[..., Outcome]) -> None:
    found = parts(cli)
    assert {"cache", "readers", "mineru", "llm", "report", "model", "esmini"} <= found.keys()
    assert [name for name, check in found.items() if check["state"] != "ready" and not check["next"]] == []


def test_mineru_that_is_named_and_not_there_is_broken(cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGC_MINERU", "/no/such/mineru")
    done = cli("doctor")
    assert done.code == 1
    assert "REGC_MINERU names /no/such/mineru" in done.out


def test_mineru_that_is_there_says_where_its_models_come_from(
    cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "mineru-kit"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("REGC_MINERU", str(program))
    check = parts(cli)["mineru"]
    assert check["state"] == "ready"
    assert "hub" in check["found"]


@pytest.mark.parametrize(
    ("environment", "state"),
    [
        ({}, "absent"),
        ({"REGC_LLM_MODEL": "m"}, "broken"),
        ({"REGC_LLM_MODEL": "m", "REGC_LLM_BASE_URL": "http://me:secret@127.0.0.1:1/v1?key=k"}, "ready"),
    ],
)
def test_the_model_by_its_settings_alone(
    cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], state: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    check = parts(cli)["model"]
    assert check["state"] == state
    assert "secret" not in json.dumps(check)
    assert "key=k" not in json.dumps(check)


def test_a_cache_that_cannot_be_written_is_broken(cli: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("REGC_CACHE_DIR", str(tmp_path / "file"))
    done = cli("doctor")
    assert done.code == 1
    assert "REGC_CACHE_DIR" in done.out
