"""Paragraph numbers: the walk itself, and that no number is ever guessed."""

from __future__ import annotations

from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from regc.model.document import Document
from regc.readers.assemble.assembly import assemble
from regc.readers.assemble.blocks import Block
from regc.readers.assemble.numbering import Number, Trace, forced, increasing, letter_of, parse, show, size, successors, walk

ALL_LEVELS = frozenset({1, 2, 3, 4})


def read(*blocks: Block) -> Document:
    """Blocks as a document of an invented regulation."""
    return assemble(
        blocks, regulation="cart", edition="1", title="Carts", wording="embedded", sha256="0" * 64, reader="test", source_name="cart.md"
    )


def lines(*texts: str) -> Document:
    """Each text a paragraph; "# " marks a heading."""
    return read(*(Block("text", text=text.removeprefix("# "), heading=text.startswith("# ")) for text in texts))


def named(document: Document) -> str:
    """Every number that a finding names."""
    return " ".join(finding.place or "" for finding in document.findings)


@pytest.mark.parametrize(
    ("text", "number"), [("5.2.1.", (5, 2, 1)), ("12", (12,)), (".4.1.", None), ("5..1", None), ("A.1", None), ("1234.", None)]
)
def test_parse(text: str, number: Number | None) -> None:
    assert parse(text) == number
    if number:
        assert parse(show(number)) == number


def test_what_may_follow() -> None:
    assert successors((5, 1, 2)) == ((5, 1, 2, 1), (5, 1, 3), (5, 2), (6,))


@pytest.mark.parametrize(
    ("before", "after", "between"),
    [
        ((2,), (2, 1), ()),
        ((5, 1), (5, 2), ()),
        ((5, 6, 2), (6,), ()),
        ((5, 6, 2), (6, 1, 1), ((6,), (6, 1))),
        ((3,), (3, 2, 2), ((3, 1), (3, 2), (3, 2, 1))),
        ((4, 5), (4, 7), ((4, 6),)),
    ],
)
def test_what_must_stand_between(before: Number, after: Number, between: tuple[Number, ...]) -> None:
    assert forced(before, after, ALL_LEVELS) == between


def test_a_number_in_prose_falls_out_of_the_sequence() -> None:
    numbers: list[Number] = [(1,), (9, 9), (1, 1), (0, 9), (1, 2), (2,), (1, 1), (2, 1), (3,)]
    assert [numbers[index] for index in increasing([(number, 2) for number in numbers])] == [(1,), (1, 1), (1, 2), (2,), (2, 1), (3,)]


@given(st.lists(st.tuples(st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple), st.integers(1, 4)), max_size=9))
def test_the_chain_is_the_heaviest_increasing_one(candidates: list[tuple[Number, int]]) -> None:
    chain = increasing(candidates)
    assert all(a < b and candidates[a][0] < candidates[b][0] for a, b in pairwise(chain))
    best = [0] * len(candidates)
    for index, (number, weight) in enumerate(candidates):
        best[index] = weight + max((best[low] for low in range(index) if candidates[low][0] < number), default=0)
    assert sum(candidates[index][1] for index in chain) == max(best, default=0)


def test_traces_settle_a_number_or_leave_it_open() -> None:
    both = walk((5, 1, 4, 1, 1), (5, 1, 4, 2), [Trace(".4.1.2."), Trace(".1.4.1.3.")], frozenset({1, 2, 3, 4, 5}))
    assert both == [{(5, 1, 4, 1, 2)}, {(5, 1, 4, 1, 3)}]
    assert walk((7, 1, 2), (8,), [Trace(size=size((7, 2))), Trace(size=3.0)], ALL_LEVELS) == [{(7, 2)}, {(7, 3)}]
    assert walk((7, 1), (8,), [Trace()], ALL_LEVELS) == [{(7, 1, 1), (7, 2)}]
    assert walk((7, 1), (8,), [Trace("9.")], ALL_LEVELS) == [set()]
    assert walk((3,), (3, 2, 2), [Trace(size=3.0), None, Trace(size=3.0), None, None], ALL_LEVELS)[::2][:2] == [{(3, 1)}, {(3, 2)}]
    assert walk((6, 3, 3), (6, 5), [Trace(".4."), None], ALL_LEVELS)[0] == {(6, 3, 4), (6, 4)}
    assert walk((1,), None, [None] * 12, ALL_LEVELS) == []


def test_a_lost_number_with_one_paragraph_is_repaired_and_recorded() -> None:
    document = lines("1. Carts", "1.1. A cart has a box.", "A cart has a bell.", "1.3. A cart has a brake.")
    clause = document.clause("1.2")
    assert clause is not None
    assert clause.text == "A cart has a bell."
    assert [(repair.place, repair.after) for repair in document.repairs] == [("1.2", "1.2.")]
    assert "between 1.1 and 1.3" in document.repairs[0].reason


