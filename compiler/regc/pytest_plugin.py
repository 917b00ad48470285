"""pytest --regc: holds a team's artefacts against golden ones, a test for each scenario and each file.

    pytest --regc=out --regc-golden=golden            compare
    pytest --regc=out --regc-golden=golden --regc-refresh    take the artefacts of out/ as the new golden ones

Both are a build folder (with manifest.json) or a folder of such. The defaults stand in the ini options `regc_artifacts` ("out") and
`regc_golden` ("golden"). Nothing of regc is imported before --regc is given.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """The flags and their ini options."""
    group = parser.getgroup("regc", "artefacts of regc")
    group.addoption("--regc", nargs="?", const="", default=None, metavar="FOLDER", help="compare the builds in FOLDER with golden ones")
    group.addoption("--regc-golden", default=None, metavar="FOLDER", help="folder of the golden builds")
    group.addoption("--regc-refresh", action="store_true", help="make the builds in FOLDER the golden ones instead of comparing")
    parser.addini("regc_artifacts", "folder of builds that --regc compares", default="out")
    parser.addini("regc_golden", "folder of golden builds", default="golden")


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add a test for each scenario and each file of every golden build."""
    if config.getoption("--regc") is None:
        return
    from regc.errors import RegcError
    from regc.report import golden_builds

    own, kept = folders(config)
    try:
        if config.getoption("--regc-refresh"):
            names = golden_builds.refresh(own, kept)
            items.append(GoldenItem.from_parent(session, name=f"regc refreshed {', '.join(names)}", check=list))
            return
        checks = golden_builds.checks(own, kept)
    except RegcError as error:
        raise pytest.UsageError(f"--regc: {error}\n  next: {error.hint}") from error
    items.extend(GoldenItem.from_parent(session, name=f"regc {name}", check=check) for name, check in checks)


def folders(config: pytest.Config) -> tuple[Path, Path]:
    """The folders of the artefacts and of the golden builds; relative ones from the root directory."""
    own = config.getoption("--regc") or config.getini("regc_artifacts")
    kept = config.getoption("--regc-golden") or config.getini("regc_golden")
    return config.rootpath / str(own), config.rootpath / str(kept)


class GoldenDifference(Exception):
    """What differs, line by line."""


class GoldenItem(pytest.Item):
    """One comparison. `check` gives the lines that tell what differs, none when all is the same."""

    def __init__(self, *, check: Callable[[], list[str]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.check = check

    def runtest(self) -> None:
        """Compare."""
        lines = self.check()
        if lines:
            own, kept = folders(self.config)
            command = f"pytest --regc={_shown(own, self.config)} --regc-golden={_shown(kept, self.config)} --regc-refresh"
            raise GoldenDifference("\n".join([*lines, f"  if that is meant, refresh: {command}"]))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The lines without a traceback; anything else as pytest shows it."""
        if isinstance(excinfo.value, GoldenDifference):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where pytest says that the test stands: the golden folder."""
        return folders(self.config)[1], None, self.name


def _shown(path: Path, config: pytest.Config) -> str:
    return path.relative_to(config.rootpath).as_posix() if path.is_relative_to(config.rootpath) else path.as_posix()
