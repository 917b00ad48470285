"""The one-way road: who may import whom, and what a default run must not import."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import networkx
import pytest

from tests.conftest import INVENTED, ROOT

SOURCE = ROOT / "compiler" / "regc"
#: What every stage may stand on; these import each other only.
SHARED = {
    "model", "errors", "second_process", "catalogue", "plugins", "resources", "files", "cache", "templating", "tomlfiles", "wording",
    "motion",
}  # fmt: skip
#: Stages that stand on another one: a log is read once, signals are what criteria are made of, a sweep judges its own runs, a draft
#: is compiled as it is made, and retrieval knows which regulation a document is.
STANDS_ON = {
    "draft": {"lang", "link", "choices"}, "choices": {"lang", "retrieve"},
    "signals": {"runs"}, "engines": {"runs", "judge"}, "judge": {"runs", "signals"},
    "truth": {"lang"}, "retrieve": {"link"}, "research": {"retrieve"},
}  # fmt: skip
#: The pipeline itself, and the seams that commands and the test plugin stand on.
PIPELINE = {"pipeline", "pytest_plugin", "__init__"}
#: Who may import the room of the literature.
RESEARCH_COMMANDS = ("commands/bench.py", "commands/eval.py", "cli/results.py")
HEAVY = (
    "torch", "sentence_transformers", "openai", "chromadb", "transformers", "onnxruntime", "matplotlib", "asammdf", "pandas", "mcap",
)  # fmt: skip


def imports(path: Path) -> Iterator[tuple[str, ...]]:
    """Every `regc` module that a file imports, as parts behind "regc"."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(name.name.split(".")[1:]) for name in node.names if name.name.split(".")[0] == "regc")
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = (node.module or "").split(".")
            if module[0] == "regc":
                yield from ((*module[1:], name.name) for name in node.names)


def module_of(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The part of an imported name that is a module or package."""
    while parts and not (SOURCE.joinpath(*parts).with_suffix(".py").is_file() or SOURCE.joinpath(*parts).is_dir()):
        parts = parts[:-1]
    return parts


def allowed(own: str, parts: tuple[str, ...]) -> bool:
    module = module_of(parts)
    if not module:
        return True  # regc itself: its version and build
    top = module[0]
    if own == "__main__":
        return module == ("cli", "main")
    if own in ("commands", "cli"):
        return top == own or (top != "commands" and not any(part.startswith("_") for part in module))
    if own in PIPELINE:
        return top not in ("commands", "cli")
    if own == "model":
        return top == "model"
    if own in SHARED:
        return top in SHARED
    return top in SHARED or top == own or top in STANDS_ON.get(own, set())


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    own = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert [".".join(parts) for parts in imports(path) if not allowed(own, parts)] == []


#: Commands from a document to a verdict, and the rooms that none of them may load before somebody asks for a model or a question.
ROAD = ("build", "inspect", "report", "simulate", "judge", "diff", "verify", "check")
#: What a command of the road imports where it runs it, so that its help needs none of it.
RUN = ("pipeline.build", "pipeline.build_folder", "pipeline.staging", "report.front", "verify", "signals", "cli.results")
OFF_THE_ROAD = ("retrieve", "embed", "llm", "research")


def loaded(path: Path) -> Iterator[tuple[str, ...]]:
    """The `regc` modules that a file loads when it is loaded itself: what functions and type checkers import is left out."""
    left = list(ast.parse(path.read_text("utf-8")).body)
    while left:
        node = left.pop()
        if isinstance(node, ast.Import):
            yield from (tuple(name.name.split(".")[1:]) for name in node.names if name.name.split(".")[0] == "regc")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "regc":
            yield from ((*str(node.module).split(".")[1:], name.name) for name in node.names)
        elif isinstance(node, (ast.If, ast.Try, ast.With)) and "TYPE_CHECKING" not in ast.unparse(node).splitlines()[0]:
            left += ast.iter_child_nodes(node)


def file_of(module: tuple[str, ...]) -> Path:
    package = SOURCE.joinpath(*module, "__init__.py")
    return package if package.is_file() else SOURCE.joinpath(*module).with_suffix(".py")


def all_loaded(module: tuple[str, ...]) -> dict[str, str]:
    """Every module that loading one brings, each with one that loads it."""
    found: dict[str, str] = {}
    left = [(module, "")]
    while left:
        module, by = left.pop()
        for at in range(1, len(module) + 1):
            name = ".".join(module[:at])
            if name not in found:
                found[name] = by
                left += [(other, name) for parts in loaded(file_of(module[:at])) if (other := module_of(parts))]
    return found


def test_no_module_loads_one_that_loads_it() -> None:
    loads = {
        ".".join(own): {".".join(other) for parts in loaded(path) if (other := module_of(parts)) and other != own}
        for path in SOURCE.rglob("*.py")
        for own in [tuple(part for part in path.relative_to(SOURCE).with_suffix("").parts if part != "__init__")]
    }
    circles = networkx.strongly_connected_components(networkx.DiGraph(loads))
    assert [sorted(circle) for circle in circles if len(circle) > 1] == []


@pytest.mark.parametrize("module", [*(f"commands.{command}" for command in ROAD), *RUN])
def test_nothing_on_the_road_loads_retrieval_or_a_model(module: str) -> None:
    assert {name: by for name, by in all_loaded(tuple(module.split("."))).items() if name.split(".")[0] in OFF_THE_ROAD} == {}


def test_what_is_loaded_is_followed_through_all_modules() -> None:
    assert {"pipeline.build", "lang.places", "readers", "model.document"} <= all_loaded(("pipeline", "build")).keys()
    assert {"retrieve", "retrieve.structure", "link.identity"} <= all_loaded(("retrieve", "regc")).keys()


def test_the_command_line_itself_loads_next_to_nothing() -> None:
    """Names and help are read without loading what they name; each command pays for what it does."""
    assert all_loaded(("cli", "main")).keys() <= {
        "cli",
        "cli.main",
        "cli.usage",
        "errors",
        "plugins",
    }


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["build", "--help"],
        ["list"],
        ["build", str(INVENTED), "--target", "openscenario", "--target", "text", "--target", "csv"],
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys; from regc.cli.main import main\n"
        "try: main(sys.argv[1:])\nexcept SystemExit as end: assert not end.code, end.code\n"
        f"print('heavy:', *sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    more = ["--out", str(tmp_path)] if "--target" in arguments else []
    done = subprocess.run([sys.executable, "-c", code, *arguments, *more], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].strip() == "heavy:"


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_nothing_imports_the_literatures_room_but_its_commands(path: Path) -> None:
    """`regc bench`, `regc eval` and the score of `regc build --score`, which are loaded when somebody asks for them."""
    own = path.relative_to(SOURCE)
    if own.parts[0] == "research" or own.as_posix() in RESEARCH_COMMANDS:
        return
    assert [".".join(parts) for parts in imports(path) if parts[:1] == ("research",)] == []


def test_a_command_loads_what_it_runs_when_it_runs_it() -> None:
    """The help of a build needs its flags alone; a check lays nothing out, and so needs no numpy."""
    assert not {"lang", "verify", "motion", "pipeline.build"} & all_loaded(("commands", "build")).keys()
    assert not {"verify", "motion", "manoeuvres"} & all_loaded(("commands", "check")).keys()
