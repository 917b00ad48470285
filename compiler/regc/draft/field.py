"""The words of the field (field.toml) as data: what a title, sentence, header or item is recognised by."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from regc.tomlfiles import packaged


@dataclass(frozen=True)
class Words:
    """Alternatives that a text is searched for, in their order."""

    patterns: tuple[re.Pattern[str], ...]

    def find(self, text: str) -> re.Match[str] | None:
        """The first alternative that stands in the text."""
        return next((match for pattern in self.patterns if (match := pattern.search(text))), None)

    def __bool__(self) -> bool:
        return bool(self.patterns)


def words(given: list[str] | None) -> Words:
    """Alternatives of a list of regular expressions; capital letters do not count."""
    return Words(tuple(re.compile(text, re.I) for text in given or ()))


@dataclass(frozen=True)
class NumberField:
    """What one number of a test is recognised by.

    `about`: the sentence must hold one of these too, `never`: none of these. `chapter`: it may stand anywhere in the chapter.
    """

    name: str
    words: Words
    about: Words
    never: Words
    chapter: bool = False


@dataclass(frozen=True)
class CriterionField:
    """What one criterion is recognised by; `predicate` holds [_] for the place of its number of dimension `number`."""

    label: str
    words: Words
    also: Words
    predicate: str
    number: str
    manoeuvres: tuple[str, ...]
    cited: bool


@dataclass(frozen=True)
class Field:
    """field.toml, compiled."""

    raw: dict[str, Any]
    bindings: tuple[NumberField, ...]
    criteria: tuple[CriterionField, ...]

    def words(self, *path: str) -> Words:
        """The alternatives at a path: words("test", "drives"); none where there is no such path."""
        held: Any = self.raw
        for name in path:
            held = held.get(name, {})
        return _words_at(tuple(held)) if isinstance(held, list) else Words(())

    def names(self, *path: str) -> tuple[str, ...]:
        """The names below a path, in their order."""
        held: Any = self.raw
        for name in path:
            held = held.get(name, {})
        return tuple(held)

    def named(self, text: str, *path: str) -> str:
        """The first name below a path whose words stand in a text; "" for none."""
        return next((name for name in self.names(*path) if self.words(*path, name).find(text)), "")


@cache
def _words_at(given: tuple[str, ...]) -> Words:
    return words(list(given))


@cache
def field() -> Field:
    """The data of the field."""
    raw = packaged("draft", "field.toml")
    bindings = tuple(
        NumberField(each["name"], words(each["words"]), words(each.get("about")), words(each.get("not")), each.get("also", False))
        for each in raw["binding"]
    )
    criteria = tuple(
        CriterionField(
            each["label"], words(each["words"]), words(each.get("with")), each["is"], each.get("number", ""),
            tuple(each.get("manoeuvres", ())), each.get("cited", False),
        )
        for each in raw["criterion"]
    )  # fmt: skip
    return Field(raw, bindings, criteria)
