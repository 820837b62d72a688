"""Fit P(sufficient) on exit rows, calibrate it, and choose the exit threshold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...domain.caption import TermWeights, caption, coverage
from ...domain.ports import Embedder, Scorable
from ..logistic import Binary, Ordinal, read_fitted, read_ordinal
from ..similarities import fill_similarities
from ..similarity_classifier import NEVER_EXIT
from ..similarity_features import (
    EXIT_FEATURES,
    PAIR_FEATURES,
    Evidence,
    exit_features,
    join_captions,
)
from ..similarity_ranker import FITTED as RANKER_FILE
from ..similarity_ranker import graded
from .labelled import ExitRow, Labelled, Split
from .licences import licences_of
from .pairs import equal_sets
from .regression import (
    Floats,
    auc,
    calibration_error,
    exit_threshold,
    fit_binary,
    upper_bound,
)

RISK, CONFIDENCE = 0.10, 0.95
"""At most a tenth of the exits may lack evidence, with this confidence."""


@dataclass(frozen=True, slots=True)
class ExitTable:
    """Features (n, d) of exit rows, the lexical rule's figure, label, set and kind of each."""

    features: Floats
    rule: Floats
    labels: Floats
    datasets: NDArray[np.str_]
    kinds: NDArray[np.str_]


async def fit_classifier(
    folder: Path, embedder: Embedder, sizes: Mapping[Split, int], *, seed: int
) -> dict[str, object]:
    """Give the fitted file's object. The ranker must have been fitted before."""
    grader = read_ordinal(read_fitted(RANKER_FILE), PAIR_FEATURES)
    tables: dict[Split, ExitTable] = {}
    for split, size in sizes.items():
        rows = Labelled(folder, split, size, seed).exit_rows()
        tables[split] = await exit_table(rows, embedder, grader)
    train, dev = tables["train"], tables["dev"]
    model = fit_binary(train.features, train.labels, equal_sets(train.datasets))
    model = calibrated(model, dev)
    threshold = exit_threshold(
        chances(model, dev), dev.labels, risk=RISK, confidence=CONFIDENCE, never=NEVER_EXIT
    )
    return {
        "features": list(EXIT_FEATURES),
        "intercept": model.intercept,
        "coefficients": list(model.coefficients),
        "calibration": [model.slope, model.shift],
        "exit_threshold": threshold,
        "origin": {
            "rows": {split: len(table.labels) for split, table in tables.items()},
            "datasets": licences_of(sorted(set(train.datasets.tolist()))),
        },
        "measured": {split: measure(model, tables[split], threshold) for split in ("dev", "test")},
    }


async def exit_table(rows: Sequence[ExitRow], embedder: Embedder, grader: Ordinal) -> ExitTable:
    """Compute the features of every row as they are when serving: best passages first."""
    cosines = await fill_similarities(embedder, [(row.query, row.passages) for row in rows])
    found = [_evidence(row, mine, grader) for row, mine in zip(rows, cosines, strict=True)]
    joined = await fill_similarities(
        embedder,
        [
            (row.query, [Scorable(join_captions(evidence.captions))])
            for row, evidence in zip(rows, found, strict=True)
        ],
    )
    features = [
        exit_features(row.query, replace(evidence, joined_similarity=cosine))
        for row, evidence, (cosine,) in zip(rows, found, joined, strict=True)
    ]
    return ExitTable(
        np.array(features),
        np.array([lexical_rule(row) for row in rows]),
        np.array([float(row.label) for row in rows]),
        np.array([row.dataset for row in rows]),
        np.array([row.kind for row in rows]),
    )


def lexical_rule(row: ExitRow) -> float:
    """The rule to beat: the largest share of the query's terms that stand in one passage."""
    same = TermWeights([])  # every term weighs the same
    return max(coverage(row.query, passage.text, same) for passage in row.passages)


def calibrated(model: Binary, table: ExitTable) -> Binary:
    """Refit slope and shift of the logit on other data (Platt 1999)."""
    logits = np.array([[model.logit(row)] for row in table.features.tolist()])
    platt = fit_binary(logits, table.labels, equal_sets(table.datasets))
    return replace(model, slope=platt.coefficients[0], shift=platt.intercept)


def chances(model: Binary, table: ExitTable) -> Floats:
    """Give P(sufficient) of every row."""
    return np.array([model.probability(row) for row in table.features.tolist()])


def measure(model: Binary, table: ExitTable, threshold: float) -> dict[str, object]:
    """Give AUC over all, by set and by kind, against the lexical rule; and the exits' risk."""
    found = chances(model, table)
    exits = found >= threshold
    wrong = int((table.labels[exits] == 0).sum())
    return {
        "auc": round(auc(found, table.labels), 4),
        "auc_lexical_rule": round(auc(table.rule, table.labels), 4),
        "auc_by_kind": {
            kind: _against_yes(found, table, kind)
            for kind in sorted(set(table.kinds[table.labels == 0].tolist()))
        },
        "auc_by_set": {
            name: [_round(auc(s[rows], table.labels[rows])) for s in (found, table.rule)]
            for name in sorted(set(table.datasets.tolist()))
            for rows in [table.datasets == name]
        },
        "calibration_error": round(calibration_error(found, table.labels), 4),
        "brier": round(float(((found - table.labels) ** 2).mean()), 4),
        "exit_rate": round(float(exits.mean()), 4),
        "exits": int(exits.sum()),
        "exits_lacking_evidence": wrong,
        "exits_lacking_evidence_upper_95": round(
            upper_bound(wrong, int(exits.sum()), CONFIDENCE), 4
        ),
    }


def _against_yes(found: Floats, table: ExitTable, kind: str) -> dict[str, float | None]:
    """Tell rows of this kind from the sufficient rows of the same sets."""
    negative = table.kinds == kind
    sets = np.unique(table.datasets[negative])
    rows = negative | ((table.labels == 1) & np.isin(table.datasets, sets))
    return {
        "model": _round(auc(found[rows], table.labels[rows])),
        "lexical_rule": _round(auc(table.rule[rows], table.labels[rows])),
        "rows": int(negative.sum()),
    }


def _round(value: float) -> float | None:
    """Four digits; `None` where a set has rows of one label only."""
    return None if np.isnan(value) else round(value, 4)


def _evidence(row: ExitRow, cosines: Sequence[float], grader: Ordinal) -> Evidence:
    """Order the passages best first, as the ranker would, and cut their captions."""
    grades = [grade for grade, _ in graded(grader, row.query, row.passages, cosines)]
    order = sorted(range(len(grades)), key=lambda i: (-grades[i], i))
    passages = [row.passages[i] for i in order]
    weights = TermWeights(passage.text for passage in passages)
    return Evidence(
        passages,
        [caption(row.query, p.text, weights).of(p.text) for p in passages],
        [grades[i] for i in order],
        [cosines[i] for i in order],
        0.0,
    )
