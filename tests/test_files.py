"""Only whole output: a write, a swap of folders, a death at each step of it, a folder that cannot be written."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from regc import files
from regc.errors import OutputError

OLD = {"a.txt": b"old", "deep/b.txt": b"old", files.MANIFEST: b"{}"}
NEW = {"a.txt": b"new", "deep/c.txt": b"new", files.MANIFEST: b"{}"}


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "out" / "reg-1"
    files.replace_folder(made, OLD, frozenset())
    return made


def beside(folder: Path) -> set[str]:
    return {path.name for path in folder.parent.iterdir()}


def test_swap_replaces_what_was_built_and_keeps_what_is_the_users(folder: Path) -> None:
    (folder / "mine.txt").write_bytes(b"mine")
    files.replace_folder(folder, NEW, frozenset({"a.txt", "deep/b.txt", files.MANIFEST}))
    assert content(folder) == NEW | {"mine.txt": b"mine"}
    assert beside(folder) == {"reg-1"}


class KilledError(BaseException):
    """Stands for a signal that no handler sees."""


@pytest.mark.parametrize("step", ["while staging", "before the first rename", "between the renames", "before the backup goes"])
def test_a_death_leaves_the_last_good_output_or_the_new_one(step: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At no moment is there a folder that is neither whole old nor whole new, and the next start cleans up."""

    def keep_backup(path: Path, **options: bool) -> None:
        if path.name.endswith(".previous"):
            raise KilledError
        remove(path, **options)

    remove = shutil.rmtree
    write, rename = Path.write_bytes, Path.rename
    renames: list[Path] = []

    def counted(self: Path, target: Path) -> Path:
        renames.append(self)
        if len(renames) == {"before the first rename": 1, "between the renames": 2}.get(step, 99):
            raise KilledError
        return rename(self, target)

    def stop_at_second(self: Path, data: bytes) -> int:
        if self.name == "c.txt":
            raise KilledError
        return write(self, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", counted)
        if step == "while staging":
            patch.setattr(Path, "write_bytes", stop_at_second)
        if step == "before the backup goes":
            patch.setattr(shutil, "rmtree", keep_backup)
        with pytest.raises(KilledError):
            files.replace_folder(folder, NEW, frozenset(OLD))
    if folder.is_dir():
        assert content(folder) in (OLD, NEW)
    put_back = files.recover(folder)
    assert put_back == (step == "between the renames")
    assert content(folder) == (NEW if step == "before the backup goes" else OLD)
    assert beside(folder) == {"reg-1"}
    files.replace_folder(folder, NEW, frozenset(OLD))
    assert content(folder) == NEW


def test_a_full_disk_is_an_output_error_and_leaves_the_old_output(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(OutputError, match="No space left on device") as raised:
            files.replace_folder(folder, NEW, frozenset(OLD))
    assert "--out" in raised.value.hint
    assert content(folder) == OLD
    assert beside(folder) == {"reg-1"}


def test_a_rename_that_fails_puts_the_old_output_back(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rename = Path.rename

    def refuse_staging(self: Path, target: Path) -> Path:
        if self.name.endswith(".staging"):
            raise PermissionError(13, "Permission denied")
        return rename(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse_staging)
        with pytest.raises(OutputError, match="Permission denied"):
            files.replace_folder(folder, NEW, frozenset(OLD))
    assert content(folder) == OLD
    assert beside(folder) == {"reg-1"}


def test_a_folder_under_a_file_is_an_output_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file where a folder should be")
    with pytest.raises(OutputError, match="cannot be written"):
        files.replace_folder(tmp_path / "out" / "reg", NEW, frozenset())
    assert (tmp_path / "out").read_text() == "a file where a folder should be"


def test_write_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new" / "one.json"
    files.write(path, b"first")

    def refuse(self: Path, target: Path) -> Path:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        with pytest.raises(OutputError, match="Read-only file system"):
            files.write(path, b"second")
    assert content(tmp_path) == {"new/one.json": b"first"}


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"files": []}', '{"files": {"a": 1}}', '{"other": 1}'])
def test_a_damaged_manifest_is_no_manifest(text: str, tmp_path: Path) -> None:
    (tmp_path / files.MANIFEST).write_text(text)
    assert files.read_manifest(tmp_path) == {}


def test_a_manifest_is_read_as_written(tmp_path: Path) -> None:
    data = {"files": {"a.txt": {"target": "text", "sha256": "0"}}, "key": "k"}
    files.write(tmp_path / files.MANIFEST, files.json_bytes(data))
    assert files.read_manifest(tmp_path) == data


def test_json_is_sorted_plain_and_the_same_every_time() -> None:
    data = {"b": [1, 2.5, None, True], "a": {"é": "km/h", "list": []}}
    made = files.json_bytes(data)
    assert made == files.json_bytes(dict(reversed(data.items())))
    assert made.endswith(b"}\n")
    assert b"\r" not in made
    assert "é".encode() in made
    assert json.loads(made) == data
    assert made.index(b'"a"') < made.index(b'"b"')
