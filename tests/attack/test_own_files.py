"""A user's own templates and profile with mistakes: exit code 2, the place and the value, nothing written."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import INVENTED, Outcome

Cli = Callable[..., Outcome]


def refused(done: Outcome, out: Path, *says: str) -> None:
    assert done.code == 2
    assert done.out == ""
    assert "  next: " in done.err
    for words in says:
        assert words in done.err
    assert not out.exists()


@pytest.mark.parametrize(
    ("template", "says"),
    [
        (b"{% if %}", "line 1"),
        (b"{{ nosuch }}", "'nosuch' is undefined"),
        (b"{{ 1/0 }}", "ZeroDivisionError"),
        (b"{{ scenario | digits }}", "scenario.md.j2"),
        (b'{% include "../../secret" %}', "../../secret"),
        (b"\x91\xff", "not UTF-8"),
    ],
)
def test_a_template_with_a_mistake(template: bytes, says: str, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "own" / "text").mkdir(parents=True)
    (tmp_path / "own" / "text" / "scenario.md.j2").write_bytes(template)
    out = tmp_path / "out"
    refused(cli("build", INVENTED, "--target", "text", "--templates", tmp_path / "own", "--out", out), out, "template", says)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("anchor", "'(open'", "no regular expression"),
        ("pattern", "'[open'", "no regular expression"),
        ("stem", '"../../evil"', "cannot be part of a file name"),
        ("id", '"../../evil"', "cannot be part of a file name"),
    ],
)
def test_a_profile_with_a_mistake(key: str, value: str, says: str, cli: Cli, tmp_path: Path) -> None:
    shutil.copytree(INVENTED, tmp_path / "own")
    profile = tmp_path / "own" / "profile.toml"
    lines = profile.read_text("utf-8").splitlines()
    index = next(number for number, line in enumerate(lines) if line.startswith(f"{key} = "))
    lines[index] = f"{key} = {value}"
    profile.write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    refused(cli("build", tmp_path / "own", "--target", "csv", "--out", out), out, "profile.toml", key, says)
