"""Loading a profile: parts and editions that it uses, `all` and `like`, closed names, the shape of its blocks.

Every fault is a ProfileError at its line: P100 to P118.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

from regc.lang.block_shapes import (
    FURTHER,
    closed,
    entries,
    is_block,
    need,
    shaped_axis,
    shaped_table,
    shaped_test,
    test_shape,
    validated,
)
from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import Text, load_toml, where
from regc.lang.profile import (
    CardSpec,
    Declared,
    FormSpec,
    PhaseSpec,
    Profile,
    Raw,
    TestSpec,
)
from regc.lang.profile_review import lacking, review
from regc.lang.vocabulary import vocabulary
from regc.model.scenario import Part

#: What `like` does not hand down.
_OWN = ("title", "token", "check", "only", "when", "in")
#: What begins the names of files and folders.
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+-]*")
#: What an heir must name: an axis or a further test that is lost or added shows nowhere else.
_NAMED = ("vary", "further")
#: The manoeuvre of a test that is a list of phases.
_SEQUENCE = "sequence"
#: Keys that say which document a profile is of, and the names by which its places call parts of it.
_FRAME = ("id", "edition", "title", "number", "title_words", "text", "place")
#: Blocks of the file that are worked into the tests: name -> what it is.
TOP = {
    "use": "TOML files that this one goes over: shared parts, or the edition that it differs from",
    "drop": "what this edition does not have of the one that it uses",
    "all": "keys that every test without `like` takes over",
    "group": "keys that the tests of a group take over, by its name",
    "further": "keys that every further test takes over",
    "test": "the tests",
}
#: What an edition may drop: kind -> how it is named.
DROPPED = {
    "tests": "by name",
    "axes": "by name",
    "tables": "by name",
    "declare": "by name",
    "waive": "by place",
    "bindings": "by name, from every test",
    "tolerances": "by binding, from every test",
    "criteria": "by label, from every test",
    "conditions": "by name, from every test",
    "runs": "by name, from every test",
    "checks": "true: all worked examples",
    "cards": "true: all cards",
    "forms": "true: all forms",
    "tell": "true: all told sentences",
}


#: Keys of a test that are blocks of keys.
_BLOCKS = ("let", "bind", "tol", "with", "require", "actors", "conditions", "runs", "fix", "only", "merge")


def load_profile(source: Path | str, edition: str | None = None) -> Profile:
    """The profile of a TOML file, or of a folder (`profile.toml`, or the TOML of that edition).

    Raises ProfileError: P100 (no TOML), P101 (unknown name), P102 (something needed is missing), P103 (wrong shape), P112-P117.
    """
    path = Path(source)
    file = _edition_file(path, edition) if path.is_dir() else path
    data = _with_parts(load_toml(file), file)
    try:
        return _loaded(data, file)
    except ProfileError as error:
        if error.code == "P101":
            others = lacking(data.get("test", ()), data.get("group", {}))
            error.others = tuple(other for other in others if other.message != error.message)
        raise


def load_frame(folder: Path, edition: str | None = None) -> Profile:
    """A profile without its tests, tables and axes: which document it is of, and its short names of places. What it uses is read as
    well; faults of tests, or that there are none yet, are no hindrance. Raises P100, P101, P103 of what is left."""
    data: Raw = {}
    files = [(_edition_file(folder, edition), "")]
    seen: set[Path] = set()
    while files:
        file, named_at = files.pop(0)
        if file.resolve() in seen:
            continue
        seen.add(file.resolve())
        own = load_toml(file, named_at)
        files += [(file.parent / str(part), where(part)) for part in own.get("use", [])]
        data = _over({key: value for key, value in own.items() if key in _FRAME}, data)
    return validated(Profile, {"id": folder.name, "scope": (), **data, "file": "profile.toml", "raws": {}, "tests": ()}, "profile.toml")


def _loaded(data: Raw, file: Path) -> Profile:
    """The profile of data as the TOML has it, with its parts."""
    fields = [name for name in Profile.model_fields if name not in ("tests", "file", "raws")]
    for key in data:
        known(key, [*fields, *TOP], "block of a profile")
    need(data, "a profile", "id", "scope", "test")
    if data["scope"] == []:
        place = next(where(key) for key in data if key == "scope")
        raise ProfileError("P103", "scope names no clause", 'scope = ["5", "6"]: the clauses that the profile answers for', place)
    raws = _inherited(data)
    shaped = {key: value for key, value in data.items() if key not in TOP}
    shaped["axis"] = {name: shaped_axis(axis) for name, axis in data.get("axis", {}).items()}
    shaped["table"] = {name: shaped_table(name, table) for name, table in data.get("table", {}).items()}
    shaped["tests"] = [test_shape(raw) for raw in raws.values()]
    for card in data.get("card", []):
        closed(card, CardSpec, "key of a card")
        need(card, "a card", "title", "kind", "clauses")
        known(card["kind"], vocabulary().card_kinds, "kind of card")
    shaped["card"] = [
        {**card, "clauses": tuple(card["clauses"]), "steps": tuple(card.get("steps", ()))} for card in data.get("card", [])
    ]
    for form in data.get("form", []):
        closed(form, FormSpec, "key of a form")
        need(form, "a form", "token", "at")
    for name in data.get("part", {}):
        known(name, get_args(Part), "part of a test case")
    profile = validated(Profile, {**shaped, "file": file.name, "raws": raws}, file.name)
    for key, name in (("id", profile.id), ("edition", profile.edition), ("stem", profile.stem)):
        if name and not _FILE_NAME.fullmatch(name):
            raise ProfileError("P103", f"{key} '{name}' cannot be part of a file name", "letters, digits, . + -", where(name))
    _check_names(profile)
    review(profile)
    return profile


def _edition_file(folder: Path, edition: str | None) -> Path:
    """The TOML of an edition in a regulation's folder; without one the base profile."""
    base = folder / "profile.toml"
    if edition is None:
        return base
    held: dict[str, Path] = {}
    for file in sorted(folder.glob("*.toml")):
        data = load_toml(file)
        if ("edition" in data and "scope" in data) or "use" in data:
            held[str(data.get("edition", ""))] = file
    return held[known(edition, held, "edition")]


