import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.numbers import number_values, numbers


@pytest.mark.parametrize(
    "written", ["1,000", "1.000", "1 000", "1'000", "1\u202f000", "1000", "1000.0", "１０００"]
)
def test_one_thousand_is_read_in_every_usual_form(written: str) -> None:
    assert "1000" in number_values(f"It takes {written} hours")


@pytest.mark.parametrize("written", ["3.5", "3,5", "3.50"])
def test_decimals_agree_with_point_and_comma(written: str) -> None:
    assert number_values(written) == {"3.5"}


def test_mixed_separators_are_one_number() -> None:
    assert number_values("1.234.567,89") == number_values("1,234,567.89") == {"1234567.89"}


def test_a_version_stays_as_written() -> None:
    assert number_values("release 4.2.1") == {"4.2.1"}


def test_small_number_words_count_on_the_side_of_the_passage() -> None:
    assert "2" in number_values("two years")
    assert numbers("two years") == []


def test_a_list_mark_is_no_number() -> None:
    assert [n.values for n in numbers("2. Wait 5 minutes")] == [{"5"}]


def test_neighbouring_years_do_not_join() -> None:
    assert number_values("in 2019 300 people") == {"2019", "300"}


@given(st.integers(0, 10**9))
def test_grouping_does_not_change_a_number(value: int) -> None:
    assert str(value) in number_values(f"{value:,}")


@given(st.text(max_size=80))
def test_places_are_in_order_and_inside_the_text(text: str) -> None:
    found = numbers(text)

    assert all(0 <= n.start < n.end <= len(text) for n in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))
