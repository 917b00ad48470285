"""The flags of a language model, the same on every command that may ask one, and what opens it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from regc.errors import RegcError
from regc.model.protocols import LLM

Extractor = Literal["rules", "rules+llm"]
RULES_LLM: Extractor = "rules+llm"
#: What these flags are listed under.
_GROUP = "A language model"

ExtractorFlag = Annotated[
    Extractor,
    typer.Option(
        "--extractor", help="rules+llm: a place whose words stand no longer is asked of a language model", rich_help_panel=_GROUP
    ),
]
LlmFlag = Annotated[
    str | None,
    typer.Option("--llm", help="PROVIDER:MODEL that is asked; REGC_LLM_MODEL at REGC_LLM_BASE_URL without it", rich_help_panel=_GROUP),
]
RecordFlag = Annotated[
    Path | None, typer.Option("--record", help="folder that the model's replies are kept in and taken from", rich_help_panel=_GROUP)
]
RepliesFlag = Annotated[Path | None, typer.Option("--replies", help="folder of recorded replies that are read", rich_help_panel=_GROUP)]
LockedFlag = Annotated[
    bool, typer.Option("--locked", help="answers come from recorded replies alone; nothing is sent anywhere", rich_help_panel=_GROUP)
]


def opened(llm: str | None, record: Path | None, replies: Path | None, locked: bool) -> LLM:
    """The model that the flags name. Choices need few tokens and no chance. Raises LLMError, UnknownNameError, MissingExtraError."""
    from regc.llm import Settings, open_llm

    settings = Settings(temperature=0.0, max_tokens=256)
    return open_llm(llm, record=record, replies=replies, locked=locked, settings=settings)


def extracting(extractor: Extractor, llm: str | None, record: Path | None, replies: Path | None, locked: bool) -> LLM | None:
    """The model of an extractor; None for the rules. Raises RegcError where flags of a model stand beside the rules."""
    if extractor == RULES_LLM:
        return opened(llm, record, replies, locked)
    if llm or record or replies or locked:
        raise RegcError("flags of a language model, and no stage that asks one", hint=f"--extractor {RULES_LLM}")
    return None
