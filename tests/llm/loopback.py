"""A server on loopback that plays a language model: real sockets, the answers of a script."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What the server does with a request: a full answer, or one of the troubles below.
Script = Callable[["Asked"], "Played"]


@dataclass(frozen=True)
class Asked:
    """A request: its JSON body, its number (from 1), and its headers in lower case."""

    body: dict[str, Any]
    number: int
    headers: dict[str, str]

    @property
    def prompt(self) -> str:
        """The last user message."""
        return str(self.body["messages"][-1]["content"])

    @property
    def mode(self) -> str:
        """How JSON was asked for."""
        if "tools" in self.body:
            return "tools"
        return str(self.body.get("response_format", {}).get("type", "text"))

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the answer, wherever the mode puts it; {} when only the prompt has it."""
        if "tools" in self.body:
            found: dict[str, Any] = self.body["tools"][0]["function"]["parameters"]
            return found
        given: dict[str, Any] = self.body.get("response_format", {}).get("json_schema", {}).get("schema", {})
        return given


@dataclass(frozen=True)
class Played:
    """An answer. `status` other than 200 sends `text` as the error's message; `cut` breaks the body off; `hang` sleeps first;
    `tokens`: of the prompt, as the server counts them (None: about as many as it has).
    """

    text: str = ""
    status: int = 200
    finish: str = "stop"
    usage: bool = True
    tokens: int | None = None
    refusal: str | None = None
    cut: bool = False
    hang: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked = self.server.note(body, {name.lower(): value for name, value in self.headers.items()})
        played = self.server.script(asked)
        if played.hang:
            time.sleep(played.hang)
        content = played.raw if played.raw is not None else json.dumps(self._content(asked, played)).encode()
        try:
            self.send_response(played.status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            for name, value in played.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content[: len(content) // 2] if played.cut else content)
            self.wfile.flush()
        except OSError:
            pass  # the client gave up
        if played.cut:
            self.close_connection = True

    def _content(self, asked: Asked, played: Played) -> dict[str, Any]:
        if played.status != 200:
            return {"error": {"message": played.text, "type": "error", "code": None}}
        message: dict[str, Any] = {"role": "assistant", "content": played.text}
        if played.refusal:
            message = {"role": "assistant", "content": None, "refusal": played.refusal}
        elif asked.mode == "tools":
            call = {"id": "c1", "type": "function", "function": {"name": "Answer", "arguments": played.text}}
            message = {"role": "assistant", "content": None, "tool_calls": [call]}
        answer: dict[str, Any] = {
            "id": "x", "object": "chat.completion", "created": 0, "model": asked.body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": played.finish}],
        }  # fmt: skip
        if played.usage:
            words = sum(len(str(each.get("content")).split()) for each in asked.body["messages"])
            count = max(100, words * 4 // 3) if played.tokens is None else played.tokens
            answer["usage"] = {"prompt_tokens": count, "completion_tokens": 20, "total_tokens": count + 20}
        return answer

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script = script
        self.asked: list[Asked] = []
        self._lock = threading.Lock()

    def note(self, body: dict[str, Any], headers: dict[str, str]) -> Asked:
        with self._lock:
            asked = Asked(body, len(self.asked) + 1, headers)
            self.asked.append(asked)
            return asked

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def playing(script: Script) -> Iterator[_Server]:
    """A server that answers by `script` for as long as the block runs."""
    server = _Server(script)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
