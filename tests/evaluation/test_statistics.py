import sys
import time
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from headwater.domain.errors import MissingDependencyError
from headwater.evaluation.measures.calibration import brier
from headwater.evaluation.statistics import (
    FEWEST,
    Interval,
    bootstrap_ci,
    bootstrap_statistic,
    holm,
    mcnemar,
    mean_of_means_ci,
    paired,
    share_ci,
    wilcoxon,
)

values = st.lists(st.floats(-5, 5).map(lambda x: round(x, 3)), min_size=FEWEST, max_size=80)
shares = st.lists(st.floats(0, 1), max_size=12)


@given(values, st.randoms())
def test_an_interval_does_not_depend_on_the_order_of_the_questions(
    found: list[float], shuffler: Random
) -> None:
    shuffled = list(found)
    shuffler.shuffle(shuffled)

    assert bootstrap_ci(found, seed=3, resamples=50) == bootstrap_ci(shuffled, seed=3, resamples=50)


@given(values)
def test_an_interval_stays_within_the_values(found: list[float]) -> None:
    interval = bootstrap_ci(found, seed=1, resamples=50)

    assert interval is not None
    assert min(found) - 1e-9 <= interval.low <= interval.high <= max(found) + 1e-9


def test_no_values_have_no_interval() -> None:
    assert bootstrap_ci([], seed=1) is None
    assert bootstrap_statistic(brier, [], [], seed=1) is None


def test_a_few_questions_have_no_bootstrapped_interval_and_one_more_has() -> None:
    few = [0.2, 0.9, 0.4, 0.7]
    true = [0.0, 1.0, 0.0, 1.0]
    one_more = [[*few, 0.5], [*true, 1.0]]

    assert bootstrap_ci(few, seed=1) is None
    assert share_ci(few, seed=1) is None
    assert bootstrap_statistic(brier, few, true, seed=1) is None
    assert mean_of_means_ci([one_more[0], few], seed=1) is None
    assert bootstrap_ci(one_more[0], seed=1) is not None
    assert share_ci(one_more[0], seed=1) is not None
    assert bootstrap_statistic(brier, *one_more, seed=1) is not None
    assert mean_of_means_ci([one_more[0]] * 2, seed=1) is not None


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=9))
@settings(max_examples=20)
def test_a_difference_of_few_questions_is_told_without_an_interval(
    pairs: list[tuple[float, float]],
) -> None:
    first, second = map(list, zip(*pairs, strict=True))

    outcome = paired(first, second)

    assert outcome is not None
    assert outcome.n == len(pairs)
    assert (outcome.interval is None) == (len(pairs) < FEWEST)


def test_many_passages_of_few_questions_are_few_cases() -> None:
    p, y = [0.2, 0.9, 0.4, 0.7] * 3, [0.0, 1.0, 0.0, 1.0] * 3

    assert bootstrap_statistic(brier, p, y, seed=1, questions=[*"abcd"] * 3) is None


@pytest.mark.parametrize("kind", ["few distinct values", "many distinct values"])
def test_an_interval_agrees_with_that_of_scipy(kind: str) -> None:
    rng = np.random.default_rng(7)
    found = rng.random(300)
    found = (found < 0.3).astype(float) if kind.startswith("few") else found
    reference = stats.bootstrap(
        (found,), np.mean, method="percentile", n_resamples=4_000, rng=np.random.default_rng(1)
    ).confidence_interval

    interval = bootstrap_ci(found.tolist(), seed=2, resamples=4_000)

    assert interval is not None
    assert interval.low == pytest.approx(reference.low, abs=0.006)
    assert interval.high == pytest.approx(reference.high, abs=0.006)


def test_an_interval_holds_the_true_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(11)
    held = 0
    for seed in range(300):
        interval = bootstrap_ci((rng.random(60) < 0.4).astype(float).tolist(), seed=seed)
        assert interval is not None
        held += interval.low <= 0.4 <= interval.high

    assert 0.91 <= held / 300 <= 0.985


@pytest.mark.parametrize("hits", [0, 1])
@pytest.mark.parametrize("n", [1, 5, 40])
def test_shares_that_never_vary_have_the_exact_binomial_interval(hits: int, n: int) -> None:
    reference = stats.binomtest(hits * n, n).proportion_ci(0.95, method="exact")

    interval = share_ci([float(hits)] * n, seed=1)

    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((reference.low, reference.high))


