"""Fit the ranker's ordinal model on graded pairs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...domain.ports import Embedder
from ..logistic import Ordinal
from ..similarities import fill_similarities
from ..similarity_features import PAIR_FEATURES, pair_features, weights_of
from .labelled import GradedList, Labelled, Split
from .licences import licences_of
from .regression import Floats, auc, fit_ordinal


@dataclass(frozen=True, slots=True)
class Table:
    """Features (n, d) of all pairs, with grade, set and query number of each."""

    features: Floats
    grades: NDArray[np.int64]
    datasets: NDArray[np.str_]
    queries: NDArray[np.int64]


Figure: TypeAlias = Callable[[Floats, Table, NDArray[np.bool_]], float]


async def fit_ranker(
    folder: Path, embedder: Embedder, sizes: Mapping[Split, int], *, seed: int
) -> dict[str, object]:
    """Give the fitted file's object: features, coefficients, origin, what was measured."""
    lists = {split: Labelled(folder, split, n, seed).graded_lists() for split, n in sizes.items()}
    tables = {split: await table_of(found, embedder) for split, found in lists.items()}
    train = tables["train"]
    model = fit_ordinal(train.features, train.grades, equal_sets(train.datasets))
    names = sorted(set(train.datasets.tolist()))
    return {
        "features": list(PAIR_FEATURES),
        "thresholds": list(model.thresholds),
        "coefficients": list(model.coefficients),
        "origin": {
            "rows": {split: len(table.grades) for split, table in tables.items()},
            "datasets": licences_of(names),
        },
        "measured": {split: measure(model, tables[split]) for split in ("dev", "test")},
    }


async def table_of(lists: Sequence[GradedList], embedder: Embedder) -> Table:
    """Compute the features of every pair, as the ranker does when it serves."""
    cosines = await fill_similarities(embedder, [(one.query, one.passages) for one in lists])
    rows: list[list[float]] = []
    for one, row in zip(lists, cosines, strict=True):
        weights = weights_of(one.passages)
        for passage, cosine in zip(one.passages, row, strict=True):
            rows.append(pair_features(one.query, passage, cosine, weights))
    sizes = [len(one.grades) for one in lists]
    return Table(
        np.array(rows),
        np.array([grade for one in lists for grade in one.grades]),
        np.repeat([one.dataset for one in lists], sizes),
        np.repeat(np.arange(len(lists)), sizes),
    )


def equal_sets(datasets: NDArray[np.str_]) -> Floats:
    """Give each row a weight so that every set counts the same, 1 on average."""
    names, place, count = np.unique(datasets, return_inverse=True, return_counts=True)
    weights: Floats = (len(datasets) / len(names) / count)[place]
    return weights


def measure(model: Ordinal, table: Table) -> dict[str, object]:
    """Compare the model with each single feature; every figure is a mean over the sets."""
    scores = np.array([model.expected(row) for row in table.features.tolist()])
    compared = {
        "model": scores,
        "similarity": table.features[:, PAIR_FEATURES.index("similarity")],
        "coverage": table.features[:, PAIR_FEATURES.index("coverage")],
    }
    return {
        "auc_3_against_1": {k: _over_sets(v, table, _auc) for k, v in compared.items()},
        "ndcg_at_10": {k: _over_sets(v, table, _ndcg) for k, v in compared.items()},
        "mean_absolute_grade_error": _over_sets(scores, table, _error),
        "by_set": {
            name: {
                "auc_3_against_1": _round(_auc(scores[rows], table, rows)),
                "ndcg_at_10": _round(_ndcg(scores[rows], table, rows)),
            }
            for name in sorted(set(table.datasets.tolist()))
            for rows in [table.datasets == name]
        },
    }


def _over_sets(scores: Floats, table: Table, figure: Figure) -> float | None:
    names = sorted(set(table.datasets.tolist()))
    found = [figure(scores[rows], table, rows) for n in names for rows in [table.datasets == n]]
    return _round(float(np.nanmean(found)))


def _auc(scores: Floats, table: Table, rows: NDArray[np.bool_]) -> float:
    """How well grades 3 and 4 are told from 0 and 1."""
    grades = table.grades[rows]
    clear = grades != 2
    return auc(scores[clear], (grades[clear] >= 3).astype(float))


def _ndcg(scores: Floats, table: Table, rows: NDArray[np.bool_]) -> float:
    """Mean nDCG at 10 over the queries' own lists, gain 2 ** grade - 1."""
    queries, grades = table.queries[rows], table.grades[rows]
    found = []
    for query in np.unique(queries):
        mine = grades[queries == query]
        order = np.argsort(-scores[queries == query], kind="stable")
        best = _gain(np.sort(mine)[::-1])
        if best > 0:
            found.append(_gain(mine[order]) / best)
    return float(np.mean(found)) if found else float("nan")


def _gain(grades: NDArray[np.int64]) -> float:
    top = grades[:10]
    return float(((2.0**top - 1.0) / np.log2(np.arange(len(top)) + 2.0)).sum())


def _error(scores: Floats, table: Table, rows: NDArray[np.bool_]) -> float:
    return float(np.abs(scores - table.grades[rows]).mean())


def _round(value: float) -> float | None:
    """Four digits; `None` where a set has no such pair, so that the file stays valid JSON."""
    return None if np.isnan(value) else round(value, 4)
