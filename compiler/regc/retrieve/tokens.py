"""How many tokens a text is to a language model: an estimate for budgets, tiktoken's count for reports where its file is at hand."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

#: What the estimate counts, said in `Context.tokenizer`. On regulations it is up to 12 % above cl100k for text, 2 % below for tables.
ESTIMATE = "estimate: a word of up to 8 letters, 3 digits or 2 signs are 1 token"
ENCODING = "cl100k_base"
#: The name under which tiktoken keeps that encoding's file: the SHA-1 of its address.
ENCODING_FILE = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"

_COUNTED = re.compile(r"[A-Za-z]+|\d+|[^\sA-Za-z\d]+")


def estimate(text: str) -> int:
    """The estimated number of tokens; the same on every machine, so budgets are kept by it."""
    total = 0
    for piece in _COUNTED.findall(text):
        if piece.isalpha():
            total += 1 + (len(piece) - 1) // 8
        elif piece.isdigit():
            total += 1 + (len(piece) - 1) // 3
        else:
            total += 1 + (len(piece) - 1) // 2
    return total


def counter() -> tuple[str, Callable[[str], int]]:
    """The tokenizer's name and its count: tiktoken where it is installed and TIKTOKEN_CACHE_DIR holds its file (nothing is fetched),
    else the estimate."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if folder and Path(folder, ENCODING_FILE).is_file() and (encode := _encoder(folder)):
        return ENCODING, lambda text: len(encode(text))
    return ESTIMATE, estimate


@lru_cache(maxsize=2)
def _encoder(folder: str) -> Callable[[str], list[int]] | None:
    try:
        import tiktoken
    except ImportError:
        return None
    encode: Callable[[str], list[int]] = tiktoken.get_encoding(ENCODING).encode_ordinary
    return encode
