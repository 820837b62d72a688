"""Logistic models as data: coefficients from a file, probabilities out of features."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

from ..domain.errors import ConfigurationError

GRADES = 4
"""The highest grade; the scale starts at 0."""


@dataclass(frozen=True, slots=True)
class Ordinal:
    """P(grade >= k | x) = sigmoid(thresholds[k - 1] + coefficients . x) for k = 1 to 4.

    The thresholds fall, so the probabilities do. Origin: the proportional odds model, McCullagh
    1980, "Regression models for ordinal data".
    """

    thresholds: tuple[float, ...]
    coefficients: tuple[float, ...]

    def at_least(self, features: Sequence[float]) -> list[float]:
        """Give P(grade >= 1), ..., P(grade >= 4)."""
        common = _dot(self.coefficients, features)
        return [sigmoid(threshold + common) for threshold in self.thresholds]

    def expected(self, features: Sequence[float]) -> float:
        """Give the expected grade, in [0, 4]: the sum of P(grade >= k)."""
        return sum(self.at_least(features))

    def distribution(self, features: Sequence[float]) -> list[float]:
        """Give the five probabilities of the grades 0 to 4; they sum to 1."""
        edges = [1.0, *self.at_least(features), 0.0]
        return [max(0.0, edges[k] - edges[k + 1]) for k in range(GRADES + 1)]


@dataclass(frozen=True, slots=True)
class Binary:
    """P(yes | x) = sigmoid(slope x (intercept + coefficients . x) + shift).

    `slope` and `shift` calibrate on data that the rest was not fitted on (Platt 1999).
    """

    intercept: float
    coefficients: tuple[float, ...]
    slope: float = 1.0
    shift: float = 0.0

    def logit(self, features: Sequence[float]) -> float:
        """Give the logit before calibration."""
        return self.intercept + _dot(self.coefficients, features)

    def probability(self, features: Sequence[float]) -> float:
        """Give the calibrated probability."""
        return sigmoid(self.slope * self.logit(features) + self.shift)


def sigmoid(logit: float) -> float:
    """Map any real number to [0, 1], without overflow."""
    return (1.0 + math.tanh(logit / 2.0)) / 2.0


def read_ordinal(fitted: Mapping[str, object], features: Sequence[str]) -> Ordinal:
    """Read an ordinal model from a fitted file's object. Raises ConfigurationError."""
    _check(fitted, features)
    thresholds = numbers(fitted, "thresholds")
    if len(thresholds) != GRADES or sorted(thresholds, reverse=True) != list(thresholds):
        raise _damaged("its thresholds do not fall")
    return Ordinal(thresholds, numbers(fitted, "coefficients"))


def read_binary(fitted: Mapping[str, object], features: Sequence[str]) -> Binary:
    """Read a binary model from a fitted file's object. Raises ConfigurationError."""
    _check(fitted, features)
    (intercept,) = numbers(fitted, "intercept")
    slope, shift = numbers(fitted, "calibration")
    return Binary(intercept, numbers(fitted, "coefficients"), slope, shift)


def read_fitted(name: str) -> dict[str, object]:
    """Read a file of coefficients that is part of this package. Raises ConfigurationError."""
    try:
        text = resources.files(__package__).joinpath("fitted", name).read_text("utf-8")
        found = json.loads(text)
    except (OSError, ValueError) as error:
        raise _damaged(f"{name} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise _damaged(f"{name} holds no object")
    return found


def numbers(fitted: Mapping[str, object], key: str) -> tuple[float, ...]:
    """Give the numbers under `key`; a single one gives one. Raises ConfigurationError."""
    value = fitted.get(key)
    listed = value if isinstance(value, list) else [value]
    found = tuple(float(n) for n in listed if isinstance(n, int | float) and math.isfinite(n))
    if len(found) != len(listed):
        raise _damaged(f"{key!r} is no list of finite numbers")
    return found


def _check(fitted: Mapping[str, object], features: Sequence[str]) -> None:
    if fitted.get("features") != list(features):
        raise _damaged("it was fitted on other features")
    if len(numbers(fitted, "coefficients")) != len(features):
        raise _damaged("it has not one coefficient for each feature")


def _damaged(cause: str) -> ConfigurationError:
    return ConfigurationError(
        f"A fitted model of this package is damaged: {cause}.",
        fix="Reinstall headwater, or fit it again with headwater.models.training.similarity.",
    )


def _dot(left: Sequence[float], right: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
