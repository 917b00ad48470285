"""How long a browser takes to open the report, against opening an empty page in the same run.

    python bench/report.py [--report FILE] [--runs 7] [--json]

Without --report the report of the embedded edition is made first. Needs chromium, chromium-driver and regc[browser]. Time is that from
the start of the navigation to the end of DOMContentLoaded: the report's scripts have run then and its summary stands.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

EMPTY = '<!doctype html><html lang="en"><title>empty</title>'
_TIME = "const n = performance.getEntriesByType('navigation')[0]; return n.domContentLoadedEventEnd - n.startTime"


def browser() -> Any:
    """A headless Chromium."""
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"):
        options.add_argument(flag)
    return Chrome(options=options, service=Service(shutil.which("chromedriver")))


def milliseconds(driver: Any, path: Path, runs: int) -> float:
    """Median of `runs` loads of a page, after one that warms the browser up."""
    took = []
    for _ in range(runs + 1):
        driver.get("about:blank")
        driver.get(path.as_uri())
        took.append(float(driver.execute_script(_TIME)))
    return statistics.median(took[1:])


def main() -> None:
    """Print size, elements, time and ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, help="a report.html")
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = asked.report
        if report is None:
            command = [sys.executable, "-m", "regc", "report", "un152", "--format", "html", "--out", folder, "--json"]
            made = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            report = Path(next(iter(json.loads(made)["files"])))
        empty = Path(folder) / "empty.html"
        empty.write_text(EMPTY, encoding="utf-8")
        driver = browser()
        try:
            baseline = milliseconds(driver, empty, asked.runs)
            opened = milliseconds(driver, report.resolve(), asked.runs)
            elements = int(driver.execute_script("return document.querySelectorAll('*').length"))
        finally:
            driver.quit()
        found = {"baseline_ms": baseline, "report_ms": opened, "ratio": opened / baseline, "elements": elements}
        found["megabytes"] = report.stat().st_size / 1e6
    if asked.json:
        print(json.dumps(found, indent=2, sort_keys=True))
        return
    print(f"report {found['megabytes']:.2f} MB, {elements} elements; median of {asked.runs} loads")
    print(f"empty page {baseline:.1f} ms, report {opened:.1f} ms: {found['ratio']:.1f} x baseline")


if __name__ == "__main__":
    main()
