"""The parts of a regulation: body, annexes, their appendices; and its table of contents, which names them."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from regc.model.document import Repair
from regc.readers.assemble.numbering import introduction, parse
from regc.readers.assemble.paragraphs import PrintedUnit, title_like

_CONTENTS = re.compile(r"^(?:table\s+of\s+)?contents\b\.?(?:\s+page)?$", re.IGNORECASE)
_ENTRY = re.compile(r"^(?P<title>.*?)(?:\s*(?:\.\s?){2,}|\s*…+|\s+\.|\s)[\s.…]*(?P<page>\d{1,3})$", re.DOTALL)
_HEAD = re.compile(
    r"^(?:(?P<annex>annex)\s+(?P<number>\d{1,2}[A-Z]?|[IVXL]+|[A-Z])(?![\w.]))?"
    r"(?:\s*[-–—,]?\s*(?P<appendix>appendix)\s+(?P<sub>\d{1,2}[A-Z]?|[IVXL]+|[A-Z])(?![\w.]))?"
    r"(?:\s*[-–—:]\s*(?P<title>\S.*))?$",
    re.IGNORECASE | re.DOTALL,
)
_PART = re.compile(
    r"^part\s+(?P<part>[A-Z]|[IVXL]+|\d{1,2})(?!\w)\s*(?:[-–—:.]\s*)?(?P<title>\S.*)?$",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED_ENTRY = re.compile(r"^(?P<number>\d{1,2}[A-Z]?|[IVXL]+)\.?\s+(?P<title>\S.*)$", re.DOTALL)
#: The heading of an introduction: words that can stand in a clause's id.
_NAME = re.compile(r"[A-Z][A-Za-z ]{2,40}")
_TITLE_MATCH = 0.8


@dataclass
class Region:
    """A part of the document: its name ("Annex 3 - Appendix 1", "Annex 9 - Part B"), its title, its units in order, the letter
    before its numbers, and the footnote marks of its heading."""

    name: str
    title: str | None = None
    units: list[PrintedUnit] = field(default_factory=list)
    page: int | None = None
    prefix: str = ""
    marks: tuple[str, ...] = ()


@dataclass
class Contents:
    """What the table of contents says: region name to title."""

    annexes: dict[str, str] = field(default_factory=dict)


def head(text: str, current: str) -> tuple[str, str | None] | None:
    """The region that a heading opens and the title in it: "Annex 3 - Appendix 1: Form" inside anything, "Appendix 1" in Annex 3."""
    plain = " ".join(text.split())
    if len(plain) > 200:
        return None
    if plain.lower() == "appendix" and current.startswith("Annex"):
        return f"{current.split(' - ')[0]} - Appendix", None
    match = _HEAD.match(plain)
    if not match or not (match["annex"] or match["appendix"]):
        return None
    name = f"Annex {match['number'].upper()}" if match["annex"] else ""
    if match["appendix"]:
        above = name or (current.split(" - ")[0] if current.startswith("Annex") else "")
        name = f"{above} - Appendix {match['sub'].upper()}" if above else f"Appendix {match['sub'].upper()}"
    return name, match["title"]


def without_contents(stream: list[PrintedUnit]) -> tuple[list[PrintedUnit], Contents]:
    """The units without the table of contents, and what it said."""
    start = next((index for index, unit in enumerate(stream) if unit.kind == "text" and _CONTENTS.match(unit.whole.strip())), None)
    contents = Contents()
    if start is None:
        return stream, contents
    end = start + 1
    cursor = start + 1
    kept: list[PrintedUnit] = []
    while cursor < len(stream) and cursor - end < 6:
        if _is_entry(stream[cursor]) or stream[cursor].whole.strip().lower() in ("page", "annexes", "annex", "paragraph"):
            end = cursor + 1
        cursor += 1
    current = ""
    annexes = False
    for unit in stream[start + 1 : end]:
        text = " ".join(unit.whole.split())
        if unit.printed and unit.apart:
            text = f"{unit.printed} {text}"
        if text.lower() == "annexes":
            annexes = True
            continue
        match = _ENTRY.match(text)
        title = (match["title"] if match else text).rstrip(" .…")
        opened = head(title, current)
        if opened:
            current = opened[0]
            contents.annexes[current] = opened[1] or ""
        elif annexes:
            numbered = _NUMBERED_ENTRY.match(title)
            if numbered:
                current = f"Annex {numbered['number'].upper()}"
                contents.annexes[current] = numbered["title"]
    return stream[:start] + kept + stream[end:], contents


def _is_entry(unit: PrintedUnit) -> bool:
    text = unit.whole.strip()
    return (
        unit.kind == "text"
        and len(text) <= 220
        and bool(_ENTRY.match(text))
        and bool(re.search(r"(?:\.\s?\.|…|\s\.?\s*)\d{1,3}$", text))
    )


def regions(stream: list[PrintedUnit], contents: Contents, prefix: str = "") -> tuple[list[Region], list[Repair]]:
    """Units by region. A heading that only the table of contents knows as an annex's title opens it too; so does a part of an annex
    whose numbers begin anew."""
    named = [Region("body", prefix=prefix)]
    repairs: list[Repair] = []
    printed = {opened[0] for unit in stream if (opened := _opened(unit, ""))}
    lost = [(name, title) for name, title in contents.annexes.items() if title and name not in printed]
    own_parts = _parts(stream)
    start, end = _introduction(stream)
    index = 0
    while index < len(stream):
        unit = stream[index]
        if index == start < end:
            named.insert(0, Region(" ".join(unit.whole.split()), page=unit.page, prefix=prefix, units=stream[start + 1 : end]))
            index = end
            continue
        opened = own_parts.get(index) or _opened_here(stream, index, named[-1].name)
        if opened and opened[0] in (named[-1].name, named[-1].name.partition(" - Part ")[0]):
            index += 1
            continue
        if opened and not any(region.name == opened[0] for region in named):
            region = Region(opened[0], opened[1], page=unit.page, prefix=prefix, marks=unit.marks)
            index += 1
            if region.title is None and index < len(stream) and index not in own_parts and _is_title(stream[index]):
                region.title = " ".join(stream[index].whole.split())
                region.marks += stream[index].marks
                index += 1
            named.append(region)
            lost = [(name, title) for name, title in lost if name != region.name]
            continue
        match = _lost_region(stream, index, lost)
        if match is not None:
            position, used = match
            name, title = lost[position]
            words = " ".join(" ".join(stream[index + step].whole.split()) for step in range(used))
            named.append(Region(name, words, page=unit.page, prefix=prefix))
            repairs.append(
                Repair(
                    place=name,
                    before=words,
                    after=f"{name}: {words}",
                    reason=f'the heading of the region is lost; the table of contents gives this title to {name} ("{title}")',
                    page=unit.page,
                )
            )
            lost = lost[position + 1 :]
            index += used
            continue
        named[-1].units.append(unit)
        index += 1
    return named, repairs


def _introduction(stream: list[PrintedUnit]) -> tuple[int, int]:
    """Where the heading and the end of an introduction stand that numbers its paragraphs from 1, before the body's begin at 1."""
    body = next((index for index in range(len(stream)) if _opened(stream[index], "")), len(stream))
    numbered = [(i, number) for i, unit in enumerate(stream[:body]) if unit.printed and (number := parse(unit.printed))]
    count = introduction([number for _, number in numbered])
    start = numbered[0][0] - 1 if count else -1
    if start < 0 or not (_is_title(stream[start]) and _NAME.fullmatch(" ".join(stream[start].whole.split()))):
        return 0, 0
    end = numbered[count][0]
    while stream[end - 1].kind == "text" and stream[end - 1].heading and not stream[end - 1].printed:
        end -= 1
    return start, end


