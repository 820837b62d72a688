import pytest

from headwater.evaluation.comparison import ALL, compare, compare_settings
from headwater.evaluation.record import ResultRow
from headwater.evaluation.statistics import holm
from tests.evaluation.rows import gold, row


def results(found: list[bool], **changes: str) -> list[ResultRow]:
    return [
        row(qid=f"q{i}", gold=[gold("d1" if hit else "d9")], **changes)
        for i, hit in enumerate(found)
    ]


def test_questions_are_paired_and_what_changed_is_tested() -> None:
    before = results([False] * 8 + [True] * 4)
    after = results([True] * 12)

    (group,) = compare(before, after).groups
    change = group.change("full_support@5k")

    assert (group.questions, group.only_first, group.only_second) == (12, 0, 0)
    assert change.first == pytest.approx(1 / 3)
    assert change.second == 1.0
    assert change.test is not None
    assert change.test.p_value == pytest.approx(2 / 2**8)
    assert (change.test.rose, change.test.fell, change.test.test) == (8, 0, "mcnemar")


def test_p_values_are_corrected_over_the_measures_of_a_group() -> None:
    (group,) = compare(results([False] * 9), results([True] * 9)).groups
    tested = [change for change in group.changes if change.test is not None]

    expected = holm([change.test.p_value for change in tested if change.test])
    assert [change.p_corrected for change in tested] == expected
    assert not group.change("full_support@5k").significant
    assert group.change("exit_brier").p_corrected is None


def test_a_question_that_one_side_lacks_or_cannot_score_is_left_out_and_said() -> None:
    before = [row(qid="q1"), row(qid="q2", error="boom"), row(qid="q3"), row(qid="q4")]
    after = [row(qid="q1"), row(qid="q2"), row(qid="q3", answerable=False)]

    (group,) = compare(before, after).groups
    change = group.change("full_support@5k")

    assert (group.questions, group.only_first) == (3, 1)
    assert change.test is not None
    assert change.test.n == 1
    assert change.excluded == {
        "first: the run ended with an error": 1,
        "second: unanswerable": 1,
    }


def test_of_a_question_that_was_asked_again_the_last_row_counts() -> None:
    before = [row(qid="q1", error="boom"), row(qid="q1")]

    (group,) = compare(before, before[::-1]).groups

    assert group.questions == 1
    assert group.change("full_support@5k").excluded == {"second: the run ended with an error": 1}


def test_several_data_sets_of_a_setting_are_pooled_as_well() -> None:
    before = [*results([False, True]), *results([False], dataset="piaf")]
    after = [*results([True, True]), *results([True], dataset="piaf")]

    pooled, first, second = compare(before, after).groups

    assert (pooled.base, pooled.dataset, pooled.questions) == (ALL, ALL, 3)
    assert (first.dataset, first.questions) == ("squad2", 2)
    assert (second.dataset, second.questions) == ("piaf", 1)
    change = pooled.change("full_support@5k")
    assert change.first == pytest.approx(1 / 3)
    assert change.second == 1.0


def test_groups_that_one_side_lacks_are_named() -> None:
    found = compare(results([True], setting="low"), results([True]))

    assert found.groups == []
    assert found.unmatched == ["wiki/low/squad2", "wiki/medium/squad2"]


def test_two_settings_of_one_result_are_compared() -> None:
    both = [*results([False, True], setting="minimal"), *results([True, True], setting="medium")]

    (group,) = compare_settings(both, "minimal", "medium").groups

    assert group.setting == "minimal -> medium"
    assert group.change("full_support@1k").second == 1.0
    assert group.change("full_support@1k").first == 0.5
