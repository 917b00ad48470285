"""No file that we ship or keep as truth repeats a run of words of an official text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pypdfium2
import pytest

from regc.resources import package_data

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = ROOT.parent / "shared" / "regulations"
OURS = sorted(
    path
    for folder in (package_data("regulations"), ROOT / "golden")
    for path in folder.rglob("*")
    if path.suffix in (".md", ".toml") or path.name in ("cards.csv", "truth.csv")
)
#: A run this long that stands in an official text is copied, not reworded.
RUN = 14

_WORD = re.compile(r"[a-z]+|\d+(?:\.\d+)*")


def runs(text: str) -> Iterator[str]:
    """Runs of RUN words; what is mostly figures (rows of tables) says nothing about wording, nor do the headers of columns."""
    words = _WORD.findall(re.sub(r"<th\b.*?</th>|<[^>]+>|\$[^$]*\$", " ", text).lower())
    for start in range(len(words) - RUN + 1):
        run = words[start : start + RUN]
        if sum(word[0].isdigit() for word in run) <= 4:
            yield " ".join(run)


@cache
def official_runs() -> frozenset[str]:
    found: set[str] = set()
    for path in sorted(OFFICIAL.rglob("*")):
        if path.suffix in (".md", ".txt", ".xml"):
            found.update(runs(path.read_text("utf-8", "replace")))
        elif path.suffix == ".pdf":
            document = pypdfium2.PdfDocument(path)
            try:
                found.update(runs("\n".join(page.get_textpage().get_text_range().replace("\ufffe", "") for page in document)))
            finally:
                document.close()
    return frozenset(found)


@pytest.mark.skipif(not OFFICIAL.is_dir(), reason="the official texts are not beside the checkout (../shared/regulations)")
@pytest.mark.parametrize("path", OURS, ids=lambda path: "/".join(path.parts[-3:]))
def test_no_sentence_of_an_official_text(path: Path) -> None:
    assert [run for run in runs(path.read_text("utf-8")) if run in official_runs()] == []
