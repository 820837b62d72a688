import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from headwater.domain.errors import MissingDependencyError
from headwater.evaluation.measures.ranking import (
    all_found,
    average_precision,
    mrr,
    ndcg,
    recall,
)
from headwater.evaluation.record import ResultRow
from tests.evaluation.rows import gold, row, rows

RANKED = ["x", "d2", "y", "d1", "z"]
HAND = row(gold=[gold("d1", 4), gold("d2", 3), gold("d3", 3)], layers={"rank": RANKED})


def test_recall_by_hand() -> None:
    assert recall(HAND, "rank", 1) == 0.0
    assert recall(HAND, "rank", 2) == pytest.approx(1 / 3)
    assert recall(HAND, "rank", 10) == pytest.approx(2 / 3)


def test_all_found_only_where_no_gold_passage_is_missing() -> None:
    asked = row(gold=[gold("d1", 4), gold("d2", 4), gold("x", 1)], layers={"rank": RANKED})

    assert all_found(asked, "rank", 10) == 1.0
    assert all_found(asked, "rank", 3) == 0.0
    assert all_found(HAND, "rank", 10) == 0.0
    assert all_found(asked, "classify", 10) is None


def test_what_weighs_ranks_by_hand() -> None:
    gain = 3 / math.log2(3) + 4 / math.log2(5)
    ideal = 4 + 3 / math.log2(3) + 3 / math.log2(4)

    assert ndcg([HAND], "rank") == [pytest.approx(gain / ideal)]
    assert mrr([HAND], "rank") == [0.5]
    assert average_precision([HAND], "rank") == [pytest.approx((1 / 2 + 2 / 4 + 0) / 3)]


@given(st.permutations([f"d{i}" for i in range(12)]), st.integers(1, 4))
def test_ndcg_is_that_of_sklearn(order: list[str], relevant: int) -> None:
    judged = [gold(f"d{i}", 3 + i % 2) for i in range(relevant)]
    grades = {g.doc: g.grade for g in judged}
    truth = [[grades.get(doc, 0) for doc in order]]
    reference = ndcg_score(truth, [list(range(12, 0, -1))], k=10)

    assert ndcg([row(gold=judged, layers={"rank": order})], "rank") == [pytest.approx(reference)]


def test_a_ranking_is_kept_whatever_the_passages_are_called() -> None:
    one = row(layers={"rank": ["d1", "z"]})
    other = row(layers={"rank": ["z", "d1"]})

    assert mrr([one, other], "rank") == [1.0, 0.5]


def test_an_empty_ranking_is_zero_and_a_step_that_did_not_run_is_unscored() -> None:
    empty, absent = row(layers={"rank": []}), row(layers={})

    assert ndcg([empty, absent], "rank") == [0.0, None]
    assert recall(empty, "rank", 10) == 0.0
    assert recall(absent, "rank", 10) is None
    assert ndcg([absent], "rank") == [None]


def test_the_same_question_under_two_settings_is_measured_twice() -> None:
    found = row(setting="low")
    missed = row(setting="medium", layers={"rank": ["x"]})

    assert mrr([found, missed], "rank") == [1.0, 0.0]


@given(st.lists(rows, max_size=4))
def test_all_rows_are_measured_in_their_order_and_range(some: list[ResultRow]) -> None:
    for measure in (ndcg, mrr, average_precision):
        together = measure(some, "rank")
        assert together == [measure([one], "rank")[0] for one in some]
        assert all(value is None or 0.0 <= value <= 1.0 + 1e-9 for value in together)


def test_without_ir_measures_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_measures", None)

    with pytest.raises(MissingDependencyError, match=r"ir-measures.*headwater\[eval\]"):
        ndcg([HAND], "rank")
