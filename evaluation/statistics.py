"""Intervals and tests over questions: bootstrap, McNemar, Wilcoxon, Holm.

Everything is drawn from a seed, and no result depends on the order of the questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from .extra import optional

Floats = NDArray[np.float64]
Test = Literal["mcnemar", "wilcoxon"]

RESAMPLES = 2_000
"""Fewer make the ends of an interval jump by more than a tenth of its width between seeds."""

FEWEST = 5
"""Questions below which nothing is bootstrapped: resamples of one are all alike, and of four still
too much so, and the interval would claim to know what it does not."""

_DISTINCT = 64
"""Up to so many distinct values a resample is drawn as counts of them: the same distribution as
question by question, at a cost that does not grow with the number of questions."""

_EXACT = 12
"""Changes up to which all 2^n choices of signs are counted: 4096 take a millisecond."""

_DRAWN = 4_000_000
"""Draws held at once; 32 MB."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval; `low <= high`, in the unit of the values."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """What changes from a first to a second list of values, question by question."""

    n: int
    difference: float
    """Mean of second minus first."""
    interval: Interval | None
    """Of the difference; `None` below `FEWEST` questions."""
    p_value: float
    """Two-sided, in [0, 1], of the hypothesis that nothing changes; not corrected."""
    test: Test
    rose: int
    """Questions where the second is larger; which is better, the measure says."""
    fell: int


def bootstrap_ci(
    values: Sequence[float], *, seed: int, level: float = 0.95, resamples: int = RESAMPLES
) -> Interval | None:
    """Give the percentile interval of the mean over questions; `None` below `FEWEST` values.

    Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", section 13.3.
    """
    if len(values) < FEWEST:
        return None
    means = _resampled_means(np.sort(np.asarray(values, dtype=float)), seed, resamples)
    return _percentiles(means, level)


def share_ci(values: Sequence[float], *, seed: int) -> Interval | None:
    """Give the 95 % interval of the mean of shares in [0, 1]; `None` without values.

    Bootstrapped, and so `None` below `FEWEST` values, but where all are 0 or all are 1 every
    resample is the same: five hits in five questions are no proof of a hundred in a hundred. There
    it is the exact binomial interval of Clopper and Pearson 1934, "The use of confidence or
    fiducial limits illustrated in the case of the binomial".
    """
    if not values or {*values} not in ({0.0}, {1.0}):
        return bootstrap_ci(values, seed=seed)
    reach = 1.0 - 0.025 ** (1.0 / len(values))
    return Interval(1.0 - reach, 1.0) if values[0] else Interval(0.0, reach)


def mean_of_means_ci(
    groups: Sequence[Sequence[float]], *, seed: int, level: float = 0.95
) -> Interval | None:
    """Give the interval of the mean over groups of each group's mean; empty groups are left out.

    Questions are drawn anew within each group, so that a large group counts as much as a small
    one; the groups themselves are taken as given. `None` without values, and where a group has
    fewer than `FEWEST`: as it counts as much as any, so does what is not known of it. Source:
    Davison and Hinkley 1997, "Bootstrap Methods and their Application", section 3.2.
    """
    sizes = [len(group) for group in groups if group]
    if not sizes or min(sizes) < FEWEST:
        return None
    drawn = [
        _resampled_means(np.sort(np.asarray(group, dtype=float)), [seed, number], RESAMPLES)
        for number, group in enumerate(groups)
        if group
    ]
    return _percentiles(np.mean(drawn, axis=0), level)


def bootstrap_statistic(
    statistic: Callable[[Floats, Floats], float | None],
    first: Sequence[float],
    second: Sequence[float],
    *,
    seed: int,
    questions: Sequence[str] | None = None,
    resamples: int = 300,
) -> Interval | None:
    """Give the 95 % percentile interval of a statistic of pairs, such as a calibration error.

    `questions` names the one of each pair: whole questions are drawn then, since the passages of
    one are alike, and counting each as news would make the interval too narrow (the cluster
    bootstrap, Davison and Hinkley 1997, section 3.8). Without it each pair is a question. Resamples
    for which the statistic is not defined are left out; `None` where all are, and below `FEWEST`
    questions.
    """
    if len(first if questions is None else {*questions}) < FEWEST:
        return None
    pairs = np.column_stack([np.asarray(first, float), np.asarray(second, float)])
    order = np.lexsort(pairs.T)
    named = np.arange(len(pairs)) if questions is None else np.asarray(questions)[order]
    distinct, place = np.unique(named, return_inverse=True)
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(resamples):
        drawn = rng.integers(0, len(distinct), len(distinct))
        times = np.bincount(drawn, minlength=len(distinct))[place]
        value = statistic(*np.repeat(pairs[order], times, axis=0).T)
        if value is not None:
            found.append(value)
    return _percentiles(np.asarray(found), 0.95) if found else None


