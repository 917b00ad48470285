"""The folder of a build under attack: a full disk, two builds at once, a build that is stopped while it writes. Nothing is lost, and no
traceback is shown."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from regc.files import MANIFEST
from tests.conftest import INVENTED, ROOT, Outcome

Cli = Callable[..., Outcome]

#: A shell that runs tests in the background has them ignore an interrupt.
_MAIN = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from regc.cli.main import main
main(sys.argv[1:])
"""
#: A build that says when it has begun to write its folder, and waits there.
_WAITS = """
import sys, time
from pathlib import Path
write = Path.write_bytes
def slow(self, data):
    if ".staging" in str(self):
        print("now", flush=True)
        time.sleep(60)
    return write(self, data)
Path.write_bytes = slow
"""
_FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
"""

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and limits of POSIX")


def started(before: str, *arguments: object) -> subprocess.Popen[str]:
    """regc in a process of its own, after some code."""
    return subprocess.Popen(
        [sys.executable, "-c", before + _MAIN, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT / "compiler"), str(ROOT)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def held(out: Path) -> dict[str, bytes]:
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}


def verified(cli: Cli, out: Path) -> Outcome:
    (folder,) = out.iterdir()
    return cli("verify", folder, "--source", next(INVENTED.glob("*.md")))


def test_a_disk_that_fills_up(cli: Cli, tmp_path: Path) -> None:
    assert cli("build", INVENTED, "--out", tmp_path, "--target", "csv").code == 0
    good = held(tmp_path)
    process = started(_FULL, "build", INVENTED, "--out", tmp_path, "--target", "csv", "--target", "openscenario")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "cannot be written: File too large" in err
    assert "the last good output is untouched" in err
    assert "Traceback" not in out + err
    assert held(tmp_path) == good


def test_two_builds_into_one_folder_at_once(cli: Cli, tmp_path: Path) -> None:
    both = [started("", "build", INVENTED, "--out", tmp_path, "--target", target) for target in ("text", "neutral")]
    for process in both:
        _, err = process.communicate(timeout=180)
        assert (process.returncode, err) == (0, "")
    names = held(tmp_path)
    assert any("/text/" in name for name in names)
    assert any("/neutral/" in name for name in names)
    assert verified(cli, tmp_path).code == 0


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_build_that_is_stopped_while_it_writes(sent: signal.Signals, code: int, cli: Cli, tmp_path: Path) -> None:
    assert cli("build", INVENTED, "--out", tmp_path, "--target", "csv").code == 0
    good = held(tmp_path)
    process = started(_WAITS, "build", INVENTED, "--out", tmp_path, "--target", "csv", "--target", "text")
    assert process.stdout is not None
    assert process.stdout.readline() == "now\n"
    process.send_signal(sent)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert "Traceback" not in err
    assert {name: content for name, content in held(tmp_path).items() if ".staging" not in name} == good
    assert cli("build", INVENTED, "--out", tmp_path, "--target", "csv", "--target", "text").code == 0
    assert [path.name for path in tmp_path.iterdir()] == [Path(next(iter(good))).parts[0]]
    assert verified(cli, tmp_path).code == 0


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes into read-only folders")
def test_a_folder_that_is_read_only(cli: Cli, tmp_path: Path) -> None:
    assert cli("build", INVENTED, "--out", tmp_path, "--target", "csv").code == 0
    good = held(tmp_path)
    tmp_path.chmod(0o555)
    try:
        done = cli("build", INVENTED, "--out", tmp_path, "--target", "text")
        assert done.code == 2
        assert "cannot be written" in done.err
        assert held(tmp_path) == good
    finally:
        tmp_path.chmod(0o755)


def test_a_report_on_a_full_disk_leaves_the_manifest_right(cli: Cli, tmp_path: Path) -> None:
    assert cli("build", INVENTED, "--out", tmp_path, "--target", "csv").code == 0
    process = started(_FULL, "report", INVENTED, "--out", tmp_path, "--format", "html")
    out, err = process.communicate(timeout=120)
    assert process.returncode == 2
    assert "cannot be written: File too large" in err
    assert "Traceback" not in out + err
    (folder,) = tmp_path.iterdir()
    assert (folder / MANIFEST).is_file()
    assert verified(cli, tmp_path).code == 0
