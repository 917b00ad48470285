"""The catalogue of findings: each code with its severity, title, meaning, example and next step (data in explain/). The pages of
`regc explain` and the report's titles are made from it."""

from __future__ import annotations

from functools import cache

from pydantic import field_validator

from regc.model.result import Finding, Severity
from regc.model.source import Frozen
from regc.resources import package_data
from regc.tomlfiles import packaged

_MOVED = "moved.toml"


class Code(Frozen):
    """A kind of finding. `severity`: what it may be, the first where nothing else is said. `hint`: the next step where that is the same
    at every place."""

    code: str
    severity: tuple[Severity, ...]
    title: str
    means: str
    matters: str
    example: str
    hint: str = ""

    @field_validator("severity", mode="before")
    @classmethod
    def _several(cls, given: object) -> object:
        return (given,) if isinstance(given, str) else given

    def at(
        self, message: str, *, hint: str = "", scenario: str | None = None, field: str | None = None, place: str | None = None
    ) -> Finding:
        """A finding of this kind: what is wrong where, with the catalogue's next step unless there is a better one."""
        return Finding(
            code=self.code,
            severity=self.severity[0],
            message=message,
            scenario=scenario,
            field=field,
            place=place,
            hint=hint or self.hint,
        )


@cache
def codes() -> dict[str, Code]:
    """Every code, in order."""
    tables: dict[str, dict[str, object]] = {}
    for path in sorted(package_data("explain").glob("*.toml")):
        if path.name != _MOVED:
            tables |= packaged("explain", path.name)
    return {code: Code.model_validate({"code": code, **tables[code]}) for code in sorted(tables)}


def code(name: str) -> Code:
    """A code of the catalogue by its name: code("O696").at("..."). Raises KeyError for one that it does not have."""
    return codes()[name]


@cache
def moved() -> dict[str, str]:
    """Codes of earlier versions -> where their matter went."""
    return packaged("explain", _MOVED)
