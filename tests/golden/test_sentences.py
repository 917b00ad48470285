"""The truth proves something only if it is not the template's text: at most a fifth of a row's sentences equal the generated ones."""

from __future__ import annotations

import csv
import re

import pytest

from regc import registry
from regc.job import Compiled
from regc.resources import resource


def sentences(text: str) -> list[str]:
    """Sentences without case, signs and spaces, so that no comma makes two of one."""
    return [plain for part in re.split(r"(?<=[.;!?])\s+", text) if (plain := re.sub(r"[^a-z0-9]+", " ", part.lower()).strip())]


def truth(edition: str) -> dict[str, str]:
    with resource("golden", "un152", edition, "truth", "scenarios.csv").open(encoding="utf-8", newline="") as stream:
        return {row["Unique_ID"]: row["test_scenario"] for row in csv.DictReader(stream, strict=True)}


def generated(compiled: Compiled) -> dict[str, str]:
    module = registry.load("targets", "csv")
    (artifact,) = module.emit(compiled.checked, module.Options())
    return {row["Unique_ID"]: row["test_scenario"] for row in csv.DictReader(artifact.content.decode().splitlines(keepends=True))}


def test_a_sentence_is_found_again_whatever_its_signs() -> None:
    assert sentences("It brakes, hard. It stops!  Then: (it waits).") == ["it brakes hard", "it stops", "then it waits"]


@pytest.mark.parametrize("edition", ["02", "eu2020-1597"])
def test_truth_is_written_in_other_sentences(edition: str, embedded: Compiled, literature: Compiled) -> None:
    wanted = truth(edition)
    made = generated(embedded if edition == "02" else literature)
    assert set(wanted) <= set(made)
    copied = {}
    for id, text in wanted.items():
        own = sentences(text)
        assert len(own) >= 3, id
        same = [sentence for sentence in own if sentence in sentences(made[id])]
        if len(same) > len(own) / 5:
            copied[id] = same
    assert copied == {}
