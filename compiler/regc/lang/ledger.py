"""What of the document was used, and by which tests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

#: A number (span, offset), a cell (table, row, column) or words that were cited (address, words).
Key = tuple[Any, ...]
#: A test of the profile with the axis values that it was evaluated for.
User = tuple[str, tuple[tuple[str, str], ...]]


@dataclass
class Ledger:
    """What of the document was used: offsets of numbers by span key, cells, words that were cited, words that were told.

    `users`: the tests during whose evaluation each was used.
    """

    numbers: set[tuple[str, int]] = field(default_factory=set)
    cells: set[tuple[str, int, int]] = field(default_factory=set)
    said: set[tuple[str, str]] = field(default_factory=set)
    told: set[tuple[str, str]] = field(default_factory=set)
    #: (address, words) that a criterion or binding read, for the lint of requirements.
    criteria: set[str] = field(default_factory=set)
    users: dict[Key, dict[User, None]] = field(default_factory=dict)
    _user: User = ("", ())
    _open: list[dict[Key, None]] = field(default_factory=list)

    @contextmanager
    def evaluating(self, test: str, axes: Mapping[str, str]) -> Iterator[None]:
        """What is used inside is used by that test."""
        before, self._user = self._user, (test, tuple(axes.items()))
        try:
            yield
        finally:
            self._user = before

    @contextmanager
    def noting(self) -> Iterator[dict[Key, None]]:
        """What is used inside: whoever keeps a result for several tests notes it again for each (`use`)."""
        noted: dict[Key, None] = {}
        self._open.append(noted)
        try:
            yield noted
        finally:
            self._open.remove(noted)

    def use(self, keys: Iterable[Key]) -> None:
        """Note that the test that is evaluated uses these."""
        for key in keys:
            self.users.setdefault(key, {})[self._user] = None
            for noted in self._open:
                noted[key] = None

    def use_numbers(self, keys: Iterable[tuple[str, int]]) -> None:
        """Numbers that were read."""
        held = tuple(keys)
        self.numbers.update(held)
        self.use(held)

    def use_cells(self, keys: Iterable[tuple[str, int, int]]) -> None:
        """Cells that were read."""
        held = tuple(keys)
        self.cells.update(held)
        self.use(held)

    def use_words(self, at: str, words: str, *, told: bool) -> None:
        """Words that were cited, or told."""
        (self.told if told else self.said).add((at, words))
        self.use([(at, words)])
