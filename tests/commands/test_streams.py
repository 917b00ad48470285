"""Where output goes: terminals without a sign, full disks, closed pipes, files. Never a traceback, never a word lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome

COMMAND = [sys.executable, "-m", "regc"]
SHOW = ["show", "un152", "5.2.1.4"]
needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which Linux has")


def run(*arguments: str, **given: str) -> subprocess.CompletedProcess[bytes]:
    """`regc ARGUMENTS` in a process of its own, with more environment."""
    return subprocess.run([*COMMAND, *arguments], env=os.environ | given, capture_output=True, timeout=120, check=False)


def test_a_terminal_that_knows_ascii_only_gets_everything_else_as_escapes() -> None:
    done = run(*SHOW, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"5.2.1.4" in done.stdout
    assert done.stdout.isascii()


def test_a_footnote_is_shown_whole_in_a_pipe() -> None:
    """Footnote 3 of the embedded text, whose last words stand beyond the width of a terminal."""
    text = " ".join(run(*SHOW, PYTHONIOENCODING="utf-8").stdout.decode().replace("│", " ").split())
    assert "so 30/30 km/h shall be used. A mass above the mass in running order shall take the limit of the maximum mass." in text


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_json_in_a_file_is_utf_8_whatever_the_terminal_is(encoding: str) -> None:
    done = run(*SHOW, "--json", PYTHONIOENCODING=encoding)
    data = json.loads(done.stdout.decode("utf-8"))
    assert not json.dumps(data, ensure_ascii=False).isascii()


@pytest.mark.parametrize("arguments", [("inspect", "un131"), ("show", "un131", "5.2.1.4"), ("show", "un131", "6.5")], ids=" ".join)
def test_json_redirected_to_a_file_is_utf_8(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """As `regc ... --json > FILE` under cp1252, with signs that it has and with signs that it has not."""
    with (tmp_path / "out.json").open("wb") as file:
        command = [*COMMAND, *arguments, "--json"]
        environment = os.environ | {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
        done = subprocess.run(command, env=environment, stdout=file, stderr=subprocess.PIPE, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((tmp_path / "out.json").read_bytes().decode("utf-8"))


@needs_full
@pytest.mark.parametrize("arguments", [SHOW, [*SHOW, "--json"], ["--help"], ["build", "--help"], ["regulations"]], ids=" ".join)
def test_a_full_disk_is_told(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, timeout=120, check=False)
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("arguments", [SHOW, [*SHOW, "--json"], ["build", "--help"]], ids=" ".join)
def test_a_closed_pipe_is_no_error(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*COMMAND, *arguments], stdout=write, stderr=subprocess.PIPE, timeout=120, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell closes the stream")
def test_a_closed_standard_output() -> None:
    done = subprocess.run(["sh", "-c", '"$0" -m regc regulations >&-', sys.executable], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("flag", "value"), [("--wall", "nan"), ("--wall", "inf"), ("--step", "nan"), ("--step", "inf")])
def test_no_number_on_a_flag(flag: str, value: str, cli: Callable[..., Outcome], tmp_path: Path) -> None:
    done = cli("simulate", tmp_path, flag, value)
    assert done.code == 2
    assert "Traceback" not in done.err


@pytest.mark.parametrize("module", ["typer", "regc.plugins", "regc.cli.main", "regc.pipeline.build"])
def test_an_interrupt_while_the_program_is_loaded(module: str) -> None:
    """Ctrl-C in the first moment falls into an import."""
    code = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "sys.argv = ['regc', 'build', 'un152', '--out', os.devnull + '/x']\n"
        "from regc.__main__ import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr.split()) == (130, [b"stopped"])
