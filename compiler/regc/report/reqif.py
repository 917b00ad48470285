"""Paragraphs and scenarios as ReqIF for a requirements tool: both as objects, "verifies" and "refers to" as relations."""

from __future__ import annotations

import hashlib
from html import escape
from typing import Any

from pydantic import BaseModel, ConfigDict

from regc import __version__
from regc.errors import MissingExtraError
from regc.model.document import Clause
from regc.model.report import ReportInput
from regc.model.result import Artifact
from regc.report._cells import printable
from regc.report._tables import links, tests_of

_CLAUSE, _SCENARIO = "type-clause", "type-scenario"
_VERIFIES, _REFERS = "type-verifies", "type-refers"


class Options(BaseModel):
    """Nothing to choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")


def emit(found: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """traceability.reqif."""
    del options
    try:
        from reqif.models.reqif_core_content import ReqIFCoreContent
        from reqif.models.reqif_namespace_info import ReqIFNamespaceInfo
        from reqif.models.reqif_req_if_content import ReqIFReqIFContent
        from reqif.models.reqif_reqif_header import ReqIFReqIFHeader
        from reqif.object_lookup import ReqIFObjectLookup
        from reqif.reqif_bundle import ReqIFBundle
        from reqif.unparser import ReqIFUnparser
    except ImportError as error:
        raise MissingExtraError("the ReqIF export needs the reqif package", extra="report") from error
    checked = found.checked
    stamp = f"{checked.edition_date}T00:00:00Z"
    maker = _Maker(stamp)
    header = ReqIFReqIFHeader(
        identifier=_key("header", f"{checked.regulation} {checked.edition} {checked.document_sha256}"),
        creation_time=stamp,
        req_if_tool_id=f"regc {__version__}",
        req_if_version="1.0",
        source_tool_id=f"regc {__version__}",
        title=f"{checked.title}, {checked.wording} wording",
    )
    content = ReqIFReqIFContent(
        data_types=maker.data_types(),
        spec_types=maker.spec_types(),
        spec_objects=[*maker.clauses(found), *maker.tests(found)],
        spec_relations=maker.relations(found),
        specifications=[maker.clause_tree(found), maker.test_list(found)],
        spec_relation_groups=[],
    )
    bundle = ReqIFBundle(
        namespace_info=ReqIFNamespaceInfo.create_default(),
        req_if_header=header,
        core_content=ReqIFCoreContent(req_if_content=content),
        tool_extensions_tag_exists=False,
        lookup=ReqIFObjectLookup.empty(),
        exceptions=[],
    )
    return (Artifact(path="report/traceability.reqif", content=ReqIFUnparser.unparse(bundle).encode(), target="report"),)


def _key(kind: str, name: str) -> str:
    """An XML id that the same thing keeps over all exports."""
    return f"{kind}-{hashlib.sha256(name.encode()).hexdigest()[:24]}"


class _Maker:
    """Builds the library's objects, all with one date."""

    def __init__(self, stamp: str) -> None:
        self.stamp = stamp

    def data_types(self) -> list[Any]:
        from reqif.models.reqif_data_type import ReqIFDataTypeDefinitionString, ReqIFDataTypeDefinitionXHTML

        return [
            ReqIFDataTypeDefinitionString(
                identifier="data-text", long_name="Text", last_change=self.stamp, max_length="100000", is_self_closed=True
            ),
            ReqIFDataTypeDefinitionXHTML(identifier="data-xhtml", long_name="XHTML", last_change=self.stamp, is_self_closed=True),
        ]

    def spec_types(self) -> list[Any]:
        from reqif.models.reqif_spec_object_type import ReqIFSpecObjectType
        from reqif.models.reqif_spec_relation_type import ReqIFSpecRelationType
        from reqif.models.reqif_specification_type import ReqIFSpecificationType

        objects = [
            ReqIFSpecObjectType(identifier=id, long_name=name, last_change=self.stamp, attribute_definitions=self._definitions(id))
            for id, name in ((_CLAUSE, "Paragraph"), (_SCENARIO, "Test scenario"))
        ]
        specification = ReqIFSpecificationType(
            identifier="type-specification", long_name="Specification", last_change=self.stamp, is_self_closed=True
        )
        relations = [
            ReqIFSpecRelationType(identifier=id, long_name=name, last_change=self.stamp, is_self_closed=True)
            for id, name in ((_VERIFIES, "verifies"), (_REFERS, "refers to"))
        ]
        return [*objects, specification, *relations]

    def _definitions(self, kind: str) -> list[Any]:
        from reqif.models.reqif_spec_object_type import SpecAttributeDefinition
        from reqif.models.reqif_types import SpecObjectAttributeType

        return [
            SpecAttributeDefinition(
                attribute_type=SpecObjectAttributeType.XHTML if name == "text" else SpecObjectAttributeType.STRING,
                identifier=f"{kind}-{name}",
                datatype_definition="data-xhtml" if name == "text" else "data-text",
                long_name=long_name,
                last_change=self.stamp,
            )
            for name, long_name in (("id", "ReqIF.ForeignID"), ("name", "ReqIF.Name"), ("text", "ReqIF.Text"))
        ]

    def _object(self, kind: str, id: str, name: str, text: str) -> Any:
        from reqif.models.reqif_spec_object import ReqIFSpecObject, SpecObjectAttribute
        from reqif.models.reqif_types import SpecObjectAttributeType

        return ReqIFSpecObject(
            identifier=_key(kind, id),
            spec_object_type=kind,
            long_name=escape(printable(f"{id} {name}".strip())),
            last_change=self.stamp,
            attributes=[
                # the library escapes strings itself, but takes XHTML as it comes
                SpecObjectAttribute(SpecObjectAttributeType.STRING, f"{kind}-id", printable(id)),
                SpecObjectAttribute(SpecObjectAttributeType.STRING, f"{kind}-name", printable(name)),
                SpecObjectAttribute(SpecObjectAttributeType.XHTML, f"{kind}-text", _xhtml(text)),
            ],
        )

    def clauses(self, found: ReportInput) -> list[Any]:
        return [self._object(_CLAUSE, item.id, item.title or "", _with_tables(item, found)) for item in found.document.clauses]

    def tests(self, found: ReportInput) -> list[Any]:
        made = [
            self._object(
                _SCENARIO,
                item.id,
                item.title,
                found.texts.get(item.id)
                or "\n".join(f"{name}: {quantity.value:f} {quantity.unit}" for name, quantity in item.quantities()),
            )
            for item in found.checked.scenarios
        ]
        return made + [
            self._object(_SCENARIO, card.id, card.title, "\n".join(statement.text for statement in card.statements))
            for card in found.checked.cards
        ]

    def relations(self, found: ReportInput) -> list[Any]:
        from reqif.models.reqif_spec_relation import ReqIFSpecRelation

        clauses = {clause.id for clause in found.document.clauses}
        pairs = [(_VERIFIES, _SCENARIO, link.id, link.clause) for link in links(found) if link.clause in clauses]
        owners = {table.id: table.clause for table in found.document.tables}
        for reference in found.graph.references:
            source, target = (owners.get(end or "", end or "") for end in (reference.source, reference.target))
            if source in clauses and target in clauses and source != target:
                pairs.append((_REFERS, _CLAUSE, source, target))
        return [
            ReqIFSpecRelation(
                identifier=_key("relation", f"{kind} {source} {target}"),
                relation_type_ref=kind,
                source=_key(source_kind, source),
                target=_key(_CLAUSE, target),
                last_change=self.stamp,
            )
            for kind, source_kind, source, target in dict.fromkeys(pairs)
        ]

    def clause_tree(self, found: ReportInput) -> Any:
        children: dict[str | None, list[Clause]] = {}
        known = {clause.id for clause in found.document.clauses}
        for clause in found.document.clauses:
            children.setdefault(clause.parent if clause.parent in known else None, []).append(clause)

        def branch(parent: str | None, level: int) -> list[Any]:
            return [self._entry(_CLAUSE, clause.id, level, branch(clause.id, level + 1)) for clause in children.get(parent, ())]

        return self._specification("spec-clauses", found.checked.title, branch(None, 1))

    def test_list(self, found: ReportInput) -> Any:
        items = [self._entry(_SCENARIO, item.id, 1, []) for item in tests_of(found)]
        return self._specification("spec-scenarios", f"Test scenarios of {found.checked.title}", items)

    def _entry(self, kind: str, id: str, level: int, children: list[Any]) -> Any:
        from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy

        return ReqIFSpecHierarchy(
            identifier=_key("place", f"{kind} {id}"),
            spec_object=_key(kind, id),
            level=level,
            children=children or None,
            last_change=self.stamp,
            editable=None,
            is_table_internal=None,
        )

    def _specification(self, id: str, name: str, children: list[Any]) -> Any:
        from reqif.models.reqif_specification import ReqIFSpecification

        return ReqIFSpecification(
            identifier=id,
            long_name=name,
            last_change=self.stamp,
            specification_type="type-specification",
            children=children,
        )


def _xhtml(text: str) -> str:
    """Plain text with its lines, as the XHTML that ReqIF asks for."""
    lines = "<xhtml:br/>".join(escape(printable(line)) for line in text.split("\n"))
    return f"<xhtml:div>{lines}</xhtml:div>"


def _with_tables(clause: Clause, found: ReportInput) -> str:
    """The paragraph's text and its tables, a line a row."""
    parts = [clause.text]
    for id in clause.tables:
        table = found.document.table(id)
        if table is not None:
            heads = [table.column_label(column) for column in range(len(table.columns))]
            rows = [heads, *([cell.text for cell in row] for row in table.rows)]
            parts.append("\n".join([table.caption or table.id, *(" | ".join(row) for row in rows)]))
    return "\n\n".join(part for part in parts if part)