def test_shares_that_vary_are_bootstrapped_and_none_have_no_interval() -> None:
    some = [0.0, 0.5, 1.0, 1.0, 0.5]

    assert share_ci(some, seed=4) == bootstrap_ci(some, seed=4)
    assert share_ci([0.5] * 5, seed=4) == Interval(0.5, 0.5)
    assert share_ci([], seed=4) is None


def test_a_wider_level_gives_a_wider_interval_and_a_seed_repeats_it() -> None:
    found = np.random.default_rng(5).random(100).tolist()
    narrow, wide = bootstrap_ci(found, seed=4, level=0.8), bootstrap_ci(found, seed=4, level=0.99)

    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high
    assert bootstrap_ci(found, seed=4, level=0.8) == narrow
    assert bootstrap_ci(found, seed=5, level=0.8) != narrow


def test_ten_thousand_questions_take_far_less_than_a_second() -> None:
    found = np.random.default_rng(5).random(10_000).tolist()
    started = time.process_time()

    interval = bootstrap_ci(found, seed=1)

    assert time.process_time() - started < 3.0
    assert interval is not None
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * 0.2887 / 100, rel=0.1)


def test_the_interval_of_a_statistic_of_pairs_surrounds_it() -> None:
    rng = np.random.default_rng(2)
    p = rng.random(200)
    y = (rng.random(200) < p).astype(float)
    point = brier(p, y)

    interval = bootstrap_statistic(brier, p.tolist(), y.tolist(), seed=1)

    assert interval is not None
    assert point is not None
    assert interval.low < point < interval.high
    assert bootstrap_statistic(lambda _p, _y: None, p.tolist(), y.tolist(), seed=1) is None


def test_passages_of_one_question_are_drawn_together() -> None:
    rng = np.random.default_rng(3)
    asked = np.repeat(np.arange(40), 10)
    p = rng.random(40)[asked]
    y = (rng.random(40) < 0.5).astype(float)[asked]
    names = [f"q{n:02}" for n in asked]

    each = bootstrap_statistic(brier, p.tolist(), y.tolist(), seed=1)
    whole = bootstrap_statistic(brier, p.tolist(), y.tolist(), seed=1, questions=names)
    once = bootstrap_statistic(brier, p[::10].tolist(), y[::10].tolist(), seed=1)

    assert each is not None
    assert whole is not None
    assert once is not None
    # Ten copies of each question say no more than one does.
    assert whole.high - whole.low == pytest.approx(once.high - once.low, rel=0.3)
    assert whole.high - whole.low > 2 * (each.high - each.low)


def test_a_question_for_each_pair_is_the_plain_bootstrap() -> None:
    p, y = [0.1, 0.7, 0.4, 0.9, 0.95], [0.0, 0.0, 1.0, 1.0, 1.0]

    plain = bootstrap_statistic(brier, p, y, seed=1)

    assert plain is not None
    assert bootstrap_statistic(brier, p, y, seed=1, questions=[*"abcde"]) == plain
    swapped = bootstrap_statistic(brier, p[::-1], y[::-1], seed=1, questions=[*"edcba"])
    assert swapped == plain


def test_mcnemar_is_the_binomial_of_the_questions_that_changed() -> None:
    # 8 better, 1 worse: 2 * (1 + 9) / 2**9
    assert mcnemar(8, 1) == pytest.approx(20 / 512)
    assert mcnemar(5, 5) == 1.0
    assert mcnemar(0, 0) == 1.0


def test_wilcoxon_is_scipys_over_the_differences_that_are_not_zero() -> None:
    changes = np.array([0.3, -0.1, 0.0, 0.5, 0.25, 0.7, -0.05, 0.4, 0.0, 0.33])

    tied = np.array([0.5, 0.5, -0.5, 1.0, 1.0, 0.25, -0.25, 1.0])
    many = np.random.default_rng(4).normal(0.2, 1.0, 40)

    for some in (changes, tied, many):
        assert wilcoxon(some) == pytest.approx(float(stats.wilcoxon(some[some != 0]).pvalue))
    # Six differences of one sign: 2 / 2**6.
    assert wilcoxon(np.arange(1.0, 7.0)) == pytest.approx(2 / 64)
    assert wilcoxon(np.zeros(5)) == 1.0


