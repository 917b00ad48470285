"""The cache gives the model's own bytes back, and mends itself."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from regc.embed.hash import HashEmbedder
from regc.embed.vector_cache import CachedEmbedder, open_cache
from regc.model.protocols import Vectors

TEXTS = [f"text {number}" for number in range(1200)]


class Counting(HashEmbedder):
    """The hash embedder that counts what reaches it."""

    def __init__(self, name: str = "counting") -> None:
        super().__init__(16)
        self.name = name
        self.seen: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen.extend(texts)
        return super().embed(texts)


def stored(folder: Path) -> Path:
    (found,) = (folder / "embeddings").glob("*.sqlite")
    return found


def test_a_text_reaches_the_model_once(tmp_path: Path) -> None:
    model = Counting()
    first = open_cache(model, tmp_path).embed([*TEXTS, TEXTS[0]])
    assert model.seen == TEXTS
    again = open_cache(model, tmp_path).embed([*TEXTS, TEXTS[0], "new"])
    assert model.seen == [*TEXTS, "new"]
    assert (again[:-1] == first).all()
    assert (first == HashEmbedder(16).embed([*TEXTS, TEXTS[0]])).all()
    assert open_cache(model, tmp_path).embed([]).shape == (0, 16)


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 100, None])
def test_a_corrupted_file_is_rebuilt_with_a_finding(tmp_path: Path, content: bytes | None) -> None:
    open_cache(Counting(), tmp_path).embed(TEXTS)
    path = stored(tmp_path)
    raw = path.read_bytes()
    path.write_bytes(raw[:1000] + b"\xff" * 5000 + raw[6000:] if content is None else content)
    model = Counting()
    cache = open_cache(model, tmp_path)
    assert (cache.embed(TEXTS) == HashEmbedder(16).embed(TEXTS)).all()
    if content != b"":  # an empty file is an empty database
        assert [found.code for found in cache.findings] == ["M390"]
    model.seen.clear()
    assert (open_cache(model, tmp_path).embed(TEXTS) == HashEmbedder(16).embed(TEXTS)).all()
    assert model.seen == []


def test_a_flipped_vector_is_made_anew(tmp_path: Path) -> None:
    open_cache(Counting(), tmp_path).embed(["a", "b"])
    with sqlite3.connect(stored(tmp_path)) as connection:
        connection.execute("UPDATE vectors SET vector = zeroblob(64) WHERE key = (SELECT min(key) FROM vectors)")
    connection.close()
    model = Counting()
    assert (open_cache(model, tmp_path).embed(["a", "b"]) == HashEmbedder(16).embed(["a", "b"])).all()
    assert len(model.seen) == 1


def test_another_models_file_is_refused(tmp_path: Path) -> None:
    open_cache(Counting("one"), tmp_path).embed(["a"])
    path = stored(tmp_path)
    other = CachedEmbedder(Counting("two"), path.parent)
    path.rename(other._path)
    assert (other.embed(["a"]) == HashEmbedder(16).embed(["a"])).all()
    assert "holds vectors of 'one', not of 'two'" in other.findings[0].message


def test_without_a_writable_folder_it_embeds_each_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    model = Counting()
    cache = open_cache(model, blocked)
    for _ in range(2):
        assert (cache.embed(["a"]) == HashEmbedder(16).embed(["a"])).all()
    assert model.seen == ["a", "a"]


def test_folder_is_chosen_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGC_CACHE_DIR", str(tmp_path))
    open_cache(Counting()).embed(["a"])
    assert stored(tmp_path).is_file()


def test_vectors_are_float32(tmp_path: Path) -> None:
    cache = open_cache(Counting(), tmp_path)
    assert cache.embed(["a"]).dtype == cache.embed(["a"]).dtype == np.float32
