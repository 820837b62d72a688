import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ConfigurationError
from headwater.models.logistic import (
    Binary,
    Ordinal,
    read_binary,
    read_fitted,
    read_ordinal,
    sigmoid,
)

REALS = st.floats(-1e6, 1e6)
MODEL = {"features": ["a"], "thresholds": [2, 1, 0, -1], "coefficients": [1.5]}


@given(st.floats(allow_nan=False))
def test_the_sigmoid_stays_between_0_and_1(logit: float) -> None:
    assert 0.0 <= sigmoid(logit) <= 1.0


@given(st.lists(REALS, min_size=4, max_size=4), REALS, REALS)
def test_grades_are_a_distribution_whose_mean_is_the_expected_grade(
    thresholds: list[float], slope: float, value: float
) -> None:
    model = Ordinal(tuple(sorted(thresholds, reverse=True)), (slope,))

    shares = model.distribution([value])

    assert math.fsum(shares) == pytest.approx(1.0)
    assert min(shares) >= 0.0
    mean = sum(grade * share for grade, share in enumerate(shares))
    assert mean == pytest.approx(model.expected([value]), abs=1e-9)
    assert 0.0 <= model.expected([value]) <= 4.0


def test_calibration_stretches_and_shifts_the_logit() -> None:
    model = Binary(1.0, (2.0,), slope=0.5, shift=-1.0)

    assert model.logit([3.0]) == 7.0
    assert model.probability([3.0]) == pytest.approx(sigmoid(2.5))


def test_reads_what_was_fitted() -> None:
    assert read_ordinal(MODEL, ["a"]) == Ordinal((2.0, 1.0, 0.0, -1.0), (1.5,))
    binary = {"features": ["a"], "intercept": 1, "coefficients": [2], "calibration": [1, 0]}
    assert read_binary(binary, ["a"]) == Binary(1.0, (2.0,), 1.0, 0.0)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"features": ["b"]}, "other features"),
        ({"coefficients": [1, 2]}, "one coefficient for each"),
        ({"coefficients": [float("nan")]}, "finite numbers"),
        ({"coefficients": ["x"]}, "finite numbers"),
        ({"thresholds": [1, 2, 3, 4]}, "do not fall"),
        ({"thresholds": [1]}, "do not fall"),
    ],
)
def test_a_damaged_file_is_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        read_ordinal(MODEL | change, ["a"])


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"nothing\.json"):
        read_fitted("nothing.json")
