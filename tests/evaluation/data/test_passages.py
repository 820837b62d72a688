from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.data.bases import Part, SourceSpec
from headwater.evaluation.data.passages import Cut, PassageSet
from headwater.evaluation.data.rows import CorpusRow
from headwater.evaluation.errors import DataError

FAR = SourceSpec("far", "", (Part("planets", ("outer",)), Part("stars")))


def rows(count: int) -> list[CorpusRow]:
    return [CorpusRow(id=str(number), text="x") for number in range(count)]


def test_a_source_takes_its_parts_in_their_order(small: Path) -> None:
    assert [row.id for row in PassageSet(FAR, small).rows()] == ["saturn", "sirius", "polaris"]


def test_a_cut_source_keeps_what_is_asked_for(small: Path) -> None:
    cut = Cut(1, frozenset({"polaris"}))

    assert [row.id for row in PassageSet(FAR, small, cut).rows()] == ["polaris"]


def test_a_broken_line_is_told_once_though_a_cut_reads_twice(small: Path) -> None:
    path = small / "stars" / "corpus.jsonl"
    path.write_text("{\n" + path.read_text())
    problems: list[str] = []

    found = list(PassageSet(FAR, small, Cut(2), on_problem=problems.append).rows())

    assert len(found) == 2
    assert len(problems) == 1
    with pytest.raises(DataError, match=f"{path}:1"):
        list(PassageSet(FAR, small, strict=True).rows())


@given(
    total=st.integers(0, 60),
    passages=st.integers(1, 70),
    keep=st.frozensets(st.integers(0, 80).map(str), max_size=20),
)
def test_a_cut_keeps_all_that_must_stay_and_fills_up_to_its_size(
    total: int, passages: int, keep: frozenset[str]
) -> None:
    everything = rows(total)
    kept = {row.id for row in everything} & keep

    found = list(Cut(passages, keep).of(everything, total=total, kept=len(kept)))

    assert kept <= {row.id for row in found}
    assert len(found) == max(len(kept), min(total, passages))
    assert found == [row for row in everything if row in found]


def test_the_sample_of_the_others_is_even() -> None:
    found = list(Cut(10).of(rows(100), total=100, kept=0))

    assert [int(row.id) for row in found] == list(range(9, 100, 10))
