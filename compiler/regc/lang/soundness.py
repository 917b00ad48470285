"""What has the shape of a profile and says nothing: empty values, words without their place, names that no test can use."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, where
from regc.lang.profile import Declared, Profile, TestSpec
from regc.lang.vocabulary import vocabulary

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_FORMS = ("full", "literature")


def check(profile: Profile) -> None:
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
