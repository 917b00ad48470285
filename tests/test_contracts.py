"""What every module of a registry keeps, so that a new file is tested at once; and the codes of findings."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import sys
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import typer
from pydantic import BaseModel

from regc import plugins
from regc.catalogue import codes, moved
from regc.cli.main import main
from regc.embed.hash import create as hash_embedder
from regc.errors import LLMError, MissingExtraError, SourceError
from regc.link import link
from regc.model.chunk import Context, Corpus, Query
from regc.model.document import canonical_order
from regc.model.stage import Staged
from regc.pipeline.request import Compiled, Staging
from regc.pipeline.staging import stage_suite
from regc.plugins import COMMANDS, READERS, RETRIEVERS
from regc.research.chunks import enrich
from tests.conftest import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SOURCE = ROOT / "compiler" / "regc"
STAGES = ("readers", "retrieve", "research.retrieve", "targets", "embed", "manoeuvres", "commands")
ALL = [(stage, name) for stage in STAGES for name in sorted(plugins.built_in(stage))]


def of(stage: str) -> Any:
    return pytest.mark.parametrize("name", sorted(plugins.built_in(stage)))


def load(stage: str, name: str) -> ModuleType:
    return importlib.import_module(f"regc.{stage}.{name}")


# ---------------------------------------------------------------- all of them


@pytest.mark.parametrize(("stage", "name"), ALL, ids=lambda value: value)
def test_every_module_says_what_it_is(stage: str, name: str) -> None:
    module = load(stage, name)
    assert module.__doc__
    assert module.__doc__.strip().endswith((".", "?"))
    public = [
        item
        for item in vars(module).values()
        if inspect.isfunction(item) and item.__module__ == module.__name__ and not item.__name__.startswith("_")
    ]
    assert [item.__name__ for item in public if not item.__doc__] == []


@pytest.mark.parametrize(
    ("stage", "name"), [item for item in ALL if item[0] in ("retrieve", "research.retrieve", "targets")], ids=lambda value: value
)
def test_options_have_defaults_and_say_what_they_do(stage: str, name: str) -> None:
    options = load(stage, name).Options
    assert issubclass(options, BaseModel)
    assert options() == options.model_validate_json(options().model_dump_json())
    if stage == "targets":
        assert [field for field, info in options.model_fields.items() if not info.description] == []


# ---------------------------------------------------------------- readers


@of("readers")
def test_readers_take_suffixes_of_their_own(name: str) -> None:
    own = load("readers", name).suffixes
    assert own
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in own)
    others = {suffix for other in READERS.names() if other != name for suffix in load("readers", other).suffixes}
    assert not others & set(own)


@of("readers")
@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe\x00 no regulation \x00"], ids=["empty", "binary"])
def test_readers_refuse_what_they_cannot_read(name: str, content: bytes, tmp_path: Path) -> None:
    module = load("readers", name)
    path = tmp_path / f"bad{module.suffixes[0]}"
    path.write_bytes(content)
    with pytest.raises(SourceError) as raised:
        module.read(path, content, regulation="r", edition="1", title="t", wording="official")
    assert path.name in str(raised.value)
    assert raised.value.hint


# ---------------------------------------------------------------- retrieval


@pytest.fixture(scope="module")
def corpora(invented: Compiled) -> tuple[Corpus, ...]:
    graph = link(invented.document)[0]
    return (Corpus(document=invented.document, graph=graph, chunks=enrich(invented.document, graph)),)


def retriever(name: str, corpora: tuple[Corpus, ...]) -> Any:
    module = RETRIEVERS.load(name)
    try:
        return module.build(corpora, embedder=hash_embedder(), llm=None, options=module.Options())
    except MissingExtraError as error:
        pytest.skip(f"{error} ({error.hint})")


@pytest.mark.parametrize("name", RETRIEVERS.names())
def test_retrievers_answer_the_same_in_canonical_order(name: str, corpora: tuple[Corpus, ...], invented: Compiled) -> None:
    query = Query(text="trial with a rolling cart: speeds, highest remaining speed")
    first, second = (retriever(name, corpora).retrieve(query) for _ in range(2))
    assert isinstance(first, Context)
    assert first == second
    assert first.query == query.text
    rank = canonical_order(invented.document)
    ranks = [rank[item.id] for item in first.items]
    ordered = getattr(RETRIEVERS.load(name).Options(), "ordered", True)
    assert ranks == sorted(ranks) or not ordered
    assert len({item.id for item in first.items}) == len(first.items)
    for item in first.items:
        held = [part for part in (item.clause, item.table, item.footnote) if part is not None]
        assert len(held) == 1
        assert (item.regulation, item.edition) == ("shuttles", "2nd")
    assert (first.tokens > 0) == bool(first.items)


@pytest.mark.parametrize("name", RETRIEVERS.names())
def test_retrievers_bear_a_query_that_nothing_fits(name: str, corpora: tuple[Corpus, ...]) -> None:
    answer = retriever(name, corpora).retrieve(Query(text="zzz qqq"))
    assert isinstance(answer, Context)


# ---------------------------------------------------------------- targets


@pytest.fixture(scope="module")
def staged(invented: Compiled) -> Staged:
    return stage_suite(invented.suite, Staging())


@of("targets")
def test_targets_give_the_same_files_under_safe_names(name: str, invented: Compiled, staged: Staged) -> None:
    module = load("targets", name)
    first, second = (module.emit(invented.suite, staged, module.Options()) for _ in range(2))
    assert first
    assert first == second
    ids = {item.id for item in invented.suite.scenarios} | {item.id for item in invented.suite.cards}
    paths = [artifact.path for artifact in first]
    assert len({path.lower() for path in paths}) == len(paths)
    for artifact in first:
        assert artifact.target == name
        assert artifact.content
        path = PurePosixPath(artifact.path)
        assert not path.is_absolute()
        assert len(path.parts) > 1  # a folder of its own
        assert all(re.fullmatch(r"[A-Za-z0-9._+\- ]+", part) and part != ".." and not part.endswith(".") for part in path.parts)
        assert artifact.scenario is None or artifact.scenario in ids


@of("targets")
def test_targets_lose_no_scenario_in_silence(name: str, embedded: Compiled) -> None:
    """Each scenario has a file, stands in one, or is named by a finding."""
    ids = tuple(item.id for item in (*embedded.suite.scenarios[::9], *embedded.suite.scenarios[-4:]))
    suite = embedded.suite.model_copy(update={"chosen": ids})
    module = load("targets", name)
    artifacts = module.emit(suite, stage_suite(suite, Staging()), module.Options())
    everything = b"\n".join(artifact.content for artifact in artifacts) + "\n".join(artifact.path for artifact in artifacts).encode()
    lost = {loss.scenario for artifact in artifacts for loss in artifact.losses}
    assert [id for id in ids if id.encode() not in everything and id not in lost] == []


@of("targets")
def test_targets_bear_a_build_without_scenarios(name: str, invented: Compiled) -> None:
    module = load("targets", name)
    suite = invented.suite.model_copy(update={"scenarios": (), "cards": (), "chosen": None})
    artifacts = module.emit(suite, Staged(), module.Options())
    assert all(artifact.scenario is None for artifact in artifacts)


# ---------------------------------------------------------------- embedders


@of("embed")
def test_embedders_give_unit_vectors_that_depend_on_the_text_alone(name: str) -> None:
    try:
        embedder = load("embed", name).create(None)
        one = embedder.embed(["A shuttle brakes."])
    except MissingExtraError as error:
        pytest.skip(f"{error} ({error.hint})")
    except LLMError as error:
        pytest.skip(f"needs a server: {error}")
    several = embedder.embed(["Another text, which is a good deal longer than the first.", "A shuttle brakes."])
    assert several.shape == (2, embedder.dimension)
    assert several.dtype == np.float32
    assert np.allclose(np.linalg.norm(several, axis=1), 1, atol=1e-5)
    assert several[1].tobytes() == one[0].tobytes()
    assert embedder.embed([]).shape == (0, embedder.dimension)
    assert embedder.name


# ---------------------------------------------------------------- commands


@pytest.mark.parametrize("name", COMMANDS.names())
def test_commands_register_under_their_file_name_and_explain_themselves(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module = load("commands", name)
    app = typer.Typer()
    module.register(app)
    registered = [command.name for command in app.registered_commands] + [group.name for group in app.registered_groups]
    assert registered == [name]
    assert module.__doc__ is not None
    assert module.__doc__.startswith(f"`regc {name}`: ")
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])
    assert not ended.value.code
    assert f"regc {name}" in capsys.readouterr().out


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    listed = capsys.readouterr().out
    assert [name for name in COMMANDS.names() if f" {name} " not in listed] == []


# ---------------------------------------------------------------- codes of findings

_CODE = re.compile(r"[RLCXVTSAPEOM][1-8]\d\d")
#: First digits by letter: R is reading and links.
_LETTERS = {"R": "12", "L": "2", "C": "1", "X": "5", "V": "5", "T": "3", "S": "7", "A": "8", "P": "1", "E": "4", "O": "6", "M": "34"}


def emitted() -> dict[str, set[str]]:
    """Code -> files that hold it as a value: string constants of the source, and values of data files."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _CODE.fullmatch(node.value):
                found.setdefault(node.value, set()).add(path.name)
    for path in (SOURCE / "data").rglob("*.toml"):
        for code in re.findall(rf'"({_CODE.pattern})"', path.read_text("utf-8")):
            found.setdefault(code, set()).add(path.name)
    return found


