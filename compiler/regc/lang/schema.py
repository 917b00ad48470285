"""The JSON Schema of a profile as it is written in TOML: from the types of lang/profile and the closed lists of the vocabulary, so that
an editor completes names and shows what is wrong. The compiler says more; what it takes, this schema takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel

from regc.lang.profile import (
    AxisValueSpec,
    BeyondSpec,
    CardSpec,
    CheckSpec,
    ChoiceSpec,
    CriterionSpec,
    FormSpec,
    FurtherSpec,
    MarkSpec,
    PhaseSpec,
    Profile,
    TableSpec,
    TestSpec,
)
from regc.lang.vocabulary import vocabulary
from regc.model.scenario import Part

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
#: "false takes away" what `like` or `all` hands down.
_NONE: Schema = {"const": False}
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def profile_schema() -> Schema:
    """The schema of `profile.toml`, of another edition and of a part that profiles share."""
    blocks = {
        "check": _object(CheckSpec), "form": _object(FormSpec),
        "card": _object(CardSpec, kind=_enum(vocabulary().card_kinds)), "axis": _axis(), "table": _table(),
        "criterion": _one_of(_TEXT, _object(CriterionSpec, **{"not": _map(_one_of(_TEXT, _TEXTS))})), "further": _further(),
        "test": _test(), "shared": {**_test(), "description": "what every test takes over", "required": []},
    }  # fmt: skip
    own: Schema = {
        "declare": _map(_one_of(_TEXT, _NONE)), "words": _map(_one_of(_TEXT, _NONE)),
        "axis": _map(_ref("axis")), "table": _map(_ref("table")), "card": _list(_ref("card")),
        "form": _list(_ref("form")), "part": _named(get_args(Part), _TEXTS),
    }  # fmt: skip
    schema = _object(Profile, without=("tests", "file", "raws"), **own)
    schema["properties"] |= {
        "test": {"description": "the tests", **_list(_ref("test"))},
        "all": _ref("shared"),
        "group": {"description": "NAME = what the tests `in` it share", **_map(_ref("shared"))},
        "further": {"description": "what every further test takes over", **_ref("further")},
        "use": {"description": "parts and the edition that this profile is written over", **_TEXTS},
        "drop": {"description": "what the edition does not have of the base: kind = names", **_map(_one_of(_TEXTS, {"const": True}))},
    }
    return {
        "$schema": _DIALECT, "title": "Profile", "description": _said(Profile), **schema, "required": [], "$defs": blocks,
    }  # fmt: skip


def _test() -> Schema:
    words = vocabulary()
    names = {name for manoeuvre in words.manoeuvres.values() for name in manoeuvre.bind}
    roles = {role for manoeuvre in words.manoeuvres.values() for role in manoeuvre.roles}
    value = _one_of(_TEXT, _TEXTS, _NONE)
    own: Schema = {
        "manoeuvre": _enum(words.manoeuvres), "status": _enum(words.statuses), "vary": _one_of(_TEXTS, {"const": "like"}, _NONE),
        "bind": _one_of(_named(names, value), _NONE), "tol": _one_of(_named(names, _one_of(_TEXT, _NONE)), _NONE),
        "further": _one_of(_ref("further"), _list(_ref("further")), {"const": "like"}, _NONE),
        "require": _one_of(_map(_one_of(_ref("criterion"), _NONE)), _NONE), "only": _one_of(_map(_one_of(_TEXT, _TEXTS)), _NONE),
        "actors": _one_of(_named(roles, _one_of(_TEXT, _NONE)), _NONE), "check": _one_of(_list(_ref("check")), _NONE),
        "choice": _one_of(_list(_object(ChoiceSpec)), _NONE), "phases": _one_of(_list(_phase(names, roles)), _NONE),
        "conditions": _one_of(_named(words.conditions, _one_of(_TEXT, _NONE)), _NONE),
        "runs": _one_of(_named(words.runs, _one_of(_TEXT, _NONE)), _NONE),
        "with": _map(_one_of(_map({"type": "object", "description": "any key of a test"}), _NONE)), "tell": _one_of(_TEXTS, _NONE),
    }  # fmt: skip
    schema = _object(TestSpec, **own)
    for name in ("id", "title", "when", "said", "points", "req", "token", "let", "fix"):
        schema["properties"][name] = _may_go(schema["properties"][name])
    return {**schema, "required": ["name"]}


def _phase(names: Iterable[str], roles: Iterable[str]) -> Schema:
    return _object(
        PhaseSpec, manoeuvre=_enum(vocabulary().manoeuvres), bind=_named(names, _TEXT), tol=_named(names, _TEXT),
        actors=_named(roles, _TEXT), until=_ref("criterion"),
    )  # fmt: skip


def _further() -> Schema:
    schema = _object(
        FurtherSpec, without=("bind",), require=_map(_ref("criterion")), runs=_one_of(_map(_TEXT), _NONE),
        status=_enum(vocabulary().statuses),
    )  # fmt: skip
    names = sorted({name for manoeuvre in vocabulary().manoeuvres.values() for name in manoeuvre.bind})
    schema["properties"] |= {name: _one_of(_TEXT, _TEXTS) for name in names if name not in schema["properties"]}
    return schema


def _axis() -> Schema:
    conditions = _named(vocabulary().conditions, _one_of(_TEXT, _NONE))
    value = _object(AxisValueSpec, words=_one_of(_TEXT, _TEXTS), status=_enum(vocabulary().statuses), set=conditions)
    return {
        "type": "object", "description": "an axis: value = its words",
        "properties": {"at": {"description": "the clause in which sentences name the values", **_one_of(_TEXT, _NONE)}},
        "additionalProperties": _one_of(_TEXT, _TEXTS, _NONE, _over(value)),
    }  # fmt: skip


def _table() -> Schema:
    beyond = {"type": "object", "description": _said(BeyondSpec), "additionalProperties": _TEXT, "required": ["said"]}
    between = _named(vocabulary().between, _TEXT)
    return _over(_object(TableSpec, between=between, beyond=beyond, marks=_map(_object(MarkSpec)), check=_list(_ref("check"))))


def _over(schema: Schema) -> Schema:
    """A block as an edition may write it over its base: nothing is needed, and false takes a key away."""
    properties = {name: _may_go(form) for name, form in schema["properties"].items()}
    return {**schema, "properties": properties, "required": []}


def _may_go(form: Schema) -> Schema:
    held = dict(form)
    said = held.pop("description", None)
    return {**({"description": said} if said else {}), **_one_of(held, _NONE)}


# ---------------------------------------------------------------- the forms


def _object(model: type[BaseModel], *, without: Iterable[str] = (), **own: Any) -> Schema:
    """A block whose keys are the fields of a model, with their descriptions; `own` are the forms that TOML has otherwise."""
    properties: Schema = {}
    required: list[str] = []
    written = model.model_json_schema(by_alias=True)["properties"]
    for name, field in model.model_fields.items():
        key = field.alias or name
        if name in without:
            continue
        form = dict(own[key]) if key in own else _plain(written[key])
        properties[key] = {**({"description": field.description} if field.description else {}), **form}
        if field.is_required():
            required.append(key)
    return {
        "type": "object", "description": _said(model), "properties": properties, "required": required, "additionalProperties": False,
    }  # fmt: skip


def _plain(form: Mapping[str, Any]) -> Schema:
    """A field's own schema without what an editor has no use for: titles, defaults, null."""
    kept = {key: value for key, value in form.items() if key not in ("title", "default", "description")}
    if "anyOf" in kept:
        kinds = [_plain(each) for each in kept["anyOf"] if each.get("type") != "null"]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if isinstance(kept.get("items"), dict):
        kept["items"] = _plain(kept["items"])
    if isinstance(kept.get("additionalProperties"), dict):
        kept["additionalProperties"] = _plain(kept["additionalProperties"])
    return kept


def _said(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _enum(names: Iterable[str]) -> Schema:
    return {"enum": sorted(names)}


def _one_of(*forms: Schema) -> Schema:
    return {"anyOf": list(forms)}


def _list(form: Schema) -> Schema:
    return {"type": "array", "items": form}


def _map(form: Schema) -> Schema:
    return {"type": "object", "additionalProperties": form}


def _named(names: Iterable[str], form: Schema) -> Schema:
    """A block of the vocabulary's names alone."""
    return {"type": "object", "properties": dict.fromkeys(sorted(names), form), "additionalProperties": False}
