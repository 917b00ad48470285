"""The one thing that a bench needs beside contexts: passages in the order of the ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from regc.model.chunk import Query


@runtime_checkable
class Ranked(Protocol):
    """A retriever that ranks passages."""

    def passages(self, query: Query, limit: int) -> Sequence[str]:
        """The texts of the `limit` best passages, best first."""
        ...

    def texts(self) -> Sequence[str]:
        """Every passage of the index."""
        ...
