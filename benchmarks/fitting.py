"""Fit the few weights of a logistic model."""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

STEPS = 30
RIDGE = 0.3
"""Penalty on squared weights, the bias left out; keeps them finite where signs tell all."""


def logistic(
    signs: Sequence[Sequence[float]], right: Sequence[bool], weights: Floats
) -> list[float]:
    """Give the bias and the weight of each sign, by Newton's method.

    `signs` has a row a case; `weights` says how much each case counts.
    """
    rows = np.column_stack([np.ones(len(signs)), np.asarray(signs, float)])
    goal, counts = np.asarray(right, float), weights / weights.mean()
    found = np.zeros(rows.shape[1])
    ridge = np.diag([0.0, *[RIDGE] * (rows.shape[1] - 1)])
    for _ in range(STEPS):
        chance = 1.0 / (1.0 + np.exp(-rows @ found))
        slope = rows.T @ (counts * (goal - chance)) - ridge @ found
        curve = (rows * (counts * chance * (1 - chance))[:, None]).T @ rows + ridge
        found = found + np.linalg.solve(curve, slope)
    return [round(float(value), 2) for value in found]
