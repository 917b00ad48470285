"""A package of a firm's own, installed as a wheel: its target and its regulation are there by name and build as regc's do."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.conftest import INVENTED, ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PACKAGE = ROOT / "tests" / "fixtures" / "package"


def wheel(folder: Path) -> Path:
    """The wheel of tests/fixtures/package, as a build tool lays it out; written here so that the test needs no network and no tool."""
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    groups = (f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in points.items()) for group, points in project["entry-points"].items())
    files = {path.relative_to(PACKAGE).as_posix(): path.read_bytes() for path in sorted((PACKAGE / name).rglob("*.py"))}
    files |= {f"{name}/shuttles/{path.name}": path.read_bytes() for path in sorted(INVENTED.iterdir()) if path.is_file()}
    files[f"{name}/shuttles/__init__.py"] = b'"""Lakeside Rules No. 7."""\n'
    info = f"{name}-{version}.dist-info"
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files[f"{info}/entry_points.txt"] = "\n".join(groups).encode()
    rows = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{path},sha256={digest},{len(content)}\n")
    files[f"{info}/RECORD"] = ("".join(rows) + f"{info}/RECORD,,\n").encode()
    made = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return made


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the wheel."""
    folder = tmp_path_factory.mktemp("package")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(folder / "site")]
    done = subprocess.run([*pip, str(wheel(folder))], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def regc(site: Path, folder: Path, *arguments: str) -> str:
    """What regc prints in an environment that has the package."""
    paths = os.pathsep.join([str(site), str(ROOT / "compiler")])
    environment = {**os.environ, "PYTHONPATH": paths, "REGC_CACHE_DIR": str(folder / "cache")}
    call = [sys.executable, "-c", "import sys; from regc.cli.main import main; main(sys.argv[1:])", *arguments]
    done = subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_target_and_regulation_are_listed(site: Path, tmp_path: Path) -> None:
    targets = json.loads(regc(site, tmp_path, "list", "targets", "--json"))["targets"]
    assert targets["bench_list"] == "The list that the bench's control room reads: one line a test with its test speed."
    assert "csv" in targets
    assert "Lakeside Rules No. 7" in regc(site, tmp_path, "regulations")


def test_the_regulation_is_built_with_the_target_and_its_flag(site: Path, tmp_path: Path) -> None:
    regc(site, tmp_path, "build", "shuttles", "--target", "bench-list", "--separator", " = ", "--out", "out")
    lines = (tmp_path / "out" / "shuttles-2nd" / "bench_list" / "tests.txt").read_text("utf-8").splitlines()
    assert lines[0] == "LR7-2nd_p4.2_ShToStand_LS_crowded_006 = 6 mph"
    assert len(lines) > 4


def test_a_changed_plug_in_is_no_build_that_is_up_to_date(site: Path, tmp_path: Path) -> None:
    build = ("build", "shuttles", "--target", "bench-list", "--out", "out", "--json")
    module = site / "lakeside_bench" / "bench_list.py"
    first, second = (json.loads(regc(site, tmp_path, *build))["up_to_date"] for _ in range(2))
    assert (first, second) == (False, True)
    module.write_text(
        module.read_text("utf-8").replace('said = f"{speed.number} {speed.unit}"', 'said = f"v = {speed.number}"'), "utf-8"
    )
    assert not json.loads(regc(site, tmp_path, *build))["up_to_date"]
    assert "v = 6" in (tmp_path / "out" / "shuttles-2nd" / "bench_list" / "tests.txt").read_text("utf-8")
