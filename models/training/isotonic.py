"""Monotone maps fitted to data, thinned to a few points.

Origin: pool adjacent violators, Ayer et al. 1955, "An empirical distribution function for sampling
with incomplete information"; its use for calibration, Zadrozny and Elkan 2002.
"""

import numpy as np

from ..ranker.scores import MonotoneMap
from .regression import Floats

POINTS = 18
"""Points of a map between its two ends."""

TILT = 0.02
"""Share of a straight line in every map: no two sums get one score, so that no order is lost."""

REACH = 0.5
"""How far the ends of a map lie beyond the data, in widths of the data."""


def pooled(values: Floats, weights: Floats) -> Floats:
    """Give the ascending sequence nearest to `values`, both (n,), by weighted squares."""
    means: list[float] = []
    masses: list[float] = []
    lengths: list[int] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        mean, mass, length = value, weight, 1
        while means and means[-1] >= mean:
            before = masses.pop()
            mean = (means.pop() * before + mean * mass) / (before + mass)
            mass, length = mass + before, length + lengths.pop()
        means.append(mean)
        masses.append(mass)
        lengths.append(length)
    return np.repeat(means, lengths)


def fit_map(sums: Floats, targets: Floats, weights: Floats, *, high: float) -> MonotoneMap:
    """Fit a monotone map from sums to targets in [0, `high`]; all are (n,), weights above 0.

    The sums are cut into bins that hold the same share of what is high and of what is low, the
    bins' means are pooled, and the ends run to 0 and to `high`.
    """
    order = np.argsort(sums, kind="stable")
    x, y, w = sums[order], targets[order], weights[order]
    upper = y > high / 2
    shares = [w * mask / max(float((w * mask).sum()), 1e-300) for mask in (upper, ~upper)]
    place = np.minimum((np.cumsum(sum(shares)) / 2 * POINTS).astype(int), POINTS - 1)
    mass: Floats = np.bincount(place, weights=w).astype(np.float64)
    held = mass > 0
    means = [np.bincount(place, weights=w * v)[held] / mass[held] for v in (x, y)]
    return _tilted(means[0], pooled(means[1], mass[held]), high)


def _tilted(x: Floats, y: Floats, high: float) -> MonotoneMap:
    """Put the ends on, make every step rise, and round; equal places become one."""
    reach = REACH * max(float(x[-1] - x[0]), 1e-3)
    ends = np.concatenate([[x[0] - reach], x, [x[-1] + reach]])
    values = np.concatenate([[0.0], y, [high]])
    line = (ends - ends[0]) / (ends[-1] - ends[0]) * high
    risen = np.clip((1.0 - TILT) * values + TILT * line, 0.0, high)
    points = dict(zip(np.round(ends, 5).tolist(), np.round(risen, 12).tolist(), strict=True))
    return MonotoneMap(tuple(points), tuple(points.values()))
