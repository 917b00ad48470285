"""Files and folders that are not what they should be: told, and nothing of the user's is lost."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from regc import files
from regc.errors import OutputError
from tests.conftest import INVENTED, Outcome

#: Faults made on purpose, many of them: .ci/run has them after the others.
pytestmark = pytest.mark.slow

Cli = Callable[..., Outcome]
SOURCE = INVENTED / "rules.md"


def build(cli: Cli, out: Path, *more: object) -> Outcome:
    return cli("build", INVENTED, "--target", "csv", "--out", out, *more)


@pytest.mark.parametrize("stem", ["**", "[a*]", "x'\"é ü"])
def test_a_name_with_signs_of_patterns(stem: str, cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / f"{stem}.md"
    source.write_bytes(SOURCE.read_bytes())
    assert build(cli, tmp_path / "out é", "--source", source).code == 0


def test_a_folder_beside_the_source_that_is_named_like_its_layout(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "rules.md"
    source.write_bytes(SOURCE.read_bytes())
    (tmp_path / "rules_middle.json").mkdir()
    assert build(cli, tmp_path / "out", "--source", source).code == 0


@pytest.mark.parametrize(
    "manifest",
    [
        "junk",
        "[]",
        '{"files": 3}',
        '{"files": {"x": 1}}',
        '{"files": {"a": {"target": "csv"}}, "targets": 7}',
        '{"files": {"a": {"target": ["csv"]}}}',
        '{"files": {"a": {}}}',
        '{"files": {"a": {"target": "csv"}}, "reports": null}',
        '{"files": {"a": {"target": "csv"}}, "declared": {"v": {}}}',
        "[" * 100000,
    ],
)
def test_a_damaged_manifest_is_as_good_as_none(manifest: str, cli: Cli, tmp_path: Path) -> None:
    assert build(cli, tmp_path).code == 0
    folder = next(tmp_path.iterdir())
    (folder / "manifest.json").write_text(manifest)
    assert build(cli, tmp_path).code == 0
    assert json.loads((folder / "manifest.json").read_text("utf-8"))["targets"]


def test_a_file_where_the_output_folder_should_be_stays(tmp_path: Path) -> None:
    (tmp_path / "reg").write_text("mine")
    with pytest.raises(OutputError, match="a file of that name"):
        files.replace_folder(tmp_path / "reg", {"a.txt": b"a"}, frozenset())
    assert (tmp_path / "reg").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["reg"]


def test_an_output_folder_behind_a_link_is_written_where_the_link_points(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "mine.txt").write_text("mine")
    (tmp_path / "reg").symlink_to("real")
    files.replace_folder(tmp_path / "reg", {"a.txt": b"a"}, frozenset())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["real", "reg"]
    assert sorted(path.name for path in (tmp_path / "real").iterdir()) == ["a.txt", "mine.txt"]


def test_another_builds_staging_is_left_alone_while_it_may_live(tmp_path: Path) -> None:
    other = tmp_path / f".reg.{os.getppid()}.staging"
    other.mkdir()
    files.replace_folder(tmp_path / "reg", {"a.txt": b"a"}, frozenset())
    assert other.is_dir()
    os.utime(other, (0, 0))
    files.recover(tmp_path / "reg")
    assert not other.exists()


def test_an_absurd_size_of_a_users_file_is_refused(cli: Cli, tmp_path: Path) -> None:
    users = tmp_path / "users.toml"
    users.write_text("[subject.default]\nmass_run = 1e300\n", encoding="utf-8")
    done = cli("build", INVENTED, "--target", "openscenario", "--out", tmp_path / "out", "--road-users", users)
    assert done.code == 2
    assert "users.toml" in done.err


def test_a_span_over_millions_of_columns(cli: Cli, tmp_path: Path) -> None:
    source = tmp_path / "page.html"
    source.write_text("<html><p>1. Scope</p><table><tr><td colspan=99999999 rowspan=9999999>x</table></html>", encoding="utf-8")
    assert build(cli, tmp_path / "out", "--source", source).code == 2
