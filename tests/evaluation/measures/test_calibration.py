from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss, roc_auc_score

from headwater.domain.errors import ScoreRangeError
from headwater.evaluation.measures.calibration import (
    Observation,
    auroc,
    brier,
    ece,
    reliability_of,
)

pairs = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


def split(observed: list[tuple[float, bool]]) -> tuple[list[float], list[float]]:
    return [p for p, _ in observed], [float(y) for _, y in observed]


def test_ece_by_hand() -> None:
    # Bin (0.8, 0.9]: two stated 0.9 and 0.85, one true: |1 - 1.75|. Bin (0.1, 0.2]: |1 - 0.2|.
    assert ece([0.9, 0.85, 0.2], [1.0, 0.0, 1.0]) == pytest.approx((0.75 + 0.8) / 3)


def test_brier_and_auroc_by_hand() -> None:
    assert brier([1.0, 0.5], [1.0, 0.0]) == pytest.approx(0.125)
    # Pairs of one true and one false: 0.8 over 0.3, 0.8 over 0.6, 0.6 ties 0.6, 0.6 over 0.3.
    assert auroc([0.8, 0.6, 0.6, 0.3], [1, 1, 0, 0]) == pytest.approx(3.5 / 4)


@given(pairs)
def test_the_brier_score_is_that_of_sklearn(observed: list[tuple[float, bool]]) -> None:
    p, y = split(observed)

    assert brier(p, y) == pytest.approx(brier_score_loss(y, p, labels=[0, 1]))


@given(pairs.filter(lambda rows: len({y for _, y in rows}) == 2))
def test_the_auroc_is_that_of_sklearn(observed: list[tuple[float, bool]]) -> None:
    p, y = split(observed)

    assert auroc(p, y) == pytest.approx(roc_auc_score(y, p))


def test_the_bins_are_those_of_sklearn() -> None:
    rng = np.random.default_rng(3)
    p = rng.random(500)
    y = (rng.random(500) < p**2).astype(float)
    true, stated = calibration_curve(y, p, n_bins=10, strategy="uniform")
    counts = np.histogram(p, bins=10, range=(0, 1))[0]

    assert ece(p, y) == pytest.approx((np.abs(true - stated) * counts).sum() / 500)


@given(pairs, st.randoms())
def test_calibration_stays_in_range_and_does_not_depend_on_the_order(
    observed: list[tuple[float, bool]], shuffler: Random
) -> None:
    shuffled = list(observed)
    shuffler.shuffle(shuffled)

    for measure in (ece, brier, auroc):
        found = measure(*split(observed))
        assert found is None or -1e-12 <= found <= 1.0 + 1e-12
        assert measure(*split(shuffled)) == pytest.approx(found)


def test_what_always_comes_true_as_stated_is_calibrated() -> None:
    assert ece([1.0, 1.0, 0.0], [1, 1, 0]) == 0.0
    assert ece([0.5] * 4, [1, 0, 1, 0]) == 0.0


def test_nothing_observed_is_not_a_perfect_score() -> None:
    assert ece([], []) is None
    assert brier([], []) is None
    assert auroc([], []) is None
    assert auroc([0.2, 0.9], [1, 1]) is None


@pytest.mark.parametrize("wrong", [-0.1, 1.1, float("nan")])
def test_what_is_no_probability_is_refused(wrong: float) -> None:
    with pytest.raises(ScoreRangeError):
        ece([0.5, wrong], [1, 0])


def test_reliability_is_told_by_group() -> None:
    observed = [
        Observation(0.0, False, "zh"),
        Observation(0.95, True, "en"),
        Observation(1.0, False, "en"),
        Observation(0.3, True, "en"),
    ]

    english, chinese = reliability_of(observed)

    assert (english.group, english.n, chinese.group, chinese.n) == ("en", 3, "zh", 1)
    assert english.base_rate == pytest.approx(2 / 3)
    # The false one was stated higher than both true ones.
    assert english.auroc == 0.0
    assert chinese.auroc is None
    assert [b.n for b in english.bins] == [0, 0, 1, 0, 0, 0, 0, 0, 0, 2]
    assert english.bins[9].mean_probability == pytest.approx(0.975)
    assert english.bins[9].share == pytest.approx(0.5)
    assert english.bins[0].share is None
    assert chinese.bins[0].n == 1


@given(st.lists(st.builds(Observation, st.floats(0, 1), st.booleans(), st.sampled_from("abc"))))
def test_every_observation_is_in_one_bin_of_one_group(observed: list[Observation]) -> None:
    described = reliability_of(observed, bins=5)

    assert sum(b.n for group in described for b in group.bins) == len(observed)
    for group in described:
        assert [b.low for b in group.bins] == [0.0, 0.2, 0.4, 0.6, 0.8]
        by_bins = sum(
            b.n * abs(b.share - b.mean_probability)
            for b in group.bins
            if b.share is not None and b.mean_probability is not None
        )
        assert group.ece == pytest.approx(by_bins / group.n)