def test_two_paragraphs_for_one_number_are_a_finding_and_no_guess() -> None:
    document = lines("1. Carts", "1.1. A cart has a box.", "The box is red.", "A cart has a bell.", "1.3. A cart has a brake.")
    assert document.clause("1.2") is None
    assert not document.repairs
    assert [(finding.code, finding.place) for finding in document.findings] == [("R101", "1.2")]


def test_a_heading_without_a_number_is_the_one_that_is_missing() -> None:
    document = lines(
        "# 1. Carts",
        "1.1. A cart has a box.",
        "The box is red.",
        "# Wheels",
        "2.1. A wheel is round.",
        "# 3. Bells",
        "3.1. A bell rings.",
    )
    clause = document.clause("2")
    assert clause is not None
    assert clause.title == "Wheels"
    assert document.clause("1.1") is not None


def test_definitions_without_numbers_count_on() -> None:
    document = lines(
        "2. Terms",
        "For this text:",
        '"Cart" means a box on wheels.',
        '2.2. "Bell" means what rings.',
        '"Brake" means what stops a cart.',
        '"Horn" means a loud bell.',
        "3. Rules",
    )
    assert [clause.number for clause in document.clauses] == ["2", "2.1", "2.2", "2.3", "2.4", "3"]
    assert document.clause("2.4").text.startswith('"Horn"')  # type: ignore[union-attr]


def test_clipped_numbers() -> None:
    document = lines(
        "1. Carts",
        "1.1. A cart has a box.",
        "1.1.1. Its box is red.",
        ".1.2. Its box is flat.",
        "2. A bell is part of each cart.",
        "1.3. A cart has a brake.",
        "1.4. A cart has a lamp.",
    )
    assert [clause.number for clause in document.clauses] == ["1", "1.1", "1.1.1", "1.1.2", "1.2", "1.3", "1.4"]
    assert {repair.before for repair in document.repairs} == {".1.2.", "2."}


def test_a_list_inside_a_clause_is_no_clause() -> None:
    document = lines("1. Carts", "1.1. A cart has:", "1. A box.", "2. A bell.", "3. A brake.", "1.2. A cart is red.")
    assert [clause.number for clause in document.clauses] == ["1", "1.1", "1.2"]
    assert "2. A bell." in document.clause("1.1").text  # type: ignore[union-attr]


def test_prose_that_begins_with_a_figure_is_no_number() -> None:
    document = lines("1. Carts", "1.1. The friction of the road shall be", "0.9. unless another is named.", "1.2. A cart is red.")
    assert document.clause("1.1").text == "The friction of the road shall be 0.9. unless another is named."  # type: ignore[union-attr]


def test_unreadable_numbers_are_settled_by_their_width() -> None:
    document = read(
        Block("text", "7. Changes"),
        Block("text", "7.1. A change shall be told."),
        Block("text", "7.1.1. It may be small."),
        Block("text", number="", number_size=3.0),
        Block("text", "The owner shall be told."),
        Block("text", "8. End"),
        Block("text", "8.1. It ends."),
    )
    assert document.clause("7.2").text == "The owner shall be told."  # type: ignore[union-attr]


def test_an_unreadable_number_without_a_width_is_no_guess() -> None:
    document = read(
        Block("text", "7. Changes"),
        Block("text", "7.1. A change shall be told."),
        Block("text", number=""),
        Block("text", "The owner shall be told."),
        Block("text", "8. End"),
        Block("text", "8.1.1. It ends."),
    )
    assert document.clause("7.2") is None
    assert "7.2" in named(document)


def test_numbers_inside_a_paragraph_are_cut_out_but_references_stay() -> None:
    document = lines(
        "1. Carts",
        "1.1. Make: ....... 1.2. Colour: ....... 1.3. Bell, see paragraph 1.4. below: .......",
        "1.4. As of paragraphs 1.5. and 1.6. Nothing.",
    )
    assert [clause.number for clause in document.clauses] == ["1", "1.1", "1.2", "1.3", "1.4"]


def test_a_number_glued_to_its_text_or_inside_a_numbered_block() -> None:
    document = read(
        Block("text", "Carts", number="1"),
        Block("text", "A cart is red. 1.1.1. A red cart is loud.", number="1.1"),
        Block("text", "1.1.2.A loud cart has a bell of version 1.1.4. or later."),
        Block("text", "As of 1.1.4. it rings.", number="1.1.3"),
    )
    assert [(clause.number, clause.text) for clause in document.clauses[1:]] == [
        ("1.1", "A cart is red."),
        ("1.1.1", "A red cart is loud."),
        ("1.1.2", "A loud cart has a bell of version 1.1.4. or later."),
        ("1.1.3", "As of 1.1.4. it rings."),
    ]


OF_THE_BODY = ("1. Scope", "1.1. Carts.", "2. Terms", "2.1. Bells.")


