"""Footnotes of an HTML page: a link with a mark ("(1)", "*") leads to the note, and the note mostly links back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

_MARK = re.compile(r"^[\[(]?\s*(\*{1,3}\d{0,2}|†|‡|\d{1,3}|[a-z])\s*[\])]?$")
_BACK = re.compile(r"^[\[(]?\s*(?:\*{1,3}\d{0,2}|†|‡|\d{1,3}|[a-z]|[↩↑^⏎]\W*)\s*[\])]?$")
_INLINE = frozenset({"a", "span", "sup", "b", "i", "em", "strong", "small", "font"})


@dataclass(frozen=True)
class Notes:
    """`calls`: links in the text, the footnote that each leads to, and its mark. `bodies`: block elements that are a footnote,
    and its mark. `backs`: links from a footnote to its call."""

    calls: dict[Any, tuple[Any, str]]
    bodies: dict[Any, str]
    backs: frozenset[Any]

    def by_marker(self, marker: str) -> Any:
        """The only footnote with that mark; None where there is none, or more than one."""
        found = [body for body, mark in self.bodies.items() if mark == marker]
        return found[0] if len(found) == 1 else None


def is_element(node: Any) -> bool:
    """False for comments and processing instructions."""
    return isinstance(node.tag, str)


def find_notes(root: Any) -> Notes:
    """Which links are footnote calls and which elements are footnotes."""
    order = {node: index for index, node in enumerate(root.iter()) if is_element(node)}
    targets: dict[str, Any] = {}
    for node in order:
        for name in (node.get("id"), node.get("name") if node.tag == "a" else None):
            if name:
                targets.setdefault(name, node)
    calls: dict[Any, tuple[Any, str]] = {}
    bodies: dict[Any, str] = {}
    for link in root.iter("a"):
        mark = _MARK.match(_text(link))
        target = targets.get((link.get("href") or "").partition("#")[2])
        if not mark or target is None or order[target] <= order[link]:
            continue
        body = _block_of(target)
        marked = _text(link) != mark[1] or _is_raised(link) or mark[1].startswith("*")
        if body is None or link in body.iterdescendants() or not (marked or _begins(body, mark[1])):
            continue
        calls[link] = (body, mark[1])
        bodies.setdefault(body, mark[1])
    backs = frozenset(
        link for body in bodies for link in body.iter("a") if link.get("href") and link not in calls and _BACK.match(_text(link))
    )
    return Notes(calls, bodies, backs)


def _text(node: Any) -> str:
    return re.sub(r"[\s\u00a0]+", " ", node.text_content()).strip()


def _block_of(node: Any) -> Any:
    while node is not None and node.tag in _INLINE:
        node = node.getparent()
    return None if node is None or node.tag in ("body", "html") else node


def _is_raised(link: Any) -> bool:
    around = [link, *link.iterancestors("sup", "span"), *link.iterdescendants("sup", "span")]
    return any(node.tag == "sup" or "super" in (node.get("class") or "") for node in around)


def _begins(body: Any, mark: str) -> bool:
    return bool(re.match(rf"^[\[(]?\s*{re.escape(mark)}\b", _text(body)))
