"""Vectors kept on disk by model and text, so that the same text is embedded once."""

from __future__ import annotations

import hashlib
import re
import sqlite3
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from regc.cache import cache_folder
from regc.model.protocols import Embedder, Vectors
from regc.model.result import Finding

_QUERY_SIZE = 500


def open_cache(embedder: Embedder, folder: Path | None = None) -> CachedEmbedder:
    """The embedder with a cache in `folder`, else in $REGC_CACHE_DIR, else in the user's cache folder."""
    return CachedEmbedder(embedder, (folder or cache_folder()) / "embeddings")


class CachedEmbedder:
    """An embedder that asks the disk first; one SQLite file a model.

    A file that cannot be read, or that holds another model's vectors, is rebuilt and told of in `findings`; a vector whose checksum
    is wrong is made anew. Without a writable folder it embeds each time.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._inner = embedder
        self.name = embedder.name
        self.findings: list[Finding] = []
        digest = hashlib.sha256(self.name.encode()).hexdigest()[:8]
        self._path = folder / f"{re.sub(r'[^A-Za-z0-9._-]+', '-', self.name)[:60]}-{digest}.sqlite"

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._inner.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), dimension), float32; only texts that the cache lacks reach the model."""
        keys = [_key(text) for text in texts]
        known = self._use(lambda connection: _load(connection, keys)) or {}
        fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if fresh:
            made = np.asarray(self._inner.embed(tuple(fresh.values())), dtype=np.float32)
            new = dict(zip(fresh, made, strict=True))
            self._use(lambda connection: _save(connection, new))
            known |= new
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        return np.stack([known[key] for key in keys])

    def lacks(self, texts: Sequence[str]) -> int:
        """How many of the texts would have to reach the model."""
        keys = [_key(text) for text in texts]
        known = self._use(lambda connection: _load(connection, keys)) or {}
        return sum(key not in known for key in keys)

    def _use(self, work: _Work) -> dict[bytes, Vectors] | None:
        for attempt in range(2):
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                connection = sqlite3.connect(self._path, timeout=30)
                try:
                    with connection:
                        _check(connection, self.name)
                        return work(connection)
                finally:
                    connection.close()
            except OSError:
                return None
            except (sqlite3.DatabaseError, _OtherModelError) as error:
                # Locked by another run, or a disk that cannot be written: work without.
                if re.search(r"locked|readonly|unable to open|full", str(error)) or attempt or not self._rebuild(error):
                    return None
        return None

    def _rebuild(self, error: Exception) -> bool:
        try:
            self._path.unlink(missing_ok=True)
        except OSError:
            return False
        self.findings.append(
            Finding(
                code="M390",
                severity="warning",
                message=f"embedding cache {self._path.name}: {error}; rebuilt",
                place=self._path.name,
                hint="nothing to do: the vectors are made anew",
            )
        )
        return True


class _OtherModelError(Exception):
    pass


_Work = Callable[[sqlite3.Connection], dict[bytes, Vectors]]


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _check(connection: sqlite3.Connection, name: str) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS model (name TEXT)")
    connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, crc INTEGER) WITHOUT ROWID")
    row = connection.execute("SELECT name FROM model").fetchone()
    if row is None:
        connection.execute("INSERT INTO model VALUES (?)", (name,))
    elif row[0] != name:
        raise _OtherModelError(f"it holds vectors of {row[0]!r}, not of {name!r}")


def _load(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
    vectors: dict[bytes, Vectors] = {}
    for start in range(0, len(keys), _QUERY_SIZE):
        part = keys[start : start + _QUERY_SIZE]
        marks = ",".join("?" * len(part))
        for key, vector, crc in connection.execute(f"SELECT key, vector, crc FROM vectors WHERE key IN ({marks})", part):
            if zlib.crc32(vector) == crc:
                vectors[key] = np.frombuffer(vector, dtype="<f4")
    return vectors


def _save(connection: sqlite3.Connection, vectors: dict[bytes, Vectors]) -> dict[bytes, Vectors]:
    rows = ((key, vector.astype("<f4").tobytes()) for key, vector in vectors.items())
    connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", ((key, raw, zlib.crc32(raw)) for key, raw in rows))
    return vectors
