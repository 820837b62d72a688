"""What is kept of rows of the experiment `ranking`."""

import math
from dataclasses import replace

import pytest

from headwater.evaluation.measures.orders import ORDERS
from headwater.evaluation.report.ranked import ALL_FOUND, NDCG, RECALL, WINDOWS, Part
from tests.evaluation.report.ranking_rows import captioned, graded, ranked_of, retrieved
from tests.evaluation.rows import row


def test_every_order_of_a_question_has_its_three_measures_by_hand() -> None:
    found = ranked_of(retrieved("covidqa", "q1", {"rank": 3, "vector": 11, "keyword": 51}))

    [one] = found.ordered[Part("covidqa")]
    assert one.values[NDCG]["rank"] == pytest.approx(1 / math.log2(4))
    assert [one.values[m]["rank"] for m in (RECALL, ALL_FOUND)] == [1.0, 1.0]
    assert [one.values[m]["vector"] for m in (NDCG, RECALL, ALL_FOUND)] == [0.0, 1.0, 0.0]
    assert [one.values[m]["keyword"] for m in (NDCG, RECALL, ALL_FOUND)] == [0.0, 0.0, 0.0]
    assert all(list(of) == list(ORDERS) for of in one.values.values())


def test_rewritten_questions_are_told_apart() -> None:
    found = ranked_of(
        retrieved("mtrag", "q1", {"rank": 1}), retrieved("mtrag", "q1", {}, rewritten=True)
    )

    assert [part.label for part in found.ordered] == ["mtrag", "mtrag, rewritten"]


def test_what_failed_what_has_no_gold_and_other_experiments_are_left_out() -> None:
    asked = retrieved("covidqa", "q1", {"rank": 1})

    found = ranked_of(
        row(),
        replace(asked, error="boom"),
        replace(asked, gold=[]),
        replace(graded("squad2", "q1", [(4, 3.0)]), error="boom"),
    )

    assert not found.ordered
    assert not found.graded
    assert not found.dev


def test_graded_passages_are_told_by_set_and_language_and_dev_apart() -> None:
    found = ranked_of(
        graded("xquad", "q1", [(4, 3.0), (1, 0.5)], lang="zh"),
        graded("xquad", "q2", [(2, 1.0)], lang="de"),
        graded("xquad", "q3", [(4, 2.5)], lang="de", split="dev"),
    )

    assert list(found.graded) == [("xquad", "zh"), ("xquad", "de")]
    assert found.graded_sets()["xquad"].scores == [3.0, 0.5, 1.0]
    assert found.dev["xquad"].scores == [2.5]
    assert found.threshold == 1.0


def test_where_dev_itself_is_asked_its_scores_serve_for_both() -> None:
    asked = replace(graded("xquad", "q1", [(4, 3.0)]), split="dev")

    found = ranked_of(asked)

    assert found.dev["xquad"].scores == found.graded_sets()["xquad"].scores == [3.0]


def test_windows_of_a_gold_passage_meet_its_span_or_not() -> None:
    found = ranked_of(captioned("piaf", "q1", caption=405, span=400, sentence=100))

    assert found.captions["piaf"] == [dict(zip(WINDOWS, [1.0, 0.0, 0.0, 0.0], strict=True))]


def test_the_beginning_of_300_characters_shows_more_than_that_of_200() -> None:
    found = ranked_of(captioned("piaf", "q1", caption=0, span=250, sentence=250))

    assert found.captions["piaf"] == [dict(zip(WINDOWS, [0.0, 0.0, 1.0, 1.0], strict=True))]
