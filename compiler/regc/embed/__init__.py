"""Embedders: text to unit vectors. One module a model, each with `create(model) -> Embedder`."""

from __future__ import annotations

from regc.embed.vector_cache import CachedEmbedder, open_cache
from regc.model.protocols import Embedder
from regc.plugins import EMBEDDERS

DEFAULT = "minilm"
#: What keeps vectors; no model.
HELPERS = ("vector_cache",)

__all__ = ["DEFAULT", "CachedEmbedder", "open_embedder"]


def open_embedder(name: str = DEFAULT, *, cache: bool = True) -> Embedder:
    """The embedder "minilm", "hash", "openai:text-embedding-3-small", "sentence-transformers:/path/to/model" ...

    What stands after the colon goes to the module. With `cache`, vectors are kept on disk by model and text. Raises UnknownNameError,
    MissingExtraError.
    """
    module, _, model = name.partition(":")
    embedder = EMBEDDERS.load(module).create(model or None)
    return open_cache(embedder) if cache else embedder