def test_an_introduction_with_numbers_of_its_own_is_a_region() -> None:
    document = lines(
        "Rules on carts", "Introduction", "1. Carts are old.", "2. Carts are red.", "They ring.", "3. Carts ring.", *OF_THE_BODY
    )
    assert [clause.id for clause in document.clauses] == [
        "Introduction",
        "Introduction, 1",
        "Introduction, 2",
        "Introduction, 3",
        "body",
        "1",
        "1.1",
        "2",
        "2.1",
    ]
    assert document.clause("Introduction, 2").text == "Carts are red.\nThey ring."  # type: ignore[union-attr]


def test_numbers_before_the_body_without_a_heading_are_no_clauses() -> None:
    document = lines("Carts shall be red.", "1. Carts are old.", "2. Carts are red.", *OF_THE_BODY)
    assert [clause.number for clause in document.clauses] == [None, "1", "1.1", "2", "2.1"]
    assert "2. Carts are red." in document.clauses[0].text


def test_headings_that_are_the_first_level_bound_what_was_lost() -> None:
    def slot() -> Block:
        return Block("text", number="", number_size=3.0)

    document = read(
        Block("text", "Case 1", heading=True),
        Block("text", "Turning carts", heading=True),
        slot(),
        Block("text", "A cart turns."),
        slot(),
        Block("text", "For example:"),
        Block("text", "At a corner it turns left."),
        Block("text", "Case 2", heading=True),
        Block("text", "Stopping carts", heading=True),
        Block("text", "2.1. A cart stops."),
        slot(),
        Block("text", "For example at a wall."),
        Block("text", "Case 3", heading=True),
        Block("text", "3.1. A cart starts."),
        Block("text", "Case 4", heading=True),
        Block("text", "A cart is lost."),
    )
    assert [clause.number for clause in document.clauses if clause.number] == ["1.1", "1.2", "2.1", "2.2", "3.1"]
    assert document.clause("1.2").text.startswith("For example:\nAt a corner")  # type: ignore[union-attr]
    assert ("R101", "4.1") in [(finding.code, finding.place) for finding in document.findings]


def test_numbers_that_the_document_leaves_out_are_not_missed() -> None:
    document = lines("1. Carts", "1.1. A cart is red.", "1.2.–1.4. (Reserved)", "1.5. It ends.", "1.6. End.")
    assert not document.findings
    assert not document.repairs


def test_the_first_level_may_be_a_mere_heading() -> None:
    document = lines("Case 1", "1.1. A cart turns.", "1.2. For example at a corner.", "Case 2", "2.1. A cart stops.")
    assert [clause.number for clause in document.clauses if clause.number] == ["1.1", "1.2", "2.1"]
    assert not document.findings


WORDS = ("box", "bell", "wheel", "brake", "horn", "lamp", "seat", "axle", "rope", "shaft")


@st.composite
def damaged(draw: st.DrawFn) -> tuple[list[str], dict[str, str], list[str]]:
    """Paragraphs of a regulation with numbers lost at random, the first paragraph of every number, and the printed numbers."""
    paragraphs: list[str] = []
    truth: dict[str, str] = {}
    printed: list[str] = []
    count = 0

    def grow(number: Number, depth: int) -> None:
        nonlocal count
        titled = depth == 1 or draw(st.booleans())
        for child in range(1, draw(st.integers(1, 4 if depth > 1 else 3)) + 1):
            count += 1
            here = (*number, child)
            word = WORDS[count % len(WORDS)]
            first = f"Matters of the {word} {count:03d}x" if titled else f"The {word} {count:03d} shall be safe."
            truth[show(here)] = first
            lost = draw(st.integers(0, 3)) == 0
            if not lost:
                printed.append(show(here))
            paragraphs.append(first if lost else f"{show(here)}. {first}")
            for extra in range(draw(st.integers(0, 2))):
                paragraphs.append(f"Further words {extra} on the {word} {count:03d} shall count.")
            if depth < 3 and draw(st.integers(0, 2)):
                grow(here, depth + 1)

    grow((), 1)
    return paragraphs, truth, printed


@settings(max_examples=300, deadline=None)
@given(damaged())
def test_no_number_is_wrong_or_invented(case: tuple[list[str], dict[str, str], list[str]]) -> None:
    paragraphs, truth, printed = case
    if not printed:
        return
    document = lines(*paragraphs)
    found = {clause.number: (clause.title or clause.text.split("\n")[0]) for clause in document.clauses if clause.number}
    assert set(printed) <= set(found)
    for number, text in found.items():
        assert truth.get(number) == text
    assert {repair.place for repair in document.repairs} == set(found) - set(printed)


@pytest.mark.parametrize(
    ("texts", "letter"),
    [
        (["S1. Scope", "S2. Purpose", "S2.1 Words", "1. A list"], "S"),
        (["S1. Scope", "S2. Purpose"], ""),
        (["1. Scope", "M1. Class", "M2. Class", "M3. Class", "2. Words", "2.1. Words", "3. Words"], ""),
        (["S1 only", "S2 only", "S3 only"], ""),
    ],
    ids=["in most", "too few", "in some", "no number"],
)
def test_letter_before_the_numbers_of_a_document(texts: list[str], letter: str) -> None:
    assert letter_of(texts) == letter
