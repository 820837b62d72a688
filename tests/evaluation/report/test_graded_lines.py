"""What scores on graded passages come to."""

import pytest

from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.graded_lines import (
    MEAN_NEW,
    MEAN_TRAINED,
    calibrated_lines,
    left_out_lines,
    on_topic_lines,
)
from tests.evaluation.report.ranking_rows import graded, ranked_of


def test_sets_with_passages_of_grade_2_and_4_have_a_line() -> None:
    found = ranked_of(
        graded("squad2", "q1", [(4, 3.0), (1, 3.9)]),
        graded("squad2", "q2", [(2, 2.0), (2, 3.5)]),
        graded("piaf", "q1", [(4, 3.0), (1, 0.5)], lang="fr"),
    )

    [line] = on_topic_lines(found.graded_sets())

    assert (line.dataset, line.answering, line.on_topic, line.auroc) == ("squad2", 1, 2, 0.5)
    assert line.interval is None


def test_intervals_are_those_of_questions_and_need_a_few() -> None:
    rows = [graded("squad2", f"q{n}", [(4, 3.0), (2, 1.0), (2, 3.5)]) for n in range(5)]

    [few], [line] = (on_topic_lines(ranked_of(*some).graded_sets()) for some in (rows[:4], rows))

    assert few.interval is None
    assert line.interval is not None
    assert line.interval.low <= line.auroc <= line.interval.high


def test_calibration_of_all_by_language_and_by_kind_of_source() -> None:
    found = ranked_of(
        graded("covidqa", "q1", [(4, 4.0), (1, 0.0)]),
        graded("piaf", "q1", [(4, 2.0)], lang="fr"),
        graded("mine", "q1", [(0, 2.0)], lang="fr"),
    )

    lines = {(line.by, line.group): line for line in calibrated_lines(found)}

    assert list(lines) == [
        ("all", "all"),
        ("language", "en"),
        ("language", "fr"),
        ("kind of source", "encyclopedia"),
        ("kind of source", "mine"),
        ("kind of source", "research"),
    ]
    # P is score / 4: right for all of covidqa; of two of 0.5 one came true.
    assert [line.ece for line in lines.values()] == [0.0, 0.0, 0.0, 0.5, 0.5, 0.0]
    assert (lines["all", "all"].n, lines["all", "all"].base_rate) == (4, 0.5)


def test_what_the_ranker_states_is_what_is_calibrated() -> None:
    found = ranked_of(graded("covidqa", "q1", [(4, 4.0)], probability=True))

    [whole, *_] = calibrated_lines(found)

    assert whole.ece == pytest.approx(0.6)


def three_sets() -> list[ResultRow]:
    """On dev of all sets scores of 2 and more are relevant; on clapnq of the test split, not."""
    rows: list[ResultRow] = []
    for name in ("covidqa", "mtrag", "clapnq"):
        rows.append(graded(name, "d", [(4, 2.0), (4, 3.0), (1, 1.5)], split="dev"))
        rows.append(graded(name, "t", [(4, 2.0), (1, 1.5), (1, 3.0)]))
    return rows


def test_a_threshold_is_chosen_on_dev_of_the_other_sets_and_compared_with_them() -> None:
    found = ranked_of(*three_sets())

    chosen = [line for line in left_out_lines(found) if line.chosen.startswith("best F1")]

    assert [line.dataset for line in chosen] == [
        "covidqa",
        "mtrag",
        "clapnq",
        MEAN_TRAINED,
        MEAN_NEW,
    ]
    left_out = chosen[2]
    assert not left_out.trained
    assert left_out.here.threshold == pytest.approx(1.55)
    assert (left_out.dev.precision, left_out.dev.recall) == (1.0, 1.0)
    assert (left_out.here.precision, left_out.here.recall) == (0.5, 1.0)
    assert left_out.here.balanced == pytest.approx(1 / 1.5)


def test_a_set_has_no_part_in_the_threshold_that_it_is_cut_with() -> None:
    rows = [
        graded("covidqa", "d", [(4, 2.0), (1, 1.0)], split="dev"),
        graded("mtrag", "d", [(4, 4.0), (1, 3.5)], split="dev"),
        graded("mtrag", "t", [(4, 4.0), (1, 3.5)]),
    ]

    [line] = [
        line
        for line in left_out_lines(ranked_of(*rows))
        if line.dataset == "mtrag" and line.chosen != "own"
    ]

    assert line.here.threshold == pytest.approx(1.05)
    assert line.here.precision == 0.5


def test_the_threshold_of_the_ranker_is_told_too() -> None:
    found = ranked_of(*three_sets())

    own = [line for line in left_out_lines(found) if line.chosen == "own"]

    assert {line.here.threshold for line in own} == {1.0}
    assert own[-1].dataset == MEAN_NEW
    assert own[-1].here == own[2].here


def test_without_dev_nothing_is_compared() -> None:
    assert left_out_lines(ranked_of(graded("covidqa", "t", [(4, 2.0), (1, 1.0)]))) == []
