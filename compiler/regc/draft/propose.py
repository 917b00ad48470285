"""A profile proposed from a document: tests, axes, tables, cards; every block is compiled over the document before it is kept."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from regc.choices.question import Questioner
from regc.draft import toml_writer
from regc.draft.asking import Asking
from regc.draft.field import field
from regc.draft.finding import DraftTest
from regc.draft.limit_tables import Axis, Speeds, listed
from regc.draft.outline import DrivenClause, Outline, units
from regc.draft.tests import TestDrafter
from regc.lang.evaluate import make_program, run
from regc.lang.faults import ProfileError
from regc.lang.load import load_profile
from regc.lang.places import Reader, flat, under
from regc.lang.vocabulary import vocabulary
from regc.link.identity import numbers_named, opening
from regc.model.document import Clause, Document
from regc.model.suite import Suite

#: Keys of a test that may be left out when the compiler refuses what was proposed for them.
_OPTIONAL = ("bind", "tol", "require", "actors", "conditions", "runs", "further", "said", "check", "when", "let")
#: Codes of what a test in the making may still lack: a road user, a binding.
_MISSING = ("P102", "P110")
_SERIES = re.compile(r"\b(\d\d) series of amendments(?! to (?:the )?(?:UN )?Regulation)", re.I)


@dataclass(frozen=True)
class Drafted:
    """The text of `profile.toml`, the tests that it gives (None, and the reason, where there are none), prescriptive sentences that it
    does not use, clauses that prescribe a drive and gave no test."""

    profile: str
    suite: Suite | None
    reason: str
    unused: tuple[str, ...]
    refused: tuple[str, ...] = ()


def draft(document: Document, id: str, questioner: Questioner | None = None) -> Drafted:
    """A profile for a document by rules on its structure, and what they leave open by `questioner`. Every test in it compiles over the
    document as it stands."""
    outline = Outline(document)
    reader = Reader(document, id, document.edition, strict=True)
    return _Draft(outline, reader, id, questioner).drafted()


class _Draft:
    """The profile on the way."""

    def __init__(self, outline: Outline, reader: Reader, id: str, questioner: Questioner | None = None) -> None:
        self.outline, self.reader, self.document = outline, reader, outline.document
        self.head = _head(self.document, id)
        self.axes: dict[str, Axis] = {}
        self.tables: dict[str, dict[str, Any]] = {}
        self.declare: dict[str, str] = {}
        self.tests: list[DraftTest] = []
        self.dropped: list[str] = []
        self.units: list[DrivenClause] = []
        self.asking = Asking(questioner, outline, reader) if questioner is not None else None

    def drafted(self) -> Drafted:
        asking = self.asking
        driven = self.units = units(self.outline, asking.manoeuvre if asking else None)
        lists = list(_lists(self.outline, driven, asking))
        listed_axes = frozenset(axis.name for _, speeds, _, _ in lists for axis in speeds.axes)
        drafter = TestDrafter(self.outline, self.reader, driven, listed_axes)
        for unit in driven:
            for test in _tests_of(drafter, unit, lists):
                self._take(test)
        if not self.tests:
            return self._none(driven)
        cards = self._cards()
        suite = self._suite(self.tests)
        unused = tuple(dict.fromkeys(self._unused(suite)))
        text = "\n".join([*self._lines(self.tests), *cards, *_listing("prescriptive sentences that nothing uses yet", unused)])
        return Drafted(text.rstrip() + "\n", suite, "", unused, tuple(self.dropped))

    # ------------------------------------------------------------ tests

    def _take(self, test: DraftTest) -> None:
        """Keep a test whose every key compiles; what the compiler refuses becomes a comment."""
        names = self._shared(test)
        test.data["name"] = _unique(_token(test.unit, self.units), {each.data["name"] for each in self.tests})
        test.data = _renamed(test.data, names)
        if self.asking is not None:
            self.asking.complete(test, lambda: self._problem(test))
        for _ in range(40):
            try:
                if self._suite([test]).scenarios:
                    self.tests.append(test)
                    return
                self.dropped.append(f"{test.unit.at} {test.unit.title}: its limits and guards leave no test")
                return
            except ProfileError as error:
                if not self._without(test, error):
                    notes = "".join(f"\n  {note}" for note in test.notes)
                    self.dropped.append(f"{test.unit.at} {test.unit.title} ({test.unit.manoeuvre}): {_told(error)}{notes}")
                    return

    def _problem(self, test: DraftTest) -> str:
        """What the compiler says of a test that is still in the making; what is only missing yet is no matter."""
        held = test.data.get("require") or {"pending": {"is": "no contact", "said": f"[{test.unit.at}]"}}
        try:
            self._suite([replace(test, data={**test.data, "require": held})])
        except ProfileError as error:
            return "" if error.code in _MISSING else _told(error)
        return ""

    def _without(self, test: DraftTest, error: ProfileError) -> bool:
        """Take away the key on whose line the compiler stopped."""
        lines = self._lines([test])
        match = re.search(r":(\d+)$", error.place or "")
        line = lines[int(match[1]) - 1] if match and int(match[1]) <= len(lines) else ""
        key = re.match(r'([\w]+)(?:\."?([\w*]+)"?)? =', line)
        if key and key[1] == "further" and self._without_entry(test, error):
            return True
        block = next((each for each in reversed(lines[: int(match[1])]) if each.startswith("[")), "") if match else ""
        if key and block == "[[test]]" and key[1] in _OPTIONAL:
            note = f"{line}\n  refused: {_told(error)}"
            if key[2]:
                test.data[key[1]].pop(key[2])
                if not test.data[key[1]]:
                    test.data.pop(key[1])
            else:
                test.data.pop(key[1])
            test.notes.append(note)
            return True
        for name in error.names if error.code == "E408" else ():
            if name in test.data.get("bind", {}):
                test.notes.append(f"bind.{name} = {toml_writer.value(test.data['bind'].pop(name))}\n  refused: {_told(error)}")
                return True
        for name in _OPTIONAL[::-1]:
            if name in ("further", "check", "when") and name in test.data:
                test.notes.append(f"{name} = {toml_writer.value(test.data.pop(name))}\n  refused: {_told(error)}")
                return True
        return False

    def _without_entry(self, test: DraftTest, error: ProfileError) -> bool:
        """Take away the one further test that the compiler refuses, where it takes the others."""
        entries = test.data["further"]
        for index, entry in enumerate(entries):
            rest = [*entries[:index], *entries[index + 1 :]]
            try:
                self._suite([replace(test, data={**test.data, "further": [entry]})])
            except ProfileError:
                test.notes.append(f"further = {toml_writer.value(entry)}\n  refused: {_told(error)}")
                test.data["further"] = rest
                if not rest:
                    test.data.pop("further")
                return True
        return False

    def _shared(self, test: DraftTest) -> dict[str, str]:
        """Put a test's axes, tables and declared quantities beside those of the tests before; how its names read there."""
        names: dict[str, str] = {}
        for axis in test.axes:
            names[axis.name] = self._axis(axis)
        for name, spec in test.tables.items():
            spec = _renamed(spec, names)
            same = next((known for known, held in self.tables.items() if _place_free(held) == _place_free(spec)), None)
            own = same or _unique(name, set(self.tables))
            names[name] = own
            self.tables.setdefault(own, _named(spec, own))
        for name, place in test.declare.items():
            self.declare.setdefault(name, place)
        return {old: new for old, new in names.items() if old != new}

    def _axis(self, axis: Axis) -> str:
        """The name of an axis in the profile: an axis of that name with the same values is the same one, its words are joined."""
        held = self.axes.get(axis.name)
        if held is None:
            self.axes[axis.name] = Axis(axis.name, axis.at, {name: dict(block) for name, block in axis.values.items()})
            return axis.name
        mine, theirs = set(axis.values), set(held.values)
        if mine <= theirs or theirs <= mine:
            held.at = held.at or axis.at
            for name, block in axis.values.items():
                known = held.values.setdefault(name, dict(block))
                known["words"] = _joined(known["words"], block["words"])
                for key, value in block.items():
                    known.setdefault(key, value)
            return axis.name
        return self._axis(Axis(f"{axis.name}_2", axis.at, axis.values))

    # ------------------------------------------------------------ compiling

    def _suite(self, tests: list[DraftTest]) -> Suite:
        """What the profile of some tests gives over the document; raises ProfileError."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "profile.toml"
            path.write_text("\n".join(self._lines(tests)) + "\n", "utf-8")
            self.program = make_program(load_profile(path), self.document, strict=True)
        return run(self.program)

    def _lines(self, tests: list[DraftTest]) -> list[str]:
        used = {word for test in tests for word in re.findall(r"\w+", toml_writer.value(test.data))}
        tables = {name: spec for name, spec in self.tables.items() if name in used}
        used |= {word for spec in tables.values() for word in re.findall(r"\w+", toml_writer.value(spec))}
        lines = [
            "#:schema profile.schema.json",
            *toml_writer.comment(_DRAFTED),
            *toml_writer.block("", self.head | {"scope": self._scope(tests)})[1:],
        ]
        declared = {name: place for name, place in self.declare.items() if name in used}
        if declared:
            lines += toml_writer.block("[declare]", declared)
        for name, axis in self.axes.items():
            if name in used:
                lines += toml_writer.block(f"[axis.{toml_writer.key(name)}]", axis.block())
        for name, spec in tables.items():
            lines += toml_writer.block(f"[table.{toml_writer.key(name)}]", spec)
        for test in tests:
            lines += toml_writer.block("[[test]]", test.data, test.notes)
        if len(tests) == len(self.tests):
            lines += _listing("clauses that prescribe a drive and gave no test", tuple(self.dropped))
        return lines

    def _scope(self, tests: list[DraftTest]) -> list[str]:
        """The clauses of the tests and of what they must show."""
        roots = dict.fromkeys(root for test in tests for root in (test.unit.requirement, test.unit.at) if root)
        return [root for root in roots if not any(other != root and under(root, other) for other in roots)]

    def _none(self, driven: list[DrivenClause]) -> Drafted:
        """No test: the reason, and a profile that says so."""
        reason = "no clause of it prescribes a drive of the vocabulary's kinds (" + ", ".join(vocabulary().manoeuvres) + ")"
        if driven:
            reason = "no clause that prescribes a drive gave a test:\n" + "\n".join(self.dropped)
        scope = [next((clause.id for clause in self.document.clauses if clause.number), "body")]
        lines = [
            "#:schema profile.schema.json",
            *toml_writer.comment(f"No tests: {reason}"),
            *toml_writer.block("", self.head | {"scope": scope})[1:],
            "test = []",
            "",
        ]
        return Drafted("\n".join(lines), None, reason, (), tuple(self.dropped))

    # ------------------------------------------------------------ what is not driven

    def _cards(self) -> list[str]:
        """A card for each titled clause that asks something and of which no test reads anything."""
        roots = {self.outline.chapter(root) for test in self.tests for root in (test.unit.at, test.unit.requirement) if root}
        read = [root for test in self.tests for root in (test.unit.at, test.unit.requirement) if root]
        numbers = {key.split("^")[0].split("#")[0] for key, _ in self.program.reader.ledger.numbers}
        groups: dict[str, list[Clause]] = {}
        for clause in self.document.clauses:
            asks = vocabulary().must.search(clause.text)
            if not asks or not any(under(clause.id, root) for root in roots) or any(under(clause.id, root) for root in read):
                continue
            if clause.id in numbers:
                continue
            home = next((each for each in (clause, *self.outline.above(clause.id)) if each.title and each.number), clause)
            groups.setdefault(home.id, []).append(clause)
        lines: list[str] = []
        for id, clauses in groups.items():
            title = (self.outline.clauses[id].title or " ".join(clauses[0].text.split()[:6])).strip(".:;, ")
            kind = field().named("\n".join(clause.text for clause in clauses), "card") or "inspection"
            ids = [clause.id for clause in clauses]
            lines += toml_writer.block("[[card]]", {"title": f"{title} ({id})", "kind": kind, "clauses": ids, "steps": ids})
        return lines

    def _unused(self, suite: Suite) -> Iterator[str]:
        """Prescriptive sentences of the scope that no test reads, cites or tells."""
        ledger = self.program.reader.ledger
        quoted = {
            " ".join(source.quote.split()) for scenario in suite.scenarios for _, value in scenario.values() for source in value.sources
        }
        for test in self.tests:
            for root in dict.fromkeys((test.unit.requirement, test.unit.at)):
                for sentence in self.outline.sentences(root) if root else ():
                    text = " ".join(sentence.text.split())
                    if not vocabulary().modal.search(text) or any(quote and (quote in text or text in quote) for quote in quoted):
                        continue
                    at = f"{sentence.clause}{sentence.item}"
                    if not any(said.startswith(at) and flat(words) in flat(text) for said, words in ledger.said | ledger.told):
                        yield f"[{at}] {text[:110]}".rstrip()


_DRAFTED = (
    "Drafted by regc draft from the structure of the document alone. Each number is read at the place that stands here; comments hold\n"
    "what could not be decided. regc check DIR --source FILE says what is left; regc cite tries a place."
)


def _head(document: Document, id: str) -> dict[str, Any]:
    """Identity and edition, from title page and running heads."""
    lines, words = opening(document)
    numbers = list({**numbers_named(lines), **numbers_named(document.heads)})
    series = _SERIES.search("\n".join((*lines, *document.heads, words)))
    title = max(lines[:8], key=len, default=id)
    head: dict[str, Any] = {"id": id}
    if series:
        head["edition"] = series[1]
    if numbers:
        head["number"] = numbers[0]
    head["title"] = " ".join(title.strip("# *").split())[:120] or id
    if series:
        head["title_words"] = [series[0]]
    elif not numbers:
        head["title_words"] = [" ".join(head["title"].split()[:6])]
    return head


def _lists(outline: Outline, driven: list[DrivenClause], asking: Asking | None) -> Iterator[tuple[str, Speeds, str, DrivenClause]]:
    """(name, table, words of its rows, the unit that they are of) of every table that lists tests."""
    count = 0
    for table in outline.document.tables:
        speeds = listed(outline, table, asking.column if asking else None)
        if speeds is None:
            continue
        count += 1
        name = "list" if count == 1 else f"list_{count}"
        own = next((unit for unit in driven if under(table.clause, unit.at)), None)
        if own is not None:
            yield name, speeds, "", own
            continue
        for stub in speeds.stubs:
            unit = _unit_of(stub, driven, outline)
            if unit is not None:
                yield name, speeds, re.split(r"\s*[(\[]", stub)[0], unit


def _unit_of(stub: str, driven: list[DrivenClause], outline: Outline) -> DrivenClause | None:
    """The clause that a row is of: the one that it cites, else the one whose title has most of its words."""
    for unit in driven:
        number = outline.clauses[unit.at].number or ""
        if re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.]*\d)", stub):
            return unit
    words = {word.lower()[:5] for word in re.findall(r"[A-Za-z]{3,}", stub)}

    def shared(unit: DrivenClause) -> int:
        return len(words & {word.lower()[:5] for word in re.findall(r"[A-Za-z]{3,}", unit.title)})

    best = max(driven, key=shared, default=None)
    return best if best is not None and shared(best) * 2 >= len(words) else None


def _tests_of(drafter: TestDrafter, unit: DrivenClause, lists: list[tuple[str, Speeds, str, DrivenClause]]) -> Iterator[DraftTest]:
    """The tests of a clause: one, or one for each entry of a table that lists it."""
    own: list[tuple[str, Speeds, str] | None] = [(name, speeds, stub) for name, speeds, stub, of in lists if of.at == unit.at]
    yield from (drafter.draft(unit, listing) for listing in own or [None])


def _renamed(data: Any, names: Mapping[str, str]) -> Any:
    """A block with axes and tables by their names in the profile."""
    if not names:
        return data
    if isinstance(data, str):
        return re.sub(r"(?<![\w\[.])\b(" + "|".join(map(re.escape, names)) + r")\b(?=[\[:)^ ,]|$)", lambda m: names[m[1]], data)
    if isinstance(data, Mapping):
        return {names.get(key, key): _renamed(value, names) for key, value in data.items()}
    if isinstance(data, list):
        return [_renamed(value, names) for value in data]
    return data


def _named(spec: dict[str, Any], name: str) -> dict[str, Any]:
    """A table's block with its own name in the places under it."""
    if isinstance(spec, dict):
        return {key: _named(value, name) for key, value in spec.items()}
    return spec.replace("[NAME^", f"[{name}^") if isinstance(spec, str) else spec


