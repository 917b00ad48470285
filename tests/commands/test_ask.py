"""`regc ask` as a user runs it, on words alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from regc.cli.main import main

LAMPS = """# UN Regulation No. 999

## 1. Scope

This Regulation applies to deck lamps.

## 2. Glow of the lamps

Each deck lamp shall glow for at least 14 hours after the following table.

Glow

| Lamp | Hours (h) |
|---|---|
| red | 14 |
| green | 15 |
"""


@pytest.fixture
def ask(capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def asked(*arguments: str) -> tuple[str, str]:
        with pytest.raises(SystemExit) as stop:
            main(["ask", *arguments, "--embedder", "none"])
        assert not stop.value.code
        told = capsys.readouterr()
        return told.out, told.err

    return asked


def test_a_paragraph_of_a_named_regulation_with_its_tables(ask) -> None:  # type: ignore[no-untyped-def]
    out, _ = ask("paragraph 6.6.1 of R152", "--top", "1")
    assert out.startswith("un152 6.6.1  (named in the question)\n")
    assert "Test speeds of the subject vehicle with a pedestrian" in out
    assert "│ 40           │                    42 │" in out


def test_a_file_of_ones_own_answers_beside_the_shipped_regulations(ask, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "lamps.md"
    path.write_text(LAMPS, encoding="utf-8")
    out, _ = ask("how long must the red deck lamp glow?", "--source", str(path), "--top", "1")
    assert out.startswith("lamps 2 Glow of the lamps  (answers: deck, lamp, glow)\n")
    assert "│ red" in out


def test_json_has_all_with_rank_and_reason(ask) -> None:  # type: ignore[no-untyped-def]
    out, _ = ask("R130: lane departure warning test", "--json")
    found = json.loads(out)
    assert found["tokens"] <= 4000
    assert {item["regulation"] for item in found["items"]} == {"un130"}
    assert {1} <= {item["rank"] for item in found["items"]}
    assert all(item["why"] for item in found["items"])


def test_what_is_not_there_is_told(ask) -> None:  # type: ignore[no-untyped-def]
    _, err = ask("R13: brake test", "--top", "1")
    assert "UN R13 is not in the index" in err
    _, err = ask("?!")
    assert "no word to look for" in err


def test_a_first_question_is_answered_by_words_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With MiniLM installed and an empty cache: no text is embedded before somebody asks for it."""
    pytest.importorskip("onnxruntime", reason="extra minilm is not installed")
    monkeypatch.setenv("REGC_CACHE_DIR", str(tmp_path))
    with pytest.raises(SystemExit) as stop:
        main(["ask", "R130: from which speed on must the lane departure warning be active?", "--top", "1"])
    assert not stop.value.code
    told = capsys.readouterr()
    assert "un130 5.2.3" in told.out
    assert "M307" in told.err
    assert "by words alone" in told.err
