"""The linear part of the ranker's combination: few coefficients that order lists of candidates.

Two losses share the coefficients. Within a list, the cross entropy between the shares that the
grades give and the softmax of the sums (Cao et al. 2007, "Learning to Rank: From Pairwise
Approach to Listwise Approach") decides the order. Over all labelled pairs, a logistic loss on
"grade >= 3" makes sums of different queries comparable. Both are convex; Newton's method finds
the one minimum, so that the same table gives the same coefficients.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .grades import GOLD, SHARES
from .regression import Floats

ACROSS = 0.5
"""Weight of the logistic loss, where that within lists has 1."""

RIDGE = 3e-3
"""Penalty on squared standardised coefficients, a share of the summed weight."""

_STEPS = 60


@dataclass(frozen=True, slots=True)
class Table:
    """Candidates, those of one query next to each other.

    `features` is (n, d); all others are (n,). `grades` are labels, or what stands for one;
    `labelled` tells which are; `retrieved` which the first stage found, at `ranks` from 1.
    """

    features: Floats
    grades: NDArray[np.int64]
    labelled: NDArray[np.bool_]
    ranks: NDArray[np.int64]
    """0 for what the first stage did not find."""
    queries: NDArray[np.int64]
    datasets: NDArray[np.str_]
    languages: NDArray[np.str_]

    @property
    def retrieved(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.ranks > 0
        return found

    def take(self, rows: NDArray[np.bool_]) -> "Table":
        """Give some of the rows, in order."""
        return Table(
            self.features[rows], self.grades[rows], self.labelled[rows], self.ranks[rows],
            self.queries[rows], self.datasets[rows], self.languages[rows],
        )  # fmt: skip

    def columns(self, chosen: Sequence[int]) -> "Table":
        """Give all rows with some of the features."""
        return replace(self, features=self.features[:, list(chosen)])


@dataclass(frozen=True, slots=True)
class Linear:
    """Coefficients for raw features, and the intercept that the logistic loss found."""

    coefficients: Floats
    intercept: float

    def sums(self, features: Floats) -> Floats:
        """Give the linear sum of each row of `features`, which is (n, d)."""
        found: Floats = features @ self.coefficients + self.intercept
        return found


def fit_linear(table: Table, weights: Floats) -> Linear:
    """Fit the coefficients; `weights`, (n,), are those of the rows in the logistic loss.

    A list weighs so much that every set counts the same.
    """
    mean, spread = table.features.mean(0), table.features.std(0)
    spread = np.where(spread > 1e-9, spread, 1.0)
    loss = _Loss.of(table, (table.features - mean) / spread, weights)
    solved = np.zeros(table.features.shape[1] + 1)
    for _ in range(_STEPS):
        slope, curve = loss.derivatives(solved)
        step, part = np.linalg.solve(curve, slope), 1.0
        while part > 1e-6 and loss(solved + part * step) > loss(solved):
            part /= 2.0
        solved = solved + part * step
        if np.abs(step).max() < 1e-9:
            break
    coefficients = solved[:-1] / spread
    return Linear(coefficients, float(solved[-1] - coefficients @ mean))


@dataclass(frozen=True, slots=True)
class _Loss:
    """Both losses and the penalty, of coefficients for scaled features and an intercept."""

    lists: "_Lists"
    design: Floats
    good: Floats
    weights: Floats
    ridge: Floats

    @classmethod
    def of(cls, table: Table, scaled: Floats, weights: Floats) -> "_Loss":
        design = np.hstack([scaled, np.ones((len(scaled), 1))])
        good = (table.grades >= GOLD).astype(np.float64)
        ridge = np.array([RIDGE] * scaled.shape[1] + [1e-9])
        return cls(_Lists.of(table, scaled), design, good, ACROSS * weights / weights.sum(), ridge)

    def __call__(self, solved: Floats) -> float:
        sums = self.design @ solved
        across = self.weights @ (np.logaddexp(0.0, sums) - self.good * sums)
        return float(across + self.ridge @ solved**2 / 2.0 + self.lists.loss(solved[:-1]))

    def derivatives(self, solved: Floats) -> tuple[Floats, Floats]:
        """Give minus the gradient and the Hessian."""
        chance = 0.5 * (1.0 + np.tanh(self.design @ solved / 2.0))
        slope: Floats = self.design.T @ (self.weights * (self.good - chance)) - self.ridge * solved
        bend = (self.design * (self.weights * chance * (1.0 - chance))[:, None]).T
        curve: Floats = bend @ self.design + np.diag(self.ridge)
        inner_slope, inner_curve = self.lists.derivatives(solved[:-1])
        slope[:-1] += inner_slope
        curve[:-1, :-1] += inner_curve
        return slope, curve


@dataclass(frozen=True, slots=True)
class _Lists:
    """The lists that hold something good, one after the other: features, shares, weights."""

    features: Floats
    starts: NDArray[np.intp]
    sizes: NDArray[np.intp]
    shares: Floats
    weights: Floats
    """One a list; they sum to 1."""

    @classmethod
    def of(cls, table: Table, scaled: Floats) -> "_Lists":
        shares = np.array(SHARES)[table.grades]
        totals = np.bincount(table.queries, weights=shares)
        rows = np.flatnonzero(totals[table.queries] > 0)
        queries = table.queries[rows]
        starts = np.flatnonzero(np.diff(queries, prepend=-1))
        sizes = np.diff(starts, append=len(rows))
        names, place, count = np.unique(
            table.datasets[rows][starts], return_inverse=True, return_counts=True
        )
        weights = 1.0 / max(1, len(names)) / count[place]
        return cls(scaled[rows], starts, sizes, shares[rows] / totals[queries], weights)

    def loss(self, solved: Floats) -> float:
        """Give the cross entropy, a weighted mean over the lists."""
        logs = self._logs(solved)
        return -float((np.repeat(self.weights, self.sizes) * self.shares) @ logs)

    def derivatives(self, solved: Floats) -> tuple[Floats, Floats]:
        """Give minus the gradient, (d,), and the Hessian, (d, d)."""
        chances, weights = np.exp(self._logs(solved)), np.repeat(self.weights, self.sizes)
        slope = self.features.T @ (weights * (self.shares - chances))
        curve = (self.features * (weights * chances)[:, None]).T @ self.features
        if not len(self.starts):
            return slope, curve
        means = np.add.reduceat(self.features * chances[:, None], self.starts)
        return slope, curve - (means * self.weights[:, None]).T @ means

    def _logs(self, solved: Floats) -> Floats:
        """Give the logarithm of the softmax over each list, (rows,)."""
        sums: Floats = self.features @ solved
        if not len(self.starts):
            return sums
        sums = sums - np.repeat(np.maximum.reduceat(sums, self.starts), self.sizes)
        totals = np.log(np.add.reduceat(np.exp(sums), self.starts))
        found: Floats = sums - np.repeat(totals, self.sizes)
        return found
