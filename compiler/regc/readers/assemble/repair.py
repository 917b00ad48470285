"""Lost and clipped paragraph numbers of one region: put right where the sequence leaves one possibility, else a finding."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from regc.model.document import Repair, clause_id
from regc.model.result import Finding
from regc.readers.assemble.numbering import MAX_HOLE, Number, Trace, forced, increasing, lists, parse, show, successors, walk
from regc.readers.assemble.paragraphs import ITEM, PrintedUnit, definition_like, goes_on, title_like

#: More text than this between two printed numbers is not searched for what every paragraph may be.
MAX_PARAGRAPHS = 24


@dataclass
class Numbered:
    """What the numbering of a region came to."""

    repairs: list[Repair] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


class Numbering:
    """Assigns `Unit.number` in one region. `units` are without captions, notes and footnotes' own text."""

    def __init__(self, region: str, units: Sequence[PrintedUnit], *, damaged: bool = False, prefix: str = "") -> None:
        self.region = region
        self.prefix = prefix
        self.damaged = damaged
        self.units = units
        self.out = Numbered()
        self.named: set[Number] = set()
        self.levels: frozenset[int] = frozenset()
        self.titled: dict[Number, list[bool]] = {}
        self.defined: dict[Number, list[bool]] = {}
        self.stray: list[tuple[int, str]] = []
        self.alone: set[int] = set()

    def run(self) -> Numbered:
        """Accept what is printed in sequence, then repair the holes between."""
        accepted = self._accept()
        self._learn(accepted)
        for before, after, start, end in self._spans(accepted):
            known = len(self.out.findings)
            self._hole(before, after, start, end)
            if len(self.out.findings) == known:
                self._skipped(before, after, start, end)
        for unit in self.units:
            if unit.number is None:
                unit.as_prose()
        self._as_printed()
        self._suspects()
        return self.out

    def _accept(self) -> list[int]:
        candidates = [
            (index, number, unit.weight())
            for index, unit in enumerate(self.units)
            if unit.kind == "text" and unit.printed and (number := parse(unit.printed))
        ]
        listed = lists([number for _, number, _ in candidates])
        candidates = [candidate for place, candidate in enumerate(candidates) if place not in listed]
        chain = increasing([(number, weight) for _, number, weight in candidates])
        accepted = [candidates[link][0] for link in chain]
        for link in chain:
            index, number, _ = candidates[link]
            self.units[index].number = number
            if self.units[index].split_off:
                self._repair(self.units[index], number, "the number stood in the middle of a paragraph; it is the next of the sequence")
        taken = {*accepted, *self._late([(index, number) for index, number, _ in candidates], accepted)}
        self.alone = self._between_accepted([index for index, _, _ in candidates], taken)
        for index, unit in enumerate(self.units):
            if unit.printed and index not in taken and not self._clipped(index):
                if unit.apart:
                    self.stray.append((index, unit.printed))
                unit.as_prose()
        return accepted

    @staticmethod
    def _between_accepted(candidates: Sequence[int], taken: set[int]) -> set[int]:
        """Candidates that the sequence leaves out, but for which it has the one before and the one after: no list."""
        around = (True, *(index in taken for index in candidates), True)
        return {index for place, index in enumerate(candidates) if around[place] and around[place + 2] and index not in taken}

    def _late(self, candidates: Sequence[tuple[int, Number]], accepted: Sequence[int]) -> list[int]:
        """Numbers that the layout sets apart and that stand behind their place ("3.3.1.3" below 3.3.2): the last of its kind before it
        is known and it is not. They bear their number; the walk of the sequence passes them by."""
        taken = set(accepted)
        known = {self.units[index].number for index in accepted}
        late = []
        for index, number in candidates:
            before = (*number[:-1], number[-1] - 1)
            if index in taken or number in known or len(number) < 3 or before not in known or not self.units[index].apart:
                continue
            known.add(number)
            self.units[index].number = number
            late.append(index)
        return late

    def _clipped(self, index: int) -> bool:
        """A number that is out of sequence may be the rest of a longer one, unless it goes on with the sentence before it."""
        unit = self.units[index]
        printed = unit.printed or ""
        if printed.startswith("."):
            return True
        if not printed.endswith(".") or unit.split_off or unit.apart:
            return False
        before = self._text_before(index)
        return not (before and before[-1] not in '.;:!?"”)') and not unit.text[:1].islower()

    def _as_printed(self) -> None:
        """Numbers that the sequence leaves out: misprints bear what is printed, all others are text; either is told."""
        text, borne = [], []
        for index, printed in self.stray:
            unit = self.units[index]
            if unit.number is not None:
                text.append(unit)
            elif index in self.alone and self._is_misprint(index, printed):
                first = next((other for other in self.units if other.number == parse(printed)), None)
                unit.again = first is not None
                unit.as_number(printed)
                borne.append(unit)
            else:
                text.append(unit)
        if text:
            self._out_of_sequence(text, "text", "a list or a form inside a clause needs nothing; else a number is misprinted")
        if borne:
            self._out_of_sequence(borne, "printed", "the number is misprinted, or its paragraph stands elsewhere than it belongs")

    def _is_misprint(self, index: int, printed: str) -> bool:
        """Whether a number out of sequence is that of a paragraph: no item of a list, no reference, no hole beside it."""
        unit, number = self.units[index], parse(printed)
        words = unit.whole[len(printed) :].strip()
        before = next((other.number for other in reversed(self.units[:index]) if other.number), None)
        after = next((other.number for other in self.units[index + 1 :] if other.number), None)
        if number is None or before is None or not words or words[0].islower() or not (words[0].isalpha() or words[0] in '"“‘('):
            return False
        if len(number) == 1 and not (len(before) == 1 and after is not None and len(after) == 1):
            return False
        taken = any(other.number == number for other in self.units)
        above = self._text_before(index)
        ended = not above or above[-1] in '.:;!?"”)' or title_like(above)
        return ended and not (taken and unit.page is None) and not (after and forced(before, after, self.levels))

    def _out_of_sequence(self, stray: Sequence[PrintedUnit], read: str, hint: str) -> None:
        """One finding for numbers of the region that the sequence leaves out: lists, inserted forms, misprints."""
        words = [f"{unit.printed} {unit.text}" if unit.printed else unit.text for unit in stray]
        firsts = [
            repr(text[:24].strip()) + (f" on page {unit.page}" if unit.page else "") for text, unit in zip(words, stray, strict=True)
        ]
        shown = ", ".join(firsts[:6]) + (f" and {len(firsts) - 6} more" if len(firsts) > 6 else "")
        self.out.findings.append(
            Finding(
                code="R111",
                severity="warning",
                message=f"{self.region}: numbers out of sequence were read as {read}: {shown}",
                place=f"page {stray[0].page}" if stray[0].page else self.region,
                excerpt=words[0][:80],
                hint=f"{hint}: compare with the official PDF",
            )
        )

    def _text_before(self, index: int) -> str:
        for unit in reversed(self.units[max(0, index - 3) : index]):
            if unit.kind == "text":
                return unit.text.strip()
        return ""

    def _learn(self, accepted: Sequence[int]) -> None:
        """Which depths the region prints; which clauses have titled children, which have definitions."""
        self.levels = frozenset(len(number) for index in accepted if (number := self.units[index].number))
        for index in accepted:
            self._learn_one(index)

    def _learn_one(self, index: int) -> None:
        number = self.units[index].number
        text = self._own_text(index)
        if number and text:
            self.titled.setdefault(number[:-1], []).append(title_like(text))
            self.defined.setdefault(number[:-1], []).append(definition_like(text))

    def _own_text(self, index: int) -> str:
        unit = self.units[index]
        if not unit.alone:
            return unit.text
        following = self.units[index + 1] if index + 1 < len(self.units) else None
        return (
            following.text
            if following is not None and following.kind == "text" and not following.printed and not following.slot
            else ""
        )

    # --- one hole ---------------------------------------------------------------------------------------------------

    def _hole(self, before: Number, after: Number | None, start: int, end: int) -> None:
        """Units [start, end) stand between two numbers of the sequence; `start - 1` is the unit of `before`."""
        needed = forced(before, after, self.levels) if after else ()
        if len(needed) > MAX_HOLE:
            self._lost(needed[:1], before, after, "the step is too wide to be repaired")
            return
        traces = self._without_lists([index for index in range(start, end) if self._is_trace(index)])
        if traces:
            self._traces(before, after, start, end, traces)
            return
        if any(_reserved(unit.text) for unit in self.units[max(start - 1, 0) : end]):
            return
        free = self._free(start, end)
        if not needed:
            if after is None or len(after) < len(before):
                self._definitions(before, free)
            return
        self._fill(list(needed), free, before, after)

    def _spans(self, accepted: Sequence[int]) -> list[tuple[Number, Number | None, int, int]]:
        """(before, after, start, end) of the text between two numbers; headings such as "Case 2" bound it where they are level 1."""
        spans: list[tuple[Number, Number | None, int, int]] = []
        heads = dict(branches(self.units)) if 1 not in self.levels else {}
        before: Number = ()
        start = 0
        for position in sorted({*accepted, *heads}):
            value = heads.get(position)
            number = self.units[position].number or (value or 0, 1)
            spans.append((before, number, start, position))
            before, start = ((value,), after_title(self.units, position)) if value else (number, position + 1)
        spans.append((before, (len(heads) + 1, 1) if heads else None, start, len(self.units)))
        return spans

    def _skipped(self, before: Number, after: Number | None, start: int, end: int) -> None:
        """Where the first level is not printed ("1.1." stands under a heading), whole branches can be lost: they are named."""
        if after is None or 1 in self.levels or 2 not in self.levels or any(unit.number for unit in self.units[start:end]):
            return
        first = before[0] + (1 if len(before) > 1 else 0) if before else 1
        skipped = [(value, 1) for value in range(first, after[0])][:MAX_HOLE]
        if skipped:
            self._lost(skipped, before, after, "these and what follows them are not printed")

    def _without_lists(self, traces: list[int]) -> list[int]:
        """ "1.", "2.", "3." inside a clause are a list of its own, not the ends of lost numbers."""
        single = [
            index for index in traces if parse(self.units[index].printed or "") and "." not in (self.units[index].printed or "")[:-1]
        ]
        if not any(parse(self.units[index].printed or "") == (1,) for index in single):
            return traces
        self._forget(single)
        return [index for index in traces if index not in single]

    def _is_trace(self, index: int) -> bool:
        unit = self.units[index]
        return unit.number is None and (unit.slot or unit.printed is not None)

    def _free(self, start: int, end: int) -> list[int]:
        """Paragraphs of [start, end) that may have lost a number: no items, no rest of a sentence, not the text of a lone number."""
        free = []
        for index in range(start, end):
            unit = self.units[index]
            if unit.kind != "text" or unit.printed or unit.slot or ITEM.match(unit.text.strip()) or not unit.text.strip():
                continue
            previous = self.units[index - 1] if index else None
            if previous is not None and (previous.alone or _text_of_title(previous, unit)):
                continue
            if (
                previous is not None
                and previous.kind == "text"
                and not previous.heading
                and goes_on(previous.text, unit.text)
                and unit.text.strip()[0].islower()
            ):
                continue
            free.append(index)
        return free

    def _fill(self, needed: list[Number], free: list[int], before: Number, after: Number | None) -> None:
        """Numbers that must stand here, to paragraphs that may have lost them."""
        reason = f"the sequence {self._between(before, after)} leaves no other number for this paragraph"
        for choice in (self._all, self._by_shape):
            chosen = choice(needed, free)
            if chosen and len(chosen) == len(needed):
                for number, index in zip(needed, chosen, strict=True):
                    self._assign(index, number, reason)
                return
        titles = [number for number in needed if self._expects_title(number)]
        headings = [index for index in free if title_like(self.units[index].text)]
        if titles and len(titles) == len(headings) and len(titles) < len(needed):
            for number, index in zip(titles, headings, strict=True):
                self._assign(index, number, f"{reason}; it is the only heading for it")
            bounds: list[tuple[Number, int]] = [(before, -1), *zip(titles, headings, strict=True)]
            for position, (number, index) in enumerate(bounds):
                follower = bounds[position + 1] if position + 1 < len(bounds) else (after, len(self.units))
                part = [missing for missing in needed if number < missing and (follower[0] is None or missing < follower[0])]
                if part:
                    self._fill(part, [place for place in free if index < place < follower[1]], number, follower[0])
            return
        self._lost(
            needed, before, after, f"unnumbered paragraphs that could bear it: {len(free)}" if free else "no paragraph is left for it"
        )

    def _all(self, needed: list[Number], free: list[int]) -> list[int]:
        return free

    def _by_shape(self, needed: list[Number], free: list[int]) -> list[int]:
        """Headings where every sibling has one, definitions where every sibling is one."""
        if all(self._expects_title(number) for number in needed):
            return [index for index in free if title_like(self.units[index].text)]
        if all(all(self.defined.get(number[:-1], [False])) for number in needed):
            return [index for index in free if definition_like(self.units[index].text)]
        return []

    def _expects_title(self, number: Number) -> bool:
        return all(self.titled.get(number[:-1], [False]))

    def _definitions(self, before: Number, free: list[int]) -> bool:
        """A list of numbered definitions that goes on without readable numbers: each quoted term is the next one."""
        siblings = self.defined.get(before[:-1], []) if before else []
        if not siblings or not all(siblings) or not free:
            return False
        if not all(definition_like(self._own_text(index)) for index in free):
            return False
        numbers = [(*before[:-1], before[-1] + step) for step in range(1, len(free) + 1)]
        fits = [self._trace(index).fits(number) for number, index in zip(numbers, free, strict=True)]
        if not all(fits):
            return False
        for number, index in zip(numbers, free, strict=True):
            self._assign(
                index,
                number,
                f"a list of numbered definitions goes on after {show(before, self.prefix)}; every paragraph defines one term",
            )
        return True

    def _paragraphs(self, start: int, end: int) -> list[int]:
        """Traces and paragraphs without one, in order."""
        return sorted({index for index in range(start, end) if self._is_trace(index)} | set(self._free(start, end)))

    def _traces(self, before: Number, after: Number | None, start: int, end: int, traces: list[int]) -> None:
        """Numbers of which something is left: an unreadable one (slot) or its last digits."""
        if self._definitions(before, self._paragraphs(start, end)):
            return
        paragraphs = self._paragraphs(start, end)
        items = [self._trace(index) if index in traces else None for index in paragraphs]
        options = walk(before, after, items, self.levels) if len(paragraphs) <= MAX_PARAGRAPHS else []
        if not options:
            self._lost(
                forced(before, after, self.levels) if after else successors(before)[:1], before, after, "too much text stands between"
            )
            self._forget(traces)
            return
        if not all(options):
            self._forget(traces)
            self._hole(before, after, start, end)
            return
        sure = [
            (index, number)
            for index, option in zip(paragraphs, options, strict=True)
            if len(option) == 1 and (number := next(iter(option)))
        ]
        for index, number in sure:
            self._assign(index, number, f"what is left of the numbers {self._between(before, after)} allows no other here")
        if not sure:
            names = {
                number for index, option in zip(paragraphs, options, strict=True) if index in traces for number in option if number
            }
            names |= set(forced(before, after, self.levels)) if after else set()
            self._lost(sorted(names), before, after, "what is left of the numbers does not settle which")
            self._forget(traces)
            return
        bounds: list[tuple[Number, int]] = [(before, start - 1), *((number, index) for index, number in sure)]
        for position, (number, index) in enumerate(bounds):
            follower, stop = bounds[position + 1] if position + 1 < len(bounds) else (after, end)
            self._hole(number, follower, index + 1, stop)

    def _trace(self, index: int) -> Trace:
        return Trace(suffix=self.units[index].printed, size=self.units[index].size)

    def _forget(self, traces: Sequence[int]) -> None:
        for index in traces:
            unit = self.units[index]
            if unit.number is None:
                unit.forget()

    def _between(self, before: Number, after: Number | None) -> str:
        first = show(before, self.prefix) if before else "the start"
        return f"between {first} and {show(after, self.prefix) if after else 'the end'}"

    # --- results ----------------------------------------------------------------------------------------------------

    def _assign(self, index: int, number: Number, reason: str) -> None:
        unit = self.units[index]
        unit.number = number
        self._repair(unit, number, reason)
        self._learn_one(index)

    def _repair(self, unit: PrintedUnit, number: Number, reason: str) -> None:
        before = unit.printed or unit.remains or ("(unreadable)" if unit.slot else "")
        self.out.repairs.append(
            Repair(
                place=clause_id(self.region, show(number, self.prefix)),
                before=before,
                after=f"{show(number, self.prefix)}.",
                reason=reason,
                page=unit.page,
            )
        )

    def _lost(self, numbers: Sequence[Number], before: Number, after: Number | None, why: str) -> None:
        names = ", ".join(clause_id(self.region, show(number, self.prefix)) for number in numbers)
        self.named.update(numbers)
        self.out.findings.append(
            Finding(
                code="R101",
                severity="warning",
                message=f"number lost: {names}, {self._between(before, after)} of {self.region}; {why}",
                place=names,
                hint="read the official PDF, or write the number into the source before its paragraph",
            )
        )

    def _suspects(self) -> None:
        """Only children after which unnumbered paragraphs follow, repaired clauses with several: a number may be lost unseen."""
        for suspect, reason in suspects(self.units, damaged=self.damaged, prefix=self.prefix):
            name = ", ".join(clause_id(self.region, show(number, self.prefix)) for number in suspect)
            if self.named.issuperset(suspect):
                continue
            self.out.findings.append(
                Finding(
                    code="R102",
                    severity="warning",
                    message=f"number perhaps lost: {name}; {reason}",
                    place=name,
                    hint="compare with the official PDF; the text stands with the clause before it",
                )
            )


