from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.optimize import minimize

from headwater.models.ranker.scores import FEATURES
from headwater.models.training.grades import SHARES
from headwater.models.training.linear import ACROSS, RIDGE, Linear, Table, fit_linear
from headwater.models.training.regression import Floats
from tests.models.training.tables import TRUE, made_table, truth

COLUMNS = [FEATURES.index(name) for name in TRUE]


def evenly(table: Table) -> Floats:
    return np.ones(len(table.grades))


def test_the_fit_orders_as_what_made_the_data() -> None:
    table = made_table(queries=300)

    fitted = fit_linear(table, evenly(table))

    order = fitted.sums(table.features)
    assert np.corrcoef(order, truth(table.features))[0, 1] > 0.98
    told = fitted.coefficients[COLUMNS]
    assert told / told[0] == pytest.approx(np.array(list(TRUE.values())) / TRUE["logit"], rel=0.2)


def test_the_fit_finds_the_minimum_that_the_reference_finds() -> None:
    table = made_table(queries=8).columns(COLUMNS)
    mean, spread = table.features.mean(0), table.features.std(0)
    scaled = (table.features - mean) / spread
    good = (table.grades >= 3).astype(float)

    def loss(solved: Floats) -> float:
        sums = scaled @ solved[:-1]
        within = []
        for name in np.unique(table.datasets):
            mine = [q for q in np.unique(table.queries[table.datasets == name])
                    if good[table.queries == q].any()]  # fmt: skip
            losses = []
            for query in mine:
                rows = table.queries == query
                shares = np.array(SHARES)[table.grades[rows]]
                logs = sums[rows] - np.log(np.exp(sums[rows]).sum())
                losses.append(-(shares / shares.sum()) @ logs)
            within.append(np.mean(losses))
        across = sums + solved[-1]
        logistic = np.mean(np.logaddexp(0.0, across) - good * across)
        return float(np.mean(within) + ACROSS * logistic + RIDGE / 2.0 * solved[:-1] @ solved[:-1])

    expected = minimize(loss, np.zeros(len(COLUMNS) + 1)).x

    fitted = fit_linear(table, evenly(table))

    assert fitted.coefficients * spread == pytest.approx(expected[:-1], abs=1e-3)
    assert fitted.intercept + fitted.coefficients @ mean == pytest.approx(expected[-1], abs=1e-3)


def test_the_same_table_gives_the_same_coefficients() -> None:
    one, two = (fit_linear(made_table(), evenly(made_table())) for _ in range(2))

    assert one.coefficients.tolist() == two.coefficients.tolist()
    assert one.intercept == two.intercept


def test_a_large_set_counts_as_much_as_a_small_one() -> None:
    table = made_table(queries=30)
    first = table.datasets == "one"
    again = table.take(first)
    both = stacked(table, replace(again, queries=again.queries + 1_000))
    weights = np.concatenate([np.where(first, 0.5, 1.0), np.full(first.sum(), 0.5)])

    doubled, plain = fit_linear(both, weights), fit_linear(table, evenly(table))

    # The scaling of the features, and so the penalty, differs a little.
    assert doubled.coefficients == pytest.approx(plain.coefficients, rel=0.05, abs=0.05)


def stacked(one: Table, other: Table) -> Table:
    columns = [f.name for f in fields(Table)]
    return Table(*(np.concatenate([getattr(one, c), getattr(other, c)]) for c in columns))


def test_a_feature_that_never_changes_does_no_harm() -> None:
    table = made_table()
    same = replace(table, features=np.column_stack([table.features, np.full(len(table.grades), 7)]))

    fitted = fit_linear(same, evenly(same))

    assert np.isfinite(fitted.coefficients).all()
    assert fitted.coefficients[-1] == pytest.approx(0.0, abs=1e-6)


def test_one_feature_that_tells_all_gives_no_endless_coefficient() -> None:
    table = made_table()
    told = replace(table, features=(table.grades >= 3).astype(float)[:, None])

    fitted = fit_linear(told, evenly(told))

    assert 1.0 < fitted.coefficients[0] < 100.0


def test_lists_without_anything_good_still_decide_what_a_sum_means() -> None:
    table = made_table()
    bad = replace(table, grades=np.zeros_like(table.grades))

    fitted = fit_linear(bad, evenly(bad))

    assert fitted.sums(bad.features).max() < -3.0


def test_sums_are_linear() -> None:
    linear = Linear(np.array([2.0, -1.0]), 0.5)

    assert linear.sums(np.array([[1.0, 1.0], [0.0, 3.0]])).tolist() == [1.5, -2.5]
