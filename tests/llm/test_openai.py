"""The real `openai` client over real sockets, against a server that plays right and wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from regc.errors import LLMError, RegcError
from regc.llm import Limits, Settings, open_llm
from regc.llm.openai_server import OpenAIChat
from regc.llm.provider import endpoint, price
from regc.model.protocols import Reply
from tests.llm.loopback import Asked, Played, Script, playing

pytest.importorskip("openai")
pytest.importorskip("instructor")

SCHEMA = {
    "type": "object",
    "properties": {"place": {"type": "string", "enum": ["7.1", "7.2"]}},
    "required": ["place"],
    "additionalProperties": False,
}
MESSAGES = [{"role": "system", "content": "fill in"}, {"role": "user", "content": "where?"}]
RIGHT = Played('{"place": "7.1"}')
KEY = "sk-verysecretkey1234567890"


def ask(
    script: Script, spec: str = "openai:gpt-4o-2024-11-20", schema: dict[str, Any] | None = SCHEMA, **limits: Any
) -> tuple[Reply, list[Asked]]:
    with playing(script) as server:
        environment = {"REGC_LLM_BASE_URL": server.url, "REGC_LLM_API_KEY": KEY}
        found = endpoint(spec, environment)
        given = {"pause": 0.0, "timeout": 5.0, **limits}
        llm = OpenAIChat(found, Settings(), Limits(**given), price=price(found.name), environment=environment, sleep=lambda _: None)
        try:
            return llm.complete(MESSAGES, schema=schema, label="a question"), server.asked
        except LLMError as error:
            error.asked = server.asked  # type: ignore[attr-defined]
            raise


def test_right_answer_with_its_costs() -> None:
    reply, asked = ask(lambda _: RIGHT)
    assert json.loads(reply.text) == {"place": "7.1"}
    assert (reply.prompt_tokens, reply.completion_tokens, reply.mode) == (100, 20, "json_schema")
    assert reply.cost == pytest.approx(100 * 2.5e-6 + 20 * 10e-6)
    assert asked[0].schema["properties"]["place"]["enum"] == ["7.1", "7.2"]
    assert asked[0].body["temperature"] == 0.1
    assert asked[0].body["max_completion_tokens"] == Settings().max_tokens
    assert asked[0].headers["authorization"] == f"Bearer {KEY}"


def test_falls_back_from_mode_to_mode() -> None:
    def script(asked: Asked) -> Played:
        return RIGHT if asked.mode == "json_object" else Played(f"{asked.mode} is not supported", status=400)

    reply, asked = ask(script)
    assert [item.mode for item in asked] == ["json_schema", "tools", "json_object"]
    assert reply.mode == "json"
    assert '"enum"' in json.dumps(asked[2].body["messages"][0]["content"]).replace('\\"', '"')


def test_reads_the_arguments_of_a_tool_call() -> None:
    reply, asked = ask(lambda _: RIGHT, "deepseek:deepseek-chat")
    assert asked[0].mode == "tools"
    assert json.loads(reply.text) == {"place": "7.1"}


def test_no_mode_works() -> None:
    with pytest.raises(LLMError, match="HTTP 400") as caught:
        ask(lambda _: Played("no such thing", status=400))
    assert len(caught.value.asked) == 4  # type: ignore[attr-defined]


def test_free_text_needs_no_mode() -> None:
    reply, asked = ask(lambda _: Played("some prose"), schema=None)
    assert reply.text == "some prose"
    assert "response_format" not in asked[0].body
    assert "tools" not in asked[0].body


def test_429_then_right() -> None:
    reply, asked = ask(lambda asked: RIGHT if asked.number > 2 else Played("slow down", status=429, headers={"retry-after": "1"}))
    assert reply.text == RIGHT.text
    assert len(asked) == 3


def test_500_for_ever() -> None:
    with pytest.raises(LLMError, match="HTTP 500") as caught:
        ask(lambda _: Played("broken", status=500), retries=2)
    assert len(caught.value.asked) == 3  # type: ignore[attr-defined]
    assert "run it again" in caught.value.hint


def test_hang() -> None:
    with pytest.raises(LLMError) as caught:
        ask(lambda _: Played("late", hang=1.5), timeout=0.2, retries=3)
    assert "longer REGC_LLM_TIMEOUT" in caught.value.hint
    assert len(caught.value.asked) == 2, "a timeout is tried once more, not oftener"  # type: ignore[attr-defined]


def test_broken_body_then_right() -> None:
    reply, asked = ask(lambda asked: RIGHT if asked.number > 1 else Played("x" * 2000, cut=True))
    assert reply.text == RIGHT.text
    assert len(asked) == 2


def test_missing_usage() -> None:
    reply, _ = ask(lambda _: Played(RIGHT.text, usage=False))
    assert reply.prompt_tokens is None
    assert reply.cost is None


def test_truncated_and_refused_are_told() -> None:
    assert ask(lambda _: Played('{"place": "7', finish="length"))[0].truncated
    assert ask(lambda _: Played(refusal="I cannot help with that"))[0].refusal == "I cannot help with that"
    assert ask(lambda _: Played("", finish="content_filter"))[0].refusal == "content filter"


def test_an_answer_that_is_no_chat_completion() -> None:
    with pytest.raises(LLMError):
        ask(lambda _: Played(raw=b"<html>a login page</html>"), retries=0)
    with pytest.raises(LLMError, match="no choices"):
        ask(lambda _: Played(raw=b'{"ok": true}'))


def test_no_server() -> None:
    with playing(lambda _: RIGHT) as server:
        url = server.url
    environment = {"REGC_LLM_BASE_URL": url}
    llm = OpenAIChat(endpoint("ollama:m", environment), limits=Limits(retries=1, pause=0), environment=environment)
    with pytest.raises(LLMError) as caught:
        llm.complete(MESSAGES, schema=SCHEMA)
    assert "is a server running" in caught.value.hint


def test_the_key_is_never_told() -> None:
    with pytest.raises(LLMError) as caught:
        ask(lambda _: Played(f"Incorrect API key provided: {KEY}", status=401))
    assert KEY not in f"{caught.value} {caught.value.hint}"
    assert "REGC_LLM_API_KEY" in caught.value.hint


def test_context_that_is_too_long_is_no_reason_for_another_mode() -> None:
    with pytest.raises(LLMError) as caught:
        ask(lambda _: Played("this exceeds the maximum context length of 4096 tokens", status=400))
    assert len(caught.value.asked) == 1  # type: ignore[attr-defined]
    assert "longer context" in caught.value.hint


def test_a_prompt_that_the_server_cut_is_told() -> None:
    """A server with a short context drops the beginning of a prompt: it counts fewer tokens than there are words."""
    asked = [{"role": "user", "content": "which number is meant " * 30}]
    with playing(lambda _: Played("{}", tokens=64)) as server:
        environment = {"REGC_LLM_BASE_URL": server.url}
        llm = OpenAIChat(endpoint("vllm:m", environment), environment=environment)
        with pytest.raises(LLMError, match="read 64 tokens of a prompt of 120 words") as caught:
            llm.complete(asked, label="q")
        assert "longer context" in caught.value.hint
    with playing(lambda _: Played("{}", tokens=121)) as server:
        environment = {"REGC_LLM_BASE_URL": server.url}
        assert OpenAIChat(endpoint("vllm:m", environment), environment=environment).complete(asked).prompt_tokens == 121


def test_token_budget() -> None:
    with playing(lambda _: RIGHT) as server:
        environment = {"REGC_LLM_BASE_URL": server.url}
        llm = OpenAIChat(endpoint("vllm:m", environment), limits=Limits(budget=200), environment=environment)
        llm.complete(MESSAGES, schema=SCHEMA)
        llm.complete(MESSAGES, schema=SCHEMA)
        with pytest.raises(LLMError, match="budget of 200 is spent"):
            llm.complete(MESSAGES, schema=SCHEMA)


@pytest.mark.parametrize(
    ("spec", "url", "first"),
    [
        ("openai:gpt-4o-2024-11-20", "https://api.openai.com/v1", "json_schema"),
        ("groq:llama-3.3-70b-versatile", "https://api.groq.com/openai/v1", "tools"),
        ("deepseek:deepseek-chat", "https://api.deepseek.com", "tools"),
        ("ollama:qwen2.5-coder:1.5b", "http://127.0.0.1:11434/v1", "json_schema"),
        ("llamacpp:any", "http://127.0.0.1:8080/v1", "json_schema"),
    ],
)
def test_presets(spec: str, url: str, first: str) -> None:
    found = endpoint(spec, {})
    assert (found.base_url, found.modes[0], found.name) == (url, first, spec)
    assert found.model == spec.partition(":")[2]


def test_azure_and_own_servers() -> None:
    azure = endpoint("azure:my-gpt", {"AZURE_OPENAI_ENDPOINT": "https://x.openai.azure.com/"})
    assert azure.base_url == "https://x.openai.azure.com/openai/v1/"
    own = endpoint(None, {"REGC_LLM_BASE_URL": "http://h/v1", "REGC_LLM_MODEL": "big"})
    assert (own.name, own.base_url) == ("custom:big", "http://h/v1")


@pytest.mark.parametrize("spec", [None, "gpt-4o", "openai:", "azure:m", "opneai:gpt-4o"])
def test_a_model_that_cannot_be_opened_says_what_to_do(spec: str | None) -> None:
    with pytest.raises(RegcError) as caught:
        endpoint(spec, {})
    assert caught.value.hint


def test_a_missing_key_is_named() -> None:
    with pytest.raises(LLMError) as caught:
        open_llm("openai:gpt-4o-2024-11-20", environment={})
    assert "OPENAI_API_KEY" in caught.value.hint


def test_limits_from_the_environment() -> None:
    found = Limits.of({"REGC_LLM_TIMEOUT": "12.5", "REGC_LLM_BUDGET": "9000"})
    assert (found.timeout, found.budget) == (12.5, 9000)
    with pytest.raises(LLMError, match="REGC_LLM_BUDGET"):
        Limits.of({"REGC_LLM_BUDGET": "much"})
