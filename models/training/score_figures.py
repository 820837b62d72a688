"""What is measured of the ranker's combination, always on questions its fit has not seen."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..ranker.scores import FEATURES, Combination, drift
from .candidate_table import NEAR_MISSES
from .combining import by_question, by_set, gold_kept, held_out, learnable
from .grades import GOLD, ndcg
from .linear import Table
from .regression import Floats, auc, calibration_error

_TOPIC = 2
"""The grade of what is on topic and does not answer."""

Rows = NDArray[np.bool_]
Figures = dict[str, object]


def measure(table: Table, fitted: Combination) -> Figures:
    """Compare orders, and tell how well scores are calibrated; means over the sets where said."""
    names = fitted.features
    sums, scores, chances = held_out(table, names, by_question(table))
    topics = _aucs(sums, table, table.grades == _TOPIC)
    single = {name: table.features[:, FEATURES.index(name)] for name in names}
    orders = {"combination": sums, **single, "first_stage": -table.ranks.astype(np.float64)}
    return {
        "how": "fitted without the fifth of the questions that is measured; means over the sets",
        "ndcg_at_10_of_found": _orders(orders, table, table.retrieved),
        "ndcg_at_10_of_labelled": _orders({"combination": sums, **single}, table, table.labelled),
        "auc_3_against_1": _mean(_aucs(sums, table, table.grades < _TOPIC)),
        "auc_3_against_2": {name: _round(value) for name, value in topics.items()},
        "mean_absolute_grade_error": _round(_error(scores, table)),
        "calibration_error": _calibration(chances, table),
        "threshold": _at_threshold(scores, table, fitted.threshold),
        "by_set": _by_set(table, sums),
        "unseen_set": _unseen(table, fitted),
        "rows": {"found": int(table.retrieved.sum()), "labelled": int(table.labelled.sum())},
    }


def _unseen(table: Table, fitted: Combination) -> Figures | None:
    """Measure each set by a fit without it; `None` where there are not two to learn from."""
    if len(np.unique(table.datasets[learnable(table)])) < 2:
        return None
    sums, scores, chances = held_out(table, fitted.features, by_set(table))
    return {
        "ndcg_at_10_of_found": _mean(_ndcgs(sums, table, table.retrieved)),
        "ndcg_at_10_of_labelled": _mean(_ndcgs(sums, table, table.labelled)),
        "calibration_error": _calibration(chances, table)["all"],
        "threshold": _at_threshold(scores, table, fitted.threshold),
        "drift": {
            name: _round(drift(fitted.histogram, scores[rows].tolist()) or 0.0)
            for name, rows in _by(table.datasets, table.retrieved)
        },
    }


def _at_threshold(scores: Floats, table: Table, threshold: float) -> Figures:
    """Tell what the threshold keeps of what answers, and drops of all else that was found."""
    return {
        "answers_kept": _round(gold_kept(table, scores, threshold)),
        "others_dropped": _round(_dropped(scores, table, threshold)),
    }


def _orders(orders: Mapping[str, Floats], table: Table, rows: Rows) -> Figures:
    return {name: _mean(_ndcgs(order, table, rows)) for name, order in orders.items()}


def _by_set(table: Table, sums: Floats) -> Figures:
    first = -table.ranks.astype(np.float64)
    found, before = (_ndcgs(order, table, table.retrieved) for order in (sums, first))
    labelled = _ndcgs(sums, table, table.labelled)
    return {
        name: {
            "found": _round(found.get(name, np.nan)),
            "first_stage": _round(before.get(name, np.nan)),
            "labelled": _round(value),
        }
        for name, value in labelled.items()
    }


def _ndcgs(order: Floats, table: Table, rows: Rows) -> dict[str, float]:
    """Give the mean nDCG at 10 of each set, over the candidates in `rows`; all labels are ideal."""
    found: dict[str, list[float]] = {}
    known = np.where(table.labelled, table.grades, 0)
    for query in np.unique(table.queries[rows]):
        all_of_it = table.queries == query
        mine = np.flatnonzero(all_of_it & rows)
        best_first = mine[np.argsort(-order[mine], kind="stable")]
        value = ndcg(known[best_first].tolist(), known[all_of_it].tolist())
        if not np.isnan(value):
            found.setdefault(str(table.datasets[mine[0]]), []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def _aucs(sums: Floats, table: Table, wrong: Rows) -> dict[str, float]:
    """Give how well what answers is told from what is `wrong`, by set."""
    rows = table.labelled & (wrong | (table.grades >= GOLD))
    found = {name: auc(sums[mine], _good(table, mine)) for name, mine in _by(table.datasets, rows)}
    return {name: value for name, value in found.items() if not np.isnan(value)}


def _calibration(chances: Floats, table: Table) -> Figures:
    """Give calibration errors over labelled pairs.

    `found` is over a search's first candidates with all that nobody labelled taken for wrong,
    so that it is an upper bound.
    """
    near = table.retrieved & (table.ranks <= NEAR_MISSES)
    return {
        "all": _round(calibration_error(chances[table.labelled], _good(table, table.labelled))),
        "by_language": {
            name: _round(calibration_error(chances[rows], _good(table, rows)))
            for name, rows in _by(table.languages, table.labelled)
        },
        "by_set": {
            name: _round(calibration_error(chances[rows], _good(table, rows)))
            for name, rows in _by(table.datasets, table.labelled)
        },
        "found": _round(calibration_error(chances[near], _good(table, near))),
    }


def _error(scores: Floats, table: Table) -> float:
    gaps = np.abs(scores - table.grades)
    return float(np.mean([gaps[rows].mean() for _, rows in _by(table.datasets, table.labelled)]))


def _dropped(scores: Floats, table: Table, threshold: float) -> float:
    """The share of what was found and is not known to answer that falls below the threshold."""
    others = table.retrieved & ~(table.labelled & (table.grades >= GOLD))
    shares = [float((scores[rows] < threshold).mean()) for _, rows in _by(table.datasets, others)]
    return float(np.mean(shares)) if shares else 0.0


def _good(table: Table, rows: Rows) -> Floats:
    return (table.labelled[rows] & (table.grades[rows] >= GOLD)).astype(np.float64)


def _by(names: NDArray[np.str_], rows: Rows) -> list[tuple[str, Rows]]:
    """Split rows by name."""
    return [(str(name), rows & (names == name)) for name in np.unique(names[rows])]


def _mean(values: dict[str, float]) -> float | None:
    return _round(float(np.mean(list(values.values())))) if values else None


def _round(value: float) -> float | None:
    """Four digits; `None` where there was nothing to measure, so that the file is valid JSON."""
    return None if np.isnan(value) else round(value, 4)