def _parts(stream: list[PrintedUnit]) -> dict[int, tuple[str, str | None]]:
    """Headings "Part A", "Part B" of an annex that number their paragraphs from 1 each, as regions by their place in the stream."""
    made: dict[int, tuple[str, str | None]] = {}
    annex = "body"
    headings: list[tuple[int, re.Match[str], list[str]]] = []

    def settle() -> None:
        if len(headings) > 1 and all(numbers[:1] in (["1."], ["1"]) for _, _, numbers in headings):
            made.update({index: (f"{annex} - Part {match['part'].upper()}", match["title"]) for index, match, _ in headings})
        headings.clear()

    for index, unit in enumerate(stream):
        opened = _opened_here(stream, index, annex)
        if opened and opened[0] != annex:
            settle()
            annex = opened[0]
        elif annex != "body" and unit.kind == "text" and unit.heading and (match := _PART.match(unit.whole.strip())):
            headings.append((index, match, []))
        elif headings and unit.kind == "text" and unit.printed:
            headings[-1][2].append(unit.printed)
    settle()
    return made


def _opened_here(stream: list[PrintedUnit], index: int, current: str) -> tuple[str, str | None] | None:
    """The region that a unit opens where it stands: a bare "Appendix" does below the annex's name, on a new page or as a heading."""
    unit = stream[index]
    opened = _opened(unit, current)
    if opened and unit.whole.strip().lower() == "appendix" and not unit.heading and index:
        before = stream[index - 1]
        return opened if before.page != unit.page or _opened(before, current) else None
    return opened


def _opened(unit: PrintedUnit, current: str) -> tuple[str, str | None] | None:
    if unit.kind != "text" or unit.printed or unit.slot or not (unit.heading or len(unit.whole) <= 60):
        return None
    return head(unit.whole.strip(), current)


def _is_title(unit: PrintedUnit) -> bool:
    return (
        unit.kind == "text" and not unit.printed and not unit.slot and title_like(unit.whole) and head(unit.whole.strip(), "") is None
    )


def _lost_region(stream: list[PrintedUnit], index: int, lost: list[tuple[str, str]]) -> tuple[int, int] | None:
    """(position in `lost`, units used) when the heading at `index` has the title of a region whose own heading is lost."""
    unit = stream[index]
    if not lost or unit.kind != "text" or not unit.heading or unit.printed:
        return None
    words = " ".join(unit.whole.split())
    following = stream[index + 1] if index + 1 < len(stream) else None
    for position, (_, title) in enumerate(lost):
        if _alike(words, title):
            return position, 1
        if (
            following is not None
            and following.heading
            and not following.printed
            and _alike(f"{words} {following.whole.strip()}", title)
        ):
            return position, 2
    return None


def _alike(words: str, title: str) -> bool:
    if abs(len(words) - len(title)) > 0.3 * max(len(words), len(title)):
        return False
    return difflib.SequenceMatcher(None, words.lower(), title.lower()).ratio() >= _TITLE_MATCH
