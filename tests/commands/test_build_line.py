"""What `regc build` prints about the second look at the numbers."""

from __future__ import annotations

import pytest

from regc.commands.build import _proof


@pytest.mark.parametrize(
    ("cited", "derived", "accurate", "told"),
    [
        (20, 4, 24, "24 of 24 read again in the row, column or words they name, or recalculated"),
        (20, 4, 23, "23 of 24 read again in the row, column or words they name, or recalculated"),
        (0, 0, 0, "none is cited or derived, so nothing was proved"),
    ],
)
def test_the_line_says_what_was_computed(cited: int, derived: int, accurate: int, told: str) -> None:
    assert _proof({"numbers_cited": cited, "numbers_derived": derived, "numbers_accurate": accurate}) == told
