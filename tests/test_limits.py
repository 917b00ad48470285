"""Reading that costs too much is stopped, and says so."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from regc.cache import Cache
from regc.cli.flags import open_document
from regc.errors import SourceError
from regc.pipeline import cost_limit
from regc.readers import markdown


def spin() -> None:
    while True:
        sum(range(1000))


def test_what_has_no_end_is_stopped() -> None:
    start = time.process_time()
    with pytest.raises(SourceError, match=r"a\.pdf: not done after 1 s of processor time"), cost_limit.limited("a.pdf", 0.6):
        spin()
    assert time.process_time() - start < 5


def test_a_handler_of_errors_does_not_take_it() -> None:
    def stubborn() -> None:
        while True:
            try:
                spin()
            except Exception:
                continue

    with pytest.raises(SourceError, match="not done"), cost_limit.limited("a.pdf", 0.3):
        stubborn()


def test_memory_is_limited_too() -> None:
    with pytest.raises(SourceError, match=r"more than 0\.0 GB of memory"), cost_limit.limited("a.pdf", 60, memory=1):
        spin()


def test_waiting_and_finishing_are_no_reason() -> None:
    with cost_limit.limited("a.pdf", 0.3):
        time.sleep(0.8)
    for _ in range(20):
        with cost_limit.limited("a.pdf", 60):
            sum(range(1000))


def test_a_reader_that_hangs_ends_with_a_message(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "x.md"
    source.write_text("# 1. Scope", "utf-8")
    monkeypatch.setattr(cost_limit, "_SECONDS", 0.4)
    monkeypatch.setattr(markdown, "read", lambda *_, **__: spin())
    with pytest.raises(SourceError, match=r"x\.md: not done"):
        open_document(str(source), None, None, Cache(enabled=False))


def test_a_large_document_has_more_time() -> None:
    assert cost_limit.seconds_for(2_000_000) == pytest.approx(50)