def test_every_code_is_explained_and_every_explanation_has_a_code() -> None:
    own, known = emitted(), codes()
    assert len(own) > 60
    assert {code: files for code, files in own.items() if code not in known} == {}
    assert [code for code in known if code not in own] == []


def test_an_old_code_is_told_where_it_went() -> None:
    assert not set(moved()) & set(codes())
    for old, went in moved().items():
        assert [code for code in _CODE.findall(went) if code not in codes()] == [], old


@pytest.mark.parametrize("code", sorted(codes()))
def test_an_explanation_is_whole(code: str) -> None:
    assert _CODE.fullmatch(code)
    assert code[1] in _LETTERS[code[0]]
    entry = codes()[code]
    assert all(text.strip() for text in (entry.title, entry.means, entry.matters, entry.example))
    assert len(set(entry.severity)) == len(entry.severity) > 0


def test_every_finding_of_the_source_has_a_severity_of_its_code() -> None:
    checked = 0
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Finding":
                given = {item.arg: item.value.value for item in node.keywords if isinstance(item.value, ast.Constant)}
                if "code" in given and "severity" in given:
                    checked += 1
                    assert given["severity"] in codes()[given["code"]].severity, f"{path.name}:{node.lineno} {given['code']}"
    assert checked > 40


def test_what_builds_find_has_a_severity_of_its_code(embedded: Compiled, literature: Compiled, invented: Compiled) -> None:
    found = {(finding.code, finding.severity) for made in (embedded, literature, invented) for finding in made.suite.findings}
    assert {pair for pair in found if pair[1] not in codes()[pair[0]].severity} == set()


def test_no_code_is_explained_twice() -> None:
    seen: dict[str, str] = {}
    for path in sorted((SOURCE / "explain").glob("*.toml")):
        if path.name == "moved.toml":
            continue
        for code in tomllib.loads(path.read_text("utf-8")):
            assert code not in seen, f"{code} in {path.name} and {seen[code]}"
            seen[code] = path.name
