"""The report on paper: a headless Chromium prints report.html, with page numbers and the report's feet."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from regc.errors import DataFileError

#: Programs that print, the first that is found.
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
#: s; a report of some hundred tests takes a few.
_TIME = 180


def print_pdf(page: Path, out: Path) -> None:
    """Print a page to a file. Raises DataFileError where no Chromium is found or it does not print."""
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        raise DataFileError(
            "no Chromium to print the report with", hint="install chromium, or open report.html in a browser and print it to PDF"
        )
    out.unlink(missing_ok=True)
    command = [browser, "--headless=new", "--disable-gpu", "--no-sandbox", "--disable-dev-shm-usage", "--no-pdf-header-footer",
               f"--print-to-pdf={out.resolve()}", page.resolve().as_uri()]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIME, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise DataFileError(f"{browser}: {error}", hint="open report.html in a browser and print it to PDF") from error
    if not out.is_file():
        last = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        raise DataFileError(f"{browser} printed nothing: {last[0]}", hint="open report.html in a browser and print it to PDF")
