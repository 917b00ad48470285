"""What a provider is and can do, how it is asked, and what it costs: data/llm.toml, data/prices.toml, and the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from regc import plugins
from regc.errors import LLMError
from regc.model.source import Frozen
from regc.resources import package_data
from regc.tomlfiles import fitted, packaged, read_toml

Mode = Literal["json_schema", "tools", "json", "text"]

BASE_URL = "REGC_LLM_BASE_URL"
MODEL = "REGC_LLM_MODEL"
API_KEY = "REGC_LLM_API_KEY"
TIMEOUT = "REGC_LLM_TIMEOUT"
BUDGET = "REGC_LLM_BUDGET"


class Settings(Frozen):
    """What goes with every question and so into the key of a recorded reply. `max_tokens` bounds one reply."""

    temperature: float = Field(default=0.1, ge=0, le=2)
    max_tokens: int = Field(default=1600, ge=16)


class Limits(Frozen):
    """What bounds a run and is no part of a reply's key. `timeout` in seconds for one request; `retries` of transport errors;
    `pause` in seconds before the first of them (it doubles); `budget`: tokens of the whole run, None for no bound."""

    timeout: float = Field(default=180.0, gt=0)
    retries: int = Field(default=3, ge=0)
    pause: float = Field(default=1.0, ge=0)
    budget: int | None = Field(default=None, ge=1)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Limits:
        """Limits with those of REGC_LLM_TIMEOUT (seconds) and REGC_LLM_BUDGET (tokens). Raises LLMError."""
        given = {"timeout": environment.get(TIMEOUT), "budget": environment.get(BUDGET)}
        try:
            return cls.model_validate({name: value for name, value in given.items() if value})
        except ValidationError as error:
            name = str(error.errors()[0]["loc"][0])
            raise LLMError(f"REGC_LLM_{name.upper()}: {given[name]!r} is no such number", hint="seconds or tokens above 0") from error


class Provider(Frozen):
    """One entry of data/llm.toml. `key` is the name of the environment variable that holds the key, never the key."""

    base_url: str | None = None
    base_url_from: str | None = None
    path: str = ""
    key: str | None = None
    modes: tuple[Mode, ...]
    limit: str = "max_tokens"


class Endpoint(Frozen):
    """Where and how one model is asked. `name` is "provider:model". The key itself is read when the client is made."""

    name: str
    model: str
    base_url: str
    key_variable: str | None
    modes: tuple[Mode, ...]
    limit: str


def endpoint(spec: str | None, environment: Mapping[str, str] = os.environ) -> Endpoint:
    """The endpoint of "PROVIDER:MODEL", else of REGC_LLM_MODEL at REGC_LLM_BASE_URL; the variable wins over a provider's address.

    Raises LLMError when neither says which model, UnknownNameError for a provider that is not known.
    """
    own_url = environment.get(BASE_URL)
    text = spec or environment.get(MODEL) or ""
    data = packaged("data", "llm.toml")
    providers: dict[str, Any] = data["providers"]
    provider_name, colon, model = text.partition(":")
    if not colon or (own_url and provider_name not in providers):
        if not (own_url and text):
            raise LLMError(
                f"no language model named{f': {text!r} has no provider' if text else ''}",
                hint=f"--llm PROVIDER:MODEL (providers: {', '.join(sorted(providers))}), or set {BASE_URL} and {MODEL}",
            )
        provider_name, model = "custom", text
    plugins.check(provider_name, tuple(sorted(providers)), what="language model provider")
    provider = Provider.model_validate(providers[provider_name])
    name = f"{provider_name}:{model}"
    base_url = own_url or provider.base_url
    if base_url is None and provider.base_url_from:
        root = environment.get(provider.base_url_from)
        base_url = root.rstrip("/") + provider.path if root else None
    if not model or base_url is None:
        missing = "no model" if not model else f"no address: set {provider.base_url_from or BASE_URL}"
        raise LLMError(f"{name}: {missing}", hint="--llm PROVIDER:MODEL, for example --llm ollama:qwen2.5-coder:1.5b")
    modes = data.get("models", {}).get(name, {}).get("modes", provider.modes)
    key_variable = API_KEY if environment.get(API_KEY) else provider.key
    return Endpoint(
        name=name, model=model, base_url=base_url, key_variable=key_variable, modes=tuple(modes), limit=provider.limit
    )  # fmt: skip


class Price(Frozen):
    """US dollars for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)

    def of(self, prompt_tokens: int | None, completion_tokens: int | None) -> float | None:
        """US dollars of one reply, None where the server did not say how many tokens it took."""
        if prompt_tokens is None or completion_tokens is None:
            return None
        return (prompt_tokens * self.input + completion_tokens * self.output) / 1_000_000


def price(name: str, file: Path | None = None) -> Price | None:
    """The price of a model from a price file (default: the one that comes with regc); None when it lists none."""
    path = file or package_data("data", "prices.toml")
    hint = "input and output in US dollars for a million tokens"
    table = read_toml(path, hint=hint)
    entry = table.get(name) or table.get(f"{name.partition(':')[0]}:*")
    return fitted(Price, entry, name=f"{path.name}: price of {name}", hint=hint) if entry else None
