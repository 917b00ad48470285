"""From what a user types to a Request: names as people write them, declared values, axis filters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from regc.errors import RegcError
from regc.request import Request
from regc.tomlfiles import read_toml


def request_of(regulation: str, **parts: Any) -> Request:
    """A request; `UN152`, `R152`, `un-152` and `un152@02` name a regulation and edition too."""
    name, _, edition = regulation.partition("@") if not Path(regulation).exists() else (regulation, "", "")
    return Request(regulation=regulation_name(name), edition=parts.pop("edition", None) or edition or None, **parts)


def regulation_name(text: str) -> str:
    """`UN152`, `R152`, `un-152`, `un r152` -> `un152`; a folder and anything else stays."""
    if Path(text).exists():
        return text
    match = re.fullmatch(r"(?:un)?[\s._-]*r?[\s._-]*(\d{1,3})", text.strip(), re.IGNORECASE)
    return f"un{match[1]}" if match else text.strip().lower()


def where(texts: Iterable[str]) -> dict[str, str]:
    """`AXIS=VALUE` pairs. Raises RegcError for another form."""
    return dict(_pair(text, "--where", "AXIS=VALUE, for example class=A") for text in texts)


def declared(texts: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` pairs, or TOML files of them (their table `declare` where they have one). Raises RegcError."""
    found: dict[str, str] = {}
    for text in texts:
        path = Path(text)
        if "=" not in text and path.suffix == ".toml":
            found |= _file(path)
        else:
            name, value = _pair(text, "--declare", "NAME=VALUE, for example v_design=90km/h")
            found[name] = value
    return found


def _pair(text: str, flag: str, form: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise RegcError(f"{flag} {text!r}: not of the form {form}", hint=f"{flag} {form}")
    return name.strip(), value.strip()


def _file(path: Path) -> dict[str, str]:
    hint = 'one line a name: v_design = "90 km/h"'
    data = read_toml(path, hint=hint, name=f"--declare {path}")
    table = data.get("declare", data)
    wrong = [name for name, value in table.items() if not isinstance(value, (str, int, float, bool))]
    if wrong:
        raise RegcError(f"--declare {path}: {wrong[0]} is no value", hint=hint)
    return {name: ("yes" if value else "no") if isinstance(value, bool) else str(value) for name, value in table.items()}
