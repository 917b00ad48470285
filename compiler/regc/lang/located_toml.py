"""TOML whose strings and keys know the file and line they stand on, so that every fault of a profile is named with its place."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from regc.lang.faults import ProfileError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: A path in a TOML file: ("test", 2, "bind", "ttc").
Path_ = tuple[str | int, ...]


class Text(str):
    """A string of a profile; `where` is its place, "profile.toml:47"."""

    where: str

    def __new__(cls, value: str, where: str = "") -> Text:
        text = super().__new__(cls, value)
        text.where = where
        return text

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(cls._validated, serialization=core_schema.to_string_ser_schema())

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "string"}

    @classmethod
    def _validated(cls, value: Any) -> Text:
        if isinstance(value, Text):
            return value
        if isinstance(value, str):
            return cls(value)
        raise ValueError(f"words are wanted here, not {value!r}")


def where(value: object) -> str:
    """The place of a string of a profile, "" for any other."""
    return getattr(value, "where", "")


def load_toml(file: Path, named_at: str = "") -> dict[str, Any]:
    """The data of a TOML file with every string and key a Text; raises P100 where it is no TOML, or not there (`named_at`: the line
    that names it)."""
    try:
        source = file.read_text("utf-8")
    except FileNotFoundError:
        raise ProfileError(
            "P100", f"there is no file {file.name} in {file.parent.name}/", "see the path, or the names under `use`", named_at
        ) from None
    except UnicodeDecodeError:
        raise ProfileError("P100", f"{file.name} is not UTF-8", "save it as UTF-8") from None
    try:
        data = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise ProfileError("P100", f"not TOML: {error}", "see the line", f"{file.name}:{line[1] if line else 1}") from None
    return dict(_Located(source, file.name).located(data, ()))


#: A key, dotted or in quotes: bind.ttc, marks."***", "6.3: at night".
_NAME = r"(?:[A-Za-z0-9_*\-]+|\"[^\"]*\"|'[^']*')"
_KEY = re.compile(rf"({_NAME}(?:\s*\.\s*{_NAME})*)\s*=")


class _Located:
    """Finds the lines of keys and strings by a scan of the file."""

    def __init__(self, source: str, name: str) -> None:
        self.name, self.lines = name, source.splitlines()
        self.at: dict[Path_, tuple[int, int]] = {}
        self._scan()

    def _scan(self) -> None:
        prefix: Path_ = ()
        counts: dict[Path_, int] = {}
        number, total = 0, len(self.lines)
        while number < total:
            line = self.lines[number].strip()
            header = re.match(r"(\[{1,2})([^\[\]]+)\]{1,2}", line)
            key = _KEY.match(line)
            end = number
            if header and not key:
                prefix = self._header(_keys(header[2]), counts, is_list=header[1] == "[[")
                self.at.setdefault(prefix, (number, number))
            elif key:
                end = self._end(number)
                path = prefix
                for part in _keys(key[1]):
                    path = (*path, part)
                    self.at.setdefault(path, (number, end))
            number = end + 1

    @staticmethod
    def _header(parts: list[str], counts: dict[Path_, int], *, is_list: bool) -> Path_:
        """The path of a header; the lists that it lies in are counted: [[test.phases]] may be ("test", 3, "phases", 0)."""
        path: Path_ = ()
        for index, part in enumerate(parts):
            path = (*path, part)
            if is_list and index == len(parts) - 1:
                counts[path] = counts.get(path, -1) + 1
            if path in counts:
                path = (*path, counts[path])
        return path

    def _end(self, number: int) -> int:
        """The last line of a value that begins on a line: brackets outside of strings are closed there."""
        depth = 0
        for end in range(number, len(self.lines)):
            bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*$", "", self.lines[end])
            depth += bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
            if depth <= 0:
                return end
        return number

    def place(self, path: Path_, text: str) -> str:
        """The file and line of a key or string below a path."""
        known = path
        while known and known not in self.at:
            known = known[:-1]
        first, last = self.at.get(known, (0, 0))
        line = next((number for number in range(first, last + 1) if text in self.lines[number]), first) if last > first else first
        return f"{self.name}:{line + 1}"

    def located(self, data: Any, path: Path_) -> Any:
        """The same data with Text for str."""
        if isinstance(data, str):
            return Text(data, self.place(path, data))
        if isinstance(data, Mapping):
            return {Text(key, self.place((*path, key), key)): self.located(value, (*path, key)) for key, value in data.items()}
        if isinstance(data, list):
            return [self.located(value, (*path, index)) for index, value in enumerate(data)]
        return data


def _keys(dotted: str) -> list[str]:
    """The parts of a dotted key: 'marks."***"' is marks and ***."""
    return [part.strip("\"' ") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", dotted)]


def after_word(text: Text | None) -> Text | str:
    """The place behind a word: "day [S7.1(b)]" is [S7.1(b)]."""
    return Text(text.partition(" ")[2], text.where) if text is not None else ""
