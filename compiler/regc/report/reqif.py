"""Paragraphs, tests and cards as ReqIF for a requirements tool: all of one type, "verifies" as relations from tests to paragraphs.

One type, since StrictDoc finds the id of a relation's target by the attribute of its source. A test verifies what its own paragraph and
its criteria ask, a card its paragraphs. What else a test takes numbers from, and what a paragraph refers to, is an attribute: relations
among paragraphs run in circles, which requirements tools refuse, and each relation more is drawn on the page of both its ends. Numbers
are text in the document's digits with the unit in the attribute's name: StrictDoc 0.30 refuses ReqIF's REAL.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date as calendar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from regc import __version__, wording
from regc.errors import DataFileError, MissingExtraError
from regc.model.document import Clause, Document
from regc.model.report_input import ReportInput
from regc.model.result import Artifact
from regc.model.scenario import Card, Scenario
from regc.model.suite import Fate, Suite
from regc.report import xhtml
from regc.report.outcomes import judged, verdicts_of
from regc.report.overview import FATES, assumed, axis_heads, bindings_of, links, tests_of, titles_of
from regc.report.xhtml import printable

if TYPE_CHECKING:
    from lxml import etree

_TYPE, _VERIFIES = "type-requirement", "type-verifies"
#: A date that ReqIF needs where nobody gave one.
_UNKNOWN = "1970-01-01"
_NOTHING = "no prescription"
#: What of a paragraph's entries its state is: the first of these that one of them has.
_ORDER: tuple[Fate, ...] = ("open", "test", "card", "told", "external", "waived")
_TYPOGRAPHY = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‑": "-", "“": '"', "”": '"', "’": "'", "‘": "'", "≤": "<=", "≥": ">=", "\\": "/"}
)


class Options(BaseModel):
    """`date`: day of the export (YYYY-MM-DD). `previous`: an earlier export; what has not changed keeps its date."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    date: str = Field("", pattern=r"^(\d{4}-\d\d-\d\d)?$")
    previous: Path | None = None


@dataclass(frozen=True)
class Attribute:
    """An attribute of the one type. `kind`: STRING, INTEGER, XHTML or ENUMERATION with its `values`."""

    key: str
    name: str
    kind: str = "STRING"
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Thing:
    """A paragraph, a test or a card with its attributes by key; blank ones are left out."""

    id: str
    foreign: str
    name: str
    values: dict[str, str]


def emit(report: ReportInput, options: Options) -> tuple[Artifact, ...]:
    """traceability.reqif. Raises DataFileError for a date or an earlier export that is none, MissingExtraError without `reqif`."""
    day = _day(options.date or report.date or report.suite.edition_date)
    try:
        made = _unparsed(report, f"{day}T00:00:00Z")
    except ImportError as error:
        raise MissingExtraError("the ReqIF export needs the reqif package", extra="report") from error
    return (Artifact(path="report/traceability.reqif", content=_dated(made, options.previous), target="report"),)


def _day(text: str) -> str:
    if not text:
        return _UNKNOWN
    try:
        return calendar.fromisoformat(text).isoformat()
    except ValueError as error:
        raise DataFileError(f"{text!r} is no date: {error}", hint="dates are YYYY-MM-DD") from error


