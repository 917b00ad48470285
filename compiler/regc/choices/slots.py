"""What each place of a profile must answer: its slot (test, key, type) and its meaning in words, the base of every question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from regc.lang.profile import Profile, TestSpec
from regc.lang.vocabulary import BindingKind, vocabulary
from regc.tomlfiles import packaged

_PLACE = re.compile(r"(?<![\w\])])\[([^\[\]]+)\]")
_TOLERANCE = "tolerance of "


@dataclass(frozen=True)
class Slot:
    """One key of a test that a place answers: "bind.ttc" of "stationary". `kind` is its type, of no dimension for words that only say
    something. `at`: the clause that places of the test are relative to."""

    test: str
    key: str
    meaning: str
    kind: BindingKind
    wanted: str = ""
    where: str = ""
    at: str = ""
    req: str = ""


@cache
def meanings() -> dict[str, dict[str, str]]:
    """The names of the vocabulary in words, by group."""
    return packaged("choices", "meanings.toml")


def meaning(group: str, name: str) -> str:
    """What a name stands for in words; the name itself where nothing is written for it."""
    return meanings().get(group, {}).get(name, name.replace("_", " "))


def slots(profile: Profile) -> dict[str, list[Slot]]:
    """Every place of a profile, as it is written without its brackets, with the slots that it answers."""
    by_test: dict[str, list[Slot]] = {}
    for test in profile.tests:
        for slot, text in _of_test(test):
            for place in _PLACE.findall(str(text)):
                by_test.setdefault(place.strip(), []).append(slot)
    for axis in profile.axis.values():
        for value in axis.values.values():
            for name, text in value.set.items():
                slot = Slot("", f"conditions.{name}", meaning("conditions", str(name)), vocabulary().conditions[str(name)])
                for place in _PLACE.findall(str(text)):
                    by_test.setdefault(place.strip(), []).append(slot)
    return by_test


def _of_test(test: TestSpec) -> Iterator[tuple[Slot, Any]]:
    has = vocabulary().manoeuvre(test.manoeuvre)
    base: dict[str, Any] = {"test": str(test.name), "at": str(test.at), "req": str(test.req or "")}

    def slot(key: str, said: str, kind: BindingKind, text: Any, wanted: str | None = None) -> tuple[Slot, Any]:
        first = text[0] if isinstance(text, tuple | list) and text else text
        wants = kind.dimension if wanted is None else wanted
        return Slot(key=key, meaning=said, kind=kind, wanted=wants, where=getattr(first, "where", ""), **base), text

    bound: list[tuple[str, Mapping[Any, Any]]] = [("bind", test.bind), *(("further", entry.bind) for entry in test.further)]
    for group, block in bound:
        for name, text in block.items():
            values = text if isinstance(text, tuple | list) else (text,)
            for value in values:
                yield slot(f"{group}.{name}", meaning("bind", str(name)), has.bind.get(str(name), BindingKind()), value)
    for name, text in test.tol.items():
        kind = has.bind.get(str(name), BindingKind())
        said = f"the tolerance of {meaning('bind', str(name))}"
        yield slot(f"tol.{name}", said, BindingKind(kind.dimension), text, _TOLERANCE + kind.dimension)
    for name, text in test.let.items():
        yield slot(f"let.{name}", str(name).replace("_", " "), BindingKind(), text)
    for group, kinds, given in (
        ("conditions", vocabulary().conditions, test.conditions),
        ("runs", vocabulary().runs, test.runs),
    ):
        for name, text in given.items():
            yield slot(f"{group}.{name}", meaning(group, str(name)), kinds[str(name)], text)
    for label, spec in test.require.items():
        kind, said = _asked(str(spec.is_))
        yield slot(f"require.{label}", said, kind, spec.is_)
        for text in (spec.else_, spec.said):
            if text is not None:
                yield slot(f"require.{label}", said, kind if text is spec.else_ else BindingKind(), text)
    for key, text in (("said", test.said), *((f"actors.{role}", kind) for role, kind in test.actors.items())):
        if text is not None:
            yield slot(key, "what is tested" if key == "said" else f"the {key[7:]}: {str(text).split(' ')[0]}", BindingKind(), text)


def _asked(predicate: str) -> tuple[BindingKind, str]:
    """The type of a criterion's number, and what it is in words."""
    words = re.sub(r"\s+", " ", _PLACE.sub("", predicate)).strip()
    if not _PLACE.search(predicate):
        return BindingKind(), "the requirement: " + words.replace("_", " ")
    for name, kind in vocabulary().signals.items():
        if re.search(rf"\b{name}\b", predicate):
            return kind, f"what is required of {meaning('signal', name)}"
    if match := re.match(r"(?:no )?(\w+)\((?=\[|\w*\[)", predicate):
        kind = vocabulary().events.get(match[1], BindingKind())
        return kind, f"at what {kind.dimension} the event {match[1].replace('_', ' ')} counts"
    if " by " in words + " " or " within " in words:
        return BindingKind("time"), "by how much time: " + words.replace("_", " ").removesuffix(" by")
    return BindingKind(), "the requirement: " + words.replace("_", " ")
