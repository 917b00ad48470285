"""A limit on what reading one document may cost, so that a damaged file ends with a message and not with a full machine."""

from __future__ import annotations

import ctypes
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from regc.errors import SourceError

#: s of processor time that any document may take, and bytes of it that one more second is granted for: many times what the longest
#: regulations need (UN R90, 134 pages in 2.7 MB: 3 s).
_SECONDS, _BYTES_A_SECOND = 30.0, 100_000
#: Bytes of memory that the process may use at most while it reads.
_MEMORY = 4 * 1024**3
#: s between two looks.
_EVERY = 0.25


class _OverLimitError(BaseException):
    """Raised in the thread that reads; no handler of ordinary errors may take it for a damaged part of the file."""


def seconds_for(size: int) -> float:
    """Processor time that a document of `size` bytes may take, in s."""
    return _SECONDS + size / _BYTES_A_SECOND


@contextmanager
def limited(name: str, seconds: float, memory: int = _MEMORY) -> Iterator[None]:
    """Stop what runs inside when it has used more than `seconds` of processor time, or the process more than `memory` bytes.

    Raises SourceError with the document's `name` and the limit. Code that waits (for a model's answer) uses no processor time.
    """
    thread = threading.get_ident()
    done = threading.Event()
    start = time.process_time()
    over: list[str] = []

    def watch() -> None:
        while not done.wait(_EVERY):
            if time.process_time() - start > seconds:
                over.append(f"not done after {seconds:.0f} s of processor time")
            elif _used() > memory:
                over.append(f"more than {memory / 1024**3:.1f} GB of memory were needed")
            if over:
                _raise_in(thread, _OverLimitError)
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except _OverLimitError:
        raise SourceError(
            f"{name}: {over[0]}; no regulation needs as much, so the file is damaged or is none",
            hint="open it in a viewer: a page with thousands of signs on top of each other, or a cell over thousands of columns",
        ) from None
    finally:
        done.set()
        watcher.join()
        if over:
            _raise_in(thread, None)  # one that came too late is taken back


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error) if error else None)


def _used() -> int:
    """The most memory that this process has used so far, in bytes; 0 where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
