"""Templates of a user's own, rendered in a process of their own that has a time and a memory limit.

Jinja's sandbox keeps a template from Python's inner attributes; only another process can be stopped when it calculates without end.
"""

from __future__ import annotations

import json
import pickle
import struct
import subprocess
import sys
import threading
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from regc.errors import DataFileError, RegcError, TemplateFailedError

#: s for one text; the built-in ones take milliseconds.
LIMIT = 10.0
#: Bytes that the process may use.
_MEMORY = 2 * 1024**3
_HEAD = struct.Struct(">I")


class Renderer:
    """The process that renders; started at the first text and ended with regc."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def render(self, regulation: str, name: str, own: Path, values: dict[str, Any], limit: float | None = None) -> str:
        """One text. Raises DataFileError for a template that fails or is not done in `limit` seconds (LIMIT)."""
        limit = LIMIT if limit is None else limit
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-c", "from regc.sandbox import serve; serve()", *sys.path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        process = self._process
        assert process.stdin
        assert process.stdout
        watch = threading.Timer(limit, process.kill)
        watch.start()
        try:
            _send(process.stdin, pickle.dumps((regulation, name, str(own), values)))
            answer = _receive(process.stdout)
        except OSError:
            answer = None
        finally:
            watch.cancel()
        if answer is None:
            process.kill()
            process.wait()
            self._process = None
            raise DataFileError(
                f"template {name}: not done in {limit:g} s, or more than {_MEMORY // 1024**3} GB of memory were needed",
                hint="a template only lays out what is there; look for a loop without end",
            )
        told: dict[str, str] = json.loads(answer)
        if "error" in told:
            raise (TemplateFailedError if told["ours"] else DataFileError)(told["error"], hint=told["hint"])
        return told["text"]


@lru_cache(maxsize=1)
def renderer() -> Renderer:
    """The one renderer of this run."""
    return Renderer()


def serve() -> None:
    """The other side: a text for every request on standard input, until that is closed."""
    sys.path[:] = sys.argv[1:]
    from regc.templating import render_here

    _limit_memory()
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while (request := _receive(requests)) is not None:
        regulation, name, own, values = pickle.loads(request)
        try:
            told = {"text": render_here(regulation, name, Path(own), **values)}
        except RegcError as error:
            told = {"error": str(error), "hint": error.hint, "ours": "yes" * isinstance(error, TemplateFailedError)}
        _send(answers, json.dumps(told).encode())


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows: the time limit alone
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(_HEAD.pack(len(content)) + content)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    """The next message; None at the end of the stream."""
    head = stream.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    size = _HEAD.unpack(head)[0]
    content = stream.read(size)
    return content if len(content) == size else None
