"""Writes into a document what its commands print and its tables list now, for `git diff` to be read:

python -m tests.docs.refresh docs/language.md
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from tests.docs.reference import renewed
from tests.docs.shown import Tour, fits
from tests.docs.test_documents import prepared


def refreshed(path: Path) -> str:
    """The document with its tables and the outputs of its commands; an output that fits stays as it is."""
    text = renewed(path.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        tour = Tour(Path(folder), text)
        outputs = iter([(step, tour.run(index)) for index, step in enumerate(tour.steps) if step.kind == "command"])

        def block(match: re.Match[str]) -> str:
            parts: list[str] = []
            for _ in re.findall(r"^\$ ", match[1], re.MULTILINE):
                step, done = next(outputs)
                if "internal error" in done.printed:
                    raise SystemExit(f"{path}: {step.name}: {done.printed}")
                printed = "\n".join(line.rstrip() for line in done.printed.strip().splitlines())
                shown = step.text if step.text and fits(step.text, printed) else printed
                parts.append(f"$ {step.name}\n{shown}".rstrip() + "\n")
            return "```console\n" + "\n".join(parts) + "```"

        return re.sub(r"^```console\n(.*?)^```$", block, text, flags=re.DOTALL | re.MULTILINE)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(refreshed(Path(name)), "utf-8", newline="\n")
