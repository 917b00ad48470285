"""Natural-language test cases: one Markdown file a scenario, and one a procedure card."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, Field

from regc.model.result import Artifact, Checked
from regc.templating import render

_STATUS = {
    "mandatory": "mandatory",
    "ts_option": "at the technical service's option",
    "envelope": "condition of the requirement",
    "guidance": "guidance for the assessment of false reactions",
}


class Options(BaseModel):
    """What a user can choose."""

    templates: Path | None = Field(None, description="folder of your own templates, laid out like the built-in ones")


def emit(checked: Checked, options: Options) -> tuple[Artifact, ...]:
    """text/<id>.md and text/cards/<id>.md."""
    embedded = checked.wording == "embedded"
    artifacts = [
        Artifact(
            path=f"text/{scenario.id}.md",
            content=_render(checked, "text/scenario.md.j2", options, s=scenario, status=_STATUS[scenario.status], embedded=embedded),
            target="text",
            scenario=scenario.id,
        )
        for scenario in checked.scenarios
    ]
    artifacts += [
        Artifact(
            path=f"text/cards/{card.id}.md",
            content=_render(checked, "text/card.md.j2", options, c=card, embedded=embedded),
            target="text",
        )
        for card in checked.cards
    ]
    return tuple(artifacts)


def _render(checked: Checked, template: str, options: Options, **values: object) -> bytes:
    text = render(checked.regulation, template, options.templates, edition=checked.title, **values)
    lines = [line.rstrip() for line in text.split("\n")]
    kept = [line for line, before in zip(lines, ["#", *lines], strict=False) if line or before]
    return ("\n".join(kept).strip() + "\n").encode()
