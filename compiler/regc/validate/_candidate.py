"""What a check looks at: the resolved scenarios beside the document and the profile that they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from regc.model.document import Document
from regc.model.regulation import Edition, Family, Profile
from regc.model.scenario import ProcedureCard, Scenario
from regc.model.source import Quantity


@dataclass(frozen=True)
class Candidate:
    """Everything that the checker knows."""

    document: Document
    profile: Profile
    edition: Edition
    scenarios: tuple[Scenario, ...]
    cards: tuple[ProcedureCard, ...]

    def families(self) -> tuple[Family, ...]:
        """The families of this build that have limit tables."""
        return tuple(family for family in self.profile.families_of(self.edition.id) if family.limit_clause)

    def quantities(self) -> Iterator[tuple[str, str, Quantity]]:
        """(id of scenario or card, field, quantity) of every number."""
        for scenario in self.scenarios:
            for field, quantity in scenario.quantities():
                yield scenario.id, field, quantity
        for card in self.cards:
            for named in card.quantities:
                yield card.id, named.name, named.quantity
