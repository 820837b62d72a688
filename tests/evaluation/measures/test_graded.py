"""What scores on graded passages mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score, roc_auc_score

from headwater.evaluation.measures.calibration import ece
from headwater.evaluation.measures.graded import (
    STEP,
    GradedScores,
    best_threshold,
    cutoff,
    on_topic_auroc,
)
from headwater.evaluation.record import Gold, ResultRow
from tests.evaluation.rows import gold, row

HAND = GradedScores([3.5, 3.0, 2.0, 1.0, 0.5], [0.9, 0.8, 0.5, 0.2, 0.1], [4, 2, 4, 2, 0])


def graded_row(grades: dict[str, int], scores: dict[str, float], **changes: object) -> ResultRow:
    order = sorted(scores, key=lambda doc: -scores[doc])
    found: list[Gold] = [gold(doc, grade) for doc, grade in grades.items()]
    return row(
        gold=found,
        layers={"rank": order},
        scores={"rank": [scores[doc] for doc in order], **changes},
    )


def test_a_row_gives_the_passages_that_have_a_grade_with_score_and_probability() -> None:
    found = GradedScores()

    found.add(graded_row({"d1": 4, "d2": 1}, {"d1": 2.0, "d2": 3.0, "x": 1.0}))

    assert (found.scores, found.grades) == ([3.0, 2.0], [1, 4])
    assert found.probabilities == [0.75, 0.5]
    assert not found.stated


def test_a_probability_that_the_ranker_states_is_taken_in_place_of_its_score() -> None:
    found = GradedScores()

    found.add(graded_row({"d1": 4, "d2": 1}, {"d1": 2.0, "d2": 3.0}, probability=[0.1, 0.05]))
    assert (found.probabilities, found.stated) == ([0.1, 0.05], True)

    found.add(graded_row({"d1": 4}, {"d1": 2.0}))
    assert not found.stated


def test_several_are_put_together_in_order() -> None:
    whole = GradedScores.joined([HAND, GradedScores([1.0], [0.3], [3], stated=False)])

    assert whole.scores == [*HAND.scores, 1.0]
    assert whole.relevant.tolist() == [1, 0, 1, 0, 0, 1]
    assert not whole.stated


def test_on_topic_against_answering_by_hand() -> None:
    # Of the four pairs of grade 4 and 2, (3.5 > 3), (3.5 > 1) and (2 > 1) are in order.
    assert on_topic_auroc(HAND) == 0.75


def test_on_topic_needs_passages_of_both_grades() -> None:
    assert on_topic_auroc(GradedScores([1.0, 2.0], [0.2, 0.4], [4, 3])) is None
    assert on_topic_auroc(GradedScores()) is None


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 4)), min_size=1, max_size=40).filter(
        lambda rows: {2, 4} <= {grade for _, grade in rows}
    )
)
def test_on_topic_is_the_auroc_of_sklearn_over_grades_2_and_4(rows: list[tuple[int, int]]) -> None:
    scores, grades = [score / 10 for score, _ in rows], [grade for _, grade in rows]
    kept = [(s, g == 4) for s, g in zip(scores, grades, strict=True) if g in (2, 4)]
    reference = roc_auc_score([g for _, g in kept], [s for s, _ in kept])

    found = on_topic_auroc(GradedScores(scores, [0.5] * len(scores), grades))

    assert found == pytest.approx(reference)


def test_passages_come_true_from_grade_3_on_and_their_error_is_by_hand() -> None:
    graded = GradedScores([0, 0, 0], [0.9, 0.9, 0.2], [3, 2, 1])

    assert graded.relevant.tolist() == [1, 0, 0]
    # The two of 0.9 came true once, that of 0.2 did not: (2 * 0.4 + 0.2) / 3.
    assert ece(graded.probabilities, graded.relevant) == pytest.approx(1 / 3)


def test_passages_of_some_grades_keep_their_scores_and_questions() -> None:
    found = GradedScores()
    found.add(graded_row({"d1": 4, "d2": 1, "d3": 2}, {"d1": 2.0, "d2": 3.0, "d3": 1.0}))

    kept = found.of(2, 4)

    assert (kept.scores, kept.grades) == ([2.0, 1.0], [4, 2])
    assert len(set(kept.questions)) == 1
    assert len(kept.questions) == 2


def test_a_threshold_by_hand() -> None:
    # Kept from 2 on: 3.5 (4), 3.0 (2), 2.0 (4): both relevant ones and one of three others.
    cut = cutoff(HAND, 2.0)

    assert cut is not None
    assert [cut.precision, cut.recall] == pytest.approx([2 / 3, 1.0])
    assert cut.balanced == pytest.approx(1 / (1 + 1 / 3))


@pytest.mark.parametrize(
    ("graded", "threshold"),
    [
        (HAND, 3.9),
        (GradedScores([1.0], [0.5], [4]), 0.5),
        (GradedScores([1.0], [0.5], [1]), 0.5),
        (GradedScores(), 0.5),
    ],
    ids=["nothing is kept", "all is relevant", "nothing is relevant", "nothing is there"],
)
def test_what_cannot_be_cut_has_no_share(graded: GradedScores, threshold: float) -> None:
    assert cutoff(graded, threshold) is None


_mixed = st.lists(st.tuples(st.integers(0, 80), st.integers(0, 4)), min_size=2, max_size=30).filter(
    lambda rows: len({grade >= 3 for _, grade in rows}) == 2
)


def _scores(rows: list[tuple[int, int]]) -> GradedScores:
    return GradedScores([s / 20 for s, _ in rows], [0.5] * len(rows), [g for _, g in rows])


@given(_mixed, st.floats(0, 4))
def test_precision_and_recall_are_those_of_sklearn(
    rows: list[tuple[int, int]], threshold: float
) -> None:
    graded = _scores(rows)
    kept = np.asarray(graded.scores) >= threshold

    cut = cutoff(graded, threshold)

    assert (cut is None) == (not kept.any())
    if cut is not None:
        assert cut.precision == pytest.approx(precision_score(graded.relevant, kept))
        assert cut.recall == pytest.approx(recall_score(graded.relevant, kept))


@given(_mixed)
def test_balanced_precision_does_not_change_with_the_share_of_relevant_passages(
    rows: list[tuple[int, int]],
) -> None:
    once = _scores(rows)
    more = GradedScores.joined([once, *[_scores([r for r in rows if r[1] >= 3])] * 5])

    first, second = cutoff(once, 1.0), cutoff(more, 1.0)

    assert (first is None) == (second is None)
    if first is not None and second is not None:
        assert first.balanced == pytest.approx(second.balanced)


def test_the_best_threshold_parts_what_can_be_parted() -> None:
    one = GradedScores([3.0, 2.5, 1.0], [0.5] * 3, [4, 3, 1])
    other = GradedScores([2.0, 1.9], [0.5] * 2, [4, 0])

    assert best_threshold([one]) == pytest.approx(1.0 + STEP)
    assert best_threshold([one, other]) == pytest.approx(1.95)
    assert best_threshold([GradedScores([1.0], [0.1], [4])]) is None
    assert best_threshold([]) is None
