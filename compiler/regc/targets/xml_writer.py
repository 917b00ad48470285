"""XML with fixed bytes, and where in it the numbers of the sheet stand."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from regc.model import formula as formulas
from regc.model.stage import Entry
from regc.model.units import plain

# ---- numbers of a file: plain digits in a concrete one, expressions over declared parameters in a logical one.


class NotExpressible(Exception):
    """A formula that an OpenSCENARIO expression cannot hold. `lines`: the parameters' lines that its functions depend on."""

    def __init__(self, formula: str, lines: frozenset[str] = frozenset()) -> None:
        super().__init__(formula)
        self.lines = lines


@dataclass(frozen=True)
class SheetNumber:
    """A value in SI and the formula over lines of the stage's sheet that gives it; "" for one that is fixed."""

    value: float
    formula: str = ""

    def __add__(self, other: SheetNumber) -> SheetNumber:
        return _joined(self, "+", other, self.value + other.value)

    def __sub__(self, other: SheetNumber) -> SheetNumber:
        return _joined(self, "-", other, self.value - other.value)

    def times(self, factor: float) -> SheetNumber:
        """The number times a fixed factor."""
        if factor == 1:
            return self
        return SheetNumber(self.value * factor, f"({self.formula}) * {_digits(factor)}" if self.formula else "")


def _joined(left: SheetNumber, sign: str, right: SheetNumber, value: float) -> SheetNumber:
    if not left.formula and not right.formula:
        return SheetNumber(value)
    return SheetNumber(value, f"({left.formula or _digits(left.value)}) {sign} ({right.formula or _digits(right.value)})")


def _digits(value: float) -> str:
    text = plain(Decimal(repr(float(value))), 9)
    # not every player's expressions know a sign of their own
    return f"(0 - {text[1:]})" if text.startswith("-") else text


class Numbers:
    """The numbers of a file, by the sheet of its stage (none for a file that belongs to no stage). `symbols`: sheet name -> expression
    over declared parameters, for a logical file."""

    def __init__(self, sheet: Mapping[str, Entry], symbols: Mapping[str, str] | None = None) -> None:
        self._sheet = sheet
        self._symbols = dict(symbols or {})
        self._resolved: dict[str, str | None] = {}

    @classmethod
    def fixed(cls) -> Numbers:
        """For a file that belongs to no stage."""
        return cls({})

    def at(self, path: str, value: float) -> SheetNumber:
        """The number at a path of the stage; it has a formula where the sheet has that line."""
        return SheetNumber(value, path if path in self._sheet else "")

    def text(self, number: SheetNumber | float) -> str:
        """As it stands in an attribute."""
        if not isinstance(number, SheetNumber):
            return plain(Decimal(repr(float(number))))
        if self._symbols and number.formula and self._is_free(number.formula):
            expression = self._expression(number.formula)
            return expression if re.fullmatch(r"\$\w+", expression) else f"${{{expression}}}"
        return plain(Decimal(repr(number.value)))

    def _is_free(self, formula: str) -> bool:
        return any(self._symbol(name) is not None for name in formulas.names(formula))

    def _symbol(self, name: str) -> str | None:
        """The expression of a line that depends on a parameter; None for one that does not."""
        if name in self._symbols:
            return self._symbols[name]
        if name not in self._resolved:
            line = self._sheet.get(name)
            free = line is not None and bool(line.formula) and self._is_free(line.formula)
            self._resolved[name] = self._expression(line.formula) if line is not None and free else None
        return self._resolved[name]

    def _expression(self, formula: str) -> str:
        """A function of lines that are fixed is its value; one of a parameter is none that every player knows."""
        free = [name for name in formulas.of_functions(formula) if self._depends(name)]
        if free:
            raise NotExpressible(formula, frozenset(line for name in free for line in self._depends(name)))
        unknown = next((name for name in formulas.names(formula) if self._symbol(name) is None and name not in self._sheet), None)
        if unknown is not None:
            raise NotExpressible(f"{formula}: no line {unknown!r}")
        held = {name: line.value for name, line in self._sheet.items()}
        return formulas.rewritten(formulas.folded(formula, held), lambda name: self._symbol(name) or _digits(self._sheet[name].value))

    def _depends(self, name: str) -> frozenset[str]:
        """The parameters' lines that a line depends on."""
        if name in self._symbols:
            return frozenset((name,))
        line = self._sheet.get(name)
        if line is None or not line.formula:
            return frozenset()
        return frozenset(assumed for other in formulas.names(line.formula) for assumed in self._depends(other))


# ---- the file

Attribute = str | float | bool | SheetNumber


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
            if isinstance(value, SheetNumber) and value.formula:
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
            of_tag = Counter(child.tag for child in element) if len(element) > 1 else {}
            above, count = f"{path}/" if path else "", dict[str, int]()
            for child in element:
                tag = child.tag
                if of_tag and of_tag[tag] > 1:
                    count[child.tag] = count.get(child.tag, 0) + 1
                    tag = f"{tag}[{count[child.tag]}]"
                walk(child, above + tag)

        walk(root, "")
        order = {key: place for place, key in enumerate(paths)}
        in_order = sorted(((order[id(element)], f"{paths[id(element)]}@{key}", formula) for element, key, formula in self._written))
        return {path: formula for _, path, formula in in_order}


def serialized(root: ET.Element, comment: str = "") -> bytes:
    """The element as a document: two spaces of indent, LF, UTF-8; `comment` above the root (a licence line)."""
    head = '<?xml version="1.0" encoding="UTF-8"?>\n' + (f"<!-- {comment} -->\n" if comment else "")
    lines: list[str] = []
    _write(root, "", lines)
    return (head + "\n".join(lines) + "\n").encode()


#: What may not stand in an attribute as it is.
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#09;"})


def _write(element: ET.Element, indent: str, lines: list[str]) -> None:
    """An element of attributes and other elements, a line a tag; ET's own writer looks for namespaces and text in each. An element
    that was emptied keeps the blanks that stood in it."""
    blanks = element.text or ""
    assert not blanks.strip(), f"{element.tag} holds text"
    attributes = "".join([f' {name}="{value.translate(_ESCAPED)}"' for name, value in element.items()])
    if not len(element):
        end = f">{blanks}</{element.tag}>" if blanks else " />"
        lines.append(f"{indent}<{element.tag}{attributes}{end}")
        return
    lines.append(f"{indent}<{element.tag}{attributes}>")
    for child in element:
        _write(child, f"{indent}  ", lines)
    lines.append(f"{indent}</{element.tag}>")