def _text_of_title(title: PrintedUnit, unit: PrintedUnit) -> bool:
    """Whether a paragraph is the text of the title above it, whose number the layout sets apart: it has lost none itself."""
    return title.apart and title.number is not None and title_like(title.text) and not title_like(unit.text)


def _reserved(text: str) -> bool:
    """ "2.14. to 2.16. (Reserved)": the document itself leaves the numbers out."""
    return bool(re.search(r"\d\.?\s*(?:[–-]|to|and)\s*\d[\d.]*\s*\(?(?:reserved|deleted)\)?", text, re.IGNORECASE))


# ---- headings that are the first level of the numbers without being printed as one: "Case 2" above 2.1 and 2.2.


_HEADING = re.compile(r"^(?P<word>[A-Z][a-z]+)\s+(?P<value>\d{1,2})(?:\s*[:–—-]\s.*)?$")


def branches(units: Sequence[PrintedUnit]) -> list[tuple[int, int]]:
    """(position, value) of headings that count up from 1 in the same word and above which stand just the numbers that they say.

    Empty when any number printed in sequence contradicts, or when fewer than two bear it out.
    """
    spans: list[tuple[int, int]] = []
    word = ""
    for position, unit in enumerate(units):
        heading = _HEADING.match(unit.text.strip()) if unit.kind == "text" and unit.number is None and not unit.printed else None
        if heading and int(heading["value"]) == len(spans) + 1 and heading["word"] in ("", word or heading["word"]):
            word = heading["word"]
            spans.append((position, len(spans) + 1))
    if len(spans) < 2:
        return []
    borne_out = 0
    for position, unit in enumerate(units):
        if unit.number is None:
            continue
        branch = sum(start < position for start, _ in spans)
        if len(unit.number) < 2 or unit.number[0] != branch:
            return []
        borne_out += 1
    return spans if borne_out >= 2 else []


