"""How the package is divided: a folder is a room, a file says by its name what it holds, a class is named once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from tests.test_imports import SOURCE

MODULES = sorted(SOURCE.rglob("*.py"))
#: The class that every plug-in of a kind has: what may be chosen of it.
OF_EACH_PLUGIN = {"Options"}
#: Lines of a file above which it holds more than one concept.
MOST_LINES = 900


def test_no_module_hides_behind_an_underscore() -> None:
    assert [path.name for path in MODULES if path.name.startswith("_") and not path.name.startswith("__")] == []


def test_no_public_class_has_the_name_of_another() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in OF_EACH_PLUGIN:
                where[node.name].append(path.relative_to(SOURCE).as_posix())
    assert {name: files for name, files in where.items() if len(files) > 1} == {}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_module_says_what_it_holds_and_keeps_its_private_names(path: Path) -> None:
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= MOST_LINES
    assert ast.get_docstring(tree) or not tree.body
    taken = [
        f"{node.module}.{name.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "regc"
        for name in node.names
        if name.name.startswith("_") and not name.name.startswith("__")
    ]
    assert taken == []
