"""The replies that come with regc: a locked build asks nobody and gives what the rules give."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regc.llm import replies_folder
from tests.conftest import Outcome

pytest.importorskip("openai")


def test_locked_build_with_no_other_option_equals_the_rules_build(
    cli: Callable[..., Outcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("a locked build opened a socket")

    assert cli("build", "un152", "--out", tmp_path / "rules").code == 0
    monkeypatch.setattr(socket.socket, "connect", never)
    done = cli("build", "un152", "--extractor", "llm", "--locked", "--out", tmp_path / "llm")
    assert done.code == 0, done.out + done.err
    for name in ("csv/test_cases.csv",):
        (one,), (other,) = (list((tmp_path / folder).glob(f"*/{name}")) for folder in ("rules", "llm"))
        assert one.read_bytes() == other.read_bytes()
    rules, model = (json.loads(next((tmp_path / folder).rglob("scenarios.json")).read_text("utf-8")) for folder in ("rules", "llm"))
    assert rules["scenarios"] == model["scenarios"]
    assert len(model["scenarios"]) == 184


def test_replies_hold_no_key_and_no_address() -> None:
    files = sorted(replies_folder("un152", "02").glob("*.json"))
    assert len(files) > 20
    for file in files:
        text = file.read_text("utf-8")
        assert "127.0.0.1" not in text
        assert "http" not in text
        assert "api_key" not in text.lower()