def merged(base: Raw, own: Raw) -> Raw:
    """`own` over `base`, table by table; criteria as a whole; `tell` adds to what is there; false takes a key away."""
    return {key: _without_false(value) for key, value in _over(base, own).items() if value is not False}


def _over(base: Raw, own: Raw) -> Raw:
    """The same with every false kept, for what is merged again before it is used."""
    out: Raw = dict(base)
    for key, value in own.items():
        if key == "require" and isinstance(value, dict):
            out[key] = {**(base.get(key) or {}), **value}
        elif isinstance(value, dict):
            held = base.get(key)
            out[key] = _over(held if isinstance(held, dict) else {}, value)
        elif key == "tell" and isinstance(value, list):
            out[key] = list(dict.fromkeys([*(base.get(key) or []), *value]))
        else:
            out[key] = value
    return out


def _without_false(value: Any) -> Any:
    """A block without what is false, at any depth."""
    return {key: _without_false(item) for key, item in value.items() if item is not False} if isinstance(value, dict) else value


def _with_parts(data: Raw, file: Path, users: tuple[Path, ...] = ()) -> Raw:
    """A profile over the parts that it uses: parts that regulations share, or the edition that it differs from. Raises P100 where one
    uses itself, over others or not."""
    users = (*users, file.resolve())
    need(data, "a profile", *([] if data.get("use") else ["test"]))
    tests = data.get("test", [])
    for test in tests:
        need(test, "a test", "name")
    if data.get("drop") and not data.get("use"):
        raise ProfileError("P102", "drop needs 'use'", "use = the profile that it drops something of", where(next(iter(data["drop"]))))
    for part in data.pop("use", []):
        if (file.parent / part).resolve() in users:
            raise ProfileError("P100", f"{part} uses itself", "take it out of one `use`", where(part))
        base = _with_parts(load_toml(file.parent / part, where(part)), file.parent / part, users)
        dropped = data.pop("drop", {})
        base = _dropped(base, dropped)
        own = {test["name"]: test for test in data.get("test", [])}
        names = {test["name"] for test in base["test"]}
        joined = [_over(test, own.get(test["name"], {})) for test in base["test"]]
        added = [test for test in data.get("test", []) if test["name"] not in names]
        first, last = (joined, added) if _is_edition(data, base) else (added, joined)
        data = {
            **merged({k: v for k, v in base.items() if k != "test"}, {k: v for k, v in data.items() if k != "test"}),
            "test": [*first, *last],
        }
    return data


