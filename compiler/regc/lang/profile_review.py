"""What an author is told of a whole profile at once: every word of its tests that the vocabulary does not have, and what has the
shape of a profile and says nothing (empty values, words without their place, names that no test can use)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.profile import Declared, Profile, TestSpec
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


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FORMS = ("full", "literature")


def review(profile: Profile) -> None:
    """Raises P101, P103, P115 of the first that is found."""
    for error in (*_of_profile(profile), *(fault for test in profile.tests for fault in _of_test(profile, test))):
        raise error


def _of_profile(profile: Profile) -> Iterator[ProfileError]:
    if not profile.id:
        yield ProfileError("P103", "id is empty", "what commands call the regulation", where(profile.id))
    for name, text in profile.declare.items():
        if not Declared.parse(text).place:
            yield _placeless(f'{name} = "{text}"', f'{name} = "{text} [clause: words]"', text)
    for category in profile.covers:
        if "[" not in category:
            yield _placeless(f'covers "{category}"', f'"{category} [clause: words]"', category)
    for place, reason in profile.waive.items():
        if not str(reason).strip():
            yield ProfileError("P103", f"waive.{place} gives no reason", "say why it is not meant", where(place))
    if profile.date and not _DATE.fullmatch(str(profile.date)):
        yield ProfileError("P103", f"date '{profile.date}' is no date", "as 2024-06-30", where(profile.date))
    if profile.csv_form:
        known(profile.csv_form, _FORMS, "form of the CSV")


def _of_test(profile: Profile, test: TestSpec) -> Iterator[ProfileError]:
    bind = {name: kind for manoeuvre in vocabulary().manoeuvres.values() for name, kind in manoeuvre.bind.items()}
    for name, value in test.bind.items():
        if isinstance(value, tuple) and not value:
            yield ProfileError("P103", f"test {test.name}: bind.{name} is an empty list", "a value each for every test", where(name))
    for name in test.tol:
        if bind[str(name)].words:
            yield ProfileError("P103", f"test {test.name}: {name} is a word and has no tolerance", "take tol out", where(name))
    for role, kind in test.actors.items():
        if "[" not in kind:
            yield _placeless(f'actors.{role} = "{kind}"', f'actors.{role} = "{kind} [clause: words]"', kind)
    axes = {*test.vary, *test.fix, *_of_table(profile, test)}
    for name in re.findall(r"{(\w+)}", test.id or ""):
        known(Text(name, where(test.id)), [*axes, *bind], f"axis or binding of test {test.name}")
    if test.id is not None and re.search(r"[{}]", re.sub(r"{\w+}", "", test.id)):
        yield ProfileError(
            "P103", f"test {test.name}: id '{test.id}' has a bracket too many", 'id = "{AXIS} {BINDING}"', where(test.id)
        )
    yield from _otherwise(profile, test, test.with_, axes)


def _of_table(profile: Profile, test: TestSpec) -> set[str]:
    """The axes that the table whose rows are the tests gives."""
    table = profile.table.get(Text(test.points.partition(":")[0].strip())) if test.points is not None else None
    cells = set() if table is None else {str(name) for name in table.cells}
    return cells & {str(axis) for axis in profile.axis}


def _otherwise(profile: Profile, test: TestSpec, blocks: Mapping[Any, Mapping[Any, Any]], axes: set[Any]) -> Iterator[ProfileError]:
    """An axis of `with` is one of the test, or of the test that it is like."""
    taken_over = {where(axis) for other in profile.tests for axis in other.with_ if axis in {*other.vary, *other.fix}}
    for axis, values in blocks.items():
        own = where(axis).startswith(f"{profile.file}:") and where(axis) not in taken_over
        if axis not in axes and own:
            said = f"test {test.name}: with names '{axis}', which it does not vary"
            yield ProfileError("P101", said, f"vary it, fix it, or take with.{axis} out", where(axis) or where(test.name))
        for block in values.values():
            yield from _otherwise(profile, test, block.get("with", {}), axes)


def _placeless(what: str, hint: str, at: Any) -> ProfileError:
    return ProfileError("P115", f"{what} has no place", hint, where(at))
