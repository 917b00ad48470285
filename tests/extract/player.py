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
from regc.model.regulation import FieldRule
from regc.model.scenario import ClaimValue, Draft
from regc.model.source import Cited
from regc.places import AT_REST, find, load_of, row_label
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
        if match := re.search(r"cells of table (\S+), row by row", asked.prompt):
            return self._rows(asked, match[1])
        if first in ("M1", "N1"):
            return {category: self._tables(asked, category) for category in properties}
        if re.search(r"#\d+ column \d+: ", first):
            return {name: self._column(name, form["enum"]) for name, form in properties.items()}
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
        form = next(option for option in schema.get("anyOf", [schema]) if "properties" in option)
        rule = next(rule for rule in self._rules(draft) if rule.field == name)
        answer = {"quote": self._passage(claim, rule, form["properties"]["quote"]["enum"])}
        value = next((part for part in form["properties"] if part.startswith("value")), None)
        return {**answer, value: str(claim.value.value)} if value else answer

    def _rules(self, draft: Draft) -> tuple[FieldRule, ...]:
        family = next(family for family in self.profile.families if family.name == draft.family)
        variant = next((item for item in family.variants if item.name == draft.variant), None)
        return self.profile.field_rules(family, self.document.edition, variant)

    def _passage(self, claim: Cited[ClaimValue], rule: FieldRule, offered: list[str]) -> str:
        """The passage on offer that holds the number which the rule finds."""
        clause = self.document.clause(claim.place.clause)
        assert clause
        held = {
            passage
            for found in find(rule, clause)
            for passage in offered
            if (passage in found.quote or found.quote in passage)
            and (rule.unit == AT_REST or clause.text[found.start : found.end] in passage)
        }
        return min(held, key=len) if held else f"{claim.place.quote} stands in no passage on offer"

    def _tables(self, asked: Asked, category: str) -> dict[str, str]:
        roles = asked.schema["properties"][category]["properties"]
        pointed = dict(zip(("limit_table", "test_speed_table"), self._pointed(asked, category), strict=True))
        return {role: self._named(pointed[role], form["enum"]) for role, form in roles.items()}

    def _pointed(self, asked: Asked, category: str) -> tuple[str, str]:
        """Ids of the limit table and the test speed table of a category, "none" where it has none."""
        draft = next(draft for draft in self.drafts_for(asked) if draft.category == category)
        limit = draft.fields["criteria.max_impact_speed"][0].place.table or ""
        speeds = [
            claim.place.table
            for item in self.drafts_for(asked)
            for claim in item.fields.get("subject.test_speed", ())
            if item.category == category and claim.place.table and claim.place.table != limit
        ]
        return limit, speeds[0] or "none" if speeds else "none"

    @staticmethod
    def _named(table: str, offered: list[str]) -> str:
        """The choice that names a table, or what the model would say for one that is not on offer."""
        return next((name for name in offered if name == table or name.endswith(f"({table})")), table)

    def _column(self, name: str, offered: list[str]) -> str:
        match = re.match(r"(.+#\d+) column (\d+): ", name)
        assert match
        table = self.document.table(match[1])
        assert table
        label = table.column_label(int(match[2]) - 1)
        named = load_of(label, self.profile)
        if named:
            return " ".join(named[1].lower().split())
        return "tolerance" if "tolerance" in label.lower() and "tolerance" in offered else "neither"

    def _rows(self, asked: Asked, id: str) -> dict[str, dict[str, str]]:
        table = self.document.table(id)
        assert table
        rows = {row_label(table, row, self.profile): cells for row, cells in enumerate(table.rows)}
        columns = {table.column_label(at): at for at in range(len(table.columns))}
        return {
            column: {row: rows[row][columns[column]].text for row in form["properties"]}
            for column, form in asked.schema["properties"].items()
        }


def said(answer: Any) -> str:
    """An answer as the model's text."""
    return answer if isinstance(answer, str) else json.dumps(answer)
