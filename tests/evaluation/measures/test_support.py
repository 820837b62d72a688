from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.measures.support import full_support, support_share
from headwater.evaluation.record import ResultRow
from tests.evaluation.rows import gold, piece, row, rows


def test_all_gold_passages_must_be_in_the_content() -> None:
    needed = [gold("d1", 3), gold("d2", 3)]

    assert full_support(row(gold=needed)) == 0.0
    assert support_share(row(gold=needed)) == 0.5
    assert full_support(row(gold=needed, content=[piece("d1"), piece("d2")])) == 1.0


def test_content_that_nobody_searched_for_supports_nothing() -> None:
    given = row(setting="graded-pairs", content=[piece("d1")])
    left = row(layers={}, content=[])

    assert full_support(given) is None
    assert support_share(left, 1_000) is None


def test_passages_that_answer_on_their_own_are_alternatives() -> None:
    translations = [gold("d1", 4), gold("d2", 4)]

    assert full_support(row(gold=translations)) == 1.0
    # A cited article besides: the half of what is needed is there.
    assert support_share(row(gold=[*translations, gold("d3", 3)])) == 0.5


def test_the_budget_ends_before_the_first_piece_that_does_not_fit() -> None:
    content = [piece("d1", tokens=900), piece("d2", tokens=200), piece("d3", tokens=50)]

    at_1000 = row(gold=[gold("d3")], content=content)

    # d3 would still fit, but it is not in the first 1,000 tokens.
    assert full_support(at_1000, 1_000) == 0.0
    assert full_support(at_1000, 1_150) == 1.0
    assert full_support(at_1000) == 1.0


@pytest.mark.parametrize(
    ("start", "end", "seen"), [(0, 15, 1.0), (0, 14, 0.0), (15, 40, 1.0), (30, 90, 0.0)]
)
def test_half_of_one_gold_span_must_be_in(start: int, end: int, seen: float) -> None:
    marked = row(gold=[gold(spans=[[10, 20], [90, 200]])], content=[piece(start=start, end=end)])

    assert full_support(marked) == seen


def test_pieces_of_one_passage_cover_a_span_together_and_no_character_twice() -> None:
    def at(*ranges: tuple[int, int]) -> float | None:
        content = [piece(start=start, end=end) for start, end in ranges]
        return full_support(row(gold=[gold(spans=[[0, 100]])], content=content))

    assert at((0, 30), (70, 100)) == 1.0
    assert at((0, 30), (10, 40)) == 0.0


def test_a_span_in_another_passage_does_not_count() -> None:
    assert full_support(row(content=[piece("d2")])) == 0.0


@pytest.mark.parametrize(
    "change",
    [{"error": "boom"}, {"answerable": False}, {"gold": []}, {"gold": [gold("d1", 2)]}],
)
def test_what_cannot_be_scored_is_none(change: dict[str, Any]) -> None:
    assert full_support(row(**change)) is None
    assert support_share(row(**change)) is None


@given(rows, st.integers(0, 5_000), st.integers(0, 5_000))
def test_more_budget_never_supports_less(any_row: ResultRow, less: int, more: int) -> None:
    small, large = sorted((less, more))
    before, after = support_share(any_row, small), support_share(any_row, large)

    assert before is None or after is not None
    if before is not None and after is not None:
        assert 0.0 <= before <= after <= 1.0
        assert full_support(any_row, small) == (before == 1.0)
