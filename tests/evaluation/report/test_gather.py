"""From rows to numbers."""

from dataclasses import replace

import pytest

from headwater.evaluation.measures.support import full_support
from headwater.evaluation.report.collection import estimate, label
from headwater.evaluation.report.gather import asked, gather
from tests.evaluation.report.collected import collected
from tests.evaluation.report.sample import failed_row, sample_row, sample_rows


def test_settings_keep_the_order_of_the_experiment() -> None:
    rows = sample_rows(2)[::-1]

    assert gather(rows, settings=["low", "absent", "minimal"]).settings == [
        "low",
        "minimal",
        "medium",
    ]


def test_every_row_is_there_once_with_its_measures() -> None:
    rows = sample_rows(4)

    found = gather(rows)

    assert len(found.asked) == len(rows)
    assert [one.support[5_000] for one in found.asked] == [full_support(r, 5_000) for r in rows]


def test_a_question_that_failed_is_not_scored() -> None:
    one = asked(failed_row("manuals", 0, "medium"))

    assert set(one.support.values()) == {None}
    assert one.elapsed_ms is None
    assert one.exit_classifier is None


def test_a_run_without_a_classifier_has_no_exit() -> None:
    assert asked(sample_row("manuals", 0, "low")).exit_classifier is None
    assert asked(sample_row("manuals", 0, "medium")).exit_classifier is not None


def test_scores_are_told_by_the_grade_of_their_passage() -> None:
    row = sample_row("manuals", 1, "medium")
    [first, *_] = row.gold
    row = replace(row, layers={"rank": [first.doc, "x"]}, scores={"rank": [3.5, 0.5]})

    found = gather([row]).scores

    assert {key: list(values) for key, values in found.items()} == {
        ("rank", "3"): [3.5],
        ("rank", "not judged"): [0.5],
    }


def test_a_question_without_gold_tells_nothing_about_scores() -> None:
    row = replace(sample_row("manuals", 0, "medium"), gold=[])

    found = gather([row])

    assert found.scores == {}
    assert not any(found.forecasts.values())


def test_forecasts_are_told_by_language() -> None:
    found = collected()

    assert {one.group for one in found.forecasts["sufficient"]} == {"en", "fr", "zh"}
    assert all(0 <= one.probability <= 1 for one in found.forecasts["score"])


def test_an_estimate_leaves_out_what_was_not_scored() -> None:
    found = estimate([1.0, None, 0.0, 0.0, 1.0, 0.5])

    assert found is not None
    assert (found.mean, found.n) == (0.5, 5)
    assert found.ends is not None
    assert found.ends.low <= found.mean <= found.ends.high


def test_an_estimate_of_few_has_no_ends_but_where_all_are_alike() -> None:
    varied, alike = estimate([1.0, 0.0]), estimate([1.0, 1.0])

    assert varied is not None
    assert alike is not None
    assert (varied.mean, varied.ends) == (0.5, None)
    assert alike.ends is not None
    assert alike.ends.low == pytest.approx(0.025**0.5)
    assert estimate([None, None]) is None


def test_the_base_is_named_only_where_there_are_several() -> None:
    one, other = ("field", "manuals"), ("office", "manuals")

    assert label(one, [one]) == "manuals"
    assert label(one, [one, other]) == "field / manuals"
    assert label(("field", "field"), [one, other]) == "field"
