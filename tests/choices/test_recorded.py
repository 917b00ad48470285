"""Recorded replies of a 1.5B model: what it answered stands, and what it got wrong is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from regc.cache import Cache
from regc.choices.question import Questioner
from regc.draft import draft
from regc.llm import Settings, open_llm
from regc.model.protocols import LLM
from regc.pipeline.documents import read
from tests.choices.test_rewordings import CASES, evaluated
from tests.conftest import ROOT
from tests.edits import TEXT, edited
from tests.lang.documents import REGULATIONS

REPLIES = ROOT / "tests" / "fixtures" / "replies"
ASKED = [case for case in CASES if not case.get("reads")]


def locked(folder: str) -> LLM:
    return open_llm(locked=True, replies=REPLIES / folder, settings=Settings(temperature=0.0, max_tokens=256), environment={})


@pytest.mark.parametrize("case", ASKED, ids=lambda case: f"{case['clause']} {case['new'][:30]}")
def test_no_test_is_lost(case: dict[str, str], tmp_path: Path) -> None:
    suite = evaluated(edited(TEXT, case["behind"], case["old"], case["new"]), tmp_path, locked("un152-rewordings"))
    assert len(suite.scenarios) == 184
    assert [finding for finding in suite.findings if finding.severity == "error"] == []
    assert any("qwen2.5-coder-1.5b chose" in finding.message for finding in suite.findings)


def test_a_draft_with_recorded_replies() -> None:
    """UN R130: the model is asked after the two numbers that no rule read, and its wrong answer (an upper bound) is refused."""
    document = read(REGULATIONS / "un130" / "00.md", Cache(), id="un130", edition="", title="")
    questioner = Questioner(locked("un130-draft"))
    found = draft(document, "un130", questioner)
    assert found.suite is not None
    assert len(found.suite.scenarios) == 4
    assert [answered.question.label for answered in questioner.log] == ["6.5.1 0.1 and 0.8 m/s", "6.5.2 0.3 m"]
    assert [bool(answered.refused) for answered in questioner.log] == [False, True]
    assert "chosen by" not in found.profile
