import pytest

from headwater.evaluation.measures.selection import (
    source_count,
    source_exact,
    source_precision,
    source_recall,
    sub_query_count,
)
from tests.evaluation.rows import asked, row

SPREAD = [asked("1.1", sources=["a", "b"]), asked("1.2", sources=["b", "c"])]


def test_the_routes_of_the_first_round_are_judged_together() -> None:
    second = asked("2.1", round=2, sources=["d"])
    spread = row(sub_queries=[*SPREAD, second], gold_sources=["a", "d"])

    assert source_precision(spread) == pytest.approx(1 / 3)
    assert source_recall(spread) == 0.5
    assert source_exact(spread) == 0.0
    assert source_count(spread) == 3.0
    assert sub_query_count(spread) == 3.0


def test_exactly_the_gold_sources() -> None:
    assert source_exact(row(sub_queries=SPREAD, gold_sources=["c", "b", "a"])) == 1.0


def test_asking_nobody_is_zero_and_unknown_gold_is_unscored() -> None:
    nobody = row(sub_queries=[asked(sources=[])])

    assert source_precision(nobody) == 0.0
    assert source_recall(nobody) == 0.0
    assert source_precision(row(gold_sources=[])) is None
    assert source_recall(row(sub_queries=[])) is None
    assert sub_query_count(row(error="boom")) is None


def test_where_there_is_nothing_to_choose_no_choice_is_judged() -> None:
    alone = row(sources_open=1)

    assert source_precision(alone) is None
    assert source_exact(alone) is None
    assert source_precision(row(sources_open=2)) == 1.0
    assert source_count(alone) == 1.0


def test_a_plan_that_went_nowhere_has_sub_queries_but_asked_no_sources() -> None:
    plan = row(sub_queries=[asked(sources=[])], layers={}, content=[])

    assert sub_query_count(plan) == 1.0
    assert source_count(plan) is None
    assert source_recall(plan) is None
