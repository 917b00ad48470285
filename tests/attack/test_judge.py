"""A log that cannot be read proves nothing: no verdict is no pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import INVENTED, Outcome

#: Faults made on purpose, many of them: .ci/run has them after the others.
pytestmark = pytest.mark.slow


def test_no_run_that_could_be_judged_is_exit_code_1(cli: Callable[..., Outcome], tmp_path: Path) -> None:
    assert cli("build", INVENTED, "--target", "csv", "--out", tmp_path / "out").code == 0
    scenarios = next((tmp_path / "out").iterdir()) / "scenarios.json"
    (tmp_path / "junk.csv").write_bytes(b"\xff\xfe\x00\x91")
    done = cli("judge", tmp_path / "junk.csv", "--scenarios", scenarios)
    assert done.code == 1
    assert "S701" in done.out