def _is_edition(data: Raw, base: Raw) -> bool:
    """Whether what is used is another edition of the same regulation, and no shared part."""
    return "id" in base and "scope" in base


def _dropped(base: Raw, dropped: Raw) -> Raw:
    """A base without the tests, axes, bindings, ... that an edition does not have."""
    for key in dropped:
        known(key, DROPPED, "kind to drop")
    names = {test["name"] for test in base["test"]}
    for name in dropped.get("tests", []):
        known(name, names, "test to drop")
    out = {**base, "test": [test for test in base["test"] if test["name"] not in dropped.get("tests", [])]}
    for key, block in (("axes", "axis"), ("tables", "table"), ("declare", "declare"), ("waive", "waive")):
        for name in dropped.get(key, []):
            known(name, base.get(block, {}), f"{block} to drop")
        out[block] = {name: value for name, value in out.get(block, {}).items() if name not in dropped.get(key, [])}
    blocks = {"bindings": "bind", "criteria": "require", "conditions": "conditions", "runs": "runs", "tolerances": "tol"}
    for key, block in blocks.items():
        for name in dropped.get(key, []):
            held = [
                test for test in [*out["test"], out.get("all", {}), *out.get("group", {}).values()] if name in (test.get(block) or {})
            ]
            if not held:
                raise ProfileError("P101", f"no {block} to drop '{name}'", "no test of the base has it", where(name))
        gone = set(dropped.get(key, []))
        out = _each(out, partial(_less, block=block, gone=gone))
    if dropped.get("checks") is True:
        out = _each(out, lambda test: {key: value for key, value in test.items() if key != "check"})
        out["table"] = {name: {k: v for k, v in table.items() if k != "check"} for name, table in out["table"].items()}
    if dropped.get("cards") is True:
        out["card"] = []
    if dropped.get("forms") is True:
        out["form"] = []
    if dropped.get("tell") is True:
        out = _each(out, lambda test: {key: value for key, value in test.items() if key != "tell"})
    return out


def _each(data: Raw, change: Callable[[Raw], Raw]) -> Raw:
    """A profile with something done to every test, to what all take over, and to what groups do."""
    return {
        **data,
        "test": [change(test) for test in data["test"]],
        "all": change(data.get("all", {})),
        "group": {name: change(block) for name, block in data.get("group", {}).items()},
    }


def _less(test: Raw, block: str, gone: set[str]) -> Raw:
    if not test.get(block) or not gone:
        return test
    return {**test, block: {name: value for name, value in test[block].items() if name not in gone}}


