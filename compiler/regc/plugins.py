"""What is chosen by name: the modules of a folder, and what installed packages bring; nothing is listed twice, or imported unasked.

A kind of plug-in is a folder of the package and a group of entry points of the same name: `regc.targets` has the modules of
regc/targets/ and what other packages name under `[project.entry-points."regc.targets"]`. A name of the package itself is never
taken. Each kind has a protocol that its modules keep (model/protocols.py).
"""

from __future__ import annotations

import ast
import difflib
import hashlib
import importlib
import pkgutil
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from regc.errors import UnknownNameError

if TYPE_CHECKING:  # the protocols bring every type of the model, and each run of the command line loads this module
    from importlib.metadata import EntryPoint

    from regc.model.protocols import Command, EmbedderModule, ReaderModule, ReportModule, RetrieverModule, Target


Module = TypeVar("Module")


@dataclass(frozen=True)
class Kind(Generic[Module]):
    """A kind of plug-in; `Module` is the protocol that each of them keeps. `more`: further folders of the package that hold some."""

    folder: str
    more: tuple[str, ...] = ()

    def _built_in(self) -> dict[str, str]:
        """Module -> its folder."""
        return {module: folder for folder in (*self.more, self.folder) for module in built_in(folder)}

    def names(self) -> tuple[str, ...]:
        """Everything of this kind in alphabetical order, found without importing it."""
        return tuple(sorted({*self._built_in(), *installed(self.folder)}))

    def has(self, name: str) -> bool:
        """Whether there is one of that name; "bench-list" and "bench_list" are the same."""
        module = name.replace("-", "_")
        return module in self._built_in() or module in installed(self.folder)

    def module(self, name: str) -> str:
        """The full name of its module: "regc.targets.csv". Raises UnknownNameError with the nearest names for a typing error."""
        module = name.replace("-", "_")
        if module in self._built_in():
            return f"regc.{self._built_in()[module]}.{module}"
        check(module, self.names(), what=self.folder)
        return installed(self.folder)[module].module

    def load(self, name: str) -> Module:
        """Import it. Raises UnknownNameError."""
        return cast(Module, importlib.import_module(self.module(name)))

    def summary(self, name: str) -> str:
        """First docstring line of a module, read as text so that nothing is imported; "" where there is none."""
        return summary(self.module(name))

    def stated(self, name: str, constant: str) -> Any:
        """A constant of a module; one that stands on a line of its own as a literal is read as text, so that nothing is imported."""
        module = self.module(name)
        stands = re.search(rf"^{constant}(?:: [^=]+)? = (\(.*\))$", _text(module), re.MULTILINE)
        return ast.literal_eval(stands[1]) if stands else getattr(importlib.import_module(module), constant)

    def version(self, name: str) -> str:
        """What tells one state of an installed plug-in from another, for cache keys; "" for one of regc's own."""
        module = name.replace("-", "_")
        if module in self._built_in() or module not in installed(self.folder):
            return ""
        point = installed(self.folder)[module]
        bytes_of = hashlib.sha256()
        for path in _files(point.load()):
            bytes_of.update(path.read_bytes())
        return f"{point.value} {point.dist.version if point.dist else ''} {bytes_of.hexdigest()}"


def summary(module: str) -> str:
    """First docstring line of a module by its full name, read as text so that nothing is imported; "" where there is none."""
    return (ast.get_docstring(ast.parse(_text(module))) or "").split("\n")[0]


def _text(module: str) -> str:
    spec = find_spec(module)
    return Path(spec.origin).read_text("utf-8") if spec and spec.origin else ""


@cache
def built_in(folder: str) -> frozenset[str]:
    """Public module names of `regc.<folder>` but for those that its `HELPERS` names."""
    package = importlib.import_module(f"regc.{folder}")
    names = {module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")}
    return frozenset(names - set(getattr(package, "HELPERS", ())))


@cache
def installed(kind: str) -> dict[str, EntryPoint]:
    """What other packages bring of a kind, by name."""
    return {point.name.replace("-", "_"): point for point in _entry_points() if point.group == f"regc.{kind}"}


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import distributions

    # each package is read once, whatever the number of kinds
    return tuple(point for package in distributions() for point in package.entry_points if point.group.startswith("regc."))


def _files(module: Any) -> list[Path]:
    """The files of a module, or of the package whose `__init__` it is."""
    own = Path(module.__file__)
    if own.stem != "__init__":
        return [own]
    return sorted(path for path in own.parent.rglob("*") if path.is_file() and path.suffix != ".pyc")


def check(name: str, known: tuple[str, ...], *, what: str) -> str:
    """`name` when it is known, else an UnknownNameError that says "did you mean"."""
    if name in known:
        return name
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownNameError(f"{what}: no {name!r}", hint=f"{hint}known: {', '.join(known) or 'none'}")


READERS: Kind[ReaderModule] = Kind("readers")
TARGETS: Kind[Target] = Kind("targets")
REPORTS: Kind[ReportModule] = Kind("report")
RETRIEVERS: Kind[RetrieverModule] = Kind("retrieve", ("research.retrieve",))
EMBEDDERS: Kind[EmbedderModule] = Kind("embed")
COMMANDS: Kind[Command] = Kind("commands")
