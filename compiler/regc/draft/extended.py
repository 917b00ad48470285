"""Extended tests: a paragraph that begins so lists in which way a test is changed; an assessor judges what comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from regc.draft.addresses import said_place
from regc.draft.field import field
from regc.draft.outline import DrivenClause, Outline
from regc.lang.places import Reader


def extended(
    outline: Outline, reader: Reader, unit: DrivenClause, bind: Mapping[str, Any], columns: tuple[str, ...], roles: tuple[str, ...]
) -> Iterator[dict[str, Any]]:
    """An entry of `further` for each listed change of something that the test binds itself or by the `columns` of its table; what it
    is changed to is left to the tester."""
    known = field()
    judged = next((s for s in outline.sentences(unit.at) if known.words("extended", "judged").find(s.text)), None)
    match = known.words("extended", "judged").find(judged.text) if judged else None
    assess = said_place(reader, judged, match[0]) if judged and match else None
    if judged is None or assess is None:
        return
    for sentence in outline.sentences(unit.at):
        if not sentence.item or not sentence.clause.startswith(judged.clause):
            continue
        change = next(
            (name for name in known.names("extended", "change") if known.words("extended", "change", name).find(sentence.text)), ""
        )
        found = known.words("extended", "change", change).find(sentence.text) if change else None
        said = said_place(reader, sentence, found[0]) if found else None
        what = _changed(change, bind, columns, roles)
        if said and what:
            yield what | {
                "token": f"ext-{_label(sentence.item)}",
                "status": "evidence",
                "said": f"[{said}]",
                "require": {"strategy": f"assess [{assess}]"},
            }


def _label(item: str) -> str:
    """The label of an item for an id: "(c)(i)" is "c-i"."""
    return item.strip("()").replace(")(", "-")


def _changed(change: str, bind: Mapping[str, Any], columns: tuple[str, ...], roles: tuple[str, ...]) -> dict[str, Any]:
    """What an entry changes: another road user, a larger binding, other speeds (those of the table where it gives some: what stands
    still beside it does not change); {} for what the test does not bind."""
    if change == "actor":
        return {"other": [f"actors.{role}" for role in roles if role == "target"]} if "target" in roles else {}
    if change.startswith("larger_"):
        name = change.removeprefix("larger_")
        return {name: f"above({bind[name]})"} if name in bind else {}
    asked = {"speeds": ("subject", "lead", "target")}.get(change, (change,))
    names = [name for name in asked if name in columns] or [name for name in asked if name in bind]
    return {"other": names} if names else {}
