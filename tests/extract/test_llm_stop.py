"""An interruption stops the questions of all families, and what came in stays on file."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from regc.build import contexts_of
from regc.cache import Cache
from regc.enrich import enrich
from regc.extract.llm import Options, outcomes_of
from regc.job import Request
from regc.link import link
from regc.llm import Settings
from regc.llm.replay import ReplayLLM
from regc.model.chunk import Corpus
from regc.model.protocols import Reply
from regc.profiles import load_profile, profile_folder
from regc.resolve import resolver
from regc.source import load_document


class Interrupted:
    """A model that the user stops at its third question."""

    name = "vllm:m"

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        self.asked += 1
        if self.asked == 3:
            raise KeyboardInterrupt
        time.sleep(0.05)
        return Reply(text="{}", model=self.name)


def test_ctrl_c_leaves_replies_and_asks_no_more(tmp_path: Path) -> None:
    profile = load_profile("un152")
    document, edition = load_document(profile, profile_folder("un152"), "02", None, Cache())
    graph, _ = link(document)
    corpus = Corpus(document=document, graph=graph, chunks=enrich(document, graph))
    contexts = contexts_of((corpus,), profile, edition, Request("un152"))
    model = Interrupted()
    llm = ReplayLLM("vllm:m", Settings(), (tmp_path,), inner=model, record=tmp_path)
    with pytest.raises(KeyboardInterrupt):
        outcomes_of(contexts, profile, "02", resolver(document, profile, edition), llm=llm, options=Options(concurrency=3))
    time.sleep(0.3)
    asked = model.asked
    assert asked < 8
    time.sleep(0.3)
    assert model.asked == asked
    assert len(list(tmp_path.glob("*.json"))) == asked - 1