def test_rounding_is_no_change() -> None:
    outcome = paired([0.1 + 0.2] * 6, [0.3] * 6)

    assert outcome is not None
    assert outcome.p_value == 1.0


def test_yes_or_no_values_are_compared_by_mcnemar_and_others_by_wilcoxon() -> None:
    binary = paired([0.0, 0.0, 1.0, 0.0], [1.0, 1.0, 1.0, 0.0])
    other = paired([0.1, 0.5, 0.9, 0.2, 0.4], [0.2, 0.7, 1.0, 0.3, 0.5])

    assert binary is not None
    assert other is not None
    assert (binary.test, binary.n, binary.rose, binary.fell) == ("mcnemar", 4, 2, 0)
    assert binary.difference == 0.5
    assert binary.p_value == pytest.approx(0.5)
    assert (other.test, other.rose, binary.interval) == ("wilcoxon", 5, None)
    assert other.difference == pytest.approx(0.6 / 5)
    assert other.interval is not None
    assert other.interval.low <= other.difference <= other.interval.high


@settings(max_examples=40)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=30))
def test_swapping_the_two_sides_turns_the_difference_and_keeps_the_p_value(
    pairs: list[tuple[float, float]],
) -> None:
    first, second = map(list, zip(*pairs, strict=True))
    forth, back = paired(first, second), paired(second, first)

    assert forth is not None
    assert back is not None
    assert forth.difference == pytest.approx(-back.difference)
    assert forth.p_value == pytest.approx(back.p_value)
    assert (forth.rose, forth.fell) == (back.fell, back.rose)
    assert 0.0 <= forth.p_value <= 1.0


def test_nothing_to_compare_is_none_and_lists_of_two_lengths_are_refused() -> None:
    assert paired([], []) is None
    with pytest.raises(ValueError, match="shorter"):
        paired([1.0, 0.0], [1.0])


def test_holm_by_hand() -> None:
    # Smallest times 4, next times 3, then 2, then 1; none below a smaller one.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []
    assert holm([0.6, 0.9]) == [1.0, 1.0]


@given(shares)
def test_holm_lies_between_the_plain_and_the_bonferroni_p_values_and_keeps_their_order(
    p: list[float],
) -> None:
    corrected = holm(p)

    for plain, after in zip(p, corrected, strict=True):
        assert plain <= after <= min(1.0, plain * len(p)) + 1e-12
    order = sorted(range(len(p)), key=lambda i: p[i])
    assert [corrected[i] for i in order] == sorted(corrected)


@given(shares, st.randoms())
def test_holm_does_not_depend_on_the_order_of_the_tests(p: list[float], shuffler: Random) -> None:
    order = list(range(len(p)))
    shuffler.shuffle(order)
    corrected = holm(p)

    assert holm([p[i] for i in order]) == [corrected[i] for i in order]


def test_without_scipy_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)

    with pytest.raises(MissingDependencyError, match=r"headwater\[eval\]"):
        mcnemar(3, 1)


def test_the_mean_of_means_counts_every_group_the_same() -> None:
    rng = np.random.default_rng(5)
    large, small = rng.normal(0.0, 1.0, 400).tolist(), rng.normal(1.0, 1.0, 25).tolist()

    interval = mean_of_means_ci([large, small], seed=1)

    assert interval is not None
    middle = (np.mean(large) + np.mean(small)) / 2
    # The error of the mean of two means: half the root of the summed squared errors.
    error = 0.5 * np.hypot(np.std(large) / 20, np.std(small) / 5)
    assert interval.low == pytest.approx(middle - 1.96 * error, abs=0.04)
    assert interval.high == pytest.approx(middle + 1.96 * error, abs=0.04)


def test_equal_values_within_groups_leave_no_doubt() -> None:
    interval = mean_of_means_ci([[1.0] * 6, [], [0.0] * 5], seed=1)

    assert interval is not None
    assert (interval.low, interval.high) == (0.5, 0.5)
    assert mean_of_means_ci([[], []], seed=1) is None
