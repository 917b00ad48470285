"""`regc doctor`: what of regc's optional parts is installed and usable here, with the next step for what is not."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.markup import escape

from regc import __version__
from regc.cache import cache_folder
from regc.cli.console import console, print_json
from regc.errors import RegcError, install
from regc.readers import mineru

#: Packages of an optional part -> what it does, and the extra that brings it.
_PARTS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (("openai", "instructor"), "asks language models (--llm)", "llm"),
    (("openpyxl", "PIL", "reqif"), "workbook, ReqIF and page pictures of regc report", "report"),
    (("asammdf",), "reads MDF 4 logs of test benches", "mdf"),
    (("mcap", "mcap_protobuf"), "reads OSI ground-truth traces", "osi"),
    (("onnxruntime", "tokenizers"), "embeds texts for scores and retrieval", "minilm"),
    (("carla",), "drives CARLA with the files of --target carla", "carla"),
)
_STYLES = {"ready": "green", "absent": "yellow", "broken": "red"}


@dataclass(frozen=True)
class PartState:
    """One part: `state` ready, absent (optional and not there) or broken (there and not usable); `next` is what mends it."""

    part: str
    does: str
    state: Literal["ready", "absent", "broken"]
    found: str = ""
    next: str = ""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor_command)


def doctor_command(as_json: Annotated[bool, typer.Option("--json", help="print what was found as JSON")] = False) -> None:
    """Say what is installed and usable, and what to do about the rest; nothing is sent anywhere."""
    states = list(checks())
    if as_json:
        print_json({"regc": __version__, "python": platform.python_version(), "checks": [asdict(check) for check in states]})
    else:
        out = console()
        out.print(f"regc {__version__}, Python {platform.python_version()}")
        for check in states:
            told = f": {check.found}" if check.found else ""
            out.print(f"[{_STYLES[check.state]}]{check.state:<6}[/] {check.part:<8} {escape(check.does + told)}")
            if check.next:
                out.print(f"       next: {check.next}", markup=False)
    raise typer.Exit(1 if any(check.state == "broken" for check in states) else 0)


def checks() -> Iterator[PartState]:
    """Every part, what a default build needs first."""
    yield _folder("cache", "keeps what was read", cache_folder(), "set REGC_CACHE_DIR to a folder that can be written")
    yield _folder("output", "the folder that builds go to by default", Path("out"), "choose another with --out")
    yield PartState("readers", "PDF with a text layer, HTML, XML, Markdown, files of MinerU", "ready")
    yield _mineru()
    for packages, does, extra in _PARTS:
        missing = [name for name in packages if find_spec(name) is None]
        if missing:
            yield PartState(extra, does, "absent", f"no {', '.join(missing)}", install(extra))
        else:
            yield PartState(extra, does, "ready")
    yield _model()
    yield _program(
        "esmini", "plays scenario files (regc simulate --engine esmini)", "put the esmini program on the PATH, or --esmini PATH"
    )


def _folder(part: str, does: str, folder: Path, step: str) -> PartState:
    """Whether a folder, or the nearest one above that is there, can be written to."""
    home = next((each for each in (folder, *folder.absolute().parents) if each.exists()), Path())
    try:
        with tempfile.TemporaryFile(dir=home):
            return PartState(part, does, "ready", str(folder))
    except OSError as error:
        return PartState(part, does, "broken", f"{folder}: {error.strerror or error}", step)


def _mineru() -> PartState:
    """MinerU as a program of its own: found, and answering."""
    does = "converts a PDF, scans too (--reader mineru)"
    named, program = os.environ.get("REGC_MINERU"), mineru.command()
    hub = "its tier flash needs no weights; other tiers fetch their models from a hub at first use, so let it run once with a network"
    if program is None and named:
        return PartState("mineru", does, "broken", f"REGC_MINERU names {named}, which is no program", "correct REGC_MINERU")
    if program is None:
        step = f"{install('mineru')}, or REGC_MINERU=PROGRAM of an environment of its own; {hub}"
        return PartState("mineru", does, "absent", "no mineru-kit or mineru", step)
    return PartState("mineru", does, "ready", f"{program}; {hub}")


def _model() -> PartState:
    """The language model that --llm names by default; only its settings are looked at."""
    from regc.llm import configured

    does = "the language model of --llm by default"
    try:
        model = configured()
    except RegcError as error:
        return PartState("model", does, "broken", str(error), error.hint)
    if model is None:
        step = "set REGC_LLM_BASE_URL and REGC_LLM_MODEL, or name one with --llm PROVIDER:MODEL"
        return PartState("model", does, "absent", "", step)
    return PartState("model", does, "ready", f"{model.name} at {_without_key(model.base_url)}")


def _without_key(url: str) -> str:
    """An address without a user and what stands behind its path."""
    return url.partition("?")[0].rpartition("@")[2]


def _program(name: str, does: str, step: str) -> PartState:
    path = shutil.which(name)
    return PartState(name, does, "ready", path) if path else PartState(name, does, "absent", f"no {name} on the PATH", step)