def _inherited(data: Raw) -> dict[str, Raw]:
    """Every test after `all` and `like`, checked key by key."""
    tests: dict[str, Raw] = {}
    for name, block in data.get("group", {}).items():
        closed(block, TestSpec, f"key of group {name}")
        for key in ("name", "like", "in"):
            if key in block:
                raise ProfileError("P103", f"group {name}: '{key}' is of a test", "take it out", where(block[key]))
    for test in data["test"]:
        closed(test, TestSpec, f"key of test {test['name']}")
        if test["name"] in tests:
            raise ProfileError("P114", f"two tests are named '{test['name']}'", "give each its name", where(test["name"]))
        groups = data.get("group", {})
        group: Raw = groups[known(test["in"], groups, "group")] if "in" in test else {}
        kind = test.get("manoeuvre", group.get("manoeuvre", _SEQUENCE if test.get("phases") or group.get("phases") else None))
        typed = test if kind is None else {**test, "manoeuvre": kind}
        base = _base_of(typed, tests, data.get("all", {}))
        base = _over(base, _fitting(group, kind or base.get("manoeuvre")))
        full = merged(base, {key: value for key, value in typed.items() if value != "like"})
        if "further" in full and data.get("further"):
            full = {**full, "further": [{**data["further"], **entry} for entry in entries(full)]}
        need(full, f"test {test['name']}", "at", "manoeuvre")
        _check_test(full)
        tests[test["name"]] = full
    return tests


def _base_of(test: Raw, tests: Mapping[str, Raw], shared: Raw) -> Raw:
    """What a test takes over: `all`, or the test that it is like, without what another manoeuvre has no use for."""
    if "like" not in test:
        return _fitting(shared, test.get("manoeuvre"))
    name = known(test["like"], tests, "test")
    base = {key: value for key, value in tests[name].items() if key not in _OWN}
    for key in _NAMED:
        if key in base and key not in test:
            hint = f'{key} = "like" takes it over, {key} = false does not'
            raise ProfileError(
                "P116",
                f"test {test['name']} is like {name}, which has '{key}'; it must say what becomes of it",
                hint,
                where(test["like"]),
            )
        if (
            key in base
            and test.get(key) != "like"
            and not (key == "further" and isinstance(test[key], dict) and isinstance(base[key], dict))
        ):
            base = {k: v for k, v in base.items() if k != key}
        if key not in base and test.get(key) == "like":
            raise ProfileError("P116", f"test {name} has no '{key}' to take over", "", where(test[key]))
    if "manoeuvre" in test and test["manoeuvre"] != base.get("manoeuvre"):
        base = _fitting({key: value for key, value in base.items() if key != "actors"}, test["manoeuvre"])
    return base


def _fitting(base: Raw, manoeuvre: Any) -> Raw:
    """A base without bindings and tolerances that a manoeuvre does not have."""
    if manoeuvre is None:
        return base
    has = vocabulary().manoeuvre(manoeuvre).bind
    return {
        key: ({name: v for name, v in value.items() if name in has} if key in ("bind", "tol") else value) for key, value in base.items()
    }


def _check_test(test: Raw) -> None:
    """Names of a full test against the vocabulary."""
    name = test["name"]
    for key in _BLOCKS:
        if key in test:
            is_block(test[key], f"{key} of test {name}")
    manoeuvre = vocabulary().manoeuvre(test["manoeuvre"])
    _check_drive(test, f"test {name}", name)
    _check_phases(test)
    for block, names in (("conditions", vocabulary().conditions), ("runs", vocabulary().runs)):
        for key in test.get(block, {}):
            known(key, names, f"name of {block}")
    for status in [test.get("status"), *(entry.get("status") for entry in entries(test))]:
        if status is not None:
            known(status, vocabulary().statuses, "status")
    for entry in entries(test):
        if "said" not in entry:
            need(entry, f"a further test of {name}", "said")
        for key in entry:
            known(key, [*FURTHER, *manoeuvre.bind], "key of further")
    if {"at", test["at"], "[at]"} & {str(place) for place in test.get("tell", [])}:
        raise ProfileError(
            "P112", f"test {name}: a test's own clause cannot be told as a whole", "bind its numbers, or tell single items", where(name)
        )
    if not test.get("require") and not _asked_otherwise(test.get("with")):
        raise ProfileError("P111", f"test {name} has no criterion", 'add require.NAME = "..."', where(name))


