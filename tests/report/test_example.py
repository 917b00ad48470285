"""The GitHub Actions example names commands and flags that exist."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from regc import plugins
from regc.plugins import COMMANDS

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "github-actions.yml"


def test_commands_and_flags_exist(cli: Callable[..., Any]) -> None:
    lines = [line.strip().removeprefix("run: ") for line in EXAMPLE.read_text("utf-8").splitlines()]
    calls = [match for line in lines if (match := re.match(r"regc (\w+) (.*)", line))]
    assert {call.group(1) for call in calls} == {"build", "simulate", "judge", "report"}
    for call in calls:
        assert call.group(1) in COMMANDS.names()
        text = cli(call.group(1), "--help").out
        for flag in re.findall(r"--[\w-]+", call.group(2)):
            assert flag in text, call.group(0)


def test_flags_of_the_plugin_exist() -> None:
    plugin = (Path(plugins.__file__).parent / "pytest_plugin.py").read_text("utf-8")
    for flag in re.findall(r"--regc[\w-]*", EXAMPLE.read_text("utf-8")):
        assert f'"{flag}"' in plugin
