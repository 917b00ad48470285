"""XML text with fixed bytes: two spaces of indent, plain decimals, LF."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from decimal import Decimal
from xml.sax.saxutils import escape

from regc.model.units import plain

_FLOAT = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?", re.IGNORECASE)
_PLACE = re.compile(r'"\$([a-z_]\w*)"')
#: attributes that look like numbers and are not
_WORDS = frozenset({"revMinor", "revMajor", "name", "id", "date", "dateTime", "description"})


def text(root: ET.Element, places: int = 9) -> str:
    """The element as an XML document; floats as plain decimals."""
    # a schema location would point at a file that is not delivered
    for key in ("xmlns:xsi", "xsi:noNamespaceSchemaLocation"):
        root.attrib.pop(key, None)
    for element in root.iter():
        for key, value in element.attrib.items():
            if key not in _WORDS and _FLOAT.fullmatch(value):
                element.attrib[key] = plain(Decimal(value), places)
    ET.indent(root, "  ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def fill(template: str, values: Mapping[str, str]) -> bytes:
    """The template with every `"$name"` replaced; raises KeyError for a name that has no value."""
    return _PLACE.sub(lambda match: f'"{escape(values[match[1]], {chr(34): "&quot;"})}"', template).encode()
