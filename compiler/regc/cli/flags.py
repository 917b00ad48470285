"""The flags that several commands share and what they ask for (a request, a document, a language model), and flags made from `Options`
models, so that a target brings its own."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer
from pydantic import BaseModel, ValidationError
from typer.core import TyperCommand

from regc.errors import RegcError, SourceError
from regc.tomlfiles import read_toml

if TYPE_CHECKING:
    from regc.cache import Cache
    from regc.model.document import Document
    from regc.model.protocols import LLM
    from regc.pipeline.request import Request

#: The group of the options behind the ones that people need first.
MORE = "More options"
#: The flags that say which tests of which document are meant, the same for every command that compiles.
Regulation = Annotated[
    str,
    typer.Argument(
        metavar="REG",
        help="un152, R152, un152@02 (regc regulations lists them), or a folder with a profile.toml",
        autocompletion=lambda: _regulation_names(),
    ),
]
Reader = Annotated[
    str | None, typer.Option("--reader", help="what reads the file: pdf, mineru, markdown, html, xml; by its suffix without it")
]
Source = Annotated[Path | None, typer.Option(help="your official file (PDF, MinerU output, HTML, XML, Markdown)")]
Edition = Annotated[str | None, typer.Option(help="edition id; else the regulation's default")]
Family = Annotated[list[str] | None, typer.Option(help="only this test (stationary, CtoB); may be repeated")]
Category = Annotated[list[str] | None, typer.Option(help="only this vehicle category; may be repeated")]
Where = Annotated[list[str] | None, typer.Option("--where", help="AXIS=VALUE; may be repeated", rich_help_panel=MORE)]
Sweep = Annotated[Literal["full", "mandatory"], typer.Option(help="every test that the text allows, or the prescribed ones")]
Declare = Annotated[list[str] | None, typer.Option(help="NAME=VALUE that the applicant declares (v=90km/h), or a TOML file")]

#: How the places of a profile are read.
Extractor = Literal["rules", "rules+llm"]
RULES_LLM: Extractor = "rules+llm"
#: What these flags are listed under.
_GROUP = "A language model"

ExtractorFlag = Annotated[
    Extractor,
    typer.Option(
        "--extractor", help="rules+llm: a place whose words stand no longer is asked of a language model", rich_help_panel=_GROUP
    ),
]
LlmFlag = Annotated[
    str | None,
    typer.Option("--llm", help="PROVIDER:MODEL that is asked; REGC_LLM_MODEL at REGC_LLM_BASE_URL without it", rich_help_panel=_GROUP),
]
RecordFlag = Annotated[
    Path | None, typer.Option("--record", help="folder that the model's replies are kept in and taken from", rich_help_panel=_GROUP)
]
RepliesFlag = Annotated[Path | None, typer.Option("--replies", help="folder of recorded replies that are read", rich_help_panel=_GROUP)]
LockedFlag = Annotated[
    bool, typer.Option("--locked", help="answers come from recorded replies alone; nothing is sent anywhere", rich_help_panel=_GROUP)
]


def request_of(
    regulation: str,
    *,
    edition: str | None = None,
    source: Path | None = None,
    family: Sequence[str] | None = None,
    category: Sequence[str] | None = None,
    where: Sequence[str] | None = None,
    sweep: Literal["full", "mandatory"] = "full",
    declare: Sequence[str] | None = None,
    **parts: Any,
) -> Request:
    """What the flags ask for; `UN152`, `R152`, `un-152`, `fmvss-127` and `un152@02` name a regulation and
    edition too. Raises RegcError."""
    from regc.pipeline.profiles import regulation_name
    from regc.pipeline.request import Request

    name, _, own_edition = regulation.partition("@") if not Path(regulation).exists() else (regulation, "", "")
    return Request(
        regulation=regulation_name(name),
        edition=edition or own_edition or None,
        source=source,
        tests=tuple(family or ()),
        categories=tuple(category or ()),
        where=dict(_pair(text, "--where", "AXIS=VALUE, for example class=A") for text in where or ()),
        sweep=sweep,
        declared=declared(declare or ()),
        **parts,
    )


def _regulation_names() -> tuple[str, ...]:
    from regc.pipeline.profiles import regulation_names

    return regulation_names()


def declared(texts: Iterable[str]) -> dict[str, str]:
    """`NAME=VALUE` pairs, or TOML files of them (their table `declare` where they have one). Raises RegcError."""
    values: dict[str, str] = {}
    for text in texts:
        path = Path(text)
        if "=" not in text and path.suffix == ".toml":
            values |= _file(path)
        else:
            name, value = _pair(text, "--declare", "NAME=VALUE, for example v_max=90km/h")
            values[name] = value
    return values


def _pair(text: str, flag: str, form: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        raise RegcError(f"{flag} {text!r}: not of the form {form}", hint=f"{flag} {form}")
    return name.strip(), value.strip()


def _file(path: Path) -> dict[str, str]:
    hint = 'one line a name: v_max = "90 km/h"'
    data = read_toml(path, hint=hint, name=f"--declare {path}")
    table = data.get("declare", data)
    wrong = [name for name, value in table.items() if not isinstance(value, (str, int, float, bool))]
    if wrong:
        raise RegcError(f"--declare {path}: {wrong[0]} is no value", hint=hint)
    return {name: ("yes" if value else "no") if isinstance(value, bool) else str(value) for name, value in table.items()}


def open_document(what: str, source: Path | None, edition: str | None, cache: Cache, *, reader: str | None = None) -> Document:
    """The document of REG, of REG with --source, or of a file that no profile is asked for."""
    from regc.pipeline.documents import load_document, read
    from regc.pipeline.profiles import load_profile, profile_folder, regulation_names

    path = Path(what)
    if path.is_file() and source is None:
        return read(path, cache, id=path.stem.split(".")[0], edition="file", title=path.name, reader=reader)
    request = request_of(what, edition=edition, source=source)
    if request.regulation not in regulation_names() and path.suffix and not path.exists():
        raise SourceError(f"{what}: no such file", hint=f"give a file, or a regulation: {', '.join(regulation_names())}")
    profile = load_profile(request.regulation, request.edition)
    return load_document(profile, profile_folder(request.regulation), source, cache, reader=reader)


def opened_model(llm: str | None, record: Path | None, replies: Path | None, locked: bool) -> LLM:
    """The model that the flags name. Choices need few tokens and no chance. Raises LLMError, UnknownNameError, MissingExtraError."""
    from regc.llm import Settings, open_llm

    settings = Settings(temperature=0.0, max_tokens=256)
    return open_llm(llm, record=record, replies=replies, locked=locked, settings=settings)


def extracting(extractor: Extractor, llm: str | None, record: Path | None, replies: Path | None, locked: bool) -> LLM | None:
    """The model of an extractor; None for the rules. Raises RegcError where flags of a model stand beside the rules."""
    if extractor == RULES_LLM:
        return opened_model(llm, record, replies, locked)
    if llm or record or replies or locked:
        raise RegcError("flags of a language model, and no stage that asks one", hint=f"--extractor {RULES_LLM}")
    return None


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
    values = [after for before, after in pairwise(arguments) if before in flags]
    return values + [argument.split("=", 1)[1] for argument in arguments if argument.split("=", 1)[0] in flags and "=" in argument]


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
