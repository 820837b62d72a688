"""Logistic regression by Newton's method, and what is measured of a fitted model."""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..logistic import GRADES, Binary, Ordinal

Floats: TypeAlias = NDArray[np.float64]

_RIDGE = 1e-3
"""Penalty on squared standardised coefficients, a share of the summed weight."""
_STEPS = 50


def fit_ordinal(features: Floats, grades: NDArray[np.int64], weights: Floats) -> Ordinal:
    """Fit one set of slopes and four thresholds: the four questions "grade >= k?" stacked.

    `features` is (n, d), raw; `weights` is (n,). Stacking treats the four answers as independent,
    which leaves the estimate consistent and the thresholds falling.
    """
    rows = len(features)
    levels = np.arange(1, GRADES + 1)
    labels = (grades[:, None] >= levels).T.reshape(-1).astype(np.float64)
    which: Floats = np.repeat(np.eye(GRADES), rows, axis=0)
    fitted, slopes = _fit(np.tile(features, (GRADES, 1)), labels, np.tile(weights, GRADES), which)
    return Ordinal(tuple(map(float, fitted)), tuple(map(float, slopes)))


def fit_binary(features: Floats, labels: Floats, weights: Floats) -> Binary:
    """Fit a binary model; `features` is (n, d), raw, `labels` 0 or 1."""
    fitted, slopes = _fit(features, labels, weights, np.ones((len(features), 1)))
    return Binary(float(fitted[0]), tuple(map(float, slopes)))


def _fit(
    features: Floats, labels: Floats, weights: Floats, intercepts: Floats
) -> tuple[Floats, Floats]:
    """Give intercepts and slopes for raw features, by iteratively reweighted least squares."""
    mean, spread = features.mean(0), features.std(0)
    spread = np.where(spread > 0, spread, 1.0)
    design = np.hstack([intercepts, (features - mean) / spread])
    width = intercepts.shape[1]
    ridge = np.diag([1e-9] * width + [_RIDGE * weights.sum()] * features.shape[1])
    solved = np.zeros(design.shape[1])
    for _ in range(_STEPS):
        chance = 0.5 * (1.0 + np.tanh(design @ solved / 2.0))
        slope = design.T @ (weights * (labels - chance)) - ridge @ solved
        curve = (design * (weights * chance * (1.0 - chance))[:, None]).T @ design + ridge
        step = np.linalg.solve(curve, slope)
        solved = solved + step
        if np.abs(step).max() < 1e-9:
            break
    slopes = solved[width:] / spread
    return solved[:width] - slopes @ mean, slopes


def auc(scores: Floats, labels: Floats) -> float:
    """Give the chance that a case with label 1 scores above one with 0; ties count half."""
    order = np.argsort(scores, kind="stable")
    ordered = scores[order]
    first = np.searchsorted(ordered, ordered, side="left")
    last = np.searchsorted(ordered, ordered, side="right")
    ranks = np.empty(len(scores))
    ranks[order] = (first + last + 1) / 2.0
    yes = labels == 1
    count, other = int(yes.sum()), int((~yes).sum())
    if not count or not other:
        return math.nan
    return float((ranks[yes].sum() - count * (count + 1) / 2.0) / (count * other))


def calibration_error(chances: Floats, labels: Floats, bins: int = 10) -> float:
    """Give the expected calibration error over equally wide bins, in [0, 1]."""
    place = np.minimum((chances * bins).astype(int), bins - 1)
    gaps = [
        abs(chances[place == b].mean() - labels[place == b].mean()) * (place == b).mean()
        for b in range(bins)
        if (place == b).any()
    ]
    return float(sum(gaps))


def upper_bound(wrong: int, cases: int, confidence: float) -> float:
    """Give the Clopper-Pearson upper bound of a share, one-sided, in [0, 1]; 1 without cases.

    It is the share at which `wrong` or fewer of `cases` have the chance 1 - confidence.
    """
    if wrong >= cases:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (
            (middle, high) if _at_most(wrong, cases, middle) > 1.0 - confidence else (low, middle)
        )
    return high


def exit_threshold(
    chances: Floats, labels: Floats, *, risk: float, confidence: float, never: float
) -> float:
    """Give the lowest of ten thresholds, 0.50 to 0.95, that keeps the share of wrong exits low.

    Bonferroni: each is tested at a tenth of the error, so that choosing among them does not
    spoil the confidence. `never` where none does it.
    """
    candidates = [n / 20.0 for n in range(10, 20)]
    each = 1.0 - (1.0 - confidence) / len(candidates)
    for threshold in candidates:
        exits = chances >= threshold
        if upper_bound(int((labels[exits] == 0).sum()), int(exits.sum()), each) <= risk:
            return threshold
    return never


def _at_most(wrong: int, cases: int, share: float) -> float:
    """P(at most `wrong` of `cases`) under the binomial distribution."""
    if share <= 0.0 or share >= 1.0:
        return 1.0 if share <= 0.0 else 0.0
    total = math.lgamma(cases + 1)
    logs = (
        total - math.lgamma(k + 1) - math.lgamma(cases - k + 1)
        + k * math.log(share) + (cases - k) * math.log1p(-share)
        for k in range(wrong + 1)
    )  # fmt: skip
    return math.fsum(math.exp(log) for log in logs)
