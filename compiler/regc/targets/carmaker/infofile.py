"""CarMaker's infofile: `key = value` lines, and texts as `key:` with tab-indented lines; LF, no byte order mark."""

from __future__ import annotations

from collections.abc import Iterable

HEADER = "#INFOFILE1.1 (UTF-8) - Do not remove this line!"


class Infofile:
    """Keys in the order in which they were set; a key stands once."""

    def __init__(self, ident: str, creator: str) -> None:
        self._lines: list[str] = [HEADER]
        self._keys: set[str] = set()
        self.set("FileIdent", ident)
        self.set("FileCreator", creator)

    def set(self, key: str, value: str | float = "") -> None:
        """One value; floats as plain digits. Raises ValueError for a second value, or a line break in it."""
        text = value if isinstance(value, str) else f"{value:.6f}".rstrip("0").rstrip(".")
        if "\n" in text:
            raise ValueError(f"{key}: a value is one line")
        self._claim(key)
        self._lines.append(f"{key} = {text}".rstrip() if text else f"{key} =")

    def text(self, key: str, lines: Iterable[str]) -> None:
        """A text of several lines; empty lines are left out, since they would end it."""
        self._claim(key)
        self._lines.append(f"{key}:")
        self._lines.extend(f"\t{line}" for line in lines if line.strip())

    def section(self, title: str) -> None:
        """A comment line."""
        self._lines.append(f"## {title}")

    def comment(self, lines: Iterable[str]) -> None:
        """Comment lines; a line break in one becomes a space."""
        self._lines.extend(f"# {' '.join(line.split())}" for line in lines)

    def content(self) -> bytes:
        """The file's bytes."""
        return ("\n".join(self._lines) + "\n").encode()

    def _claim(self, key: str) -> None:
        if key in self._keys or not key or any(char in key for char in " =:\t\n"):
            raise ValueError(f"{key!r} is no key, or was set already")
        self._keys.add(key)
