"""The diff of two editions as one HTML file, in the dress of the report."""

from __future__ import annotations

from markupsafe import Markup

from regc.report._page import environment, raw
from regc.report.diff import Diff


def page(found: Diff) -> bytes:
    """Counts, changes with their tests and places, added and removed tests."""
    html = environment(None).get_template("diff.html.j2").render(
        diff=found,
        counts=found.counts(),
        groups=found.by_change(),
        style=Markup(raw(None, "style.css")),
        script=Markup(raw(None, "diff.js") + raw(None, "table.js")),
    )  # fmt: skip
    return html.encode()
