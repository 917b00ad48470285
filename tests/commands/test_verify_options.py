"""Whatever was asked of a build, `regc verify` asks of its second build: none of these folders differs from itself."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import INVENTED, Outcome

TEXT = INVENTED / "rules.md"


def built(out: Path, cli: Callable[..., Outcome], *asked: object, regulation: Path | str = INVENTED) -> Path:
    done = cli("build", regulation, *asked, "--out", out)
    assert done.code == 0, done
    (folder,) = (each for each in out.iterdir() if each.is_dir())
    return folder


def verified(folder: Path, cli: Callable[..., Outcome], *asked: object) -> str:
    """What is said of the second build, where the folder does not differ."""
    done = cli("verify", folder, "--profile", INVENTED, *asked, "--json")
    told = json.loads(done.out)
    assert (done.code, told["differences"]) == (0, []), done.out
    return str(told["again"])


OPTIONS = {
    "edition": ("--edition", "2nd"),
    "family": ("--family", "rolling_cart"),
    "category": ("--category", "LS"),
    "where": ("--where", "load=empty"),
    "sweep": ("--sweep", "mandatory"),
    "ego": ("--ego", "reference"),
    "step": ("--step", "0.02"),
    "approach": ("--approach", "5"),
    "traffic": ("--traffic", "lht"),
    "points": ("--points", "1"),
    "version": ("--osc-version", "1.2"),
    "forced": ("--force",),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_of_the_build_is_asked_again(option: str, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    folder = built(tmp_path, cli, "--target", "openscenario", "--target", "csv", *OPTIONS[option])
    assert "are those of a second build" in verified(folder, cli)


@pytest.mark.parametrize("option", OPTIONS)
def test_targets_that_were_asked_for_otherwise_are_asked_for_so_again(option: str, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    built(tmp_path, cli, "--target", "openscenario", *(OPTIONS[option]))
    folder = built(tmp_path, cli, "--target", "csv")
    assert "are those of a second build" in verified(folder, cli)


def test_what_the_applicant_declares_is_declared_again(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    folder = built(tmp_path, cli, "--target", "csv", "--declare", "v_design=90 km/h", regulation="un131")
    done = cli("verify", folder)
    assert (done.code, "are those of a second build" in " ".join(done.out.split())) == (0, True), done.out


@pytest.mark.parametrize("file", ["road_users", "test_track", "layouts"])
def test_a_file_of_ones_own_is_named_and_asked_for(file: str, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    own = tmp_path / "own.toml"
    own.write_text("", "utf-8")
    folder = built(tmp_path / "out", cli, "--target", "csv", f"--{file.replace('_', '-')}", own)
    told = f"not built again: it was made with files of one's own: {file} {own.name} (give each by --with)"
    assert verified(folder, cli) == told
    assert "are those of a second build" in verified(folder, cli, "--with", own)


def test_a_folder_of_templates_of_ones_own_is_asked_for(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    own = tmp_path / "mine"
    own.mkdir()
    folder = built(tmp_path / "out", cli, "--target", "text", "--templates", own)
    assert verified(folder, cli).endswith("templates mine (give each by --with)")
    assert "are those of a second build" in verified(folder, cli, "--with", own)


def test_a_source_is_read_by_the_reader_of_the_build(tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    source = Path(shutil.copy(TEXT, tmp_path / "rules.txt"))
    folder = built(tmp_path / "out", cli, "--target", "csv", "--source", source, "--reader", "markdown")
    assert "are those of a second build" in verified(folder, cli, "--source", source)


@pytest.mark.parametrize("name", ["rules.md", "another name.md"])
def test_a_source_may_have_been_renamed(name: str, tmp_path: Path, cli: Callable[..., Outcome]) -> None:
    source = Path(shutil.copy(TEXT, tmp_path / "as built.md"))
    folder = built(tmp_path / "out", cli, "--target", "csv", "--source", source)
    assert "are those of a second build" in verified(folder, cli, "--source", source.rename(tmp_path / name))
