"""Jinja2 for everything that people read: strict about what a template may ask for, and no arithmetic in templates.

A template is looked up in the user's folder, then in the regulation's own `templates/`, then in the built-in ones.
"""

from __future__ import annotations

import difflib
import json
import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from regc import wording
from regc.catalogue import code
from regc.errors import DataFileError, RegcError, TemplateFailedError
from regc.model.result import Finding
from regc.model.source import SourceRef
from regc.model.units import plain, si_of
from regc.model.value import Value
from regc.resources import package_data, resource

if TYPE_CHECKING:
    from jinja2 import Environment


@lru_cache(maxsize=8)
def environment(regulation: str, own: Path | None = None) -> Environment:
    """The template environment of a regulation; `own` is the user's folder (`--templates DIR`)."""
    if own is not None and not own.is_dir():
        raise DataFileError(f"{own}: no such folder", hint="--templates takes a folder laid out like the built-in templates/")
    folders = [own] if own else []
    folders += [package_data("regulations", regulation, "templates"), resource("templates")]
    made = strict(folders, sandboxed=own is not None)
    made.filters |= {
        "digits": digits,
        "amount": wording.amount,
        "bounded": plain_bound,
        "spelled": wording.spelled,
        "tolerance": tolerance,
        "place": place,
        "title": wording.large,
        "in_unit": in_unit,
    }
    return made


def strict(folders: Iterable[Path], *, sandboxed: bool, html: bool = False) -> Environment:
    """Jinja as every part of regc uses it: templates of the first folder that has them; a name that is not given is an error. A user's
    templates are `sandboxed`, and read again when they change; regc's own need neither. Pages (`html`) escape what they print."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    kind = ImmutableSandboxedEnvironment if sandboxed else Environment
    return kind(
        loader=FileSystemLoader([str(folder) for folder in folders]),
        undefined=StrictUndefined,
        autoescape=html,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=not html,
        auto_reload=sandboxed,
    )


def has(regulation: str, name: str, own: Path | None = None) -> bool:
    """Whether there is a template of that name."""
    return name in built_in(regulation) or (own is not None and (own / name).is_file())


@lru_cache(maxsize=8)
def built_in(regulation: str) -> frozenset[str]:
    """The templates of regc's own that a regulation's files are made from."""
    return frozenset(_files(package_data("regulations", regulation, "templates")) | _files(resource("templates")))


def unread(own: Path, regulation: str, tests: Iterable[str], manoeuvres: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Files of the user's folder that nothing asks for, each with the name that was probably meant ("" where none is near).

    Asked for are the built-in names, those of tests and manoeuvres in the CSV, and what a template of these includes.
    """
    from jinja2 import TemplateError, meta

    names = {*tests, *manoeuvres}
    known = built_in(regulation) | {f"csv/{form}/{name}.txt.j2" for form in ("full", "literature") for name in names}
    mine, used = _files(own), set[str]()
    waiting = sorted(mine & known)
    while waiting:
        name = waiting.pop()
        used.add(name)
        with suppress(TemplateError, UnicodeDecodeError):  # rendering tells them
            parsed = environment(regulation, own).parse((own / name).read_text("utf-8"))
            waiting += sorted(set(filter(None, meta.find_referenced_templates(parsed))) & mine - used)
    return tuple((name, next(iter(difflib.get_close_matches(name, sorted(known), 1)), "")) for name in sorted(mine - used))


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def unread_findings(own: Path, regulation: str, tests: Iterable[str], manoeuvres: Iterable[str]) -> tuple[Finding, ...]:
    """A warning for each file that `unread` names."""
    return tuple(
        code("O696").at(f"--templates: nothing asks for {name}" + (f"; did you mean {near}?" if near else ""))
        for name, near in unread(own, regulation, tests, manoeuvres)
    )


def render(regulation: str, name: str, own: Path | None = None, **values: Any) -> str:
    """One template; one of the user's own in a process with limits.

    Raises DataFileError with template, line and what a user's template asked for in vain, TemplateFailedError for one of regc's.
    """
    if own is not None:
        pass

        return renderer().render(regulation, name, own, values)
    return render_here(regulation, name, None, **values)


def render_here(regulation: str, name: str, own: Path | None, **values: Any) -> str:
    """The same without limits, in this process."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return environment(regulation, own).get_template(name).render(**values)
    except TemplateSyntaxError as error:
        raise _failed(f"template {name}, line {error.lineno}: {error.message}", "mend the template", name, own) from error
    except TemplateError as error:
        raise _failed(f"template {name}: {error}", "templates may only use what targets/text.py gives them", name, own) from error
    except UnicodeDecodeError as error:
        raise _failed(f"template {name}: not UTF-8 text: {error}", "save the template as UTF-8", name, own) from error
    except Exception as error:  # a template may raise whatever its expressions do
        said = f"template {name}: {type(error).__name__}: {error}"
        raise _failed(said, "mend the expression in the template", name, own) from error


def _failed(message: str, hint: str, name: str, own: Path | None) -> RegcError:
    """Whose mistake it is: the user's when the template lies in the user's folder."""
    if own is not None and (own / name).is_file():
        return DataFileError(message, hint=hint)
    return TemplateFailedError(f"regc's own {message}", hint="this is a fault of regc: report it with the source file")


def digits(value: Value) -> str:
    """The number with its source's digits, without unit; a range with both ends."""
    return wording.amount(value.model_copy(update={"unit": ""}))


def in_unit(value: Value, unit: str) -> str:
    """The same length or speed in another unit: "10 cm" for 0.1 m."""
    return f"{plain(si_of(value.number, value.unit) / si_of(Decimal(1), unit))} {unit}"


def plain_bound(value: Value) -> str:
    """Number and unit with the words of its bound, without tolerance: "at least 4 s"."""
    return wording.bounded(value.model_copy(update={"tolerance": None}))


def tolerance(value: Value) -> str:
    """ "+0/-2 km/h"; "" for a value without one."""
    return wording.tolerance(value.tolerance, value.unit) if value.tolerance is not None else ""


def place(source: SourceRef) -> str:
    """Where a number stands, in one line."""
    return source.label()


# ---- templates of a user's own, rendered in a process of their own that has a time and a memory limit.
#
# Jinja's sandbox keeps a template from Python's inner attributes; only another process can be stopped when it calculates without end.


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
                [sys.executable, "-c", "from regc.templating import serve; serve()", *sys.path],
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
