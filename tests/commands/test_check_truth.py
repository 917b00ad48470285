"""`regc check` of a folder: a profile beside which no person's reading lies is told so."""

from __future__ import annotations

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
