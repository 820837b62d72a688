from typing import Any

import pytest
from hypothesis import given

from headwater.evaluation.measures.answers import (
    containment,
    contains_answer,
    content_containment,
    exact_match,
    token_f1,
)
from headwater.evaluation.record import ResultRow
from tests.evaluation.rows import row, rows


def test_citations_are_no_part_of_the_answer() -> None:
    assert exact_match(row(answer="Ada. [ref_id:1]")) == 1.0
    assert exact_match(row(answer="Ada. [unverified]")) == 1.0
    assert exact_match(row(answer="It was Ada. [ref_id:1]")) == 0.0


def test_f1_and_containment_by_hand() -> None:
    said = row(answer="It was Ada. [ref_id:1]", answers=["nobody", "Ada Lovelace"])

    assert token_f1(said) == pytest.approx(2 / 5)
    assert containment(said) == 0.0
    assert containment(row(answers=["Ada"])) == 1.0


def test_figures_of_financial_reports_are_met_with_a_tolerance() -> None:
    text = "In all, spending that year was 1,577 million. [ref_id:1]"
    report = row(dataset="financebench", answer=text, answers=["$1577.00"])

    assert containment(report) == 1.0
    assert containment(row(answer=text, answers=["$1577.00"])) == 0.0
    assert exact_match(report) == 0.0
    assert exact_match(row(dataset="financebench", answer="$1,580", answers=["$1577.00"])) == 1.0
    # Its eight tokens and the reference's own, which one figure meets, against that one.
    assert token_f1(report) == pytest.approx(2 / 10)


def test_chinese_answers_are_compared_by_characters() -> None:
    said = row(lang="zh", answer="天正年。[ref_id:1]", answers=["天正16年"])

    assert token_f1(said) == pytest.approx(6 / 7)


def test_the_content_is_judged_while_its_text_is_at_hand() -> None:
    assert contains_answer("Ada wrote it", ["Ada"], lang="en", dataset="squad2") == 1.0
    assert content_containment(row(contains_answer=False)) == 0.0
    assert content_containment(row(contains_answer=None)) is None
    assert content_containment(row(answer=None)) == 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"error": "boom"},
        {"answerable": False},
        {"answers": []},
        {"answers": ["the"]},
        {"answer": None},
        {"answer": "  "},
        {"step_ms": {}},
    ],
)
def test_what_cannot_be_scored_is_none(change: dict[str, Any]) -> None:
    assert exact_match(row(**change)) is None
    assert token_f1(row(**change)) is None
    assert containment(row(**change)) is None


def test_a_reference_that_is_only_yes_or_no_is_not_looked_for() -> None:
    yes = row(answers=["yes"], answer="Yes.")

    assert containment(yes) is None
    assert content_containment(yes) is None
    assert exact_match(yes) == 1.0


@given(rows)
def test_an_exact_match_has_an_f1_of_one(any_row: ResultRow) -> None:
    match, score = exact_match(any_row), token_f1(any_row)

    assert (match is None) == (score is None)
    if match is not None and score is not None:
        assert match <= score <= 1.0
