"""Replies on file: each is kept under a key of prompt, schema, model and settings, and used instead of asking again."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from regc import files
from regc.errors import DataFileError, LLMError
from regc.llm.provider import Price, Settings
from regc.model.protocols import LLM, Reply
from regc.model.source import Frozen

#: What a folder's replies are of, for a build that names no model.
DEFAULT_MODEL = "model.json"
#: An answer that was paid for already.
_FREE = {"prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0, "cost": 0.0}


class Recorded(Frozen):
    """A reply as it lies on file: what was answered and by whom, neither the prompt nor anything of the connection."""

    label: str
    model: str
    settings: Settings
    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    truncated: bool = False
    mode: str = "text"
    refusal: str | None = None


def key(model: str, settings: Settings, messages: Sequence[dict[str, str]], schema: dict[str, Any] | None) -> str:
    """The name of a reply's file: sha256 over everything that the model saw and how it was asked."""
    asked = {"model": model, "settings": settings.model_dump(mode="json"), "messages": list(messages), "schema": schema}
    return hashlib.sha256(json.dumps(asked, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


class ReplayLLM:
    """Answers from files; what is not there is asked of `inner` (and kept if `record`), or is an error when there is no inner.

    `folders` are looked into in order, `record` is where new replies go. `command` is what records a missing one.
    """

    def __init__(
        self,
        name: str,
        settings: Settings,
        folders: Sequence[Path],
        *,
        inner: LLM | None = None,
        record: Path | None = None,
        price: Price | None = None,
        command: str = "record the replies of the model first",
    ) -> None:
        self.name, self.settings = name, settings
        self._folders, self._inner, self._record = tuple(folders), inner, record
        self._price, self._command = price, command
        self.asked = 0
        #: Keys of the replies that were used, old and new.
        self.used: set[str] = set()
        self._lock = threading.Lock()
        self._asking: dict[str, threading.Lock] = {}
        self._answered: dict[str, Reply] = {}

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        """The recorded answer to exactly this question, else a new one. Raises LLMError.

        A question that several ask at the same time is put once; the others get its answer free of tokens, time and money.
        """
        own = key(self.name, self.settings, messages, schema)
        with self._lock:
            asking = self._asking.setdefault(own, threading.Lock())
        with asking:
            if own in self._answered:
                return self._answered[own].model_copy(update=_FREE)
            reply = self._reply(own, messages, schema, label)
            self._answered[own] = reply
            return reply

    def _reply(self, own: str, messages: Sequence[dict[str, str]], schema: dict[str, Any] | None, label: str) -> Reply:
        for folder in self._folders:
            path = folder / f"{own}.json"
            if path.is_file():
                self.used.add(own)
                return self._read(path)
        if self._inner is None:
            raise self._missing(own, label)
        reply = self._inner.complete(messages, schema=schema, label=label)
        self.asked += 1
        self.used.add(own)
        if self._record is not None:
            kept = Recorded(
                label=label, settings=self.settings, **reply.model_dump(exclude={"model", "cost"}), model=self.name
            )  # fmt: skip
            files.write(self._record / f"{own}.json", files.json_bytes(kept.model_dump(mode="json")))
        return reply

    def _read(self, path: Path) -> Reply:
        try:
            kept = Recorded.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise DataFileError(f"{path.name}: not a recorded reply", hint=f"delete the file, then: {self._command}") from error
        cost = self._price.of(kept.prompt_tokens, kept.completion_tokens) if self._price else None
        return Reply(**kept.model_dump(exclude={"label", "settings"}), cost=cost)

    def _missing(self, own: str, label: str) -> LLMError:
        """Whether the question changed since (another reply has its label) or was never asked, and the command that records it."""
        stale = any(self._same_question(path, label) for folder in self._folders for path in sorted(folder.glob("*.json")))
        why = "the recorded reply is stale: prompt, schema, evidence or settings have changed" if stale else "no reply is recorded"
        return LLMError(f"{self.name}: {label}: {why} ({own[:12]})", hint=f"record it: {self._command}")

    def _same_question(self, path: Path, label: str) -> bool:
        try:
            kept = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError):
            return False
        return bool(kept.get("label") == label and kept.get("model") == self.name)


def default_model(folder: Path) -> str | None:
    """The model whose replies a folder holds for a build that names none."""
    try:
        return str(json.loads((folder / DEFAULT_MODEL).read_text("utf-8"))["model"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
