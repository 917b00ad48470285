"""Prompts from templates/prompts (a user's own win), and evidence cut to what a question may hold."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from regc.errors import DataFileError
from regc.model.chunk import ContextItem
from regc.model.regulation import Family, FieldRule, Variant
from regc.places import AT_REST
from regc.resources import resource

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: Characters a token, on the safe side for text with many numbers.
_CHARS_PER_TOKEN = 3
_BOUNDS = {"min": "smallest", "max": "largest"}
_UNITS = {"per cent": "per cent", "degC": "°C", "1": "", "rest": ""}


class Prompts:
    """The templates of prompts: `folder`/prompts is looked into first, then regc's own. Raises DataFileError for a broken one."""

    def __init__(self, folder: Path | None = None) -> None:
        import jinja2

        own = resource("templates", "prompts")
        paths = [path for path in (folder / "prompts" if folder else None, folder, own) if path is not None]
        self._errors = jinja2.TemplateError
        self._environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader(paths),
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )
        words = next(path / "fields.toml" for path in paths if (path / "fields.toml").is_file())
        self._words: dict[str, str] = tomllib.loads(words.read_text("utf-8"))

    def render(self, name: str, **values: Any) -> str:
        """A template filled in."""
        try:
            return self._environment.get_template(f"{name}.j2").render(**values)
        except self._errors as error:
            raise DataFileError(f"prompt {name}.j2: {error}", hint="compare it with templates/prompts of regc") from error

    def note(self, family: Family, variant: Variant | None = None) -> str:
        """What the test of a family is, in its own template or the general one."""
        template = self._environment.select_template([f"family/{family.name}.j2", "family.j2"])
        return template.render(family=family, variant=variant).strip()

    def describe(self, rule: FieldRule, test: str) -> str:
        """A field in words: as fields.toml says ({test} is the name of the test), else the words of its name."""
        if rule.unit == AT_REST and f"{rule.field}@rest" in self._words:
            return self._words[f"{rule.field}@rest"]
        if rule.field in self._words:
            return self._words[rule.field].replace("{test}", test)
        words = re.split(r"[._]", rule.field)[1:]
        return " ".join(_BOUNDS.get(word, "time to collision (TTC)" if word == "ttc" else word) for word in words)


def unit_key(unit: str) -> str:
    """The name of a number in the form, its unit in it ("value_km_h", "value_m_s2", "value" for a bare number)."""
    return "value" if unit == "1" else "value_" + re.sub(r"\W+", "_", unit)


def unit_words(unit: str) -> str:
    """A unit as it is told to the model, "" for a bare number."""
    return _UNITS.get(unit, unit)


def evidence_text(items: Sequence[ContextItem]) -> str:
    """The Markdown of evidence, in which nothing can end the evidence."""
    text = "\n\n".join(item.text.strip() for item in items)
    return re.sub(r"</?\s*evidence\s*>", "", text, flags=re.IGNORECASE)


def tokens(text: str) -> int:
    """An upper estimate of a text's tokens, whatever the model's tokenizer."""
    return len(text) // _CHARS_PER_TOKEN + 1