def _place_free(spec: Any) -> Any:
    """A table's block without its own name, to compare."""
    if isinstance(spec, dict):
        return {key: _place_free(value) for key, value in spec.items()}
    return re.sub(r"\[\w+\^", "[NAME^", spec) if isinstance(spec, str) else spec


def _joined(first: Any, second: Any) -> Any:
    held = [*(first if isinstance(first, list) else [first]), *(second if isinstance(second, list) else [second])]
    distinct = list({flat(words): words for words in held}.values())
    return distinct[0] if len(distinct) == 1 else distinct


def _unique(name: str, taken: set[str]) -> str:
    count = 1
    while (unique := name if count == 1 else f"{name}_{count}") in taken:
        count += 1
    return unique


def _token(unit: DrivenClause, others: list[DrivenClause]) -> str:
    """A test's name: the words of its title by which it differs from most others, at most four."""
    words = [word.lower() for word in re.findall(r"[A-Za-z0-9]+", unit.title)]
    titles = [{word.lower() for word in re.findall(r"[A-Za-z0-9]+", other.title)} for other in others]
    own = [word for word in words if len(word) > 2 and (len(titles) < 3 or sum(word in title for title in titles) * 2 <= len(titles))]
    return "_".join((own or words)[:4]) or unit.manoeuvre


def _told(error: ProfileError) -> str:
    """An error without its line, which is another one in the file that is written."""
    return f"[{error.code}] {error.message}" + (f"; {error.hint}" if error.hint else "")


def _listing(head: str, lines: tuple[str, ...]) -> list[str]:
    return [*toml_writer.comment(f"{head}:\n" + "\n".join(lines)), ""] if lines else []
