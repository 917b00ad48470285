"""A drafted test on the way to its block of the profile."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as made
from typing import Any

from regc.draft.limit_tables import Axis
from regc.draft.outline import DrivenClause


@dataclass
class DraftTest:
    """A test on the way: `data` is its block, `notes` what stands above it as comments."""

    unit: DrivenClause
    data: dict[str, Any]
    axes: list[Axis] = made(default_factory=list)
    tables: dict[str, dict[str, Any]] = made(default_factory=dict)
    declare: dict[str, str] = made(default_factory=dict)
    notes: list[str] = made(default_factory=list)
