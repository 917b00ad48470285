"""Every word of a profile's tests that the vocabulary does not have, so that an author sees the whole list and not the first of it.

Manoeuvres, roles, kinds of actors, bindings, conditions, facts of runs, statuses, signals, events and the words that they take. A test
that takes over another's manoeuvre is looked at with that one, a test of an unknown one with the bindings and roles of all; a word that
stands several times is named once, where it stands first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.vocabulary import BindingKind, vocabulary

_PLACE = re.compile(r"\[[^\[\]]*\]")
_ARGUMENT = re.compile(r"\([^()]*\)")
_WORD_OF_EVENT = re.compile(r"\b(\w+)\(([a-z]\w*) ?\[")
_ORDERS = re.compile(r" (?:before|after|until|longer than|within .+? after) ")
_MEASURE = re.compile(r"(?:moving_average\((\w+),.*\)|(\w+)) (?:<=|>=|<|>) ")
_DURATION = re.compile(r"duration\((\w+)")


def lacking(tests: Iterable[Mapping[Any, Any]], groups: Mapping[Any, Mapping[Any, Any]]) -> tuple[ProfileError, ...]:
    """One P101 a word, in the order of the profile: `tests` and `groups` as the TOML has them."""
    words = _Words()
    manoeuvres: dict[str, str] = {}
    for test in tests:
        group = groups.get(str(test.get("in", "")), {})
        manoeuvre = test.get("manoeuvre", group.get("manoeuvre", manoeuvres.get(str(test.get("like", "")), "")))
        manoeuvres[str(test.get("name", ""))] = manoeuvre
        for block in (group, test):
            words.of_test(block, manoeuvre)
    return tuple(words.found.values())


class _Words:
    """Words looked up so far. `found`: what is asked and the word -> its fault."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, str], ProfileError] = {}

    def _ask(self, name: Any, names: Iterable[str], what: str) -> bool:
        try:
            known(name, names, what)
        except ProfileError as error:
            self.found.setdefault((what, str(name)), error)
            return False
        return True

    def of_test(self, block: Mapping[Any, Any], manoeuvre: Any) -> None:
        """The words of a test or a group."""
        self._of_drive(block, manoeuvre)
        for phase in block.get("phases", ()):
            if isinstance(phase, Mapping):
                self._of_drive(phase, phase.get("manoeuvre", ""))
        for key, names in (("conditions", vocabulary().conditions), ("runs", vocabulary().runs)):
            for name in _keys(block.get(key)):
                if self._ask(name, names, f"name of {key}"):
                    self._of_word(names[name], block[key][name], str(name))
        if isinstance(block.get("status"), str):
            self._ask(block["status"], vocabulary().statuses, "status")
        require = block.get("require")
        for criterion in require.values() if isinstance(require, Mapping) else ():
            text = criterion.get("is") if isinstance(criterion, Mapping) else criterion
            if isinstance(text, str):
                self._of_criterion(text)

    def _of_drive(self, block: Mapping[Any, Any], manoeuvre: Any) -> None:
        every = vocabulary().manoeuvres
        of = every[manoeuvre] if manoeuvre and self._ask(manoeuvre, every, "manoeuvre") else None
        bind = of.bind if of else {name: kind for held in every.values() for name, kind in held.bind.items()}
        roles = of.roles if of else dict.fromkeys(role for held in every.values() for role in held.roles)
        for key in ("bind", "tol"):
            for name in _keys(block.get(key)):
                if self._ask(name, bind, f"binding of {of.name}" if of else "binding") and key == "bind":
                    self._of_word(bind[name], block[key][name], str(name))
        actors = block.get("actors")
        for role, kind in actors.items() if isinstance(actors, Mapping) else ():
            self._ask(role, roles, f"role of {of.name}" if of else "role")
            if isinstance(kind, str):
                self._ask(_first(kind), vocabulary().actors, "kind of actor")

    def _of_word(self, kind: BindingKind, value: Any, name: str) -> None:
        """The word that a binding, a condition or an event takes, where it takes one."""
        if kind.words and isinstance(value, str):
            self._ask(_first(value), kind.words, f"value of {name}")

    def _of_criterion(self, text: str) -> None:
        """Signals stand before a sign, events everywhere else; what no criterion looks like is E405 and no word."""
        body = " ".join(_PLACE.sub("_q", text).split())
        if body.startswith("assess "):
            return
        if match := _DURATION.match(body):
            self._ask(_placed(match[1], text), vocabulary().events, "event")
            return
        if match := _MEASURE.match(body):
            self._ask(_placed(match[1] or match[2], text), vocabulary().signals, "signal")
            return
        for name, word in _WORD_OF_EVENT.findall(text):
            if name in vocabulary().events:
                self._of_word(vocabulary().events[name], _placed(word, text), name)
        while _ARGUMENT.search(body):
            body = _ARGUMENT.sub("", body)
        for part in _ORDERS.split(body.partition(" by ")[0]):
            name = part.rpartition(" ")[2]
            if name.isidentifier():
                self._ask(_placed(name, text), vocabulary().events, "event")


def _keys(block: Any) -> Iterable[Any]:
    return block if isinstance(block, Mapping) else ()


def _first(text: str) -> Text:
    return _placed(text.split(" ", 1)[0], text)


def _placed(word: str, text: str) -> Text:
    """A word with the line of the text that it stands in."""
    return Text(word, where(text))
