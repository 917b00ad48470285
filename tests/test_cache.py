"""Results are found again by all that they depend on, and a damaged cache costs time only."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from regc import cache as caching
from regc.model.source import Tolerance
from regc.pipeline.build import build, compile_regulation
from regc.pipeline.request import Request
from tests.conftest import INVENTED, all_targets


def test_a_result_comes_back_equal(tmp_path: Path) -> None:
    cache = caching.Cache(tmp_path)
    key = caching.key("one", b"two", 3)
    assert cache.get("tolerance", key, Tolerance) is None
    cache.put("tolerance", key, Tolerance(plus=Decimal(1), minus=Decimal(0)))
    assert cache.get("tolerance", key, Tolerance) == Tolerance(plus=Decimal(1), minus=Decimal(0))
    assert cache.get("other kind", key, Tolerance) is None


def test_a_key_tells_its_parts_apart() -> None:
    keys = [caching.key("ab", "c"), caching.key("a", "bc"), caching.key("abc"), caching.key("c", "ab"), caching.key(b"ab", "c")]
    assert len(set(keys)) == 4
    assert keys[0] == keys[4]


def test_a_key_depends_on_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    before = caching.key("a")
    monkeypatch.setattr(caching, "code_hash", lambda: "edited")
    assert caching.key("a") != before


def test_code_hash_sees_an_edited_source_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "stage.py").write_text("A = 1\n")
    monkeypatch.setattr(caching, "package_data", lambda *_: tmp_path)
    monkeypatch.setattr(caching, "resource", lambda *_: tmp_path / "none")
    before = caching.code_hash.__wrapped__()
    assert caching.code_hash.__wrapped__() == before
    (tmp_path / "stage.py").write_text("A = 2\n")
    assert caching.code_hash.__wrapped__() != before


def test_a_damaged_entry_is_made_again_and_told(tmp_path: Path) -> None:
    cache = caching.Cache(tmp_path)
    key = caching.key("x")
    cache.put("tolerance", key, Tolerance(plus=Decimal(1), minus=Decimal(0)))
    (tmp_path / "tolerance" / f"{key}.json").write_bytes(b'{"plus": 3')
    assert cache.get("tolerance", key, Tolerance) is None
    assert [finding.code for finding in cache.findings] == ["R182"]
    cache.put("tolerance", key, Tolerance(plus=Decimal(1), minus=Decimal(0)))
    assert cache.get("tolerance", key, Tolerance) == Tolerance(plus=Decimal(1), minus=Decimal(0))


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    cache = caching.Cache(tmp_path / "cache")
    cache.put("tolerance", caching.key("x"), Tolerance(plus=Decimal(1), minus=Decimal(0)))
    assert cache.get("tolerance", caching.key("x"), Tolerance) is None


def test_no_cache_when_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGC_NO_CACHE", "1")
    cache = caching.Cache(tmp_path)
    cache.put("tolerance", caching.key("x"), Tolerance(plus=Decimal(1), minus=Decimal(0)))
    assert not list(tmp_path.iterdir())


def test_cached_and_fresh_results_are_equal(tmp_path: Path) -> None:
    request = Request(str(INVENTED))
    fresh = compile_regulation(request, cache=caching.Cache(tmp_path, enabled=False))
    compile_regulation(request, cache=caching.Cache(tmp_path))
    assert compile_regulation(request, cache=caching.Cache(tmp_path)) == fresh


def test_a_damaged_cache_changes_no_artefact(tmp_path: Path) -> None:
    """The news of a damaged entry is told once and does not reach the files, which depend on the input alone."""
    request = Request(str(INVENTED), targets=all_targets())
    first = build(request, tmp_path / "first", cache=caching.Cache(tmp_path / "cache"))
    for path in (tmp_path / "cache").rglob("*.json"):
        path.write_bytes(path.read_bytes()[:-20])
    second = build(request, tmp_path / "second", cache=caching.Cache(tmp_path / "cache"))
    assert "R182" in {finding.code for finding in second.findings}
    files = [path.relative_to(first.folder) for path in first.folder.rglob("*") if path.is_file()]
    assert files
    assert all((second.folder / path).read_bytes() == (first.folder / path).read_bytes() for path in files)


def test_second_compile_does_no_stage_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = caching.Cache(tmp_path)
    request = Request(str(INVENTED))
    first = compile_regulation(request, cache=cache)

    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a stage ran again")

    monkeypatch.setattr("regc.pipeline.build.run", forbidden)
    monkeypatch.setattr("regc.readers.markdown.read", forbidden)
    assert compile_regulation(request, cache=cache) == first


def test_a_process_that_checks_at_each_save_holds_the_document_and_writes_no_suite(tmp_path: Path) -> None:
    cache = caching.Held(tmp_path)
    first = compile_regulation(Request(regulation=str(INVENTED)), cache=cache)
    assert compile_regulation(Request(regulation=str(INVENTED)), cache=cache).document is first.document
    assert [path.name for path in tmp_path.iterdir()] == ["document"]
    (tmp_path / "document").rename(tmp_path / "gone")
    assert compile_regulation(Request(regulation=str(INVENTED)), cache=cache).document is first.document
