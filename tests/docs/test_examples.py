"""Examples in docs/python.md and in docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "compiler" / "regc"
MODULES = sorted(
    ".".join(("regc", *path.relative_to(SOURCE).with_suffix("").parts))
    for path in SOURCE.rglob("*.py")
    if ">>> " in path.read_text("utf-8")
)


def test_the_guide_for_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    test = doctest.DocTestParser().get_doctest(text, {"__name__": "python"}, "docs/python.md", "docs/python.md", 0)
    assert len(test.examples) > 15
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    failed, tried = doctest.testmod(importlib.import_module(name))
    assert tried
    assert not failed


def test_the_functions_that_locate_numbers_have_examples() -> None:
    assert {"regc.lang.words", "regc.lang.places", "regc.readers.assemble.numbering", "regc.model.units"} <= set(MODULES)
