from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.domain.errors import IndexDamagedError
from headwater.sources.index.keyword import KeywordIndex
from headwater.sources.index.keyword_fts5 import Fts5Keyword
from headwater.sources.index.keyword_whoosh import WhooshKeyword
from tests.contracts.keyword_contract import KeywordContract, entries


class TestFts5Keyword(KeywordContract):
    @pytest.fixture
    def open_index(self) -> Callable[[Path], KeywordIndex]:
        return lambda folder: Fts5Keyword(folder, title_boost=1.0)

    @pytest.fixture
    def boosted(self) -> Callable[[Path, float], KeywordIndex]:
        return lambda folder, boost: Fts5Keyword(folder, title_boost=boost)


def test_it_finds_the_same_passages_as_whoosh_for_every_term(tmp_path: Path) -> None:
    engines = [Fts5Keyword(tmp_path / "f", title_boost=1.0)]
    engines.append(WhooshKeyword(tmp_path / "w", title_boost=1.0))  # type: ignore[arg-type]
    for engine in engines:
        engine.write(add=entries())
    vocabulary = sorted({term for e in entries() for term in (*e.title, *e.text)})
    for term in vocabulary:
        fts5, whoosh = (sorted(engine.search([term], limit=9)) for engine in engines)
        assert fts5 == whoosh != [], term
    for engine in engines:
        engine.close()


def test_a_damaged_file_is_named_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "keyword.sqlite").write_bytes(b"this is no database" * 100)
    with pytest.raises(IndexDamagedError, match="--rebuild"):
        Fts5Keyword(tmp_path, title_boost=1.0)
