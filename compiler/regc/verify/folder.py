"""A build folder as somebody has it: its files, the manifest, and what is noted while they are checked."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from regc.model.document import Document
from regc.verify.cited_places import Places
from regc.verify.differences import Difference, Verified
from regc.verify.numbers import Checker, WrittenNumber

MANIFEST = "manifest.json"
SCENARIOS = "scenarios.json"


class Noted(NamedTuple):
    """Differences, how many numbers were read again and calculated again, and the files that hold one of them."""

    differences: tuple[Difference, ...]
    read: int
    calculated: int
    with_numbers: frozenset[str]


class Folder:
    """Files of a build with what was found in them."""

    def __init__(self, path: Path, document: Document) -> None:
        self.path, self.document = path, document
        self.differences: dict[Difference, None] = {}
        self.read = self.calculated = self.hashed = 0
        self.with_numbers: set[str] = set()
        self.manifest: dict[str, Any] = self.json(MANIFEST) or {}
        self.places = Places(document)
        declared = self.manifest.get("declared")
        self.checker = Checker(self.places, declared if isinstance(declared, dict) else {})

    # ------------------------------------------------------------ in two processes

    def apart(self) -> Folder:
        """The same folder with nothing noted yet, for checks whose notes are taken over later."""
        other = copy.copy(self)
        other.differences, other.with_numbers = {}, set()
        other.read = other.calculated = other.hashed = 0
        return other

    def noted(self) -> Noted:
        """What was noted so far."""
        return Noted(tuple(self.differences), self.read, self.calculated, frozenset(self.with_numbers))

    def take(self, noted: Noted) -> None:
        """Take over what was noted apart."""
        self.differences |= dict.fromkeys(noted.differences)
        self.read += noted.read
        self.calculated += noted.calculated
        self.with_numbers |= noted.with_numbers

    # ------------------------------------------------------------ files

    @cached_property
    def names(self) -> list[str]:
        """Every file of the folder, relative to it."""
        return sorted(path.relative_to(self.path).as_posix() for path in self.path.rglob("*") if path.is_file())

    def under(self, start: str, suffix: str) -> list[str]:
        """Files below a folder with an ending."""
        return [name for name in self.names if name.startswith(f"{start}/") and name.endswith(suffix)]

    def bytes(self, name: str) -> bytes | None:
        """The content of a file, None (and noted, where the manifest lists it) for one that is not there."""
        try:
            return (self.path / name).read_bytes()
        except OSError:
            return None

    def json(self, name: str) -> dict[str, Any] | None:
        """A file that holds one JSON object; None, and noted, for another."""
        content = self.bytes(name)
        if content is None:
            return None
        try:
            data = json.loads(content)
        except (ValueError, RecursionError) as error:
            self.unreadable(name, f"no JSON: {error}")
            return None
        if not isinstance(data, dict):
            self.unreadable(name, "no JSON object")
            return None
        return data

    @cached_property
    def scenarios(self) -> dict[str, Any] | None:
        """The tests of the build."""
        return self.json(SCENARIOS)

    def unreadable(self, name: str, why: str) -> None:
        """Note a file that is not of its form."""
        self.differ("V569", name, held=why)

    @contextmanager
    def form_of(self, name: str) -> Iterator[None]:
        """Whatever a file lacks of its form is noted and ends its check."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
            what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) else str(error)
            self.unreadable(name, f"not of the form of such a file: {what}")

    # ------------------------------------------------------------ what is found

    def differ(self, code: str, file: str, path: str = "", said: str = "", held: str = "", scenario: str = "") -> None:
        """Note a difference."""
        self.differences[Difference(code=code, file=file, path=path, said=said, held=held, scenario=scenario)] = None

    def number(self, number: WrittenNumber, file: str, path: str, scenario: str = "") -> bool:
        """Check a number of the document, and note what the document says instead."""
        self.with_numbers.add(file)
        if number.basis == "derived":
            self.calculated += 1
        elif number.basis == "cited":
            self.read += 1
        if number.tolerance is not None and number.tolerance.places:
            self.read += 1
        fault = self.checker.fault(number)
        if fault:
            self.differ("V562" if number.basis == "derived" else "V561", file, path, number.words, fault, scenario)
        return not fault

    # ------------------------------------------------------------ the manifest

    def hashes(self) -> None:
        """Every file against the manifest: bytes of files in which no number was named, missing files, files too many."""
        listed = self.manifest.get("files")
        if not isinstance(listed, dict) or not listed:
            self.differ("V569", MANIFEST, held="it lists no files")
            return
        named = {item.file for item in self.differences}
        for name, entry in listed.items():
            wanted = entry.get("sha256") if isinstance(entry, dict) else None
            content = self.bytes(name)
            if content is None:
                self.differ("V566", name, held="the manifest lists it; it is not there")
            elif hashlib.sha256(content).hexdigest() == wanted:
                self.hashed += 1
            elif name not in named:
                self.differ("V565", name, held="its bytes are not those of the build")
        filled = {name.rpartition("/")[0] for name in listed}
        for name in self.names:
            if name not in listed and name != MANIFEST:
                inside = name.rpartition("/")[0] in filled and "/" in name
                item = Difference(
                    code="V567", file=name, held="the manifest does not list it", severity="error" if inside else "warning"
                )
                self.differences[item] = None
        self._document()
        self._seal()

    def _seal(self) -> None:
        """The manifest itself is held by its own hash."""
        data = {key: value for key, value in self.manifest.items() if key != "seal"}
        text = json.dumps(data, sort_keys=True, separators=(",", ":"))
        if self.manifest.get("seal") != hashlib.sha256(text.encode()).hexdigest():
            self.differ("V565", MANIFEST, held="it was changed after the build: its seal does not fit")

    def _document(self) -> None:
        """The document of the build is the one that was read again."""
        source = self.manifest.get("source")
        given = source.get("sha256") if isinstance(source, dict) else None
        if given != self.document.sha256:
            name = self.document.source_name
            self.differ("V568", MANIFEST, "source.sha256", str(given)[:12], f"{name} is {self.document.sha256[:12]}")

    def result(self) -> Verified:
        """All that was found, by file."""
        ordered = sorted(self.differences, key=lambda item: (item.code == "V567", item.file, item.path, item.code))
        return Verified(
            differences=tuple(ordered), read=self.read, calculated=self.calculated, files=len(self.with_numbers), hashed=self.hashed
        )
