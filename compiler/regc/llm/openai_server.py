"""Any OpenAI-compatible server, by the `openai` client; `instructor` writes each mode's request, the re-ask loop is not its."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from regc.errors import LLMError, MissingExtraError
from regc.llm.provider import API_KEY, Endpoint, Limits, Mode, Price, Settings
from regc.model.protocols import Reply

_LOG = logging.getLogger(__name__)
#: Statuses with which servers refuse a request's form; the next mode may be taken.
_REFUSED_FORM = (400, 404, 405, 415, 422, 501)
#: Statuses that pass: too many requests, a server that is down or overloaded.
_PASSING = (408, 409, 425, 429, 500, 502, 503, 504, 529)


class OpenAIChat:
    """One model at one endpoint. Safe to use from several threads.

    `mode` that a server refuses is never tried again by the same object. Raises MissingExtraError without openai or instructor.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: Settings | None = None,
        limits: Limits | None = None,
        *,
        price: Price | None = None,
        environment: Mapping[str, str] = os.environ,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            import instructor
            import openai
        except ImportError as error:
            raise MissingExtraError(f"{error.name} is needed to ask a language model", extra="llm") from error
        # instructor reports on the preparation below as if a call had failed
        logging.getLogger("instructor").addHandler(logging.NullHandler())
        logging.getLogger("instructor").propagate = False
        self.name = endpoint.name
        self.settings = settings or Settings()
        self._endpoint, self._limits, self._price = endpoint, limits or Limits(), price
        self._openai, self._instructor = openai, instructor
        self._key = environment.get(endpoint.key_variable or "") or ""
        if endpoint.key_variable and not self._key and endpoint.key_variable != API_KEY:
            raise LLMError(f"{endpoint.name}: no key", hint=f"set {endpoint.key_variable} (or {API_KEY})")
        self._client = openai.OpenAI(
            base_url=endpoint.base_url, api_key=self._key or "none", timeout=self._limits.timeout, max_retries=0
        )
        self._modes = list(endpoint.modes)
        self._spent = 0
        self._lock = threading.Lock()
        self._sleep = sleep

    def complete(self, messages: Sequence[dict[str, str]], *, schema: dict[str, Any] | None = None, label: str = "") -> Reply:
        """One answer. Raises LLMError when the server cannot be reached, refuses every mode, or the token budget is spent."""
        if schema is None:
            return self._reply("text", {"messages": list(messages)}, label)
        problem: Exception | None = None
        for mode in tuple(self._modes):
            try:
                return self._reply(mode, self._request(mode, messages, schema), label)
            except self._openai.APIStatusError as error:
                if error.status_code not in _REFUSED_FORM or _too_long(error):
                    raise self._failed(error, label) from error
                _LOG.info("%s: %s is refused (%s), next mode", self.name, mode, error.status_code)
                problem = error
                with self._lock:
                    if mode in self._modes and len(self._modes) > 1:
                        self._modes.remove(mode)
        assert problem is not None
        raise self._failed(problem, label) from problem

    # ------------------------------------------------------------ one request

    def _request(self, mode: Mode, messages: Sequence[dict[str, str]], schema: dict[str, Any]) -> dict[str, Any]:
        """The parameters with which a mode asks for JSON of this schema, as instructor writes them."""
        instructor = self._instructor
        modes = {
            "json_schema": instructor.Mode.JSON_SCHEMA,
            "tools": instructor.Mode.TOOLS,
            "json": instructor.Mode.JSON,
            "text": instructor.Mode.MD_JSON,
        }
        prepared: list[dict[str, Any]] = []

        def create(*_: Any, **request: Any) -> Any:
            prepared.append(request)
            raise _PreparedError

        try:
            patched: Any = instructor.patch(create=create, mode=modes[mode])
            patched(response_model=_answer_model(schema), messages=[dict(item) for item in messages], max_retries=0)
        except Exception as error:
            if not prepared:
                raise LLMError(
                    f"{self.name}: no request in mode {mode}: {error}", hint="report it with the version of instructor"
                ) from error
        return prepared[0]

    def _reply(self, mode: str, request: dict[str, Any], label: str) -> Reply:
        settings = {"model": self._endpoint.model, "temperature": self.settings.temperature}
        request = {**request, **settings, self._endpoint.limit: self.settings.max_tokens}
        self._check_budget()
        started = time.perf_counter()
        completion = self._send(request, label)
        seconds = time.perf_counter() - started
        choices = getattr(completion, "choices", None)
        if not choices:
            raise LLMError(f"{self.name}: {label}: a reply with no choices", hint="is the address that of an OpenAI-compatible server?")
        choice = choices[0]
        usage = getattr(completion, "usage", None)
        prompt, written = (usage.prompt_tokens, usage.completion_tokens) if usage else (None, None)
        with self._lock:
            self._spent += (prompt or 0) + (written or 0)
        self._check_whole(prompt, request["messages"], label)
        calls = getattr(choice.message, "tool_calls", None)
        text = calls[0].function.arguments if calls else choice.message.content
        return Reply(
            text=text or "",
            model=self.name,
            prompt_tokens=prompt,
            completion_tokens=written,
            seconds=round(seconds, 3),
            truncated=choice.finish_reason == "length",
            mode=mode,
            refusal=getattr(choice.message, "refusal", None)
            or ("content filter" if choice.finish_reason == "content_filter" else None),
            cost=self._price.of(prompt, written) if self._price else None,
        )

    def _send(self, request: dict[str, Any], label: str) -> Any:
        """Ask, and ask again after errors of the transport only; a timeout is tried once more, not oftener."""
        timeouts = 0
        for attempt in range(self._limits.retries + 1):
            try:
                return self._client.chat.completions.create(**request)
            except self._openai.APITimeoutError as error:
                timeouts += 1
                if timeouts > 1 or attempt == self._limits.retries:
                    raise self._failed(error, label) from error
            except self._openai.APIStatusError as error:
                if error.status_code not in _PASSING:
                    raise
                if attempt == self._limits.retries:
                    raise self._failed(error, label) from error
                self._pause(attempt, error.response.headers.get("retry-after"))
                continue
            except self._openai.OpenAIError as error:
                if attempt == self._limits.retries:
                    raise self._failed(error, label) from error
            except ValueError as error:
                raise LLMError(
                    f"{self.name}: {label}: the server's answer is no JSON", hint="is the address that of an OpenAI-compatible server?"
                ) from error
            self._pause(attempt, None)
        raise AssertionError("unreachable")

    def _pause(self, attempt: int, wanted: str | None) -> None:
        seconds = self._limits.pause * 2**attempt
        if wanted and re.fullmatch(r"\d{1,3}(\.\d+)?", wanted):
            seconds = max(seconds, float(wanted)) if self._limits.pause else 0.0
        self._sleep(min(seconds, 60.0))

    def _check_whole(self, counted: int | None, messages: Sequence[dict[str, str]], label: str) -> None:
        """A prompt that the server cut: no token reaches over the space between two words, so fewer tokens than words were read."""
        words = sum(len(str(message.get("content") or "").split()) for message in messages)
        if counted is not None and counted < words:
            raise LLMError(
                f"{self.name}: {label or 'request'}: the server read {counted} tokens of a prompt of {words} words: it was cut",
                hint="start the server with a longer context (llama-server -c 8192, OLLAMA_CONTEXT_LENGTH=8192)",
            )

    def _check_budget(self) -> None:
        budget = self._limits.budget
        if budget is not None and self._spent >= budget:
            raise LLMError(
                f"{self.name}: the token budget of {budget} is spent ({self._spent} used)",
                hint="a larger REGC_LLM_BUDGET; with --record the replies so far are kept and not asked again",
            )

    def _failed(self, error: Exception, label: str) -> LLMError:
        """The error in words, with no key in it."""
        status = getattr(error, "status_code", None)
        words = str(getattr(error, "message", "") or error).strip().splitlines()
        said = (words[0] if words else type(error).__name__)[:300]
        if self._key:
            said = said.replace(self._key, "***")
        said = re.sub(r"(?i)\b(?:sk|gsk)[-_][\w*-]{4,}|bearer\s+\S+", "***", said)
        hint = "run it again; with --record finished replies are kept"
        if status in (401, 403):
            hint = f"check the key in {self._endpoint.key_variable or API_KEY}"
        elif isinstance(error, self._openai.APITimeoutError):
            hint = f"no answer within {self._limits.timeout:g} s: a longer REGC_LLM_TIMEOUT, or a faster model"
        elif _too_long(error):
            hint = "a model, or a setting of the server, with a longer context"
        elif isinstance(error, self._openai.APIConnectionError):
            hint = f"is a server running at {_without_user(self._endpoint.base_url)}? set REGC_LLM_BASE_URL for another address"
        elif status == 404:
            hint = "does the server have this model?"
        what = f"HTTP {status}: " if status else ""
        return LLMError(f"{self.name}: {label or 'request'}: {what}{said}", hint=hint)


class _PreparedError(Exception):
    """Stops instructor once it has written a request."""


def _answer_model(schema: dict[str, Any]) -> type[Any]:
    """A model for instructor whose schema is exactly this one; what comes back is checked elsewhere."""
    from pydantic import BaseModel, ConfigDict

    class Answer(BaseModel):
        """The form, filled in."""

        model_config = ConfigDict(extra="allow")

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return {**schema, "title": "Answer"}

    return Answer


def _too_long(error: Exception) -> bool:
    said = str(getattr(error, "message", "") or error).lower()
    return "context_length" in said or "context length" in said or ("context" in said and "exceed" in said)


def _without_user(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//", url)
