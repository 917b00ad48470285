"""Items of a clause: the path of each, the number of its list, and the line above."""

from __future__ import annotations

import pytest

from regc.readers.assemble.items import items


def paths(text: str) -> list[str]:
    """Each item as "list number: path"."""
    found = items(text)
    assert all(text[item.start : item.end] == item.text for item in found)
    return [f"{item.number}: {item.label}" for item in found]


def test_nested_lists() -> None:
    text = "It applies when:\n(a) The road is:\n(i) Dry;\n(ii) Flat;\n(b) It is day;\n(c) Nothing stands there:\n(i) No cart."
    assert paths(text) == ["1: (a)", "1: (a)(i)", "1: (a)(ii)", "1: (b)", "1: (c)", "1: (c)(i)"]
    assert [item.lead for item in items(text)] == [
        "It applies when:",
        "(a) The road is:",
        "(a) The road is:",
        "It applies when:",
        "It applies when:",
        "(c) Nothing stands there:",
    ]


def test_three_levels() -> None:
    assert paths("(1) Carts:\n(i) Red:\n(A) Large;\n(B) Small;\n(ii) Blue;\n(2) Sledges.") == [
        "1: (1)",
        "1: (1)(i)",
        "1: (1)(i)(A)",
        "1: (1)(i)(B)",
        "1: (1)(ii)",
        "1: (2)",
    ]


def test_a_second_list_of_the_clause() -> None:
    text = "At these speeds:\n(a) 20 mph;\n(b) 40 mph.\nThe run begins with:\n(a) The cart at its speed;\n(b) A gap of 4 s."
    assert paths(text) == ["1: (a)", "1: (b)", "2: (a)", "2: (b)"]
    assert [item.lead for item in items(text)][2] == "The run begins with:"


def test_a_second_list_after_a_nested_one() -> None:
    text = "Either:\n(a) One;\n(b) Or:\n(i) Two;\n(ii) Three.\nThis is text.\nThe run begins with:\n(a) Four."
    assert paths(text) == ["1: (a)", "1: (b)", "1: (b)(i)", "1: (b)(ii)", "2: (a)"]


def test_a_list_goes_on_behind_a_line_without_a_label() -> None:
    assert paths("Speeds:\n(a) 20 mph;\nmeasured at the wheel.\n(b) 40 mph.") == ["1: (a)", "1: (b)"]


def test_items_inside_a_line() -> None:
    text = "The cart shall stop: (a) before the wall; (b) before the gate, and (c) at night.\nThe driver pays."
    assert paths(text) == ["1: (a)", "1: (b)", "1: (c)"]
    assert [item.text for item in items(text)] == ["(a) before the wall;", "(b) before the gate, and", "(c) at night."]
    assert items(text)[0].lead == "The cart shall stop:"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("As point 3, (b) and point 4, (c) say.", []),
        ("(a) The first of the two; (c) is none.", ["1: (a)"]),
        ("(TTC) of 4 s.", []),
        ("(if any) the box.", []),
        ("A mass (see 2.1) is given.", []),
        ("(g) Seven;\n(h) Eight;\n(i) Nine;\n(j) Ten.", ["1: (g)", "1: (h)", "1: (i)", "1: (j)"]),
        ("(z) Last;\n(aa) After it.", ["1: (z)", "1: (aa)"]),
        ("(iv) Four;\n(v) Five.", ["1: (iv)", "1: (v)"]),
        ("", []),
    ],
)
def test_what_is_an_item(text: str, found: list[str]) -> None:
    assert paths(text) == found


def test_a_bracket_inside_an_item_stays_in_it() -> None:
    (item,) = items("(a) The first of the two; (c) is none.")
    assert item.text == "(a) The first of the two; (c) is none."


def test_a_line_and_between_two_items_is_no_lead() -> None:
    text = "The share shall not exceed:\n(a) 10 per cent for cars;\nand\n(b) 20 per cent for sledges."
    assert [item.lead for item in items(text)] == ["The share shall not exceed:"] * 2
