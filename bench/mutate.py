"""What a build says of documents with one fault put in: every fault must reach the artefacts as it stands, or be told.

    python -m bench.mutate un152 [--count 600] [--seed 1] [--source FILE ...] [--kind WORDS] [--jobs 2] [--limit 60] [--list]

A mutant is the embedded text, or a copy of a `--source` (Markdown, XML, PDF, or a Markdown with its layout file beside), with one
change at a seeded place. No golden truth is looked at. What the mutated place says is read here by other means than the compiler's:
lines, a table grid of lxml, the text that PDFium gives for a page. A mutant is

    equal       what changed in the tests is what the mutated place says, and what it says has changed in the tests
    told        a new finding of severity warning or error, and the build goes on
    refused     a message with a next step, no tests
    silent      neither: a wrong number, a lost test, or two places that differ without a word
    traceback, hang
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from bench.mutation.reading import FAULTS, Outcome
from bench.mutation.running import mutants_of, run, table


def main() -> None:
    """Print the table, and every mutant that came out silent, with a traceback or as a hang."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("regulation")
    parser.add_argument("--count", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--source", type=Path, action="append", default=[], help="a document of your own; may be repeated")
    parser.add_argument("--kind", default="", help="only kinds with these words")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit", type=float, default=60, help="s that one build may take")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no mutant after this time")
    parser.add_argument("--list", action="store_true", help="list every mutant")
    parser.add_argument("--json", type=Path, help="write every outcome to a file")
    arguments = parser.parse_args()
    os.environ["REGC_NO_CACHE"] = "1"
    mutants, before = mutants_of(arguments.regulation, arguments.source, arguments.count, arguments.seed, arguments.kind)

    def told(outcome: Outcome) -> None:
        if arguments.list or outcome.outcome in FAULTS:
            print(f"{outcome.outcome:<9} {outcome.kind}: {outcome.mutant}\n          {outcome.why}", flush=True)

    outcomes = run(
        arguments.regulation, mutants, before, jobs=arguments.jobs, limit=arguments.limit, seconds=arguments.seconds, tell=told
    )
    print(table(outcomes))
    if arguments.json:
        arguments.json.write_text(json.dumps([vars(outcome) for outcome in outcomes], indent=1), encoding="utf-8")
    sys.exit(any(outcome.outcome in FAULTS for outcome in outcomes))


if __name__ == "__main__":
    main()