def after_title(units: Sequence[PrintedUnit], position: int) -> int:
    """Where the text of a branch begins: behind the heading and the title that may follow it."""
    start = position + 1
    if start < len(units) and not units[start].printed and not units[start].slot and title_like(units[start].text):
        start += 1
    return start


# ---- numbers that the sequence does not force but that something else speaks for: reported, never repaired.


def suspects(units: Sequence[PrintedUnit], *, damaged: bool, prefix: str = "") -> list[tuple[tuple[Number, ...], str]]:
    """Numbers that the sequence does not force but that something else speaks for, each with what speaks for it.

    Only where numbers are known to be lost (in this region, or `damaged`: in the document): elsewhere an only child is one.
    """
    numbered = [(index, unit.number) for index, unit in enumerate(units) if unit.number]
    if not damaged and not any(unit.number and parse(unit.printed or "") != unit.number for unit in units):
        return []
    children: dict[Number, list[Number]] = {}
    for _, number in numbered:
        children.setdefault(number[:-1], []).append(number)
    depths = {len(number) for _, number in numbered}
    doubtful: list[tuple[tuple[Number, ...], str]] = []
    for position, (index, number) in enumerate(numbered):
        end = numbered[position + 1][0] if position + 1 < len(numbered) else len(units)
        following = numbered[position + 1][1] if position + 1 < len(numbered) else None
        extra = _extra(units, index, end)
        if not extra:
            continue
        only = next((number[:depth] for depth in range(len(number), 1, -1) if len(children.get(number[: depth - 1], ())) == 1), None)
        if only and (following is None or following[: len(only) - 1] != only[:-1]) and _all_last(number, only, children):
            names = tuple((*only[:-1], only[-1] + step) for step in range(1, (extra if extra <= 2 else 1) + 1))
            doubtful.append((names, f"{show(only, prefix)} is an only child, unnumbered paragraphs after it: {extra}"))
        elif extra > 1 and parse(units[index].printed or "") != number and not children.get(number) and len(number) + 1 in depths:
            doubtful.append(
                (((*number, 1),), f"the number {show(number, prefix)} was lost itself, unnumbered paragraphs after it: {extra}")
            )
    return doubtful


def _extra(units: Sequence[PrintedUnit], index: int, end: int) -> int:
    """Paragraphs of a clause beyond its first text, without items and the rest of cut sentences."""
    texts: list[str] = []
    for unit in units[index:end]:
        text = unit.text.strip()
        if unit.kind != "text" or not text or ITEM.match(text) or (texts and goes_on(texts[-1], text)):
            continue
        texts.append(text)
    if texts and title_like(texts[0]):
        texts = texts[1:]
    return max(len(texts) - 1, 0)


def _all_last(number: Number, only: Number, children: dict[Number, list[Number]]) -> bool:
    """Whether `number` is the last descendant of `only`."""
    return all(
        children.get(number[:depth], [number[: depth + 1]])[-1] == number[: depth + 1] for depth in range(len(only), len(number))
    )
