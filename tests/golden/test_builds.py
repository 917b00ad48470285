"""What is built from a regulation's embedded wording, and from its official file, is the truth that was typed by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from regc.cli.results import vocabulary
from regc.embed import open_embedder
from regc.model.criterion import Criterion
from regc.model.source import SourceRef
from regc.model.stage import Staged
from regc.pipeline.build import compile_regulation
from regc.pipeline.profiles import edition_files, regulation_folders
from regc.pipeline.request import Compiled, Request
from regc.research.penalized_f1 import ScoreSettings, evaluate_exact
from regc.research.scored_texts import embed_texts, extract_numbers, read_texts
from regc.resources import resource
from regc.targets import csv as csv_target
from regc.truth import compare_fields, read_truth, truth_file

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


@pytest.mark.slow
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


def test_the_literatures_form_states_the_facts_of_the_truth_in_their_order(literature: Compiled) -> None:
    """Numbers one by one; the words are the template's, and so is each text its own."""
    (file,) = csv_target.emit(literature.suite, Staged(), csv_target.Options())
    built = {row["Unique_ID"]: row["test_scenario"] for row in csv.DictReader(file.content.decode().splitlines())}
    with (truth_folder("un152", "eu2020-1597") / "scenarios.csv").open(encoding="utf-8", newline="") as stream:
        truth = {row["Unique_ID"]: row["test_scenario"] for row in csv.DictReader(stream)}
    assert {id: extract_numbers(text) for id, text in built.items()} == {id: extract_numbers(text) for id, text in truth.items()}


@pytest.mark.research
def test_every_independent_wording_of_the_same_facts_is_matched(tmp_path: Path, literature: Compiled) -> None:
    """One template against texts of several authors, each of whom saw the facts alone: F1 100 on each set."""
    pytest.importorskip("onnxruntime", reason="needs the extra minilm")
    (file,) = csv_target.emit(literature.suite, Staged(), csv_target.Options())
    generated = tmp_path / "generated.csv"
    generated.write_bytes(file.content)
    folder = truth_folder("un152", "eu2020-1597")
    terms, model = vocabulary(folder), open_embedder()
    texts = embed_texts(read_texts(generated).rows, model, terms)
    scores = {
        path.name: evaluate_exact(embed_texts(read_texts(path, truth=True).rows, model, terms), texts, ScoreSettings(vocabulary=terms))
        for path in (folder / "scenarios.csv", *sorted((folder / "wordings").glob("*.csv")))
    }
    assert {name: score.overall.f1 for name, score in scores.items()} == dict.fromkeys(scores, 1.0)
