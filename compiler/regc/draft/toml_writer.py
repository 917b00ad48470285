"""A drafted profile as TOML: blocks in the order of the language, comments with what could not be decided above what they concern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def key(name: str) -> str:
    """A key, quoted where TOML asks for it."""
    return name if _BARE.fullmatch(name) else f'"{name}"'


def value(data: Any) -> str:
    """A value on one line."""
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, str):
        escaped = data.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
        return f'"{escaped}"'
    if isinstance(data, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value(each)}" for name, each in data.items()) + " }"
    if isinstance(data, list | tuple):
        return "[" + ", ".join(value(each) for each in data) + "]"
    return str(data)


def comment(text: str) -> list[str]:
    """A text as comment lines."""
    return [f"# {line}".rstrip() for line in text.splitlines()]


def block(header: str, data: Mapping[str, Any], notes: Iterable[str] = ()) -> list[str]:
    """A table or array of tables with one key a line; `bind`, `tol`, `require`, ... stand as dotted keys."""
    lines = [header, *(line for note in notes for line in comment(note))]
    for name, held in data.items():
        if isinstance(held, Mapping) and name in ("bind", "tol", "require", "actors", "conditions", "runs", "fix", "only"):
            lines += [f"{name}.{key(each)} = {value(one)}" for each, one in held.items()]
        else:
            lines.append(f"{key(name)} = {value(held)}")
    return [*lines, ""]
