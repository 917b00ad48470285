"""The cases that a domain engineer reads and adds to: tests/cases/*/*.txt, an input and what it must be read as.

One case a line, "input -> reading"; a table takes a block of lines, parted from the next by an empty one. Lines with "#" are remarks.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

CASES = Path(__file__).parent / "cases"


def lines(kind: str, *names: str) -> list[tuple[str, str]]:
    """(input, reading) of a kind's files, or of those named."""
    found = []
    for name in names or [file.stem for file in sorted((CASES / kind).glob("*.txt"))]:
        for line in (CASES / kind / f"{name}.txt").read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                asked, arrow, said = line.rpartition(" -> ")
                assert arrow, f"{kind}/{name}.txt: {line}"
                found.append((asked, said))
    return found


@dataclass(frozen=True)
class Block:
    """A case of several lines: its remark, the lines before the "->" and those behind it."""

    name: str
    given: list[str] = field(default_factory=list)
    read: list[str] = field(default_factory=list)


def blocks(kind: str) -> list[Block]:
    """The blocks of a kind's files."""
    found = []
    for file in sorted((CASES / kind).glob("*.txt")):
        for text in file.read_text("utf-8").strip().split("\n\n"):
            remark, *rest = text.splitlines()
            assert remark.startswith("# "), f"{kind}/{file.name}: a block begins with a remark: {remark}"
            assert rest.count("->") == 1, f"{kind}/{file.name}: {remark}: one line '->' parts what is given from what is read"
            parts = rest.index("->")
            found.append(Block(f"{file.stem}: {remark[2:]}", rest[:parts], rest[parts + 1 :]))
    return found