def _asked_otherwise(with_: Any) -> bool:
    """Whether criteria stand under some value of an axis; that each value has one is seen when its tests are made."""
    axes = [axis for axis in with_.values() if isinstance(axis, dict)] if isinstance(with_, dict) else []
    return any(isinstance(block, dict) and block.get("require") for axis in axes for block in axis.values())


def _check_drive(block: Raw, what: str, name: str, without: Sequence[str] = ()) -> None:
    """Bindings, tolerances and actors of a test or a phase against its manoeuvre; `without`: roles that may be left out."""
    manoeuvre = vocabulary().manoeuvre(block["manoeuvre"])
    for binding in [*block.get("bind", {}), *block.get("tol", {})]:
        known(binding, manoeuvre.bind, f"binding of {manoeuvre.name}")
    for role in block.get("actors", {}):
        known(role, manoeuvre.roles, f"role of {manoeuvre.name}")
    missing = [role for role, needed in manoeuvre.roles.items() if needed and role not in (*block.get("actors", {}), *without)]
    if missing:
        raise ProfileError("P102", f"{what}: actors needs '{missing[0]}'", f'actors.{missing[0]} = "kind [place]"', where(name))


def _check_phases(test: Raw) -> None:
    """Phases have names of their own, and only a sequence has them; criteria name one of them. Raises P102, P114, P119."""
    name, phases = test["name"], test.get("phases", [])
    if bool(phases) != (test["manoeuvre"] == _SEQUENCE):
        hint = f'manoeuvre = "{_SEQUENCE}" with phases = [{{ name, manoeuvre, ... }}]'
        raise ProfileError("P119", f"test {name}: a {_SEQUENCE} is a list of phases, and nothing else has phases", hint, where(name))
    names: list[str] = []
    for phase in phases:
        closed(phase, PhaseSpec, f"key of a phase of test {name}")
        need(phase, f"a phase of test {name}", "name", "manoeuvre")
        if phase["name"] in names:
            raise ProfileError("P114", f"two phases are named '{phase['name']}'", "give each its name", where(phase["name"]))
        if phase["manoeuvre"] == _SEQUENCE:
            said = f"phase {phase['name']} is a {_SEQUENCE} itself"
            raise ProfileError("P119", said, "list its phases one by one", where(phase["name"]))
        rule = vocabulary().manoeuvre(phase["manoeuvre"]).phase
        _check_drive(phase, f"phase {phase['name']}", phase["name"], rule.without if rule else ())
        names.append(phase["name"])
    _check_order(phases)
    for criterion in test.get("require", {}).values():
        if isinstance(criterion, dict) and "phase" in criterion:
            known(criterion["phase"], names, f"phase of test {name}")


def _check_order(phases: Sequence[Raw]) -> None:
    """Whether phases can be driven one after the other in one run; raises P120."""
    kinds = vocabulary().manoeuvres
    seen: dict[str, str] = {}
    for index, phase in enumerate(phases):
        name, manoeuvre = phase["name"], phase["manoeuvre"]
        rule = kinds[manoeuvre].phase
        if rule is None:
            able = ", ".join(kind.name for kind in kinds.values() if kind.phase is not None)
            said = f"phase {name}: {manoeuvre} has a junction or an end of its own, so it is no phase of a run with others"
            raise ProfileError("P120", said, f"let it be a test of its own; phases are {able}", where(name))
        if rule.last and "target" in phase.get("actors", {}) and index + 1 < len(phases):
            said = f"phase {name}: {manoeuvre} ends where its target is met, and phase {phases[index + 1]['name']} is to follow"
            raise ProfileError("P120", said, "let it be the last phase, or part the test in two", where(name))
        if rule.once and manoeuvre in seen:
            said = f"phase {name}: the road of one run has one {manoeuvre}, and phase {seen[manoeuvre]} has it"
            raise ProfileError("P120", said, "part the test in two", where(name))
        for earlier in (kind for kind in rule.before if kind in seen):
            said = f"phase {name}: {manoeuvre} is about the line of the first lane, which phase {seen[earlier]} has left"
            raise ProfileError("P120", said, f"let it come before {earlier}, or part the test in two", where(name))
        seen.setdefault(manoeuvre, name)


