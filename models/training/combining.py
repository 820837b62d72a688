"""Fit the ranker's combination: coefficients, two monotone maps, threshold, histogram.

Which rows decide about what. The order of a list counts all its candidates. What a sum means is
fitted on labelled pairs, and on the first unlabelled ones that the first stage found, at a low
weight: labelled pairs are easier to tell apart than what a search brings, so that a map fitted on
them alone promises too much of a search's results; but some of what nobody labelled does answer,
so that taking all of it for wrong would promise too little. Every set weighs the same, and sets
whose licence allows evaluation only are left out of every fit.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...domain.errors import ConfigurationError
from ..ranker.scores import FEATURES, Combination, MonotoneMap, histogram_of
from .candidate_table import NEAR_MISSES
from .grades import GOLD
from .isotonic import fit_map
from .labelled import NEVER_TRAIN
from .linear import Linear, Table, fit_linear
from .regression import Floats

UNLABELLED = 0.25
"""Weight of an unlabelled candidate among the first `NEAR_MISSES`, where a labelled one has 1."""

KEPT = 0.98
"""Share of the answering passages found that the threshold keeps, in the mean over the sets."""

FOLDS = 5

FEWEST = 2 * FOLDS
"""Questions; with fewer the folds would leave too little."""

_DIGITS = 6


def learnable(table: Table) -> NDArray[np.bool_]:
    """Tell which rows may be learned from."""
    return ~np.isin(table.datasets, sorted(NEVER_TRAIN))


def row_weights(table: Table) -> Floats:
    """Give each row's weight in what sums mean, (n,); every set with such rows sums to 1."""
    near = (table.ranks > 0) & (table.ranks <= NEAR_MISSES)
    weights: Floats = np.where(table.labelled, 1.0, UNLABELLED * near)
    _, place = np.unique(table.datasets, return_inverse=True)
    totals = np.bincount(place, weights=weights)[place]
    return weights / np.where(totals > 0, totals, 1.0)


def fit_combination(table: Table, names: Sequence[str]) -> Combination:
    """Fit on the learnable rows of `table`, whose columns are all `FEATURES`.

    `names` are the features that are combined.

    Raises:
        ConfigurationError: there are too few questions to learn from.
    """
    mine = table.take(learnable(table))
    if (questions := len(np.unique(mine.queries))) < FEWEST:
        raise ConfigurationError(
            f"There are {questions} labelled questions to fit the scores on.",
            fix=f"Give at least {FEWEST}, better some hundreds.",
        )
    linear = _linear(mine, names)
    sums = linear.sums(mine.features)
    grade, chance = _maps(mine, sums)
    scores = np.array([grade(value) for value in sums.tolist()])
    return Combination(
        features=tuple(names),
        coefficients=tuple(
            round(float(linear.coefficients[FEATURES.index(n)]), _DIGITS) for n in names
        ),
        intercept=round(linear.intercept, _DIGITS),
        grade=grade,
        chance=chance,
        threshold=threshold_for(mine, scores),
        histogram=tuple(round(share, _DIGITS) for share in _histogram(mine, scores)),
    )


def threshold_for(table: Table, scores: Floats) -> float:
    """Give the highest score, in steps of 0.05, that keeps `KEPT` of what answers and was found."""
    return max(
        (
            t
            for t in np.arange(0.0, 4.0, 0.05).round(2).tolist()
            if gold_kept(table, scores, t) >= KEPT
        ),
        default=0.0,
    )


def gold_kept(table: Table, scores: Floats, threshold: float) -> float:
    """Give the share of the answering passages found that reach a score, a mean over the sets."""
    gold = table.labelled & table.retrieved & (table.grades >= GOLD)
    shares = [
        float((scores[mine] >= threshold).mean())
        for name in np.unique(table.datasets[gold])
        for mine in [gold & (table.datasets == name)]
    ]
    return float(np.mean(shares)) if shares else 1.0


def held_out(table: Table, names: Sequence[str], folds: NDArray[np.int64]) -> list[Floats]:
    """Give sums, scores and P(grade >= 3) of each row, all (n,), by fits without its fold."""
    found = [np.zeros(len(table.grades)) for _ in range(3)]
    for fold in np.unique(folds):
        out = folds == fold
        mine = table.take(~out & learnable(table))
        linear = _linear(mine, names)
        grade, chance = _maps(mine, linear.sums(mine.features))
        sums = linear.sums(table.features[out])
        found[0][out] = sums
        found[1][out] = [grade(value) for value in sums.tolist()]
        found[2][out] = [chance(value) for value in sums.tolist()]
    return found


def by_question(table: Table) -> NDArray[np.int64]:
    """Put each question into one of `FOLDS` folds, evenly within every set."""
    folds: NDArray[np.int64] = table.queries % FOLDS
    return folds


def by_set(table: Table) -> NDArray[np.int64]:
    """Make each set a fold: what a fit says of a source it has not seen."""
    _, place = np.unique(table.datasets, return_inverse=True)
    return place.astype(np.int64)


def _linear(table: Table, names: Sequence[str]) -> Linear:
    """Fit the named columns; the coefficients of all others are 0."""
    columns = [FEATURES.index(name) for name in names]
    fitted = fit_linear(table.columns(columns), row_weights(table))
    coefficients = np.zeros(len(FEATURES))
    coefficients[columns] = fitted.coefficients
    return Linear(coefficients, fitted.intercept)


def _maps(table: Table, sums: Floats) -> tuple[MonotoneMap, MonotoneMap]:
    """Fit the maps from sums to the grade and to P(grade >= 3)."""
    weights = row_weights(table)
    counts = weights > 0
    grades = table.grades[counts].astype(np.float64)
    x, w = sums[counts], weights[counts]
    return (
        fit_map(x, grades, w, high=4.0),
        fit_map(x, (grades >= GOLD).astype(np.float64), w, high=1.0),
    )


def _histogram(table: Table, scores: Floats) -> list[float]:
    """The mean of the sets' histograms of what was found."""
    found = table.retrieved
    rows = [
        histogram_of(scores[found & (table.datasets == name)].tolist())
        for name in np.unique(table.datasets[found])
    ]
    return np.mean(rows, axis=0).tolist() if rows else list(histogram_of(scores.tolist()))
