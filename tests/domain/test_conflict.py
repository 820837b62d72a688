import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.conflict import MOST, Statement, conflicts


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The warranty is 24 months.", "The warranty is 36 months."),
        ("Replace the filter every 500 hours.", "The filter must be replaced every 250 hours."),
        ("The X-200 pump warranty lasts 2 years.", "The warranty of the X-200 pump is 36 months."),
        ("泵的保修期为24个月。", "泵的保修期为36个月。"),
        ("La garantie de la pompe est de 24 mois.", "La garantie de la pompe est de 12 mois."),
        ("The policy applies from 1 March 2023.", "The policy applies from April 1, 2023."),
        ("Hotels are refunded up to €300 a night.", "Hotels are refunded up to €250 a night."),
        ("The plant was opened in 1923.", "The plant was opened in 1925."),
        ("Torque the flange bolts to 45 Nm.", "Torque the flange bolts to 55 Nm."),
    ],
)
def test_the_same_statement_with_another_number_is_a_conflict(first: str, second: str) -> None:
    found = conflicts([Statement(1, first), Statement(2, second)])

    assert [(c.first.ref_id, c.second.ref_id) for c in found] == [(1, 2)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The warranty is 2 years.", "The warranty is 24 months."),
        ("The X-200 warranty is 24 months.", "The X-300 warranty is 36 months."),
        ("The minimum pump pressure is 2 bar.", "The maximum pump pressure is 6 bar."),
        ("See section 4 of the manual.", "See section 5 of the manual."),
        ("In 2019 revenue was 3 million.", "In 2020 revenue was 4 million."),
        ("The policy applies from 1 March 2023.", "The policy applies from 2023-03-01."),
        ("Employees get 25 days of leave.", "Contractors get 10 days of notice."),
        ("Paris has 2 million people.", "Lyon has 500 thousand people."),
        ("Step 2: close the valve.", "Step 3: close the valve."),
        ("The price is 1,000 EUR.", "The price is 1 000 EUR."),
        ("The office opens at 9 on Monday.", "The office opens at 10 on Saturday."),
        ("The pump weighs 40 kg and holds 3 l.", "The pump weighs 40 kg and holds 3 l."),
        ("The pump weighs 40 kg.", "The pump runs for 40 hours."),
    ],
)
def test_different_subjects_periods_units_and_forms_are_no_conflict(
    first: str, second: str
) -> None:
    assert conflicts([Statement(1, first), Statement(2, second)]) == []


def test_titles_tell_subjects_apart() -> None:
    statements = [
        Statement(1, "The warranty is 24 months.", context="X-200 manual"),
        Statement(2, "The warranty is 36 months.", context="X-300 manual"),
    ]

    assert conflicts(statements) == []


def test_a_long_near_duplicate_with_a_changed_number_is_a_conflict() -> None:
    text = "Drain the casing, flush it with clean water and store the pump at no less than {} °C."

    assert conflicts([Statement(1, text.format(5)), Statement(2, text.format(8))])


def test_one_reference_does_not_contradict_itself() -> None:
    statements = [
        Statement(1, "The warranty is 24 months."),
        Statement(1, "The warranty is 36 months."),
    ]

    assert conflicts(statements) == []


@pytest.mark.parametrize(
    ("first", "second", "newer"),
    [
        ("2023-01-01", "2025-02-01", 2),
        ("v4.10", "v4.2", 1),
        ("", "2025-02-01", None),
        ("2025", "2025", None),
    ],
)
def test_metadata_tells_which_is_newer(first: str, second: str, newer: int | None) -> None:
    statements = [
        Statement(1, "The warranty is 24 months.", dated=first),
        Statement(2, "The warranty is 36 months.", dated=second),
    ]

    assert conflicts(statements)[0].newer == newer


def test_no_more_than_a_few_are_reported() -> None:
    statements = [Statement(n, f"The warranty is {n} months.") for n in range(1, 9)]

    assert len(conflicts(statements)) == MOST


TEXTS = st.lists(
    st.sampled_from(
        ["warranty", "pump", "24 months", "3.1.4 bar", "2021-02-30", "泵", "€5", "X-2"]
    ),
    max_size=6,
).map(" ".join)


@given(st.lists(TEXTS | st.text(max_size=40), max_size=5))
def test_a_text_never_contradicts_its_copy(texts: list[str]) -> None:
    for text in texts:
        assert conflicts([Statement(1, text), Statement(2, text)]) == []
