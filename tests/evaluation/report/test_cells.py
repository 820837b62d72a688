"""Numbers as cells of a table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.report import cells
from headwater.evaluation.report.document import MISSING, Cell
from headwater.evaluation.statistics import Interval


@pytest.mark.parametrize(
    "make", [cells.count, cells.decimal, cells.percent, cells.points, cells.p_value, cells.word]
)
def test_what_is_not_known_is_a_dash_and_sorts_last(make: object) -> None:
    assert callable(make)

    assert make(None) == Cell(MISSING, None)


def test_a_measured_zero_is_a_zero() -> None:
    shown = [cells.count(0), cells.decimal(0.0), cells.percent(0.0), cells.points(0.0)]

    assert [cell.text for cell in shown] == ["0", "0.000", "0.0 %", "+0.0"]
    assert all(cell.order == 0 for cell in shown)


def test_a_large_count_has_its_thousands_apart() -> None:
    assert cells.count(12_345).text == "12,345"


def test_a_loss_is_signed_and_so_is_a_gain() -> None:
    assert cells.points(-0.021).text == "-2.1"
    assert cells.points(0.105).text == "+10.5"


def test_a_gain_from_nothing_has_no_relative_size() -> None:
    assert cells.relative(0.2, base=0.0).text == MISSING
    assert cells.relative(0.2, base=0.4).text == "+50.0 %"


def test_a_tiny_p_value_is_a_bound_but_sorts_by_itself() -> None:
    tiny = cells.p_value(0.00002)

    assert tiny == Cell("< 0.001", 0.00002)


def test_an_interval_shows_both_ends_in_percent() -> None:
    assert cells.percent_interval(Interval(0.25, 0.5)) == Cell("[25.0, 50.0]", 0.375)
    assert cells.percent_interval(None).text == MISSING


@given(st.floats(0, 1), st.floats(0, 1))
def test_cells_sort_as_their_numbers_do(one: float, other: float) -> None:
    first, second = cells.percent(one).order, cells.percent(other).order

    assert isinstance(first, float)
    assert isinstance(second, float)
    assert (first < second) == (one < other)
