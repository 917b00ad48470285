"""First docstring line of a module file, read as text so that nothing is imported."""

from __future__ import annotations

import ast
from importlib.util import find_spec
from pathlib import Path


def first_line(path: Path) -> str:
    """The line, "" where a file has none."""
    return (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0]


def summary(module: str) -> str:
    """The line of a module by its full name, found without importing it."""
    spec = find_spec(module)
    return first_line(Path(spec.origin)) if spec and spec.origin else ""
