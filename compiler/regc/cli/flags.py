"""Command-line flags from `Options` models, so that a target or extractor brings its flags with it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any, get_type_hints

import typer
from pydantic import BaseModel, ValidationError
from typer.core import TyperCommand

from regc.errors import RegcError


def with_flags(function: Callable[..., Any], models: Iterable[type[BaseModel]]) -> Callable[..., Any]:
    """`function` with one more flag for every field of `models`; a name that several have is one flag for all of them.

    The values that the user gave arrive in the keyword `given` (name -> value).
    """
    own = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    parameters = [parameter.replace(annotation=hints[name]) for name, parameter in own.parameters.items() if name != "given"]
    taken = {parameter.name for parameter in parameters}
    added: dict[str, inspect.Parameter] = {}
    models = tuple(models)
    for model in models:
        types = get_type_hints(model)
        for name, field in model.model_fields.items():
            if name in taken or name in added:
                continue
            group = _group([one for one in models if name in one.model_fields])
            flag = typer.Option(None, _spelling(name, types[name]), help=_help(field.description, field.default), rich_help_panel=group)
            added[name] = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=flag, annotation=_optional(types[name]))

    def wrapper(**values: Any) -> Any:
        given = {name: values.pop(name) for name in added}
        return function(**values, given={name: value for name, value in given.items() if value is not None})

    signature = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters] + list(added.values())
    wrapper.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in signature}
    wrapper.__doc__ = function.__doc__
    wrapper.__name__ = function.__name__
    return wrapper


class Grouped(TyperCommand):
    """A command whose help lists its options by group: those without one first, then each group under its name."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then the options by group. `ctx`, `formatter`: those of the click that Typer carries."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                plain = "Arguments" if parameter.param_type_name == "argument" else "Options"
                groups.setdefault(getattr(parameter, "rich_help_panel", None) or plain, []).append(record)
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)


def _group(models: list[type[BaseModel]]) -> str:
    """What a flag of these models is listed under: the targets that take it, or how tests are laid out."""
    modules = [model.__module__.removeprefix("regc.").split(".") for model in models]
    targets = [parts[1] for parts in modules if parts[0] == "targets"]
    return f"Target{'s' * (len(targets) > 1)} {', '.join(targets)}" if targets else "How tests are laid out"


def _spelling(name: str, annotation: Any) -> str:
    """`--name`, and for a switch also the form that turns it off."""
    word = name.replace("_", "-")
    return f"--{word}/--no-{word}" if annotation is bool else f"--{word}"


def values_of(arguments: list[str], *flags: str) -> list[str]:
    """The values of a repeatable flag in an argument list, written `--flag value` or `--flag=value`."""
    found = [after for before, after in pairwise(arguments) if before in flags]
    return found + [argument.split("=", 1)[1] for argument in arguments if argument.split("=", 1)[0] in flags and "=" in argument]


def all_known(arguments: list[str], function: Callable[..., Any], models: Iterable[type[BaseModel]]) -> bool:
    """Whether every long flag of an argument list is one of the function's own or of the models'."""
    own = {f"--{name.replace('_', '-')}" for model in models for name in model.model_fields}
    for hint in get_type_hints(function, include_extras=True).values():
        for note in getattr(hint, "__metadata__", ()):
            own |= set(getattr(note, "param_decls", None) or ())
    own |= {f"--{name.replace('_', '-')}" for name in inspect.signature(function).parameters}
    flags = {argument.split("=", 1)[0] for argument in arguments if argument.startswith("--")}
    return {flag for flag in flags if flag != "--"} <= own | {"--no-" + flag[2:] for flag in own}


def finite(value: float) -> float:
    """A finite number on a flag without an upper bound. Raises RegcError."""
    if not math.isfinite(value):
        raise RegcError(f"{value} is no number that can be used", hint="give a finite number")
    return value


def options(model: type[BaseModel], given: dict[str, Any]) -> BaseModel:
    """A model from the flags that are its own. Raises RegcError with flag, value and what is allowed."""
    own = {name: value for name, value in given.items() if name in model.model_fields}
    try:
        return model(**own)
    except ValidationError as error:
        first = error.errors()[0]
        flag = "--" + str(first["loc"][0]).replace("_", "-") if first["loc"] else "options"
        raise RegcError(f"{flag} {first.get('input')!r}: {first['msg']}", hint="regc build --help") from error


def unused(given: dict[str, Any], models: Iterable[type[BaseModel]]) -> list[str]:
    """Flags that were given although nothing that runs takes them."""
    known = {name for model in models for name in model.model_fields}
    return sorted("--" + name.replace("_", "-") for name in given if name not in known)


def _optional(annotation: Any) -> Any:
    return (
        annotation if type(None) in getattr(annotation, "__args__", ()) else annotation | None if _unionable(annotation) else annotation
    )


def _unionable(annotation: Any) -> bool:
    try:
        _ = annotation | None
    except TypeError:
        return False
    return True


def _help(description: str | None, default: Any) -> str:
    shown = "" if default in (None, "", ()) else f" [{default}]"
    return f"{description or ''}{shown}".strip()
