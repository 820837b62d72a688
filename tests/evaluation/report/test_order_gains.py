"""What the ranker gains over other orders."""

import math

import pytest

from headwater.evaluation.record import ResultRow
from headwater.evaluation.report.order_gains import (
    MEAN,
    OVER_BEST,
    OVER_OWN,
    OVER_SIMILARITY,
    OrderGain,
    gains_by_language,
    main_parts,
    order_gains,
)
from headwater.evaluation.report.ranked import ALL_FOUND, NDCG
from tests.evaluation.report.ranking_rows import ranked_of, retrieved

SECOND = 1 / math.log2(3)


def gains_of(measure: str, over: str, *rows: ResultRow) -> dict[str, OrderGain]:
    found = ranked_of(*rows)
    return {
        gain.label: gain
        for gain in order_gains(found.ordered)
        if (gain.measure, gain.over) == (measure, over)
    }


# Either side is best on one set; over both they are as good, and the one named first counts.
ROWS = [
    *(
        retrieved("covidqa", f"c{n}", {"vector": 1, "keyword": 2, "similarity": 2, "rank": 1})
        for n in range(6)
    ),
    *(
        retrieved("mtrag", f"m{n}", {"vector": 2, "keyword": 1, "similarity": 11, "rank": 1})
        for n in range(5)
    ),
]


def test_the_gain_over_the_best_order_of_all_sets_by_hand() -> None:
    gains = gains_of(NDCG, OVER_BEST, *ROWS)

    assert list(gains) == ["covidqa", "mtrag", MEAN]
    assert {gain.order for gain in gains.values()} == {"keyword alone"}
    assert gains["covidqa"].difference == pytest.approx(1 - SECOND)
    assert gains["mtrag"].difference == 0.0
    assert [gains[MEAN].before, gains[MEAN].after] == pytest.approx([(SECOND + 1) / 2, 1.0])


def test_every_set_counts_the_same_in_the_mean_whatever_its_size() -> None:
    gain = gains_of(NDCG, OVER_BEST, *ROWS)[MEAN]

    assert gain.difference == pytest.approx((1 - SECOND) / 2)
    # Within each set all questions gain the same.
    assert [gain.low, gain.high] == pytest.approx([gain.difference] * 2)
    assert (gain.n, gain.p_value) == (11, None)


def test_a_set_of_few_questions_leaves_the_mean_without_an_interval() -> None:
    gains = gains_of(NDCG, OVER_BEST, *ROWS[:-1])

    assert [gains[label].ends is None for label in ("covidqa", "mtrag", MEAN)] == [
        False,
        True,
        True,
    ]


def test_the_best_order_of_each_set_is_harder_to_beat() -> None:
    gains = gains_of(NDCG, OVER_OWN, *ROWS)

    assert (gains["covidqa"].order, gains["mtrag"].order) == ("vectors alone", "keyword alone")
    assert [gain.difference for gain in gains.values()] == [0.0, 0.0, 0.0]
    assert gains[MEAN].order == "vectors alone, keyword alone"


def test_the_gain_over_the_similarity_ranker_is_paired_and_corrected_over_the_sets() -> None:
    gains = gains_of(ALL_FOUND, OVER_SIMILARITY, *ROWS)

    assert (gains["covidqa"].difference, gains["mtrag"].difference) == (0.0, 1.0)
    assert gains[MEAN].difference == 0.5
    # All five changed one way: 2 / 2**5, and the other set has no change.
    assert gains["mtrag"].p_value == pytest.approx(2 / 2**5)
    assert gains["mtrag"].corrected == pytest.approx(4 / 2**5)


def test_many_questions_that_gain_are_significant_also_after_correction() -> None:
    rows = [
        *(retrieved("covidqa", f"c{n}", {"vector": 2, "rank": 1}) for n in range(12)),
        *(retrieved("mtrag", f"m{n}", {"vector": 1, "rank": 1}) for n in range(12)),
    ]

    gain = gains_of(NDCG, OVER_BEST, *rows)["covidqa"]

    assert gain.p_value == pytest.approx(2 / 2**12)
    assert gain.corrected == pytest.approx(4 / 2**12)


def test_regression_sets_and_rewritten_questions_are_told_but_not_in_the_mean() -> None:
    rows = [
        *ROWS,
        retrieved("mtrag", "m1", {"rank": 11}, rewritten=True),
        retrieved("piaf", "p1", {"vector": 1, "rank": 11}, lang="fr"),
    ]

    gains = gains_of(NDCG, OVER_BEST, *rows)

    assert list(gains) == ["covidqa", "mtrag", MEAN, "mtrag, rewritten", "piaf"]
    assert gains[MEAN].n == 11


def test_without_a_set_of_the_headline_all_make_the_mean() -> None:
    found = ranked_of(retrieved("mine", "1", {}), retrieved("yours", "1", {}))

    assert [part.dataset for part in main_parts(found.ordered)] == ["mine", "yours"]


def test_languages_are_those_of_questions_each_against_its_own_best_order() -> None:
    found = ranked_of(
        retrieved("debian_docs_i18n", "d1", {"vector": 1, "rank": 1}),
        retrieved("debian_docs_i18n", "d2", {"keyword": 2, "vector": 3, "rank": 1}, lang="fr"),
        retrieved("piaf", "p1", {"keyword": 2, "vector": 3, "rank": 2}, lang="fr"),
        retrieved("mtrag", "m1", {"rank": 1}, rewritten=True, lang="es"),
    )

    english, french = gains_by_language(found.ordered)

    assert (english.label, english.order, english.difference) == ("en", "vectors alone", 0.0)
    assert (french.label, french.order, french.n) == ("fr", "keyword alone", 2)
    assert french.difference == pytest.approx((1 - SECOND) / 2)
