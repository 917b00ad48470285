"""What is built from a regulation's embedded wording, and from its official file, is the truth that was typed by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from regc.evaluate.fields import compare_fields, read_truth, truth_file
from regc.model.criterion import Criterion
from regc.model.source import SourceRef
from regc.pipeline import compile_regulation
from regc.profiles import edition_files, regulation_folders
from regc.request import Request
from regc.resources import resource

EDITIONS = [(name, edition) for name, folder in regulation_folders().items() for edition in edition_files(folder)]
#: Official files beside the checkout.
OFFICIAL = {
    ("un152", "02"): "un152-r2/un152-r2.pdf",
    ("un131", "02"): "un131/un131.pdf",
    ("un130", "00"): "distractors/un130.pdf",
    ("un171", "00"): "distractors/un171.pdf",
    ("fmvss127", "2024"): "fmvss127/fmvss127.xml",
}


def truth_folder(regulation: str, edition: str) -> Path:
    return resource("golden", regulation, edition, "truth")


def test_every_edition_that_ships_has_its_truth() -> None:
    assert len(EDITIONS) >= 6
    assert [(name, edition) for name, edition in EDITIONS if truth_file(truth_folder(name, edition)) is None] == []


def held_to_truth(request: Request, regulation: str, edition: str) -> list[str]:
    """Differences, missing and additional tests, errors of the check."""
    suite = compile_regulation(request).suite
    path = truth_file(truth_folder(regulation, edition))
    assert path is not None
    truth = read_truth(path)
    result = compare_fields(truth, suite.scenarios)
    assert result.compared > 3 * len(truth)
    told = [f"{item.scenario} {item.field}: truth {item.truth!r}, built {item.built!r}" for item in result.differences]
    told += [f"missing {id}" for id in result.missing] + [f"too many {id}" for id in result.extra]
    return told + [f"{finding.code} {finding.message}" for finding in suite.findings if finding.severity == "error"]


@pytest.mark.parametrize(("regulation", "edition"), EDITIONS, ids=str)
def test_the_embedded_wording_gives_the_truth(regulation: str, edition: str) -> None:
    assert held_to_truth(Request(regulation, edition), regulation, edition) == []


@pytest.mark.parametrize(("regulation", "edition"), OFFICIAL, ids=str)
def test_the_official_file_gives_the_truth(regulation: str, edition: str, shared: Path) -> None:
    source = shared / "regulations" / OFFICIAL[regulation, edition]
    if not source.is_file():
        pytest.skip(f"needs ../shared/regulations/{OFFICIAL[regulation, edition]}, an official document")
    assert held_to_truth(Request(regulation, edition, source=source), regulation, edition) == []


CARDS = [(name, edition) for name, edition in EDITIONS if (truth_folder(name, edition) / "cards.csv").is_file()]


@pytest.mark.parametrize(("regulation", "edition"), CARDS, ids=str)
def test_the_cards_cover_the_clauses_of_the_truth(regulation: str, edition: str) -> None:
    """A clause stands on a card of its kind, itself, by an item or by the clause above; what runs show too may be read by tests."""
    with (truth_folder(regulation, edition) / "cards.csv").open(encoding="utf-8", newline="") as file:
        wanted = {row["clause"]: row["kind"] for row in csv.DictReader(file)}
    suite = compile_regulation(Request(regulation, edition)).suite
    kinds = {clause.partition("(")[0]: card.kind for card in suite.cards for clause in card.clauses}
    read = {source.clause for test in suite.scenarios for asked in test.require for source in (*asked.sources, *_limit_sources(asked))}
    missing = {
        clause: kind
        for clause, kind in wanted.items()
        if kind != kinds.get(clause, kinds.get(clause.rpartition(".")[0])) and not (kind == "driving" and clause in read)
    }
    assert missing == {}


def _limit_sources(asked: Criterion) -> tuple[SourceRef, ...]:
    return asked.limit.value.sources if asked.limit is not None else ()
