"""`--ask prose`: free text as the published pipelines ask for, split on `---`. Prose names no places, so nothing of it may pass."""

from __future__ import annotations

import re
from collections.abc import Sequence

from regc.extract._llm_ask import Asker, Question
from regc.extract._llm_prompts import Prompts, evidence_text, tokens
from regc.extract._llm_template import Outcome
from regc.model.chunk import Context, ContextItem
from regc.model.regulation import Family, Profile
from regc.model.result import Finding

_RULE = re.compile(r"^\s*(?:-{3,}|\*{3,}|_{3,})\s*$", re.MULTILINE)
_TITLE = re.compile(r"^\W*title\W*\s*[:-]\s*(.+?)\W*$", re.IGNORECASE)
_SCENARIO = re.compile(r"^\W*(?:test[ _])?scenario\W*\s*[:-]\s*", re.IGNORECASE)


def prose_outcome(
    family: Family, context: Context, profile: Profile, asker: Asker, prompts: Prompts, room: int, categories: Sequence[str], kind: str
) -> Outcome:
    """The paragraphs that the model writes for each category; they are scored as text, and refused as scenarios."""
    outcome = Outcome(tally=asker.tally)
    own = family.categories or tuple(item.id for item in profile.categories)
    items, left = fitting(context.items, room)
    for category in (category for category in own if not categories or category in categories):
        prompt = prompts.render(f"prose_{kind}", note=prompts.note(family), evidence=evidence_text(items), category=category)
        text = asker.prose(Question(f"{family.name} prose {kind} {category}", prompt, None))
        outcome.texts += paragraphs(text)
    if left:
        outcome.findings.append(
            Finding(
                code="X426",
                severity="warning",
                message=f"{family.name}: {left} of {len(context.items)} pieces of evidence do not fit the window and were left out",
                hint="a larger --window, or a retriever with a smaller budget",
            )
        )
    outcome.tally.refused = len(outcome.texts)
    outcome.findings += asker.findings
    outcome.findings.append(
        Finding(
            code="X425",
            severity="error",
            message=f"{family.name}: {len(outcome.texts)} scenarios in prose, none of whose numbers names its place: none passes",
            hint="`regc bench systems` scores them as text; --ask template or rows gives scenarios",
        )
    )
    return outcome


def fitting(items: Sequence[ContextItem], room: int) -> tuple[list[ContextItem], int]:
    """The pieces of evidence that fit, tables first, in the order of the context; and how many do not."""
    kept: set[str] = set()
    left = room
    for item in sorted(items, key=lambda item: item.table is None):
        size = tokens(item.text)
        if size <= left:
            kept.add(item.id)
            left -= size
    return [item for item in items if item.id in kept], len(items) - len(kept)


def paragraphs(text: str) -> list[tuple[str, str]]:
    """(title, text) of each scenario in a free answer."""
    found: list[tuple[str, str]] = []
    for part in _RULE.split(text):
        lines = [line.strip() for line in part.strip().splitlines() if line.strip()]
        title = next((match.group(1) for line in lines if (match := _TITLE.match(line))), "")
        body = " ".join(_SCENARIO.sub("", line) for line in lines if not _TITLE.match(line)).strip()
        if re.search(r"\d", body):
            found.append((title, body))
    return found
