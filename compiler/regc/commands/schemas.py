"""`regc schemas`: write the JSON Schemas of the files that other programs read, or check that they are up to date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from regc import files, plugins
from regc.cli.console import console, print_json
from regc.judge.verdict import Judgement
from regc.lang.schema import profile_schema
from regc.model.document import Document
from regc.model.machine_files import CoverageFile, FindingsFile, ManifestFile
from regc.model.machine_files import json_schema as suite_schema
from regc.plugins import TARGETS
from regc.resources import resource

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
#: File stem -> what it describes. Targets add their own in a module attribute `SCHEMAS` (stem -> function that gives the schema).
_MODELS: dict[str, type[BaseModel]] = {
    "findings": FindingsFile,
    "coverage": CoverageFile,
    "manifest": ManifestFile,
    "document": Document,
    "verdict": Judgement,
}


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("schemas")(schemas_command)


def schemas_command(
    check: Annotated[bool, typer.Option("--check", help="write nothing; exit 1 when a file is not what the models say")] = False,
    out: Annotated[Path | None, typer.Option(help="another folder than schemas/")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the names of the files that differ")] = False,
) -> None:
    """Write or check the JSON Schemas."""
    folder = out or resource("schemas")
    wanted = {f"{name}.schema.json": files.json_bytes(schema) for name, schema in schemas().items()}
    differing = sorted(name for name, content in wanted.items() if _read(folder / name) != content)
    unknown = sorted(path.name for path in folder.glob("*.schema.json") if path.name not in wanted)
    if not check:
        for name in differing:
            files.write(folder / name, wanted[name])
    if as_json:
        print_json({"differ": differing, "unknown": unknown})
    else:
        for name in differing:
            console().print(f"{'differs' if check else 'wrote'}: {name}")
        for name in unknown:
            console().print(f"no model: {name}")
        if check and (differing or unknown):
            console().print("  next: regc schemas, and look at the difference before you commit it")
    raise typer.Exit(1 if check and (differing or unknown) else 0)


def schemas() -> dict[str, dict[str, Any]]:
    """Every schema by file stem; of what regc writes, not of what it would take."""
    models = {name: {"$schema": _DIALECT, **model.model_json_schema(mode="serialization")} for name, model in _MODELS.items()}
    models["scenarios"] = suite_schema()
    models["profile"] = profile_schema()
    for target in sorted(plugins.built_in("targets")):
        for name, schema in getattr(TARGETS.load(target), "SCHEMAS", {}).items():
            models[name] = schema()
    return {name: json.loads(json.dumps(schema)) for name, schema in sorted(models.items())}


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
