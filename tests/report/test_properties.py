"""Any text at all: it cannot leave the script element, and no spreadsheet takes it for a formula."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from regc.report.csv import plain_text
from regc.report.page_data import embedded

HOSTILE = st.one_of(st.text(), st.from_regex(r"(</?script|<!--|-->|\]\]>|[=+@-])[ -~]{0,20}", fullmatch=True))


@given(HOSTILE)
def test_json_stays_in_its_element_and_comes_back(text: str) -> None:
    inside = embedded({"x": text})
    assert "<" not in inside
    assert "\u2028" not in inside
    assert json.loads(inside) == {"x": text}


@given(HOSTILE)
def test_no_cell_is_a_formula(text: str) -> None:
    shown = plain_text(text)
    assert not shown.startswith(("=", "+", "@", "\t", "\r"))
    assert not shown.startswith("-") or re.fullmatch(r"-\d+(\.\d+)?", shown)
