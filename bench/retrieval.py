"""How much of the evidence for questions in a user's words each retrieval system finds, with ten regulations in one index.

    python bench/retrieval.py [--documents FOLDER] [--split dev|held|new] [--system NAME] [--embedder NAME] [--misses] [--json]

The questions of bench/questions.jsonl are our own words. `regc` was tuned on those of the split "dev"; the misses of "held" were looked
at when its kinds of faults were mended; those of "new" were written before that from the documents alone, and asked once, afterwards.
`named` are questions that name a regulation or a vehicle category, `free` the others; a question that fits several regulations may be
answered from any. `whole` is the recall over the 30 questions of golden/un152/02/truth/queries.csv, which ask for all that a whole test
of UN R152 needs (`alone`: with that regulation alone in the index). The literature's systems take 30 passages each (`@9`: 9 passages,
about regc's 4,000 tokens). Without the official documents the embedded texts are asked what they can answer.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path

from regc.cache import Cache
from regc.embed import open_embedder
from regc.link import link
from regc.model.chunk import Corpus
from regc.model.document import Document
from regc.model.protocols import Embedder, Retriever
from regc.pipeline.documents import load_document, read
from regc.pipeline.profiles import load_profile, profile_folder, regulation_names
from regc.plugins import RETRIEVERS
from regc.research.chunks import enrich
from regc.research.retrieval_bench import Task, UserQuestion, ask_all, askable, measure, read_asked, read_gold, read_questions
from regc.resources import resource

QUESTIONS = Path(__file__).with_name("questions.jsonl")
#: Id and place below --documents.
OFFICIAL = {
    "un152": "un152-r2/un152-r2.pdf",
    "un131": "un131/un131.pdf",
    "fmvss127": "fmvss127/fmvss127.xml",
    **{f"un{number}": f"distractors/un{number}.pdf" for number in (79, 89, 90, 130, 155, 156, 171)},
}
#: The default system with and without an embedder, then the literature's.
OWN = ("regc", "regc, words alone")
RIVALS = ("regularag", "hipporag", "hybrid", "structural", "rcs", "openai_rag")
#: Passages of the second row of a rival.
FEW = 9
COLUMNS = ("questions", "recall", "named", "free", "worst", "tokens", "tokens_max", "milliseconds", "whole", "alone")


def documents(folder: Path) -> dict[str, Document]:
    """The ten official documents where they lie in the folder, else the embedded texts."""
    if all((folder / name).is_file() for name in OFFICIAL.values()):
        return {id: read(folder / name, Cache(), id=id, edition="-", title=id) for id, name in OFFICIAL.items()}
    print(f"{folder}: not all ten documents are there; the embedded texts are asked", file=sys.stderr)
    return {name: load_document(load_profile(name), profile_folder(name), None, Cache()) for name in regulation_names()}


def systems(corpora: tuple[Corpus, ...], embedder: Embedder | None, only: str) -> dict[str, Callable[[], Retriever]]:
    """Name -> how it is built."""

    def make(module: str, model: Embedder | None, **options: object) -> Callable[[], Retriever]:
        system = RETRIEVERS.load(module)
        built = system.Options().model_copy(update=options)
        return lambda: system.build(corpora, embedder=model, llm=None, options=built)

    found = ({OWN[0]: make("regc", embedder)} if embedder else {}) | {OWN[1]: make("regc", None)}
    for name in RIVALS:
        found[name] = make(name, embedder)
        if "top_k" in RETRIEVERS.load(name).Options.model_fields:
            found[f"{name} @{FEW}"] = make(name, embedder, top_k=FEW)
    return {name: maker for name, maker in found.items() if not only or name.startswith(only)}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=Path, default=Path("../shared/regulations"), help="folder of official documents")
    parser.add_argument("--split", choices=("dev", "held", "new"), default="held")
    parser.add_argument("--system", default="", help="only systems whose name begins so")
    parser.add_argument("--embedder", default="minilm", help="or none")
    parser.add_argument("--misses", action="store_true", help="also the questions that regc does not answer in full")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    known = documents(chosen.documents)
    questions = askable((one for one in read_asked(QUESTIONS) if one.split == chosen.split), known)
    linked = [(document, link(document)[0]) for document in known.values()]
    corpora = tuple(Corpus(document=document, graph=graph, chunks=enrich(document, graph)) for document, graph in linked)
    rows: dict[str, dict[str, float]] = {}
    if not chosen.json:
        print(f"{'system':<20}" + "".join(f"{column:>13}" for column in COLUMNS))
    embedder = None if chosen.embedder == "none" else open_embedder(chosen.embedder)
    for name, make in systems(corpora, embedder, chosen.system).items():
        result = ask_all(name, make, questions, known)
        rows[name] = result.summary(questions)
        if not result.skipped:
            alone = systems(tuple(corpus for corpus in corpora if corpus.document.id == "un152"), embedder, name)[name]
            rows[name] |= {"whole": _whole(make, known), "alone": _whole(alone, known)}
        if chosen.json:
            continue
        print(
            f"{name:<20}"
            + (f"  skipped: {result.skipped}" if result.skipped else "".join(_figure(rows[name].get(column)) for column in COLUMNS))
        )
        if chosen.misses and name in OWN:
            _misses(questions, {answer.id: answer.recall for answer in result.answers})
    if chosen.json:
        print(json.dumps(rows, indent=2, sort_keys=True))


def _whole(make: Callable[[], Retriever], known: dict[str, Document]) -> float:
    """Mean recall of all that the tests of UN R152 need."""
    truth = resource("golden", "un152", "02", "truth")
    task = Task(known["un152"], read_questions(truth / "queries.csv"), read_gold(truth / "evidence.csv"))
    return measure("", make, task).summary()["recall"]


def _figure(value: float | None) -> str:
    return f"{'' if value is None else f'{value:.0f}' if value > 1 else f'{value:.2f}':>13}"


def _misses(questions: tuple[UserQuestion, ...], recalls: dict[str, float]) -> None:
    for question in questions:
        if recalls[question.id] < 1:
            print(f"    {recalls[question.id]:.2f} {question.id} {question.question}")


if __name__ == "__main__":
    main()
