"""XML with fixed bytes, and where in it the numbers of the sheet stand."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from regc.targets.openscenario.numbers import Number, Numbers

Attribute = str | float | bool | Number


class Xml:
    """Builds one file. `places`: path of an attribute -> formula over the stage's sheet, for whoever checks the file."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._written: list[tuple[ET.Element, str, str]] = []

    def node(self, parent: ET.Element | None, tag: str, **attributes: Attribute) -> ET.Element:
        """A new element under `parent`, its attributes in the order given; a trailing "_" of a name is taken off."""
        element = ET.Element(tag) if parent is None else ET.SubElement(parent, tag)
        for name, value in attributes.items():
            key = name.rstrip("_")
            if isinstance(value, Number) and value.formula:
                self._written.append((element, key, value.formula))
            element.set(key, self._text(value))
        return element

    def nest(self, parent: ET.Element, *tags: str) -> ET.Element:
        """Elements without attributes, each inside the one before; the innermost."""
        for tag in tags:
            parent = ET.SubElement(parent, tag)
        return parent

    def _text(self, value: Attribute) -> str:
        if isinstance(value, str):
            return value
        if isinstance(value, bool):
            return "true" if value else "false"
        return self._numbers.text(value)

    def places(self, root: ET.Element) -> dict[str, str]:
        """`path@attribute` -> formula, in document order; a path counts children of one tag from 1 where there are several."""
        paths: dict[int, str] = {}

        def walk(element: ET.Element, path: str) -> None:
            paths[id(element)] = path
            count: dict[str, int] = {}
            several = {child.tag for child in element if sum(other.tag == child.tag for other in element) > 1}
            for child in element:
                count[child.tag] = count.get(child.tag, 0) + 1
                step = f"{child.tag}[{count[child.tag]}]" if child.tag in several else child.tag
                walk(child, f"{path}/{step}" if path else step)

        walk(root, "")
        order = {key: place for place, key in enumerate(paths)}
        found = sorted(((order[id(element)], f"{paths[id(element)]}@{key}", formula) for element, key, formula in self._written))
        return {path: formula for _, path, formula in found}


def serialized(root: ET.Element, comment: str = "") -> bytes:
    """The element as a document: two spaces of indent, LF, UTF-8; `comment` above the root (a licence line)."""
    ET.indent(root, "  ")
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' + (f"<!-- {comment} -->\n" if comment else "")
    return (head + ET.tostring(root, encoding="unicode") + "\n").encode()
