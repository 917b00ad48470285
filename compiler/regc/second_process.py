"""Work that a second process does while this one goes on, for steps whose parts do not depend on each other."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class SecondProcess(Generic[T]):
    """The result of `work`, which must be picklable and nothing else of what the work changes.

    On Linux with two processors a fork of this process does it, which sees everything that this one has. Wherever that cannot be
    (other threads run, whose locks a fork would find taken for ever), or the fork comes to nothing (an exception, a signal, no memory),
    `result` does the work itself: it gives and raises what it would without a second process.
    """

    def __init__(self, work: Callable[[], T], *, worth: bool = True) -> None:
        """`worth`: whether there is enough to do for a second process."""
        self._work, self._owner = work, os.getpid()
        self._process, self._pipe = _forked(work) if worth and _can_fork() else (0, -1)

    def result(self) -> T:
        """What the work came to; waits for it. Raises what the work raises."""
        if not self._process:
            return self._work()
        try:
            with os.fdopen(self._pipe, "rb") as stream:
                content = stream.read()
        except BaseException:
            os.kill(self._process, signal.SIGKILL)  # an interrupt waits for nobody
            raise
        finally:
            _, status = os.waitpid(self._process, 0)
            self._process = 0
        if status != 0:
            return self._work()
        done: T = pickle.loads(content)
        return done

    def __del__(self) -> None:
        """Nobody wants the result any more."""
        if self._process and self._owner == os.getpid():
            os.close(self._pipe)
            os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1 and len(os.sched_getaffinity(0)) > 1


def _forked(work: Callable[[], Any]) -> tuple[int, int]:
    """Process and pipe of a fork that does the work; (0, -1) where the system gives none."""
    reading, writing = os.pipe()
    try:
        process = os.fork()
    except OSError:
        os.close(reading)
        os.close(writing)
        return 0, -1
    if process:
        os.close(writing)
        return process, reading
    status = 1
    try:
        gc.disable()  # it lives shortly, and shares its memory with the other as long as nobody touches it
        os.close(reading)
        with os.fdopen(writing, "wb") as stream:
            stream.write(pickle.dumps(work(), pickle.HIGHEST_PROTOCOL))
        status = 0
    finally:
        # whatever was raised: neither what this process was about to write nor what it has to clean up is its own
        os._exit(status)
