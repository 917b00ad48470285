"""Blocks of a profile in the shape of their models: the keys that each may have and needs, and what may be written shorter.

Every fault is a ProfileError at its line: P101 to P103, P113.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from regc.lang.faults import ProfileError, known
from regc.lang.located_toml import where
from regc.lang.profile import (
    AxisValueSpec,
    CheckSpec,
    ChoiceSpec,
    CriterionSpec,
    MarkSpec,
    Profile,
    ProfileBlock,
    Raw,
    TableSpec,
    TestSpec,
)
from regc.lang.vocabulary import vocabulary

#: Keys of a further test beside the bindings that differ.
FURTHER = ("when", "status", "token", "require", "runs", "said", "other", "borrow")


def need(block: Mapping[str, Any], what: str, *names: str) -> None:
    """Every one of some keys is there; raises P102."""
    for name in names:
        if name not in block:
            place = where(block.get("name")) or next((where(key) for key in block), "")
            hint = "add a block [[test]] with name, at and manoeuvre" if name == "test" else f"add {name} = ..."
            raise ProfileError("P102", f"{what} needs '{name}'", hint, place)


def closed(block: Mapping[str, Any], model: type[ProfileBlock], what: str, *more: str) -> None:
    """Every key of a block is a field of its model, or one `more`; raises P101, P103."""
    is_block(block, what.removeprefix("key of "))
    names = [field.alias or name for name, field in model.model_fields.items()]
    for key in block:
        known(key, [*names, *more], what)


def is_block(block: Any, what: str) -> None:
    """A block of keys stands there, and no other value; raises P103."""
    if not isinstance(block, Mapping):
        raise ProfileError("P103", f"{what}: a block of keys is wanted here, not '{block}'", "KEY = VALUE in { }", where(block))


def shaped_test(raw: Raw) -> TestSpec:
    """A test of raw data, e.g. with what it does otherwise for one value of an axis; raises P103."""
    try:
        return TestSpec.model_validate(test_shape(raw))
    except ValidationError as error:
        raise _shape_error(error, raw, where(raw.get("name"))) from None


def entries(test: Raw) -> list[Raw]:
    """The further tests of a test: one, several or none."""
    further = test.get("further", [])
    return further if isinstance(further, list) else [further]


def test_shape(raw: Raw) -> Raw:
    """A raw test in the shape of TestSpec."""
    shaped = dict(raw)
    shaped["further"] = [_shape_further(entry) for entry in entries(raw)]
    shaped["require"] = {label: _shape_criterion(label, entry) for label, entry in raw.get("require", {}).items()}
    shaped["bind"] = {name: tuple(value) if isinstance(value, list) else value for name, value in raw.get("bind", {}).items()}
    shaped["check"] = [_shape_check(entry) for entry in raw.get("check", [])]
    for entry in raw["choice"] if isinstance(raw.get("choice"), list) else filter(None, [raw.get("choice")]):
        closed(entry, ChoiceSpec, f"key of a choice of test {raw['name']}")
        need(entry, f"a choice of test {raw['name']}", "is", "said")
    shaped["phases"] = [_shape_phase(entry) for entry in raw.get("phases", [])]
    for axis, values in raw.get("with", {}).items():
        for value, block in values.items():
            closed(block, TestSpec, f"key of with.{axis}.{value}")
    return shaped


def _shape_phase(entry: Raw) -> Raw:
    return {**entry, **({"until": _shape_criterion("until", entry["until"])} if "until" in entry else {})}


def _shape_further(entry: Raw) -> Raw:
    own = {key: value for key, value in entry.items() if key not in FURTHER}
    rest = {key: value for key, value in entry.items() if key in FURTHER}
    if "require" in rest:
        rest["require"] = {label: _shape_criterion(label, criterion) for label, criterion in rest["require"].items()}
    if rest.get("runs") is False:
        rest["runs"] = {}
    return {**rest, "bind": own}


def _shape_criterion(label: str, entry: Any) -> Raw:
    block: Raw = {"is": entry} if isinstance(entry, str) else dict(entry)
    closed(block, CriterionSpec, "key of a criterion")
    need(block, f"criterion {label}", "is")
    if "[" not in block["is"] and "said" not in block:
        raise ProfileError("P113", f'the criterion "{block["is"]}" has no place', 'add said = "[clause: words]"', where(block["is"]))
    block["not"] = {axis: tuple(value) if isinstance(value, list) else value for axis, value in block.get("not", {}).items()}
    return block


def _shape_check(entry: Raw) -> Raw:
    closed(entry, CheckSpec, "key of a check")
    if sum(key in entry for key in ("some", "all", "declared")) != 1:
        place = next((where(key) for key in entry), "")
        raise ProfileError("P102", "a check has 'some', 'all' or 'declared'", 'some = "...", all = "...", or declared = "..."', place)
    return entry


def shaped_axis(axis: Raw) -> Raw:
    """An axis in the shape of AxisSpec: value = words, a list of words, or a block."""
    values: Raw = {}
    for name, value in axis.items():
        if name == "at":
            continue
        block: Raw = dict(value) if isinstance(value, dict) else {"words": value}
        closed(block, AxisValueSpec, "key of an axis value")
        need(block, f"axis value {name}", "words")
        words = block["words"]
        block["words"] = (words,) if isinstance(words, str) else tuple(words)
        for key in block.get("set", {}):
            known(key, vocabulary().conditions, "name of conditions")
        for binding in block.get("bind", {}):
            known(binding, {name for manoeuvre in vocabulary().manoeuvres.values() for name in manoeuvre.bind}, "binding")
        block["only"] = {other: (held,) if isinstance(held, str) else tuple(held) for other, held in block.get("only", {}).items()}
        if "status" in block:
            known(block["status"], vocabulary().statuses, "status")
        values[name] = block
    return {**({"at": axis["at"]} if "at" in axis else {}), "values": values}


def shaped_table(name: str, table: Raw) -> Raw:
    """A table in the shape of TableSpec."""
    closed(table, TableSpec, f"key of table {name}")
    need(table, f"table {name}", "at")
    shaped = dict(table)
    if "beyond" in table:
        beyond = dict(table["beyond"])
        need(beyond, f"table.{name}.beyond", "said")
        shaped["beyond"] = {"said": beyond.pop("said"), "axes": beyond}
    for rule in table.get("between", {}):
        known(rule, vocabulary().between, "rule between rows")
    for mark in table.get("marks", {}).values():
        closed(mark, MarkSpec, "key of a mark")
    shaped["check"] = [_shape_check(entry) for entry in table.get("check", [])]
    return shaped


def validated(model: type[Profile], data: Raw, file: str) -> Profile:
    """A profile of shaped data; raises P103 at the innermost key of the fault."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _shape_error(error, data, file) from None


def _shape_error(error: ValidationError, data: Any, place: str) -> ProfileError:
    """P103 of the first fault that pydantic names, at the innermost key of its path."""
    first = error.errors()[0]
    named: list[str] = []
    for part in first["loc"]:
        if isinstance(data, dict) and part in data:
            place = next(where(key) for key in data if key == part) or place
            named.append(str(part))
            data = data[part]
        elif isinstance(data, list | tuple) and isinstance(part, int):
            data = data[part]
    message = str(first["msg"]).removeprefix("Value error, ")
    if first["type"] == "missing":
        return ProfileError("P102", f"{'.'.join(named)} needs '{first['loc'][-1]}'", f"add {first['loc'][-1]} = ...", place)
    if first["type"] in ("tuple_type", "list_type"):
        message = f"a list is wanted here, not '{first['input']}'"
    return ProfileError("P103", f"{'.'.join(named)}: {message}", "see the reference of profiles", where(first.get("input")) or place)
