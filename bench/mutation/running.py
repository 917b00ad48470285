"""Mutants in turn, each built in a process of its own."""

from __future__ import annotations

import multiprocessing
import os
import random
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bench.mutation.files import TEXT_KINDS, pair_mutant, text_mutant
from bench.mutation.oracle import judged
from bench.mutation.pdfs import OBJECT_KINDS, cells_of, object_mutant, pdf_bytes, pdf_character, resaved
from bench.mutation.reading import OUTCOMES, Mutant, Outcome, Reading, compiled

from regc.errors import RegcError
from regc.pipeline.profiles import load_profile, profile_folder


def _child(connection: Connection, regulation: str, mutant: Mutant, before: Reading) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in mutant.files.items():
            (Path(folder) / name).write_bytes(content)
        try:
            after = compiled(regulation, Path(folder) / next(iter(mutant.files)))
            connection.send(judged(mutant, before, after))
        except RegcError as error:
            told = f"{error} | {error.hint}"
            connection.send(("refused" if error.hint else "traceback", told[:200].replace("\n", " ")))
        except BaseException:
            connection.send(("traceback", " | ".join(traceback.format_exc().strip().splitlines()[-3:])))
    os._exit(0)


def run(
    regulation: str,
    mutants: Sequence[Mutant],
    before: Sequence[Reading],
    *,
    jobs: int = 2,
    limit: float = 60,
    seconds: float = 1e9,
    tell: Callable[[Outcome], None] = lambda outcome: None,
) -> list[Outcome]:
    """Every mutant in a process of its own, at most `limit` seconds each, none begun after `seconds`.

    `before`: the reading of the text that each was made of. `tell` gets each outcome as it comes.
    """
    context = multiprocessing.get_context("fork")
    waiting = list(range(len(mutants)))[::-1]
    running: dict[int, tuple[Any, Connection, float]] = {}
    results: dict[int, Outcome] = {}
    end = time.monotonic() + seconds
    while waiting or running:
        if time.monotonic() > end:
            waiting = []
        while waiting and len(running) < jobs:
            index = waiting.pop()
            mine, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_child, args=(theirs, regulation, mutants[index], before[index]))
            process.start()
            theirs.close()
            running[index] = (process, mine, time.monotonic())
        for index, (process, connection, began) in list(running.items()):
            mutant = mutants[index]
            label = f"{mutant.place[-90:]} [{mutant.old[:60]!r} -> {mutant.new[:60]!r}]"
            if connection.poll(0.01):
                try:
                    outcome, why = connection.recv()
                except EOFError:
                    outcome, why = "traceback", "the process died"
            elif time.monotonic() - began > limit:
                process.kill()
                outcome, why = "hang", f"not done after {limit:.0f} s"
            else:
                continue
            process.join()
            del running[index]
            results[index] = Outcome(label, mutant.kind, outcome, why)
            tell(results[index])
    return [results[index] for index in sorted(results)]


def mutants_of(regulation: str, sources: Sequence[Path], count: int, seed: int, only: str = "") -> tuple[list[Mutant], list[Reading]]:
    """`count` seeded mutants over the embedded text and the sources, each kind in turn; and the reading that each is held against."""
    rng = random.Random(seed)
    profile = load_profile(regulation, None)
    scope = tuple(map(str, profile.scope))
    embedded = profile_folder(regulation) / str(profile.text)
    makers: list[tuple[str, Callable[[], Mutant | None], Reading]] = []
    for path in (embedded, *sources):
        plain = compiled(regulation, path)
        content = path.read_bytes()
        beside = path.with_name(f"{path.name.split('.')[0]}_middle.json")
        if path.suffix == ".pdf":
            makers += [("pdf: digit", _maker(pdf_character, path.name, content, rng), plain)] * 6
            makers += [("pdf: bytes", _maker(pdf_bytes, path.name, content, rng), plain)] * 3
            anew = resaved(content)
            held_anew = compiled_bytes(regulation, path.name, anew)
            cells = cells_of(held_anew)
            makers += [(kind, _maker(object_mutant, path.name, anew, kind, cells, rng), held_anew) for kind in OBJECT_KINDS] * 2
        elif beside.is_file():
            files = {"pair.md": content, "pair_middle.json": beside.read_bytes()}
            makers += [("pair", _maker(pair_mutant, files, scope, rng), plain)] * 4
        else:
            makers += [(kind, _maker(text_mutant, path.name, content.decode(), scope, kind, rng), plain) for kind in TEXT_KINDS]
    makers = [maker for maker in makers if only in maker[0]]
    made: list[Mutant] = []
    held: list[Reading] = []
    turn = 0
    while len(made) < count and turn < count * 4:
        _, make, plain = makers[turn % len(makers)]
        mutant = make()
        turn += 1
        if mutant is not None:
            made.append(mutant)
            held.append(plain)
    return made, held


def compiled_bytes(regulation: str, name: str, content: bytes) -> Reading:
    """The build of a document that lies in no file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        return compiled(regulation, path)


def _maker(function: Callable[..., Mutant | None], *arguments: Any) -> Callable[[], Mutant | None]:
    return lambda: function(*arguments)


def table(outcomes: Sequence[Outcome]) -> str:
    """Kind x outcome."""
    kinds = list(dict.fromkeys(outcome.kind for outcome in sorted(outcomes, key=lambda outcome: outcome.kind)))
    counts = Counter((outcome.kind, outcome.outcome) for outcome in outcomes)
    lines = [f"{'':<26}" + "".join(f"{name:>11}" for name in OUTCOMES)]
    for kind in kinds:
        lines.append(f"{kind:<26}" + "".join(f"{counts[kind, name]:>11}" for name in OUTCOMES))
    lines.append(f"{'all':<26}" + "".join(f"{sum(counts[kind, name] for kind in kinds):>11}" for name in OUTCOMES))
    return "\n".join(lines)
