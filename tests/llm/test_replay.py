"""Replies on file: recorded once, replayed without a socket, stale ones told of."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from regc.errors import DataFileError, LLMError
from regc.llm import Settings, open_llm
from regc.llm.replay import ReplayLLM, key
from tests.llm.loopback import Asked, Played, playing

pytest.importorskip("openai")
pytest.importorskip("instructor")

MESSAGES = [{"role": "user", "content": "where does it stand?"}]
SCHEMA = {"type": "object", "properties": {}, "additionalProperties": True}
KEY = "sk-verysecretkey1234567890"


def environment(url: str) -> dict[str, str]:
    return {"REGC_LLM_BASE_URL": url, "REGC_LLM_API_KEY": KEY}


def test_recorded_then_replayed_without_a_server(tmp_path: Path) -> None:
    with playing(lambda _: Played('{"a": "1"}')) as server:
        recording = open_llm("vllm:m", record=tmp_path, environment=environment(server.url))
        first = recording.complete(MESSAGES, schema=SCHEMA, label="q")
    (file,) = tmp_path.glob("*.json")
    assert file.stem == key("vllm:m", Settings(), MESSAGES, SCHEMA)
    assert KEY not in file.read_text()
    assert "127.0.0.1" not in file.read_text()
    locked = open_llm("vllm:m", replies=tmp_path, locked=True, environment={})
    again = locked.complete(MESSAGES, schema=SCHEMA, label="q")
    assert (again.text, again.prompt_tokens, again.seconds) == (first.text, first.prompt_tokens, first.seconds)


def test_a_second_run_goes_on_where_the_first_stopped(tmp_path: Path) -> None:
    questions = [[{"role": "user", "content": str(n)}] for n in range(4)]

    def script(asked: Asked) -> Played:
        return Played("stop", status=500) if asked.number == 3 else Played("{}")

    with playing(script) as server:
        from regc.llm import Limits

        llm = open_llm("vllm:m", record=tmp_path, environment=environment(server.url), limits=Limits(retries=0))
        for question in questions[:2]:
            llm.complete(question, schema=SCHEMA)
        with pytest.raises(LLMError):
            llm.complete(questions[2], schema=SCHEMA)
        assert len(list(tmp_path.glob("*.json"))) == 2
        again = open_llm("vllm:m", record=tmp_path, environment=environment(server.url))
        for question in questions:
            again.complete(question, schema=SCHEMA)
        assert len(server.asked) == 3 + 2


@pytest.mark.parametrize(
    ("label", "words"), [("q", "stale"), ("never asked", "no reply is recorded")]
)  # fmt: skip
def test_locked_names_the_command_that_records(tmp_path: Path, label: str, words: str) -> None:
    with playing(lambda _: Played("{}")) as server:
        open_llm("vllm:m", record=tmp_path, environment=environment(server.url)).complete(MESSAGES, schema=SCHEMA, label="q")
    locked = open_llm("vllm:m", replies=tmp_path, locked=True, environment={})
    with pytest.raises(LLMError, match=words) as caught:
        locked.complete([{"role": "user", "content": "changed"}], schema=SCHEMA, label=label)
    assert "record the replies of vllm:m first" in caught.value.hint


@pytest.mark.parametrize("change", ["model", "schema", "settings", "prompt"])
def test_the_key_covers_all_that_was_asked(change: str) -> None:
    given: dict[str, Any] = {"model": "m", "settings": Settings(), "messages": MESSAGES, "schema": SCHEMA}
    other: dict[str, Any] = {
        "model": {"model": "n"},
        "schema": {"schema": None},
        "settings": {"settings": Settings(temperature=0.2)},
        "prompt": {"messages": [{"role": "user", "content": "where?"}]},
    }[change]
    assert key(**given) != key(**{**given, **other})


def test_one_question_of_several_is_put_once(tmp_path: Path) -> None:
    with playing(lambda _: Played("{}", hang=0.1)) as server:
        llm = open_llm("vllm:m", record=tmp_path, environment=environment(server.url))
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda _: llm.complete(MESSAGES, schema=SCHEMA), range(4)))
        assert len(server.asked) == 1
    assert sorted(reply.prompt_tokens or 0 for reply in replies) == [0, 0, 0, 100], "counted once"


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    own = key("vllm:m", Settings(), MESSAGES, SCHEMA)
    (tmp_path / f"{own}.json").write_text("{")
    with pytest.raises(DataFileError, match=own):
        ReplayLLM("vllm:m", Settings(), (tmp_path,)).complete(MESSAGES, schema=SCHEMA)


def test_locked_without_a_model_takes_that_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(LLMError, match="names no model"):
        open_llm(locked=True, replies=tmp_path, environment={})
    (tmp_path / "model.json").write_text(json.dumps({"model": "llamacpp:small"}))
    assert open_llm(locked=True, replies=tmp_path, environment={}).name == "llamacpp:small"
