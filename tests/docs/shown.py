"""What a document shows: commands and what they print, files that its reader writes, files that come out.

Fenced blocks say by their first line what they are:

    ```console                     commands behind "$ ", and what each prints
    ```toml own/profile.toml       lines that the reader adds to a profile: see `added`
    ```markdown own/rules.md       a file that the reader writes as a whole
    ```text out/one.md             a file that came out
    ```toml un152                  lines of the profile that regc brings for UN R152

A line "..." of what is printed, or of a file that came out, stands for any lines.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OFFICIAL = ROOT.parent / "shared" / "regulations" / "un152-r2" / "un152-r2.pdf"
OFFICIAL_130 = OFFICIAL.parents[1] / "distractors" / "un130.pdf"
_BLOCK = re.compile(r"^```(\w+)(?: ([^\n]+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SECONDS = 300
#: s that a watched check may need for its first answer
_WATCHED = 60


@dataclass(frozen=True)
class Step:
    """One thing that a document shows. `kind`: command, add, write or shows; `name` the command or file; `text` what it prints or
    holds."""

    kind: str
    name: str
    text: str
    line: int

    def __str__(self) -> str:
        return f"{self.line}: {self.kind} {self.name}"


def steps(document: str) -> list[Step]:
    """Everything that a document shows, in its order, but for lines of shipped profiles."""
    found: list[Step] = []
    for match in _BLOCK.finditer(document):
        language, name, body = match[1], match[2] or "", match[3]
        line = document.count("\n", 0, match.start()) + 1
        if language == "console":
            for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append(Step("command", command, output.strip(), line))
        elif "/" in name:
            found.append(Step({"toml": "add", "text": "shows"}.get(language, "write"), name, body, line))
    return found


def quoted(document: str) -> list[tuple[str, str]]:
    """Lines of shipped profiles that a document quotes, as (regulation, line)."""
    blocks = [(match[2], match[3]) for match in _BLOCK.finditer(document) if match[1] == "toml" and match[2] and "/" not in match[2]]
    return [(name, line.strip()) for name, body in blocks for line in body.splitlines() if line.strip() not in ("", "...")]


def fits(wanted: str, printed: str) -> bool:
    """Whether a text is what a document shows; "..." stands for any lines, and times are not compared."""
    lines = [re.sub(r"\d+\.\d\d s", "0.00 s", line.rstrip()) for line in wanted.strip().splitlines()]
    parts = [r"(?:.*\n)*?" if line.strip() == "..." else re.escape(line) + "\n" for line in lines]
    given = "".join(re.sub(r"\d+\.\d\d s", "0.00 s", line.rstrip()) + "\n" for line in printed.strip().splitlines())
    return re.fullmatch("".join(parts), given) is not None


# ---------------------------------------------------------------- adding to a profile


def added(profile: str, more: str) -> str:
    """A profile with lines added as its author would: those of a block that is there already (a test of the same name) go into it, a
    key that is there already is replaced."""
    blocks = _blocks(profile)
    for key, lines in _blocks(more).items():
        if key not in blocks:
            blocks[key] = lines
            continue
        held = _entries(blocks[key])
        blocks[key] = [line for entry in (held | _entries(lines)).values() for line in entry]
    return "\n\n".join("\n".join(lines).strip("\n") for lines in blocks.values() if lines) + "\n"


def _blocks(text: str) -> dict[str, list[str]]:
    """The lines of a TOML file by block: "" before the first header, "[let]", "[[test]] stationary"."""
    found: dict[str, list[str]] = {}
    current: list[list[str]] = [[]]
    for entry in _whole_lines(text.splitlines()):
        if entry[0].startswith("["):
            current.append([])
        current[-1] += entry
    for lines in current:
        head = lines[0].split("#")[0].strip() if lines and lines[0].startswith("[") else ""
        if head.startswith("[["):
            name = next((re.sub(r"^\w+\s*=\s*", "", line) for line in lines if re.match(r"(name|title)\s*=", line)), "")
            head = f"{head} {name}"
        found.setdefault(head, []).extend(lines)
    return found


def _whole_lines(lines: Iterable[str]) -> list[list[str]]:
    """Lines with those that a bracket keeps open."""
    found: list[list[str]] = []
    depth = 0
    for line in lines:
        bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|#.*$", "", line)
        if depth:
            found[-1].append(line)
        else:
            found.append([line])
        depth += sum(bare.count(sign) for sign in "[{") - sum(bare.count(sign) for sign in "]}")
    return found


def _entries(lines: list[str]) -> dict[str, list[str]]:
    """The entries of one block by key; the header is one of them."""
    entries = [entry for entry in _whole_lines(lines) if entry[0].strip()]
    return {(entry[0] if entry[0].startswith("[") else entry[0].split("=", 1)[0]).split("#")[0].strip(): entry for entry in entries}


# ---------------------------------------------------------------- the reader's folder


def _text_of_130(folder: Path) -> dict[str, str]:
    """UN R130 in a reader's folder: the official PDF, else our rewording; official name -> the name that stands for it."""
    if OFFICIAL_130.is_file():
        shutil.copy(OFFICIAL_130, folder / "r130.pdf")
        return {}
    shutil.copy(ROOT / "compiler" / "regc" / "regulations" / "un130" / "00.md", folder / "r130.md")
    return {"r130.pdf": "r130.md"}


