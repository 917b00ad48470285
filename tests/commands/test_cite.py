"""`regc cite` reads a place of a document alone, and of a profile whose tests have faults or are not written yet."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome

SHUTTLES = Path(__file__).resolve().parents[1] / "fixtures" / "regulations" / "shuttles"
HEAD = (SHUTTLES / "profile.toml").read_text("utf-8").partition("[axis.category]")[0]


@pytest.mark.parametrize(
    "tests",
    [
        "",
        '[[test]]\nname = "one"\nat = "4.2"\nmanoeuver = "in_lane"\n',
        '[[test]]\nname = "one"\nat = "4.2"\nmanoeuvre = "in_lane"\nbind.ofset = "[at]"\n',
    ],
    ids=["no test", "a wrong key", "a wrong word"],
)
def test_a_profile_is_asked_for_its_document_and_short_names_only(tests: str, cli: Callable[..., Outcome], tmp_path: Path) -> None:
    own = Path(shutil.copytree(SHUTTLES, tmp_path / "own"))
    (own / "profile.toml").write_text(f'{HEAD}\n[place]\nT = "4"\n\n{tests}', "utf-8")
    assert cli("check", own).code == 1
    done = cli("cite", own, "[T.2: offset]")
    assert (done.code, done.out.splitlines()[0]) == (0, "[T.2: offset] reads <=0.25 m")
    given = cli("cite", own, "[T.2: offset]", "--source", SHUTTLES / "rules.md")
    assert given.out.splitlines()[0] == "[T.2: offset] reads <=0.25 m"


def test_a_document_alone(cli: Callable[..., Outcome]) -> None:
    done = cli("cite", SHUTTLES / "rules.md", "[4.2: with a tolerance of]", "--type", "tolerance of speed")
    assert (done.code, done.out.splitlines()[0]) == (0, "[4.2: with a tolerance of] reads +0/-1")
