import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from headwater.evaluation.data import copies
from headwater.evaluation.data.bases import Part, read_base
from headwater.evaluation.data.copies import Corpora
from headwater.evaluation.data.corpora import open_base
from headwater.evaluation.data.dataset import Dataset
from headwater.evaluation.data.passages import Cut
from headwater.evaluation.data.rows import CorpusRow
from headwater.evaluation.errors import DataError
from tests.evaluation.data.corpora import PLANETS, passages, write_rows

FAR = (Part("planets", ("outer",)), Part("stars"))


def ids(corpora: Corpora, *parts: Part) -> list[str]:
    return [copy.ids[number] for copy, number in corpora.passages(parts)]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the corpus of each data set is read."""
    counted: Counter[str] = Counter()

    class Counting(Dataset):
        __slots__ = ()

        def corpus(self) -> Iterator[CorpusRow]:
            counted[self.name] += 1
            return Dataset.corpus(self)

    monkeypatch.setattr(copies, "Dataset", Counting)
    return counted


def test_a_source_takes_its_parts_in_their_order(small: Path, tmp_path: Path) -> None:
    with Corpora(small, tmp_path / "copies") as corpora:
        assert ids(corpora, *FAR) == ["saturn", "sirius", "polaris"]
        assert ids(corpora, Part("planets", ("inner",))) == ["mars", "venus"]


def test_a_line_comes_back_as_it_is_indexed(small: Path, tmp_path: Path) -> None:
    with Corpora(small, tmp_path / "copies") as corpora:
        found = [copy.line(number) for copy, number in corpora.passages([Part("planets")])]

    assert [json.loads(line) for line in found] == [
        {"title": title, "text": text, "language": "en"} for _, title, text, _ in PLANETS
    ]


@pytest.mark.parametrize("cut", [None, Cut(1, frozenset({"mars"}))])
async def test_sources_of_one_data_set_read_it_once(
    small: Path, tmp_path: Path, reads: Counter[str], cut: Cut | None
) -> None:
    spec = read_base(small, "sky")
    for opening in (1, 2):
        base = await open_base(spec, small, cache=tmp_path / "cache", cut=cut)
        await base.close()

        assert reads == {"planets": opening, "stars": opening}


def test_nothing_of_the_copies_is_left(small: Path, tmp_path: Path) -> None:
    with Corpora(small, tmp_path / "copies") as corpora:
        list(corpora.passages(FAR))

    assert list((tmp_path / "copies").iterdir()) == []


def test_a_broken_line_is_told_once_though_two_sources_share_it(
    small: Path, tmp_path: Path
) -> None:
    path = write_rows(small / "planets" / "corpus.jsonl", [{"id": "x"}, *passages(PLANETS)])
    problems: list[str] = []

    with Corpora(small, tmp_path, on_problem=problems.append) as corpora:
        assert len(ids(corpora, Part("planets", ("inner",)), Part("planets", ("outer",)))) == 3

    assert problems == [f"{path}:1: text: Field required."]
    with Corpora(small, tmp_path, strict=True) as strict:
        for _ in range(2):
            with pytest.raises(DataError, match=f"{path}:1"):
                ids(strict, Part("planets"))


def test_a_disk_without_room_for_a_copy_is_named(
    small: Path, tmp_path: Path, full_disk: Callable[[int], AbstractContextManager[None]]
) -> None:
    with (
        Corpora(small, tmp_path / "copies") as corpora,
        full_disk(20),
        pytest.raises(DataError, match=r"copies: It cannot be written .*make room"),
    ):
        ids(corpora, Part("planets"))
