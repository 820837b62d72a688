import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from headwater.models.training.isotonic import POINTS, fit_map, pooled

values = st.floats(-100.0, 100.0)
rows = st.lists(st.tuples(values, st.floats(0.01, 10.0)), min_size=1, max_size=60)


@given(rows)
def test_pooling_is_that_of_the_reference(found: list[tuple[float, float]]) -> None:
    y, w = np.array(found).T
    expected = IsotonicRegression().fit_transform(np.arange(len(y)), y, sample_weight=w)

    assert pooled(y, w) == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.tuples(values, st.integers(0, 4)), min_size=1, max_size=120))
def test_a_fitted_map_rises_from_0_to_the_top_in_few_points(
    found: list[tuple[float, int]],
) -> None:
    sums, grades = np.array(found, dtype=float).T

    fitted = fit_map(sums, grades, np.ones(len(sums)), high=4.0)

    assert (fitted.y[0], fitted.y[-1]) == (0.0, 4.0)
    assert 3 <= len(fitted.x) <= POINTS + 2
    assert all(a < b for a, b in zip(fitted.x, fitted.x[1:], strict=False))
    assert all(a < b for a, b in zip(fitted.y, fitted.y[1:], strict=False))
    assert fitted.x[0] < sums.min() <= sums.max() < fitted.x[-1]


def test_a_map_finds_the_chances_that_made_the_data() -> None:
    random = np.random.default_rng(1)
    sums = random.normal(0.0, 2.0, 20_000)
    chances = 1.0 / (1.0 + np.exp(-sums))
    good = (random.random(20_000) < chances).astype(float)

    fitted = fit_map(sums, good, np.ones(20_000), high=1.0)

    for at in (-3.0, -1.0, 0.0, 1.0, 3.0):
        assert fitted(at) == pytest.approx(1.0 / (1.0 + np.exp(-at)), abs=0.04)


def test_a_row_of_twice_the_weight_counts_as_two() -> None:
    sums, good = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0, 1.0])
    twice = np.array([1.0, 2.0, 1.0, 1.0])

    weighted = fit_map(sums, good, twice, high=1.0)
    repeated = fit_map(sums.repeat([1, 2, 1, 1]), good.repeat([1, 2, 1, 1]), np.ones(5), high=1.0)

    assert [weighted(x) for x in sums] == pytest.approx([repeated(x) for x in sums], abs=1e-6)
