"""Builds are what the golden snapshot says, and a snapshot that is not is told with its difference and the way to renew it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.commands.golden import HASHES, NUMBERS, differences, read, snapshot
from regc.resources import resource
from tests.conftest import INVENTED, Outcome

Cli = Callable[..., Outcome]


@pytest.mark.parametrize("edition", ["02", "eu2020-1597"])
def test_a_build_is_what_the_snapshot_says(edition: str) -> None:
    told = differences(read(resource("golden", "un152", edition, "snapshot")), snapshot("un152", edition))
    refresh = f"if it is meant: regc golden update un152 --edition {edition}"
    assert not told, "\n".join([*told, refresh])


@pytest.fixture
def kept(cli: Cli, tmp_path: Path) -> Path:
    """A snapshot of the invented regulation in a folder of its own."""
    assert cli("golden", "update", INVENTED, "--folder", tmp_path).code == 0
    return tmp_path / "shuttles" / "2nd" / "snapshot"


def check(cli: Cli, kept: Path) -> Outcome:
    return cli("golden", "check", INVENTED, "--folder", kept.parents[2])


def test_a_snapshot_is_small_and_complete(kept: Path) -> None:
    files = read(kept)
    assert {HASHES, NUMBERS} < set(files)
    assert sum(len(content) for content in files.values()) < 300_000
    whole = [name for name in files if name.startswith("files/")]
    assert any(name.endswith(".md") for name in whole)
    assert any(name.endswith(".xosc") for name in whole)
    assert b"LR7-2nd_p4.3_ShToRoll_LS_crowded_018,mandatory," in files[NUMBERS]
    hashed = [line.split(b",")[0] for line in files[HASHES].splitlines()[1:]]
    assert b"scenarios.json" in hashed
    assert b"manifest.json" not in hashed  # it names the versions that made it


def test_the_same_build_is_the_same(kept: Path, cli: Cli) -> None:
    done = check(cli, kept)
    assert done.code == 0
    assert "the same" in done.out


def test_a_changed_number_is_shown_with_the_refresh_command(kept: Path, cli: Cli) -> None:
    text = (kept / NUMBERS).read_text("utf-8")
    (kept / NUMBERS).write_text(text.replace("impact_speed <= 1.5 mph", "impact_speed <= 1.6 mph", 1), encoding="utf-8")
    done = check(cli, kept)
    assert done.code == 1
    assert any(line.strip().startswith("-LR7-2nd") and "impact_speed <= 1.6 mph" in line for line in done.out.splitlines())
    assert any(line.strip().startswith("+LR7-2nd") and "impact_speed <= 1.5 mph" in line for line in done.out.splitlines())
    assert "regc golden update" in done.out


def test_a_changed_artefact_is_named_by_its_target(kept: Path, cli: Cli) -> None:
    lines = (kept / HASHES).read_text("utf-8").splitlines()
    changed = ["csv/test_cases.csv,0000000000000000" if line.startswith("csv/test_cases.csv") else line for line in lines]
    (kept / HASHES).write_text("\n".join(changed) + "\n", encoding="utf-8")
    done = check(cli, kept)
    assert done.code == 1
    assert "1 changed in csv: csv/test_cases.csv" in done.out


def test_missing_and_stale_files_fail(kept: Path, cli: Cli) -> None:
    gone = next((kept / "files" / "text").glob("*.md"))
    gone.unlink()
    (kept / "files" / "left_over.md").write_text("old")
    done = check(cli, kept)
    assert done.code == 1
    assert f"missing from the snapshot: files/text/{gone.name}" in done.out
    assert "stale in the snapshot: files/left_over.md" in done.out


def test_no_snapshot_fails_and_update_makes_one(cli: Cli, tmp_path: Path) -> None:
    done = cli("golden", "check", INVENTED, "--folder", tmp_path, "--json")
    assert done.code == 1
    assert json.loads(done.out) == {"2nd": ["there is no snapshot to compare with"]}


def test_update_renews_the_snapshot_and_leaves_the_truth(kept: Path, cli: Cli) -> None:
    truth = kept.parent / "truth" / "fields.csv"
    truth.parent.mkdir()
    truth.write_text("hand-written")
    good = read(kept)
    (kept / "files" / "left_over.md").write_text("old")
    (kept / NUMBERS).write_text("wrong")
    assert cli("golden", "update", INVENTED, "--folder", kept.parents[2]).code == 0
    assert read(kept) == good
    assert truth.read_text() == "hand-written"


def test_an_installed_regc_says_that_snapshots_are_kept_in_the_source_tree(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("regc.commands.golden.in_source_tree", lambda: False)
    done = cli("golden", "check", "un152")
    assert done.code == 2
    assert "source tree" in done.err
    assert "--folder" in done.err
