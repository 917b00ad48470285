"""Language models behind one method, `complete`; replies on file. Nothing heavy is imported before a model is opened."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from regc.errors import LLMError
from regc.llm.openai_server import OpenAIChat
from regc.llm.provider import BASE_URL, MODEL, Endpoint, Limits, Settings, endpoint, price
from regc.llm.replay import ReplayLLM, default_model
from regc.model.protocols import LLM

__all__ = ["Limits", "Settings", "configured", "open_llm"]


def configured(environment: Mapping[str, str] = os.environ) -> Endpoint | None:
    """The endpoint that REGC_LLM_* name, None where they name none. Raises LLMError, UnknownNameError for half of one."""
    if not (environment.get(MODEL) or environment.get(BASE_URL)):
        return None
    return endpoint(environment.get(MODEL), environment)


def open_llm(
    spec: str | None = None,
    *,
    record: Path | None = None,
    locked: bool = False,
    replies: Path | None = None,
    settings: Settings | None = None,
    limits: Limits | None = None,
    prices: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> LLM:
    """A model "PROVIDER:MODEL" (else from REGC_LLM_*), with its replies on file.

    `replies`: folder of recorded replies. `record`: folder that new replies go to, and that is read first. `locked`: answers come from
    files alone and no socket is opened; with no `spec` the model is the one whose replies the folder holds. Raises LLMError,
    UnknownNameError, MissingExtraError, DataFileError.
    """
    settings = settings or Settings()
    folders = tuple(dict.fromkeys(folder for folder in (record, replies) if folder is not None))
    if locked:
        if not folders:
            raise LLMError("--locked needs a folder of recorded replies", hint="--replies DIR")
        name = spec or (environment.get(MODEL) if environment.get(BASE_URL) else None)
        name = name or next((model for model in map(default_model, folders) if model), None)
        if name is None:
            raise LLMError(
                "--locked: the folder names no model whose replies it holds",
                hint="name the model and record its replies first",
            )
        return ReplayLLM(name, settings, folders, price=price(name, prices), command=_command(name))
    model = endpoint(spec, environment)
    cost = price(model.name, prices)
    client = OpenAIChat(model, settings, limits or Limits.of(environment), price=cost, environment=environment)
    if not folders:
        return client
    # without --record an old answer is not taken for a new one
    kept = folders if record is not None else ()
    return ReplayLLM(model.name, settings, kept, inner=client, record=record, price=cost, command=_command(model.name))


def _command(name: str) -> str:
    return f"record the replies of {name} first"
