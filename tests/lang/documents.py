"""Documents that tests of the language read: the embedded wordings, and the official files where the machine has them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from regc.cache import Cache
from regc.cli.flags import open_document
from regc.model.document import Document

ROOT = Path(__file__).resolve().parents[2]
REGULATIONS = ROOT / "compiler" / "regc" / "regulations"
SHARED = ROOT.parent / "shared" / "regulations"


@cache
def embedded(regulation: str, file: str) -> Document:
    """An embedded wording, as a build reads it."""
    document = open_document(str(REGULATIONS / regulation / file), None, None, Cache())
    return document.model_copy(update={"id": regulation, "edition": file.removesuffix(".md"), "wording": "embedded"})


@cache
def official(file: str) -> Document:
    """An official file; the test is skipped where this machine has none."""
    path = SHARED / file
    if not path.exists():
        pytest.skip(f"the official document is not here: {file}")
    return open_document(str(path), None, None, Cache())