def _unparsed(report: ReportInput, stamp: str) -> str:
    from reqif.models.reqif_core_content import ReqIFCoreContent
    from reqif.models.reqif_namespace_info import ReqIFNamespaceInfo
    from reqif.models.reqif_req_if_content import ReqIFReqIFContent
    from reqif.models.reqif_reqif_header import ReqIFReqIFHeader
    from reqif.object_lookup import ReqIFObjectLookup
    from reqif.parsers.spec_object_parser import SpecObjectParser
    from reqif.parsers.spec_relation_parser import SpecRelationParser
    from reqif.reqif_bundle import ReqIFBundle
    from reqif.unparser import ReqIFUnparser

    suite = report.suite
    attributes = attributes_of(suite)
    things = {thing.id: thing for thing in things_of(report)}
    maker = _Maker(stamp, suite.stem, {attribute.key: attribute for attribute in attributes}, things)
    header = ReqIFReqIFHeader(
        identifier=maker.key("header", suite.document_sha256),
        creation_time=stamp,
        req_if_tool_id=f"regc {__version__}",
        req_if_version="1.0",
        source_tool_id=f"regc {__version__}",
        title=_line(f"{suite.title}, {suite.wording} wording"),
    )
    content = ReqIFReqIFContent(
        data_types=maker.data_types(),
        spec_types=maker.spec_types(),
        spec_objects=[],
        spec_relations=[],
        specifications=[
            maker.specification("paragraphs", suite.title, _tree(report.document)),
            maker.specification("tests", f"Tests of {suite.title}", [(item.id, []) for item in tests_of(suite)]),
        ],
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
    frame: str = ReqIFUnparser.unparse(bundle)
    # the library adds string to string, which takes a minute for some megabytes of objects
    objects = "".join(SpecObjectParser.unparse(maker.spec_object(thing)) for thing in things.values())
    relations = "".join(SpecRelationParser.unparse(relation) for relation in maker.relations(report))
    for tag, inner in (("SPEC-OBJECTS", objects), ("SPEC-RELATIONS", relations)):
        head, end, rest = frame.partition(f"</{tag}>")
        frame = f"{head}{inner}{end}{rest}"
    return frame


def attributes_of(suite: Suite) -> tuple[Attribute, ...]:
    """The attributes of a suite; text of several lines comes last, as StrictDoc wants it."""
    states = (*(wording.term("fate", fate) for fate in FATES), _NOTHING)
    statuses = tuple(wording.term("status_short", name) for name in wording.wording()["status"])
    methods = ("driven test", *(wording.term("card", name) for name in wording.wording()["card"]))
    limit = _limit_unit(suite)
    return (
        Attribute("id", "ReqIF.ForeignID"),
        Attribute("kind", "Kind", "ENUMERATION", ("paragraph", "test", "card")),
        Attribute("status", "Status", "ENUMERATION", statuses),
        Attribute("test", "Test"),
        *(Attribute(f"axis-{name}", head) for name, head in axis_heads(suite).items()),
        *(Attribute(f"bind-{name}", f"{wording.large(wording.short(name))} in {unit}") for name, unit in _units(suite).items()),
        *((Attribute("limit", f"Limit in {limit}"),) if limit else ()),
        Attribute("method", "Verification method", "ENUMERATION", methods),
        Attribute("coverage", "Coverage", "ENUMERATION", states),
        Attribute("page", "Page", "INTEGER"),
        Attribute("verdict", "Verdict", "ENUMERATION", ("pass", "fail", "invalid", "incomplete", "evidence", "not driven")),
        Attribute("assumed", "Assumed"),
        Attribute("refers", "Refers to"),
        Attribute("name", "ReqIF.Name"),
        Attribute("text", "ReqIF.Text", "XHTML"),
    )


def _units(suite: Suite) -> dict[str, str]:
    """Binding -> the one unit that all tests state it in; others are told in the text alone."""
    by_symbol: dict[str, str] = {}
    for name in bindings_of(suite):
        units = {value.unit for scenario in suite.selected if (value := scenario.number(name)) is not None and value.lo is not None}
        if len(units) == 1:
            by_symbol[name] = wording.unit(units.pop())
    return by_symbol


def _limit_unit(suite: Suite) -> str:
    units = {value.unit for scenario in suite.selected for value in [_limit(scenario)] if value is not None}
    return wording.unit(units.pop()) if len(units) == 1 else ""


def _limit(scenario: Scenario) -> Any:
    return next((one.limit.value for one in scenario.require if one.limit is not None and one.limit.value.is_number), None)


def things_of(report: ReportInput) -> Iterator[Thing]:
    """Paragraphs in reading order, then tests, then cards."""
    suite, known = report.suite, _Ids(report.suite.stem)
    states, refers = _states(suite), _refers(report)
    foreign = {clause.id: known.of(clause.id) for clause in report.document.clauses}
    for clause in report.document.clauses:
        values = {
            "kind": "paragraph",
            "coverage": states.get(clause.id, _NOTHING),
            "page": str(clause.pages[0]) if clause.pages else "",
            "refers": ", ".join(foreign[id] for id in refers.get(clause.id, ()) if id in foreign),
            "text": xhtml.of_clause(clause, report.document),
        }
        yield Thing(clause.id, foreign[clause.id], clause.title or _called(clause), values)
    verdicts, titles, units = verdicts_of(judged(report.judgement)), titles_of(suite), _units(suite)
    taken = _taken(report)
    for scenario in suite.selected:
        others = [foreign[id] for id in taken[scenario.id] if id in foreign and id not in _verified(scenario)]
        values = _test(scenario, report, verdicts, titles, units) | {"refers": ", ".join(others)}
        yield Thing(scenario.id, scenario.id, wording.title(scenario), values)
    for card in suite.cards:
        yield Thing(card.id, card.id, card.title, _card(card))


def _test(
    scenario: Scenario, report: ReportInput, verdicts: dict[str, dict[str, Any]], titles: dict[str, str], units: dict[str, str]
) -> dict[str, str]:
    limit, text = _limit(scenario), report.texts.get(scenario.id)
    numbers = {name: scenario.number(name) for name in units}
    return {
        "kind": "test",
        "status": wording.term("status_short", scenario.status),
        "test": titles[scenario.test],
        **{f"axis-{name}": wording.axis_cell(value) for name, value in scenario.axes.items()},
        **{
            f"bind-{name}": wording.mark(value.bound) + (f"{value.lo:f}" if value.is_number else f"{value.lo:f} to {value.hi:f}")
            for name, value in numbers.items()
            if value is not None and value.lo is not None
        },
        "limit": f"{limit.lo:f}" if limit is not None else "",
        "method": "driven test",
        "verdict": verdicts[scenario.id]["verdict"] if scenario.id in verdicts else "not driven",
        "assumed": ", ".join(dict.fromkeys(code for _, _, code in assumed(scenario))),
        "text": xhtml.of_markdown(text) if text else _told(scenario),
    }


def _told(scenario: Scenario) -> str:
    """A test without a text of its own: its requirements and numbers."""
    numbers = [f"{': '.join(wording.field(name))} {wording.bounded(value)}" for name, value in scenario.values()]
    required = wording.criteria(scenario)
    return xhtml.of_lines("Requirements", required) + xhtml.of_lines("Numbers", numbers)


def _card(card: Card) -> dict[str, str]:
    steps = [f"{step.sources[0].clause}: {step.text}" if step.sources else step.text for step in card.steps]
    return {"kind": "card", "method": wording.term("card", card.kind), "text": xhtml.of_lines("Steps", steps)}


def _called(clause: Clause) -> str:
    return f"Paragraph {clause.number}" if clause.number else ("Front matter" if clause.region == "body" else clause.region)


def _states(suite: Suite) -> dict[str, str]:
    fates: dict[str, set[Fate]] = {}
    for entry in suite.coverage.entries:
        fates.setdefault(entry.clause, set()).add(entry.fate)
    return {clause: wording.term("fate", next(fate for fate in _ORDER if fate in own)) for clause, own in fates.items()}


def _refers(report: ReportInput) -> dict[str, list[str]]:
    """Paragraph -> paragraphs that it, its tables or their footnotes refer to."""
    owners = {table.id: table.clause for table in report.document.tables}
    told: dict[str, dict[str, None]] = {}
    for reference in report.graph.references:
        source, target = (owners.get(end or "", end or "") for end in (reference.source, reference.target))
        if source != target:
            told.setdefault(source, {})[target] = None
    return {source: list(targets) for source, targets in told.items()}


def _verified(item: Scenario | Card) -> tuple[str, ...]:
    """The paragraphs whose requirements a test or card checks: its own, then those of its criteria with their limits and leads."""
    if isinstance(item, Card):
        return tuple(dict.fromkeys(item.clauses))
    asked = [source for one in item.require for source in one.sources]
    asked += [source for one in item.require for value in (one.limit and one.limit.value, one.by) if value for source in value.sources]
    return tuple(dict.fromkeys([item.clause, *(source.clause for source in asked)]))


def _taken(report: ReportInput) -> dict[str, list[str]]:
    """Test or card -> every paragraph that it takes something from, in the order of the document."""
    taken: dict[str, list[str]] = {item.id: [] for item in tests_of(report.suite)}
    for link in links(report):
        taken[link.id].append(link.clause)
    return taken


class _Ids:
    """Ids as every tool takes them: letters, digits, dot, plus and hyphen, begun by the stem; each once."""

    def __init__(self, stem: str) -> None:
        self.stem = stem
        self._taken: set[str] = set()

    def of(self, place: str) -> str:
        """ "Annex 3, 2.1" -> "UNR152-02.Annex-3-2.1"."""
        made = f"{self.stem}.{re.sub(r'[^A-Za-z0-9.+]+', '-', place).strip('-')}"
        own = next(name for name in (made, *(f"{made}.{number}" for number in range(2, 10_000))) if name not in self._taken)
        self._taken.add(own)
        return own


#: A paragraph and those below it.
_Branch = tuple[str, list[Any]]


def _tree(document: Document) -> list[_Branch]:
    """Paragraphs below each other as their numbers say: 5.2.1 below 5.2, or below 5 where there is no 5.2; annexes below none,
    their appendices below them."""
    known = {clause.id for clause in document.clauses}
    regions = {clause.region for clause in document.clauses if clause.number is None}
    branches: dict[str, list[_Branch]] = {clause.id: [] for clause in document.clauses}
    roots: list[_Branch] = []
    for clause in document.clauses:
        above = next((id for id in _above(clause) if id in known and (id != clause.region or clause.region in regions)), None)
        (branches[above] if above is not None else roots).append((clause.id, branches[clause.id]))
    return roots


def _above(clause: Clause) -> Iterator[str]:
    """Ids that could be above a paragraph, the nearest first."""
    prefix = "" if clause.region == "body" else f"{clause.region}, "
    if clause.number is not None:
        if clause.parent and clause.parent != clause.id:
            yield clause.parent
        parts = re.findall(r"\w+|\(\w+\)", clause.number)
        number = clause.number
        for part in reversed(parts[1:]):
            number = number[: number.rindex(part)].rstrip(".")
            yield f"{prefix}{number}"
        if clause.region != "body":
            yield clause.region
    elif " - " in clause.region:
        yield clause.region.rpartition(" - ")[0]


class _Maker:
    """Builds the library's objects, all with one date."""

    def __init__(self, stamp: str, stem: str, attributes: dict[str, Attribute], things: dict[str, Thing]) -> None:
        self.stamp, self.stem, self.attributes, self.things = stamp, stem, attributes, things

    def key(self, kind: str, name: str) -> str:
        """An XML id that the same thing keeps over all exports."""
        return f"{kind}-{hashlib.sha256(f'{self.stem} {name}'.encode()).hexdigest()[:24]}"

    def data_types(self) -> list[Any]:
        from reqif.models import reqif_data_type as types

        made: list[Any] = [
            types.ReqIFDataTypeDefinitionString("data-string", last_change=self.stamp, long_name="Text", max_length="100000"),
            types.ReqIFDataTypeDefinitionInteger(
                "data-integer", last_change=self.stamp, long_name="Number", min_value="0", max_value="100000"
            ),
            types.ReqIFDataTypeDefinitionXHTML("data-xhtml", last_change=self.stamp, long_name="XHTML", is_self_closed=True),
        ]
        for attribute in self.attributes.values():
            if attribute.values:
                values = [
                    types.ReqIFEnumValue(self._value(attribute, text), key=str(number), last_change=self.stamp, long_name=text)
                    for number, text in enumerate(attribute.values)
                ]
                made.append(
                    types.ReqIFDataTypeDefinitionEnumeration(
                        f"data-{attribute.key}", last_change=self.stamp, long_name=attribute.name, values=values
                    )
                )
        return made

    def _value(self, attribute: Attribute, text: str) -> str:
        return f"value-{attribute.key}-{re.sub('[^a-z]+', '-', text.lower())}"

    def spec_types(self) -> list[Any]:
        from reqif.models.reqif_spec_object_type import ReqIFSpecObjectType, SpecAttributeDefinition
        from reqif.models.reqif_spec_relation_type import ReqIFSpecRelationType
        from reqif.models.reqif_specification_type import ReqIFSpecificationType
        from reqif.models.reqif_types import SpecObjectAttributeType

        definitions = [
            SpecAttributeDefinition(
                SpecObjectAttributeType[one.kind],
                f"attribute-{one.key}",
                f"data-{one.key}" if one.values else f"data-{one.kind.lower()}",
                last_change=self.stamp,
                long_name=_line(one.name),
                multi_valued=False if one.values else None,
            )
            for one in self.attributes.values()
        ]
        return [
            ReqIFSpecObjectType(_TYPE, long_name="Requirement", last_change=self.stamp, attribute_definitions=definitions),
            ReqIFSpecificationType("type-specification", long_name="Specification", last_change=self.stamp, is_self_closed=True),
            ReqIFSpecRelationType(_VERIFIES, long_name="verifies", last_change=self.stamp, is_self_closed=True),
        ]

    def spec_object(self, thing: Thing) -> Any:
        from reqif.models.reqif_spec_object import ReqIFSpecObject, SpecObjectAttribute
        from reqif.models.reqif_types import SpecObjectAttributeType

        values = thing.values | {"id": thing.foreign, "name": _line(thing.name) or thing.foreign}
        made = []
        for key, attribute in self.attributes.items():
            value = values.get(key, "")
            if not value:
                continue
            kind = SpecObjectAttributeType[attribute.kind]
            if attribute.values:
                held: str | list[str] = [self._value(attribute, value)]
            else:
                # the library escapes strings itself, but takes XHTML as it comes
                held = xhtml.whole(value) if attribute.kind == "XHTML" else _line(value)
            made.append(SpecObjectAttribute(kind, f"attribute-{key}", held))
        return ReqIFSpecObject(
            self.key("object", thing.id),
            made,
            _TYPE,
            last_change=self.stamp,
            long_name=_escaped(f"{thing.foreign} {values['name']}"),
        )

    def relations(self, report: ReportInput) -> list[Any]:
        from reqif.models.reqif_spec_relation import ReqIFSpecRelation

        pairs = [(item.id, clause) for item in tests_of(report.suite) for clause in _verified(item) if clause in self.things]
        return [
            ReqIFSpecRelation(
                identifier=self.key("relation", f"{source} {target}"),
                relation_type_ref=_VERIFIES,
                source=self.key("object", source),
                target=self.key("object", target),
                last_change=self.stamp,
            )
            for source, target in pairs
        ]

    def specification(self, name: str, title: str, branches: Iterable[_Branch]) -> Any:
        from reqif.models.reqif_specification import ReqIFSpecification

        return ReqIFSpecification(
            identifier=self.key("specification", name),
            long_name=_escaped(_line(title)),
            last_change=self.stamp,
            specification_type="type-specification",
            children=[self._place(branch, 1) for branch in branches],
        )

    def _place(self, branch: _Branch, level: int) -> Any:
        from reqif.models.reqif_spec_hierarchy import ReqIFSpecHierarchy

        id, below = branch
        return ReqIFSpecHierarchy(
            identifier=self.key("place", id),
            spec_object=self.key("object", id),
            level=level,
            children=[self._place(one, level + 1) for one in below] or None,
            last_change=self.stamp,
            editable=None,
            is_table_internal=None,
        )


def _dated(made: str, previous: Path | None) -> bytes:
    """The file with the dates of the earlier export wherever the content has not changed."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    root = etree.fromstring(made.encode(), parser)
    if previous is not None:
        try:
            earlier = etree.fromstring(previous.read_bytes(), parser)
        except OSError as error:
            raise DataFileError(f"{previous}: cannot be read: {error.strerror}", hint="give an earlier traceability.reqif") from error
        except etree.XMLSyntaxError as error:
            raise DataFileError(f"{previous}: not ReqIF: {error}", hint="give an earlier traceability.reqif") from error
        known = {node.get("IDENTIFIER"): node for node in earlier.iter("{*}*") if node.get("LAST-CHANGE")}
        for node in root.iter("{*}*"):
            before = known.get(node.get("IDENTIFIER"))
            if node.get("LAST-CHANGE") and before is not None and _content(node) == _content(before):
                node.set("LAST-CHANGE", before.get("LAST-CHANGE", ""))
    content: bytes = etree.tostring(root, encoding="UTF-8", xml_declaration=True)
    return content + b"\n"


def _content(node: etree._Element) -> tuple[Any, ...]:
    """What an element says of itself: all below it but for parts that have a date of their own, of which only the ids count."""
    own = tuple(sorted((name, value) for name, value in node.attrib.items() if name != "LAST-CHANGE"))
    below = []
    for child in node.iterchildren("{*}*"):
        below.append((child.tag, child.get("IDENTIFIER")) if child.get("LAST-CHANGE") else _content(child))
        below.append(((child.tail or "").strip(),))
    return (node.tag, own, (node.text or "").strip(), tuple(below))


def _line(text: str) -> str:
    """One line without what breaks tools that read ASCII escapes."""
    return " ".join(printable(text).translate(_TYPOGRAPHY).split())


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)
