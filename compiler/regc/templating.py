"""Jinja2 for everything that people read: strict about what a template may ask for, and no arithmetic in templates.

A template is looked up in the user's folder, then in the regulation's own `templates/`, then in the built-in ones.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regc.errors import DataFileError
from regc import wording
from regc.model.source import SourceRef
from regc.model.units import plain, si_of
from regc.model.value import Value
from regc.resources import package_data, resource

if TYPE_CHECKING:
    from jinja2 import Environment


@lru_cache(maxsize=8)
def environment(regulation: str, own: Path | None = None) -> Environment:
    """The template environment of a regulation; `own` is the user's folder (`--templates DIR`)."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    if own is not None and not own.is_dir():
        raise DataFileError(f"{own}: no such folder", hint="--templates takes a folder laid out like the built-in templates/")
    folders = [own] if own else []
    folders += [package_data("regulations", regulation, "templates"), resource("templates")]
    made = Environment(
        loader=FileSystemLoader([str(folder) for folder in folders if folder]),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "digits": digits,
        "amount": wording.amount,
        "bounded": plain_bound,
        "tolerance": tolerance,
        "place": place,
        "title": title,
        "in_unit": in_unit,
    }
    return made


def has(regulation: str, name: str, own: Path | None = None) -> bool:
    """Whether there is a template of that name."""
    return name in environment(regulation, own).list_templates()


def render(regulation: str, name: str, own: Path | None = None, **values: Any) -> str:
    """One template. Raises DataFileError with template, line and what it asked for in vain."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return environment(regulation, own).get_template(name).render(**values)
    except TemplateSyntaxError as error:
        raise DataFileError(f"template {name}, line {error.lineno}: {error.message}", hint="mend the template") from error
    except TemplateError as error:
        raise DataFileError(f"template {name}: {error}", hint="templates may only use what model/scenario.py holds") from error
    except UnicodeDecodeError as error:
        raise DataFileError(f"template {name}: not UTF-8 text: {error}", hint="save the template as UTF-8") from error
    except Exception as error:  # a template may raise whatever its expressions do
        raise DataFileError(f"template {name}: {type(error).__name__}: {error}", hint="mend the expression in the template") from error


def digits(value: Value) -> str:
    """The number with its source's digits, without unit; a range with both ends."""
    return wording.amount(value.model_copy(update={"unit": ""}))


def in_unit(value: Value, unit: str) -> str:
    """The same length or speed in another unit: "10 cm" for 0.1 m."""
    return f"{plain(si_of(value.number, value.unit) / si_of(Decimal(1), unit))} {unit}"


def plain_bound(value: Value) -> str:
    """Number and unit with the words of its bound, without tolerance: "at least 4 s"."""
    return wording.bounded(value.model_copy(update={"tolerance": None}))


def tolerance(value: Value) -> str:
    """ "+0/-2 km/h"; "" for a value without one."""
    return wording.tolerance(value.tolerance, value.unit) if value.tolerance is not None else ""


def place(source: SourceRef) -> str:
    """Where a number stands, in one line."""
    return source.label()


def title(text: str) -> str:
    """First letter large, the rest as it is."""
    return text[:1].upper() + text[1:]
