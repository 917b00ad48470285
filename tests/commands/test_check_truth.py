"""`regc check` of a folder: a profile beside which no person's reading lies is told so."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.conftest import Outcome

FIXTURE = Path(__file__).resolve().parents[1] / "fixtures" / "regulations" / "shuttles"


def test_a_folder_without_truth_is_told(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    folder = tmp_path / "shuttles"
    shutil.copytree(FIXTURE, folder)
    (folder / "truth.csv").unlink(missing_ok=True)
    done = cli("check", folder)
    assert "C111" in done.out + done.err
    assert "no truth.csv lies beside the profile" in done.out + done.err
    (folder / "truth.csv").write_text("id,test\n", "utf-8")
    done = cli("check", folder)
    assert "C111" not in done.out + done.err


def test_a_truth_of_some_tests_is_compared_where_it_says_something(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    """One test of the folder in the table, with cells left empty."""
    own = Path(shutil.copytree(FIXTURE, tmp_path / "shuttles"))
    assert cli("build", own, "--target", "text", "--out", tmp_path / "out").code == 0
    held = json.loads(next((tmp_path / "out").glob("*/scenarios.json")).read_text("utf-8"))["scenarios"]
    first = next(item["id"] for item in held if item["test"] == "rolling_cart" and item["status"] == "mandatory")
    for tolerance, target, code in (("+1/-0 mph", "", 0), ("", "", 0), ("±1 mph", "", 1), ("", "99 mph", 1)):
        (own / "truth.csv").write_text(f"id,test,tol.target,bind.target\n{first},rolling_cart,{tolerance},{target}\n", "utf-8")
        done = cli("build", own, "--target", "text", "--out", tmp_path / "out")
        assert f"1 of {len(held)} tests are in the table" in done.out
        assert "too many" not in done.out
        assert done.code == code, done.out


def test_a_line_of_no_test_is_an_error(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    own = Path(shutil.copytree(FIXTURE, tmp_path / "shuttles"))
    (own / "truth.csv").write_text("id,test\nLR7-2nd_p9,standing_cart\n", "utf-8")
    done = cli("build", own, "--target", "text", "--out", tmp_path / "out")
    assert done.code == 1
    assert "missing: LR7-2nd_p9" in done.out


def test_criteria_that_no_log_decides_are_counted(cli: Callable[..., Outcome]) -> None:
    """UN R130 asks for two modes of warning, which are on record; UN R171 leaves strategies to an assessor."""
    notes = {item["message"] for item in json.loads(cli("check", "un130", "--json").out)["findings"] if item["code"] == "C118"}
    assert notes == {"drift.modes: no simulator's log shows warning_modes"}
    strategies = [item for item in json.loads(cli("check", "un171", "--json").out)["findings"] if item["code"] == "C117"]
    assert "lane_change_driver.strategy is judged by a person" in {item["message"] for item in strategies}
    assert {item["severity"] for item in strategies} == {"info"}


def test_criteria_may_stand_under_every_value_of_an_axis(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    own = Path(shutil.copytree(FIXTURE, tmp_path / "shuttles"))
    text = (own / "profile.toml").read_text("utf-8")
    kept = "\n".join(line for line in text.splitlines() if not line.startswith("require."))
    warned = 'with.load.{}.require.warning = "warning before braking by [req.1: at least]"\nactors.target ='
    one = kept.replace("actors.target =", warned.format("crowded"))
    (own / "profile.toml").write_text(one, "utf-8")
    done = cli("check", own)
    assert done.code == 1
    assert "P111" in done.out + done.err
    assert "load empty" in done.out + done.err
    (own / "profile.toml").write_text(one.replace("actors.target =", warned.format("empty")), "utf-8")
    assert cli("check", own).code == 0
