"""The command line for what all tests of a module share."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

import pytest

from regc.cli.main import main
from tests.conftest import Outcome


@pytest.fixture(scope="module")
def cli_of_module() -> Callable[..., Outcome]:
    """Runs a command; its exit code and what it printed."""

    def run(*arguments: object) -> Outcome:
        out, code = io.StringIO(), 0
        with contextlib.redirect_stdout(out):
            try:
                main([str(argument) for argument in arguments])
            except SystemExit as stop:
                code = int(stop.code or 0)
        return Outcome(code, out.getvalue(), "")

    return run