def _check_names(profile: Profile) -> None:
    """Axes, their values and tables that tests, tables and declarations name."""
    for name, declared in profile.declare.items():
        held = Declared.parse(declared)
        if held.axis:
            known(Text(held.axis, declared.where), profile.axis, "axis")
        for word in held.kind.words:
            if not word.isidentifier():
                raise ProfileError("P103", f"declare.{name}: '{word}' is no word", "letters, digits, _", declared.where)
        if not held.kind.words:
            known(Text(held.kind.dimension, declared.where), [*vocabulary().declared, *_dimensions()], f"type of {name}")
    labels = [label for test in profile.tests for label, asked in test.require.items() if asked.else_ is not None]
    for name in profile.words:
        known(name, [*profile.declare, *profile.axis, *labels], "declared quantity, axis, or criterion with an exception")
    _check_axis_values(profile)
    for table in profile.table.values():
        for axis in filter(None, (table.caption, table.columns)):
            known(axis, profile.axis, "axis")
        for check in table.check:
            _check_axes(profile, check.axes)
    for test in profile.tests:
        for axis in test.vary:
            known(axis, profile.axis, "axis")
        _check_axes(profile, {axis: Text(value.split(" ", 1)[0], value.where) for axis, value in test.fix.items()})
        _check_axes(profile, {axis: value for axis, value in test.only.items() if axis != "said"})
        if test.only and "said" not in test.only:
            hint = 'only = { ..., said = "[clause: words]" }: the words that leave the others out'
            raise ProfileError("P113", f"test {test.name}: only has no place", hint, where(next(iter(test.only))))
        for check in test.check:
            _check_axes(profile, check.axes)
        for criterion in test.require.values():
            _check_axes(profile, criterion.not_)
            if criterion.instead is not None:
                known(criterion.instead, test.require, "criterion")
        for axis in test.merge:
            if axis not in test.vary:
                raise ProfileError("P101", f"test {test.name}: merge names '{axis}', which it does not vary", "", where(axis))
        _check_with(profile, profile.raws[test.name], test.with_)
        if test.points is not None:
            known(Text(test.points.partition(":")[0].strip(), test.points.where), profile.table, "table")


def _check_with(profile: Profile, raw: Raw, blocks: Mapping[Text, Mapping[Text, Any]]) -> None:
    """What is otherwise for one value of an axis, and inside it for one of another, is checked as a test is."""
    for axis, values in blocks.items():
        for value, block in values.items():
            _check_axes(profile, {axis: value})
            base, otherwise = ({key: held for key, held in each.items() if key != "with"} for each in (raw, block))
            own = merged(base, otherwise)
            shaped_test(own)
            _check_test(own)
            _check_with(profile, own, block.get("with", {}))


def _check_axis_values(profile: Profile) -> None:
    """Axes that limit each other are known, and no two axes give one name. Raises P101, P103."""
    given: dict[str, str] = {}
    for axis, spec in profile.axis.items():
        for value in spec.values.values():
            _check_axes(profile, value.only)
            for name in value.let:
                if given.setdefault(str(name), str(axis)) != axis:
                    said = f"axis {given[str(name)]} and axis {axis} both give '{name}'"
                    raise ProfileError("P103", said, "two names", where(name))


def _check_axes(profile: Profile, picks: Mapping[Text, Text | Iterable[Text]]) -> None:
    for axis, value in picks.items():
        known(axis, profile.axis, "axis")
        for each in (value,) if isinstance(value, str) else value:
            known(each, profile.axis[axis].values, f"value of axis {axis}")


def _dimensions() -> set[str]:
    return {unit.dimension for unit in vocabulary().units.values()} | {"count"}
