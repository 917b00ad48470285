"""What all tests share: an isolated cache, no network beyond this machine, no live language model, and builds made once."""

from __future__ import annotations

import contextlib
import io
import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from regc.pipeline.build import build, compile_regulation
from regc.pipeline.request import Built, Compiled, Request
from regc.plugins import TARGETS

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
INVENTED = ROOT / "tests" / "fixtures" / "regulations" / "shuttles"
_LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "")
#: The port of a local language model server; a test that needs a server starts its own on another one.
_LIVE_PORTS = (11434,)
_LIVE_NAMES = ("API_KEY", "BASE_URL", "OLLAMA_HOST", "REGC_LLM")


class BlockedError(RuntimeError):
    """A test tried to leave this machine or to ask a live language model."""


def _allow(address: Any) -> None:
    if not isinstance(address, tuple):
        return  # a local socket
    host, port = str(address[0]), address[1]
    if host not in _LOOPBACK and not host.startswith("127."):
        raise BlockedError(f"tests never leave this machine: {host}:{port}")
    if port in _LIVE_PORTS:
        raise BlockedError(f"tests never ask a live language model: {host}:{port}")


@pytest.fixture(scope="session", autouse=True)
def _isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of its own for the session, no keys or addresses of language models, no connections but to this machine."""
    connect, connect_ex, resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guarded(self: socket.socket, address: Any) -> None:
        _allow(address)
        connect(self, address)

    def guarded_ex(self: socket.socket, address: Any) -> int:
        _allow(address)
        return connect_ex(self, address)

    def guarded_resolve(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        _allow((name or "", port))
        return resolve(host, port, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REGC_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        patch.delenv("REGC_NO_CACHE", raising=False)
        for name in os.environ:
            if any(part in name for part in _LIVE_NAMES):
                patch.delenv(name)
        patch.setattr(socket.socket, "connect", guarded)
        patch.setattr(socket.socket, "connect_ex", guarded_ex)
        patch.setattr(socket, "getaddrinfo", guarded_resolve)
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of official texts and published vectors beside the checkout; they are not ours to distribute."""
    if not SHARED.is_dir():
        pytest.skip("the official texts are not at hand (../shared)")
    return SHARED


@pytest.fixture(scope="session")
def embedded() -> Compiled:
    """The embedded edition 02 of un152, compiled once."""
    return compile_regulation(Request("un152"))


@pytest.fixture(scope="session")
def literature() -> Compiled:
    """The embedded edition eu2020-1597, compiled once."""
    return compile_regulation(Request("un152", edition="eu2020-1597"))


@pytest.fixture(scope="session")
def official(shared: Path) -> Compiled:
    """The official PDF, compiled once."""
    return compile_regulation(Request("un152", source=shared / "regulations" / "un152-r2" / "un152-r2.pdf"))


def all_targets() -> dict[str, Any]:
    """Every target with its options by default."""
    return {name: TARGETS.load(name).Options() for name in TARGETS.names()}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, embedded: Compiled) -> Built:
    """The prescribed tests of edition 02 with every target, written once. Tests must not change its folder."""
    return build(Request("un152", sweep="mandatory", targets=all_targets()), tmp_path_factory.mktemp("out"))


@pytest.fixture(scope="session")
def invented() -> Compiled:
    """The invented regulation of tests/fixtures, compiled once."""
    return compile_regulation(Request(str(INVENTED)))


@dataclass(frozen=True)
class Outcome:
    """What a command left: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


@pytest.fixture
def cli() -> Callable[..., Outcome]:
    """Runs `regc ARGUMENTS` in this process."""
    from regc.cli.main import main

    def run(*arguments: object) -> Outcome:
        out, err = io.StringIO(), io.StringIO()
        code = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main([str(argument) for argument in arguments])
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 1
        assert "internal error" not in err.getvalue(), err.getvalue()
        return Outcome(code, out.getvalue(), err.getvalue())

    return run
