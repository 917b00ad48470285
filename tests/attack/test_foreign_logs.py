"""Drives whose verdict is known by construction, recorded well and badly (bench/judge.py): a seeded sample, and each kind of damage."""

from __future__ import annotations

import pytest

from bench import judge


def wrong(count: int, **choice: object) -> list[str]:
    """What is a false pass, a false fail, a wrong invalid or a traceback, of so many records."""
    return [judge.told(result) for result in judge.results(count, seed=7, **choice) if result.outcome in judge.WRONG]


@pytest.mark.slow
def test_a_seeded_sample_of_all_regulations() -> None:
    assert not wrong(140)


@pytest.mark.parametrize(
    "damage",
    [
        "reversed sign", "unit lie", "held gap,no contact flag", "lost speed,no contact flag", "crash,no contact flag", "stuck contact",
        "late contact,crash", "clamped gap", "lost samples,noise", "unmarked", "ends early", "clipped start", "jitter", "foreign names",
    ],
)  # fmt: skip
def test_damage(damage: str) -> None:
    assert not wrong(36, damage=damage)


def test_whole_records_are_judged_as_they_are() -> None:
    found = list(judge.results(80, seed=7, damage="whole"))
    decided = [result for result in found if result.verdict == result.drive.truth]
    assert {result.drive.truth for result in decided} == {"pass", "fail", "invalid"}
    assert len(decided) >= 0.7 * len(found), [judge.told(result) for result in found if result not in decided]