@dataclass(frozen=True)
class Done:
    """What a step gave: the exit code and what was printed, or the file as it is now. `code` None: it needs an official file."""

    code: int | None
    out: str
    err: str = ""

    @property
    def printed(self) -> str:
        """Standard output, and standard error behind it."""
        return self.out + self.err


class Tour:
    """A reader's folder in which the steps of a document are done in their order, each once."""

    def __init__(self, folder: Path, document: str) -> None:
        self.folder, self.steps = folder, steps(document)
        self.done: list[Done] = []
        if OFFICIAL.is_file() and any("r152.pdf" in step.name for step in self.steps):
            shutil.copy(OFFICIAL, folder / "r152.pdf")
        self.instead = _text_of_130(folder) if any("r130.pdf" in step.name for step in self.steps) else {}

    def run(self, index: int) -> Done:
        """What a step gave, after all before it: it may need what they wrote."""
        for step in self.steps[len(self.done) : index + 1]:
            self.done.append(self._do(step))
        return self.done[index]

    def _do(self, step: Step) -> Done:
        path = self.folder / step.name
        if step.kind == "shows":
            return Done(0 if path.is_file() else 1, path.read_text("utf-8") if path.is_file() else "", "no such file")
        if step.kind in ("add", "write"):
            held = path.read_text("utf-8") if path.is_file() else ""
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text if step.kind == "write" else added(held, step.text), "utf-8", newline="\n")
            return Done(0, path.read_text("utf-8"))
        if "r152.pdf" in step.name and not (self.folder / "r152.pdf").is_file():
            return Done(None, "")
        words = [self._there(word) for word in shlex.split(step.name)]
        assert words[0] == "regc", step.name
        command = [sys.executable, "-m", "regc.cli.main", *words[1:]]
        return self._watched(command) if "--watch" in words else self._called(command)

    def _there(self, word: str) -> str:
        """A word of a command as it is here: the file that stands for an official one, the folder of a build whatever its hash."""
        named = re.fullmatch(r"(out/[^/]+-)[0-9a-f]{4}(/.*)?", word)
        made = sorted(self.folder.glob(f"{named[1]}????")) if named else []
        if named and len(made) == 1:
            return made[0].relative_to(self.folder).as_posix() + (named[2] or "")
        return self.instead.get(word, word)

    def _called(self, command: list[str]) -> Done:
        run = subprocess.run(
            command, cwd=self.folder, env=self._env(), capture_output=True, text=True, timeout=_SECONDS, check=False
        )  # fmt: skip
        return Done(run.returncode, self._as_shown(run.stdout), self._as_shown(run.stderr))

    def _as_shown(self, text: str) -> str:
        """What was printed, with the names of the files that the document speaks of."""
        for official, here in self.instead.items():
            text = text.replace(here, official)
        return re.sub(r"(out/r130-00-r130-)[0-9a-f]{4}", r"\1d4b8", text)

    def _watched(self, command: list[str]) -> Done:
        """A command that runs until it is stopped: what it printed up to its first answer."""
        output = self.folder / ".watched"
        with output.open("w", encoding="utf-8") as stream:
            process = subprocess.Popen(command, cwd=self.folder, env=self._env(), stdout=stream, stderr=subprocess.STDOUT)
            end = time.monotonic() + _WATCHED
            while "; watching" not in output.read_text("utf-8") and time.monotonic() < end and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            code = process.wait(timeout=_WATCHED)
        return Done(code, output.read_text("utf-8"))

    @staticmethod
    def _env() -> dict[str, str]:
        return os.environ | {"COLUMNS": "180", "PYTHONUNBUFFERED": "1"}
