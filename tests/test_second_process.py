"""Work in a second process gives and raises what it would in this one."""

from __future__ import annotations

import os
import signal
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from regc import second_process
from regc.second_process import SecondProcess

HERE = os.getpid()


@pytest.fixture(params=[True, False], ids=["two processors", "one processor"])
def processors(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    two = bool(request.param)
    if two and sys.platform != "linux":
        pytest.skip("forks are used on Linux alone")
    monkeypatch.setattr(second_process, "_can_fork", lambda: two)
    return two


def test_the_result_comes_from_the_other_process(processors: bool) -> None:
    work = SecondProcess(lambda: (os.getpid(), "x" * 1_000_000))
    process, text = work.result()
    assert (process != HERE) == processors
    assert len(text) == 1_000_000


def test_too_little_work_is_done_here() -> None:
    assert SecondProcess(os.getpid, worth=False).result() == HERE


def test_an_error_is_raised_here(processors: bool) -> None:
    def fails() -> None:
        raise ValueError(f"in {os.getpid()}")

    work = SecondProcess(fails)
    with pytest.raises(ValueError, match=f"in {HERE}"):
        work.result()


def test_a_second_process_that_dies_is_replaced_by_this_one(processors: bool) -> None:
    def dies_elsewhere() -> int:
        if os.getpid() != HERE:
            os.kill(os.getpid(), signal.SIGKILL)
        return os.getpid()

    assert SecondProcess(dies_elsewhere).result() == HERE


def test_what_cannot_be_handed_over_is_made_here(processors: bool) -> None:
    assert callable(SecondProcess(lambda: lambda: 1).result())


def test_nobody_waits_for_work_that_is_not_wanted(processors: bool) -> None:
    work = SecondProcess(signal.pause if processors else os.getpid)
    process = work._process
    del work
    if processors:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, 0)


def test_beside_other_threads_the_work_is_done_here() -> None:
    """A lock that another thread holds is held for ever in a fork."""
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(lambda: SecondProcess(os.getpid).result()).result() == HERE
        assert SecondProcess(os.getpid).result() == HERE
