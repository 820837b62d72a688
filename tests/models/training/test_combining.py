import json
from dataclasses import replace

import numpy as np
import pytest

from headwater.models.ranker.scores import BINS, read_combination
from headwater.models.training.combining import (
    FOLDS,
    UNLABELLED,
    by_question,
    by_set,
    fit_combination,
    gold_kept,
    held_out,
    learnable,
    row_weights,
    threshold_for,
)
from headwater.models.training.score_figures import measure
from tests.models.training.tables import TRUE, made_table

NAMES = tuple(TRUE)


def test_every_set_has_the_same_weight_in_what_sums_mean() -> None:
    table = made_table(sets=("one", "two"))
    table = table.take(~((table.datasets == "two") & (table.queries % 3 == 0)))

    weights = row_weights(table)

    for name in ("one", "two"):
        assert weights[table.datasets == name].sum() == pytest.approx(1.0)


def test_what_nobody_labelled_counts_little_and_only_where_it_was_found_first() -> None:
    table = made_table(sets=("one",), depth=15)
    weights = row_weights(table)
    one = weights[table.labelled][0]

    near = ~table.labelled & (table.ranks <= 10)

    assert weights[near] == pytest.approx(UNLABELLED * one)
    assert not weights[~table.labelled & (table.ranks > 10)].any()


def test_sets_for_evaluation_only_change_nothing_that_is_fitted() -> None:
    table = made_table(sets=("covidqa", "financebench"))
    mine = table.datasets == "covidqa"
    wrong = replace(table, features=np.where(mine[:, None], table.features, -table.features))

    assert learnable(table).tolist() == mine.tolist()
    assert fit_combination(wrong, NAMES) == fit_combination(table.take(mine), NAMES)


def test_a_fitted_combination_survives_its_file_and_stays_on_the_scale() -> None:
    table = made_table()

    fitted = fit_combination(table, NAMES)

    assert read_combination(json.loads(json.dumps(fitted.as_data()))) == fitted
    assert len(fitted.histogram) == BINS
    assert fitted.features == NAMES
    lowest, highest = (fitted.scored(dict.fromkeys(NAMES, value)) for value in (-1e9, 1e9))
    assert (lowest.score, lowest.likely) == (0.0, 0.0)
    assert (highest.score, highest.likely) == (4.0, 1.0)


def test_equal_tables_give_equal_combinations() -> None:
    assert fit_combination(made_table(), NAMES) == fit_combination(made_table(), NAMES)


def test_the_threshold_is_the_highest_that_keeps_what_answers() -> None:
    table = made_table(sets=("one",), queries=100)
    scores = np.where(table.grades >= 3, 2.0, 0.5)
    gold = np.flatnonzero(table.grades >= 3)
    scores[gold[: len(gold) // 100]] = 0.1

    assert threshold_for(table, scores) == 2.0
    assert gold_kept(table, scores, 2.0) == pytest.approx(0.99, abs=0.01)

    scores[gold[: len(gold) // 10]] = 0.1
    assert threshold_for(table, scores) == 0.1


def test_held_out_sums_come_from_fits_that_did_not_see_the_row() -> None:
    table = made_table(sets=("one",), queries=30)
    folds = by_question(table)
    sums, scores, chances = held_out(table, NAMES, folds)
    out = folds == 2
    spoiled = replace(table, grades=np.where(out, 4 - table.grades, table.grades))

    again, *_ = held_out(spoiled, NAMES, folds)

    assert again[out] == pytest.approx(sums[out])
    assert not np.allclose(again[~out], sums[~out])
    assert ((scores >= 0.0) & (scores <= 4.0)).all()
    assert ((chances >= 0.0) & (chances <= 1.0)).all()


def test_a_question_is_never_split_and_a_set_is_one_fold() -> None:
    table = made_table(sets=("one", "two", "three"))

    for folds, many in ((by_question(table), FOLDS), (by_set(table), 3)):
        assert len(np.unique(folds)) == many
        for query in np.unique(table.queries):
            assert len(np.unique(folds[table.queries == query])) == 1


def test_the_figures_tell_a_good_combination_from_one_feature() -> None:
    table = made_table(queries=120)

    found = measure(table, fit_combination(table, NAMES))

    orders = found["ndcg_at_10_of_found"]
    assert isinstance(orders, dict)
    assert orders["combination"] > orders["logit"] > orders["first_stage"]
    unseen = found["unseen_set"]
    assert isinstance(unseen, dict)
    assert unseen["ndcg_at_10_of_found"] > orders["logit"]
    calibration = found["calibration_error"]
    assert isinstance(calibration, dict)
    assert 0.0 <= calibration["all"] < 0.25
    assert set(calibration["by_language"]) == {"en", "fr"}
    json.dumps(found, allow_nan=False)
