"""How the package is divided: a folder is a room, a file says by its name what it holds, a class is named once."""

from __future__ import annotations

import ast
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import pytest

from regc import plugins
from regc.plugins import Kind
from tests.test_imports import SOURCE, imports

MODULES = sorted(SOURCE.rglob("*.py"))
#: The class that every plug-in of a kind has: what may be chosen of it.
OF_EACH_PLUGIN = {"Options"}
#: Files whose stem is a user's word: what is chosen by name on the command line, and what a regulation says of itself.
CHOSEN_BY_NAME = {
    SOURCE.parent / (kind.module(name).replace(".", "/") + ".py")
    for kind in vars(plugins).values()
    if isinstance(kind, Kind)
    for name in kind.names()
}
#: Lines of a file above which it holds more than one concept.
MOST_LINES = 700


def test_no_module_hides_behind_an_underscore() -> None:
    assert [path.name for path in MODULES if path.name.startswith("_") and not path.name.startswith("__")] == []


def test_no_public_class_has_the_name_of_another() -> None:
    where: dict[str, list[str]] = defaultdict(list)
    for path in MODULES:
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and node.name not in OF_EACH_PLUGIN:
                where[node.name].append(path.relative_to(SOURCE).as_posix())
    assert {name: files for name, files in where.items() if len(files) > 1} == {}


def same_thing(first: Path, second: Path) -> bool:
    """Whether two files may share a stem: both bear a name that users type (`--target csv`, `--format csv`), or one does and is made of
    the other (`regc build` of pipeline/build.py)."""
    if {first, second} <= CHOSEN_BY_NAME:
        return True
    return any(
        one in CHOSEN_BY_NAME and other.relative_to(SOURCE).with_suffix("").parts in {parts[:-1] for parts in imports(one)}
        for one, other in ((first, second), (second, first))
    )


def test_no_two_modules_have_one_name_for_different_things() -> None:
    named: dict[str, list[Path]] = defaultdict(list)
    for path in MODULES:
        if path.name != "__init__.py":
            named[path.stem].append(path)
    doubled = {
        stem: [path.relative_to(SOURCE).as_posix() for path in paths]
        for stem, paths in named.items()
        if not all(same_thing(first, second) for first, second in combinations(paths, 2))
    }
    assert doubled == {}


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
