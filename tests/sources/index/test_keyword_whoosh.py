from collections.abc import Callable
from pathlib import Path

import pytest
import whoosh  # type: ignore[import-untyped]

from headwater.domain.errors import ConfigurationError, IndexDamagedError
from headwater.sources.index.keyword import KeywordIndex
from headwater.sources.index.keyword_whoosh import WhooshKeyword
from tests.contracts.keyword_contract import KeywordContract, entries


class TestWhooshKeyword(KeywordContract):
    @pytest.fixture
    def open_index(self) -> Callable[[Path], KeywordIndex]:
        return lambda folder: WhooshKeyword(folder, title_boost=1.0)

    @pytest.fixture
    def boosted(self) -> Callable[[Path, float], KeywordIndex]:
        return lambda folder, boost: WhooshKeyword(folder, title_boost=boost)


def test_a_fork_that_took_its_place_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(whoosh, "__version__", (3, 54, 0))
    with pytest.raises(ConfigurationError, match=r"whoosh==2\.7\.4"):
        WhooshKeyword(tmp_path, title_boost=1.0)


def test_segments_are_not_copied_into_memory_by_readers(tmp_path: Path) -> None:
    index = WhooshKeyword(tmp_path, title_boost=1.0)
    index.write(add=entries())
    index.close()
    assert not list(tmp_path.glob("*.seg"))
    assert list(tmp_path.glob("*.trm"))


def test_an_exception_while_writing_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    index = WhooshKeyword(tmp_path, title_boost=1.0)
    index.write(add=entries())
    broken = [*entries()[:1], None]
    with pytest.raises(AttributeError):
        index.write(delete=["seal"], add=broken)  # type: ignore[arg-type]
    assert index.count() == len(entries())
    index.write(delete=["seal"])
    assert index.count() == len(entries()) - 1
    index.close()


# Whoosh leaves the file open for the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_damaged_table_of_contents_is_named_with_the_fix(tmp_path: Path) -> None:
    index = WhooshKeyword(tmp_path, title_boost=1.0)
    index.write(add=entries())
    index.close()
    for toc in tmp_path.glob("_MAIN_*.toc"):
        toc.write_bytes(b"\0" * 40)
    with pytest.raises(IndexDamagedError, match="--rebuild"):
        WhooshKeyword(tmp_path, title_boost=1.0)