def paired(first: Sequence[float], second: Sequence[float], *, seed: int = 0) -> Paired | None:
    """Compare two values of each question; `None` without questions.

    Values that are all 0 or 1 go through McNemar's exact test (McNemar 1947, the binomial form:
    the questions that change are a fair coin's throws), others through Wilcoxon's signed-rank
    test (Wilcoxon 1945, questions without a change left out). The interval is bootstrapped over
    the differences, as in `bootstrap_ci`.
    """
    if not first and not second:
        return None
    changes = np.array([b - a for a, b in zip(first, second, strict=True)], dtype=float)
    ends = bootstrap_ci(changes.tolist(), seed=seed)
    rose, fell = int((changes > 0).sum()), int((changes < 0).sum())
    binary = {*first, *second} <= {0.0, 1.0}
    return Paired(
        n=len(changes),
        difference=float(np.sort(changes).mean()),
        interval=ends,
        p_value=mcnemar(rose, fell) if binary else wilcoxon(changes),
        test="mcnemar" if binary else "wilcoxon",
        rose=rose,
        fell=fell,
    )


def mcnemar(rose: int, fell: int) -> float:
    """Give the exact two-sided p-value that as many questions change one way as the other."""
    if rose + fell == 0:
        return 1.0
    return float(_scipy().binomtest(rose, rose + fell, 0.5).pvalue)


def wilcoxon(changes: Floats) -> float:
    """Give the two-sided p-value that changes are symmetric about zero; 1 where none is.

    Differences below 1e-12 are rounding, not a change. Up to `_EXACT` changes every choice of
    signs is counted, which is exact with ties as well; beyond that it is scipy's test.
    """
    moved = np.sort(np.round(changes[np.abs(changes) > 1e-12], 12))
    if not len(moved):
        return 1.0
    if len(moved) > _EXACT:
        return min(1.0, float(_scipy().wilcoxon(moved).pvalue))
    ranks = np.asarray(_scipy().rankdata(np.abs(moved)), dtype=float)
    choices = (np.arange(2 ** len(moved))[:, None] >> np.arange(len(moved))) & 1
    sums = np.abs((2 * choices - 1) @ ranks)
    return float((sums >= abs(float(np.sign(moved) @ ranks)) - 1e-9).mean())


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for being several, each in its place; in [0, 1].

    The k-th smallest of m is multiplied by m - k + 1, and none may end below a smaller one, so
    that the chance of any false finding stays below the level. Source: Holm 1979, "A simple
    sequentially rejective multiple test procedure".
    """
    m = len(p_values)
    order = sorted(range(m), key=lambda i: p_values[i])
    corrected = [0.0] * m
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (m - rank) * p_values[index]))
        corrected[index] = highest
    return corrected


def _resampled_means(values: Floats, seed: int | list[int], resamples: int) -> Floats:
    rng = np.random.default_rng(seed)
    distinct, counts = np.unique(values, return_counts=True)
    n = len(values)
    if len(distinct) <= _DISTINCT:
        drawn = rng.multinomial(n, counts / n, size=resamples)
        return np.asarray(drawn @ distinct / n, dtype=float)
    step = max(1, _DRAWN // n)
    sizes = [min(step, resamples - start) for start in range(0, resamples, step)]
    return np.concatenate([values[rng.integers(0, n, (k, n))].mean(axis=1) for k in sizes])


def _percentiles(found: Floats, level: float) -> Interval:
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(found, [tail, 1.0 - tail])
    return Interval(float(low), float(high))


def _scipy() -> ModuleType:
    return optional("scipy.stats")
