"""Jinja2 for everything that people read: strict about what a template may ask for, and no arithmetic in templates.

A template is looked up in the user's folder, then in the regulation's own `templates/`, then in the built-in ones.
"""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regc.errors import DataFileError, RegcError, TemplateFailedError
from regc.model.scenario import NamedQuantity
from regc.model.source import Quantity, SourceRef, Tolerance
from regc.model.units import plain, si, si_of
from regc.resources import package_data, resource

if TYPE_CHECKING:
    from jinja2 import Environment

_BOUNDS = {"eq": "", "ge": "at least ", "le": "not more than ", "gt": "more than ", "lt": "less than "}
_UNITS = {"degC": "°C", "1": ""}


@lru_cache(maxsize=8)
def environment(regulation: str, own: Path | None = None) -> Environment:
    """The template environment of a regulation; `own` is the user's folder (`--templates DIR`)."""
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    if own is not None and not own.is_dir():
        raise DataFileError(f"{own}: no such folder", hint="--templates takes a folder laid out like the built-in templates/")
    folders = [own] if own else []
    folders += [package_data("regulations", regulation, "templates"), resource("templates")]
    made = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader([str(folder) for folder in folders if folder]),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "digits": digits,
        "amount": amount,
        "bounded": bounded,
        "tolerance": tolerance,
        "place": place,
        "title": title,
        "in_unit": in_unit,
        "by_name": by_name,
    }
    return made


def has(regulation: str, name: str, own: Path | None = None) -> bool:
    """Whether there is a template of that name."""
    return name in environment(regulation, own).list_templates()


def render(regulation: str, name: str, own: Path | None = None, **values: Any) -> str:
    """One template; one of the user's own in a process with limits.

    Raises DataFileError with template, line and what a user's template asked for in vain, TemplateFailedError for one of regc's.
    """
    if own is not None:
        from regc.sandbox import renderer

        return renderer().render(regulation, name, own, values)
    return render_here(regulation, name, None, **values)


def render_here(regulation: str, name: str, own: Path | None, **values: Any) -> str:
    """The same without limits, in this process."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return environment(regulation, own).get_template(name).render(**values)
    except TemplateSyntaxError as error:
        raise _failed(f"template {name}, line {error.lineno}: {error.message}", "mend the template", name, own) from error
    except TemplateError as error:
        raise _failed(f"template {name}: {error}", "templates may only use what model/scenario.py holds", name, own) from error
    except UnicodeDecodeError as error:
        raise _failed(f"template {name}: not UTF-8 text: {error}", "save the template as UTF-8", name, own) from error
    except Exception as error:  # a template may raise whatever its expressions do
        said = f"template {name}: {type(error).__name__}: {error}"
        raise _failed(said, "mend the expression in the template", name, own) from error


def _failed(message: str, hint: str, name: str, own: Path | None) -> RegcError:
    """Whose mistake it is: the user's when the template lies in the user's folder."""
    if own is not None and (own / name).is_file():
        return DataFileError(message, hint=hint)
    return TemplateFailedError(f"regc's own {message}", hint="this is a fault of regc: report it with the source file")


def digits(quantity: Quantity) -> str:
    """The number with its source's digits."""
    return format(quantity.value, "f")


def amount(quantity: Quantity) -> str:
    """Number and unit, without the bound: "0.2 m"."""
    unit = _UNITS.get(quantity.unit, quantity.unit)
    return f"{digits(quantity)} {unit}".strip()


def in_unit(quantity: Quantity, unit: str) -> str:
    """The same length or speed in another unit: "10 cm" for 0.1 m."""
    return f"{plain(si(quantity) / si_of(Decimal(1), unit))} {unit}"


def bounded(quantity: Quantity) -> str:
    """Number and unit with the words of its bound: "at least 4 s"."""
    return _BOUNDS[quantity.bound] + amount(quantity)


def tolerance(stated: Tolerance) -> str:
    """ "+0/-2"."""
    return f"+{format(stated.plus, 'f')}/-{format(stated.minus, 'f')}"


def place(source: SourceRef) -> str:
    """Where a number stands, in one line."""
    return source.label()


def by_name(named: tuple[NamedQuantity, ...]) -> dict[str, Quantity]:
    """Named quantities as a mapping, so that a template can ask for one."""
    return {item.name: item.quantity for item in named}


def title(text: str) -> str:
    """First letter large, the rest as it is."""
    return text[:1].upper() + text[1:]
