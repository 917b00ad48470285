"""A model on loopback that answers every question rightly, from what the rules find; tests make it wrong where they want."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from regc.build import contexts_of
from regc.cache import Cache
from regc.enrich import enrich
from regc.extract.rules import drafts_of
from regc.job import Request
from regc.link import link
from regc.model.chunk import Corpus
from regc.model.scenario import Draft
from regc.places import category_of, load_of
from regc.profiles import load_profile, profile_folder
from regc.source import load_document
from tests.llm.loopback import Asked

#: Changes a right answer into a wrong one: (answer, request) -> what the model says instead.
Wrong = Callable[[dict[str, Any], Asked], Any]


class Player:
    """Knows the right answers for an embedded edition."""

    def __init__(self, edition_id: str = "02") -> None:
        self.profile = load_profile("un152")
        self.document, edition = load_document(self.profile, profile_folder("un152"), edition_id, None, Cache())
        graph, _ = link(self.document)
        corpus = Corpus(document=self.document, graph=graph, chunks=enrich(self.document, graph))
        contexts = contexts_of((corpus,), self.profile, edition, Request("un152", edition=edition_id))
        self.drafts: dict[str, list[Draft]] = {
            family.name: drafts_of(family, contexts[family.name], self.profile, edition_id)[0]
            for family in self.profile.families_of(edition_id)
        }

    def answer(self, asked: Asked) -> dict[str, Any]:
        """The right answer to a question."""
        properties = asked.schema["properties"]
        first = next(iter(properties))
        if "rows" in properties:
            return self._rows(asked)
        if first in ("M1", "N1"):
            return {category: self._tables(asked, category) for category in properties}
        if re.search(r"#\d+ column \d+: ", first):
            return {name: self._column(name) for name in properties}
        return {key: self._field(asked, key, schema) for key, schema in properties.items()}

    def drafts_for(self, asked: Asked) -> list[Draft]:
        """The drafts of the family (or variant) that a prompt is about; those of the first family for what all share."""
        test = asked.prompt.split("\n", 1)[0].lower()
        for family in self.profile.families:
            if family.name not in self.drafts:
                continue
            if family.title.lower() in test:
                return self.drafts[family.name]
            for variant in family.variants:
                if variant.title.lower() in test:
                    return [draft for draft in self.drafts[family.name] if draft.variant == variant.name]
        return next(iter(self.drafts.values()))

    def _field(self, asked: Asked, key: str, schema: dict[str, Any]) -> dict[str, str] | None:
        draft = self.drafts_for(asked)[0]
        name = "target.speed" if key == "target_at_rest" else next((f for f in draft.fields if f.replace(".", "_") == key), None)
        if name is None:
            return None
        claim = draft.fields[name][0]
        answer = {"quote": claim.place.quote or "", "clause": claim.place.clause}
        form = next(option for option in schema.get("anyOf", [schema]) if "properties" in option)
        value = next((part for part in form["properties"] if part.startswith("value")), None)
        return {**answer, value: str(claim.value.value)} if value else answer

    def _tables(self, asked: Asked, category: str) -> dict[str, str]:
        draft = next(draft for draft in self.drafts_for(asked) if draft.category == category)
        limit = draft.fields["criteria.max_impact_speed"][0].place.table or ""
        speeds = [
            claim.place.table
            for item in self.drafts_for(asked)
            for claim in item.fields.get("subject.test_speed", ())
            if item.category == category and claim.place.table and claim.place.table != limit
        ]
        return {"limit_table": limit, "test_speed_table": speeds[0] or "none"}

    def _column(self, name: str) -> str:
        match = re.match(r"(.+#\d+) column (\d+): ", name)
        assert match
        table = self.document.table(match[1])
        assert table
        label = table.column_label(int(match[2]) - 1)
        named = load_of(label, self.profile)
        return " ".join(named[1].lower().split()) if named else "tolerance" if "tolerance" in label.lower() else "neither"

    def _rows(self, asked: Asked) -> dict[str, Any]:
        match = re.search(r'test of category (\w+) with load state "([^"]+)"', asked.prompt)
        assert match
        category, term = match[1], match[2]
        pointed = self._tables(asked, category)
        limit, speeds = self.document.table(pointed["limit_table"]), self.document.table(pointed["test_speed_table"])
        assert limit
        assert speeds
        assert category_of(limit, self.profile) == category
        at, beside = (
            next(at for at in range(len(table.columns)) if term in table.column_label(at).lower()) for table in (limit, speeds)
        )
        return {
            "limit_table": limit.id,
            "limit_column": limit.column_label(at),
            "test_speed_table": speeds.id,
            "test_speed_column": speeds.column_label(beside),
            "rows": [{"limit_row": cells[0].text, "max_impact_speed_km_h": cells[at].text} for cells in limit.rows],
            "test_speeds": [{"test_speed_km_h": cells[beside].text, "tolerance": cells[-1].text} for cells in speeds.rows],
        }


def said(answer: Any) -> str:
    """An answer as the model's text."""
    return answer if isinstance(answer, str) else json.dumps(answer)
