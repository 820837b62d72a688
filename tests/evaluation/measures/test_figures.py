import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.evaluation.measures.figures import figures, is_figure, is_only, states


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("Spending was 1,577 in 2018.", "$1577.00"),
        ("Spending was $1,590 million.", "$1577.00"),
        ("purchases (1,577)", "$1577.00"),
        ("0.38 percent", "0.4%"),
        ("a ratio of 0.654", "65.4%"),
        ("$1.6 billion", "$1,600 million"),
        ("400 million more", "$400,000,000 increase."),
        ("a loss of -5.2", "-5.2"),
        ("in 2018", "2018"),
    ],
)
def test_a_figure_is_met_within_the_tolerance(text: str, reference: str) -> None:
    assert states(text, reference)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("1,600", "$1577.00"),
        ("0.34%", "0.4%"),
        ("0.2%", "20%"),
        ("$1.6 million", "$1.6 billion"),
        ("a gain of 5.2", "-5.2"),
        ("in 2018", "$2000.00"),
        ("version v1.5", "1.5"),
        ("no figure here", "1.5"),
    ],
)
def test_another_figure_is_not(text: str, reference: str) -> None:
    assert not states(text, reference)


def test_only_a_figure_with_hardly_a_word_beside_it_counts_as_one() -> None:
    assert is_figure("$400,000,000 increase.")
    assert is_figure("65.4%")
    assert not is_figure("Net income grew from $5 to $6.")
    assert not is_figure("Yes. The company paid a dividend of $0.01 per share.")
    assert not is_figure("Spurs")


def test_an_answer_is_only_a_figure_where_it_says_nothing_else() -> None:
    assert is_only("$1,577 million", "$1577.00")
    assert not is_only("The capital expenditure of that year was 1,577.", "$1577.00")


def test_a_range_is_two_positive_figures() -> None:
    assert [figure.value for figure in figures("2018-2019, then 5")] == [2018, 2019, 5]


@given(st.floats(0.01, 1e6).map(lambda x: round(x, 2)), st.floats(-0.0099, 0.0099))
def test_a_figure_is_met_by_one_within_a_hundredth(value: float, off: float) -> None:
    assert states(f"{value * (1 + off):,.6f}", f"${value:,.2f}")


@given(st.text(max_size=40))
def test_any_text_can_be_read(text: str) -> None:
    assert all(figure.step > 0 for figure in figures(text))
