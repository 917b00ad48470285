"""A headless Chromium for the tests of the report, or the reason why there is none."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parents[2]


def need(what: str) -> None:
    """Skip, naming what is missing; in CI, which installs it, fail instead."""
    if os.environ.get("REGC_CI_BROWSER"):
        pytest.fail(f"no {what}, and REGC_CI_BROWSER says that it is installed", pytrace=False)
    pytest.skip(f"no {what}")


def axe_source() -> str:
    """The text of axe-core: the file that REGC_AXE names, or node_modules of the checkout."""
    path = Path(os.environ.get("REGC_AXE") or _ROOT / "node_modules" / "axe-core" / "axe.min.js")
    if not path.is_file():
        need("axe-core (npm install axe-core, or REGC_AXE=axe.min.js)")
    return path.read_text("utf-8")


@contextmanager
def chromium() -> Iterator[Any]:
    """A selenium driver with Debian's chromium and chromium-driver. The tests' guard lets it talk to this machine only."""
    try:
        from selenium.webdriver import Chrome
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
    except ImportError:
        need("selenium (regc[browser])")
    browser = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
    program = shutil.which("chromedriver")
    if browser is None or program is None:
        need("chromium with chromium-driver (apt-get install chromium chromium-driver)")
    options = Options()
    options.binary_location = browser
    # root in a container may not use the sandbox; /dev/shm is small there
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(program))
    try:
        yield driver
    finally:
        driver.quit()
