"""Questions with alternative evidence, worked by hand."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

from regc.errors import DataFileError, RegcError
from regc.model.chunk import Context, Query
from regc.research.retrieval_bench import Evidence, UserQuestion, ask_all, askable, read_asked, recall
from regc.resources import resource
from regc.retrieve.context import Part, Shelf, assemble
from tests.retrieve.deck import corpus, document

DOCUMENTS = {"deck": document()}


def question(id: str, *evidence: tuple[str, tuple[str, ...]], named: bool = False) -> UserQuestion:
    own = tuple(Evidence(regulation=regulation, clauses=clauses) for regulation, clauses in evidence)
    return UserQuestion(id=id, split="dev", question=id, named=named, evidence=own)


class Fixed:
    """Finds 3.2.1 and 3.4, whatever is asked."""

    def retrieve(self, query: Query) -> Context:
        return assemble(query, (Shelf.of(corpus()),), [Part(0, "3.2.1"), Part(0, "3.4")])


def test_the_best_alternative_counts() -> None:
    context = Fixed().retrieve(Query(text="q"))
    assert recall(context, question("a", ("deck", ("3.2.1", "4.2"))), DOCUMENTS) == 0.5
    assert recall(context, question("b", ("deck", ("4.2",)), ("deck", ("3.4",))), DOCUMENTS) == 1.0
    assert recall(context, question("c", ("boat", ("3.4",))), DOCUMENTS) == 0.0


def test_questions_that_no_document_answers_are_not_asked() -> None:
    asked = (
        question("a", ("boat", ("1",)), ("deck", ("3.4",))),
        question("b", ("deck", ("3.4", "9.9"))),
        question("c", ("boat", ("1",))),
    )
    assert [one.id for one in askable(asked, DOCUMENTS)] == ["a"]


def test_the_summary_by_what_a_question_names() -> None:
    asked = (
        question("a", ("deck", ("3.2.1",)), named=True),
        question("b", ("deck", ("3.2.1", "4.2"))),
        question("c", ("deck", ("4.2",))),
    )
    summary = ask_all("fixed", Fixed, asked, DOCUMENTS).summary(asked)
    assert (summary["named"], summary["free"], summary["worst"], summary["questions"]) == (1.0, 0.25, 0.0, 3)
    assert summary["recall"] == 0.5
    assert summary["tokens"] == summary["tokens_max"] > 0


def test_a_system_that_cannot_be_built_says_why() -> None:
    def broken() -> Fixed:
        raise RegcError("no wheels")

    result = ask_all("broken", broken, (question("a", ("deck", ("3.4",))),), DOCUMENTS)
    assert (result.skipped, result.summary(())) == ("no wheels", {})


@pytest.mark.research
def test_the_script_prints_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """On the embedded texts, by words alone; the aims of the split that was tuned on."""
    arguments = ["--documents", str(tmp_path), "--split", "dev", "--embedder", "none", "--system", "regc, words", "--json"]
    monkeypatch.setattr(sys, "argv", ["retrieval.py", *arguments])
    runpy.run_path(str(resource("bench", "retrieval.py")), run_name="__main__")
    printed = capsys.readouterr()
    found = json.loads(printed.out)["regc, words alone"]
    assert "the embedded texts are asked" in printed.err
    assert found["questions"] >= 30
    assert found["named"] >= 0.9
    assert found["free"] >= 0.8
    assert found["tokens_max"] <= 4000


def test_the_questions_of_the_bench_are_read() -> None:
    found = read_asked(resource("bench", "questions.jsonl"))
    assert len({one.id for one in found}) == len(found)
    assert {one.split for one in found} == {"dev", "held", "new"}
    assert sum(one.split != "dev" for one in found) * 3 >= len(found)


def test_a_file_that_holds_no_questions(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(DataFileError, match=r"q\.jsonl"):
        read_asked(path)
