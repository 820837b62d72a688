from headwater.evaluation.measures.orders import FIRST_STAGE, ORDERS, RERANKED
from headwater.evaluation.measures.sets import (
    MAIN_SETS,
    NEVER_TRAINED,
    REGRESSION_SETS,
    kind_of,
)


def test_every_set_of_the_headline_has_a_kind_and_one_without_is_its_own() -> None:
    assert all(kind_of(name) != name for name in (*MAIN_SETS, *REGRESSION_SETS, *NEVER_TRAINED))
    assert kind_of("my manuals") == "my manuals"


def test_no_set_is_both_of_the_headline_and_a_regression() -> None:
    assert not set(MAIN_SETS) & set(REGRESSION_SETS)


def test_orders_begin_with_those_of_the_first_stage() -> None:
    assert list(ORDERS) == [*FIRST_STAGE, *RERANKED]
