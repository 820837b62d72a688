import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from headwater.domain.errors import ConfigurationError, ModelOutputError
from headwater.domain.ports import Scorable
from headwater.models.ranker.scores import (
    BINS,
    FEATURES,
    NOTHING,
    Combination,
    MonotoneMap,
    drift,
    histogram_of,
    read_combination,
    scores_of,
)

FLAT = tuple([1.0 / BINS] * BINS)
SMALL = Combination(
    features=("logit", "similarity", "covered"),
    coefficients=(1.0, 2.0, 1.5),
    intercept=-1.0,
    grade=MonotoneMap((-4.0, 0.0, 4.0), (0.0, 1.0, 4.0)),
    chance=MonotoneMap((-4.0, 0.0, 4.0), (0.0, 0.1, 1.0)),
    threshold=1.0,
    histogram=FLAT,
)
numbers = st.floats(allow_nan=False)
shares = st.floats(0.0, 1.0)
grades = st.floats(0.0, 4.0)


@st.composite
def maps(draw: st.DrawFn) -> MonotoneMap:
    # No two points so close that the reference's slope between them overflows.
    x = sorted(draw(st.sets(st.integers(-(10**9), 10**9), min_size=2, max_size=20)))
    y = sorted(draw(st.lists(grades, min_size=len(x), max_size=len(x))))
    return MonotoneMap(tuple(place / 1_000 for place in x), tuple(y))


@given(maps(), numbers, numbers)
def test_a_map_never_falls_and_never_leaves_its_range(
    mapped: MonotoneMap, one: float, other: float
) -> None:
    low, high = sorted((one, other))

    assert mapped.y[0] <= mapped(low) <= mapped(high) <= mapped.y[-1]


@given(maps())
def test_a_map_passes_through_its_points(mapped: MonotoneMap) -> None:
    assert [mapped(x) for x in mapped.x] == list(mapped.y)


@given(maps(), st.lists(numbers, min_size=1, max_size=20))
def test_a_map_interpolates_as_the_reference_does(mapped: MonotoneMap, values: list[float]) -> None:
    expected = np.interp(np.clip(values, -2e6, 2e6), mapped.x, mapped.y)

    assert [mapped(value) for value in values] == pytest.approx(expected, abs=1e-6)


@given(st.fixed_dictionaries(dict.fromkeys(FEATURES, numbers)))
def test_scores_are_finite_and_on_the_scale_whatever_the_features(
    features: dict[str, float],
) -> None:
    found = SMALL.scored(features)

    assert 0.0 <= found.score <= 4.0
    assert 0.0 <= found.likely <= 1.0
    assert math.isfinite(SMALL.raw(features))


@given(numbers, numbers, shares, shares)
def test_a_better_logit_never_makes_a_worse_score(
    one: float, other: float, similarity: float, covered: float
) -> None:
    low, high = (
        SMALL.scored({"logit": logit, "similarity": similarity, "covered": covered})
        for logit in sorted((one, other))
    )

    assert low.score <= high.score
    assert low.likely <= high.likely


texts = st.text(st.sampled_from("pump valve 泵。 \n"), max_size=40)


@given(texts, st.lists(st.tuples(texts, numbers, shares), min_size=1, max_size=6))
def test_a_score_does_not_depend_on_the_other_candidates(
    query: str, rows: list[tuple[str, float, float]]
) -> None:
    def score(some: list[tuple[str, float, float]]) -> list[Any]:
        return scores_of(
            SMALL, query, [Scorable(text) for text, _, _ in some],
            logits=[logit for _, logit, _ in some], similarities=[s for _, _, s in some],
        )  # fmt: skip

    assert score(rows) == [found for row in rows for found in score([row])]


@given(texts, numbers, st.sampled_from(["", " ", "\n\t ", "\u3000"]))
def test_blank_text_is_worth_nothing(query: str, logit: float, blank: str) -> None:
    passage = Scorable(blank, title=query, similarity=0.9)

    assert scores_of(SMALL, query, [passage], logits=[logit], similarities=[0.9]) == [NOTHING]
    assert scores_of(SMALL, query, [passage], logits=[None], similarities=[None]) == [NOTHING]


@pytest.mark.parametrize("missing", ["logit", "similarity"])
def test_a_missing_feature_is_an_error_that_names_it(missing: str) -> None:
    known: dict[str, float | None] = {"logit": 1.0, "similarity": 0.5} | {missing: None}

    with pytest.raises(ModelOutputError, match=f"'{missing}' is missing"):
        scores_of(SMALL, "pump", [Scorable("pump")],
                  logits=[known["logit"]], similarities=[known["similarity"]])  # fmt: skip


@pytest.mark.parametrize("name", ["logit", "similarity"])
def test_a_feature_that_is_no_number_is_an_error_that_names_it(name: str) -> None:
    features: dict[str, float | None] = {"logit": 0.0, "similarity": 0.0, "covered": 0.0}

    with pytest.raises(ModelOutputError, match=f"'{name}'.*no number"):
        SMALL.scored({**features, name: math.nan})


def test_a_combination_survives_its_file() -> None:
    assert read_combination(json.loads(json.dumps(SMALL.as_data()))) == SMALL


@given(maps(), st.lists(shares, min_size=3, max_size=3), shares, grades)
def test_any_combination_survives_its_file(
    grade: MonotoneMap, coefficients: list[float], intercept: float, threshold: float
) -> None:
    written = replace(
        SMALL, grade=grade, coefficients=tuple(coefficients), intercept=intercept,
        threshold=threshold,
    )  # fmt: skip

    assert read_combination(json.loads(json.dumps(written.as_data()))) == written


KNOTS = {"x": [0.0, 1.0], "y": [0.0, 1.0]}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"features": None}, "'features'"),
        ({"features": []}, "'features'"),
        ({"features": ["logit", "logit", "covered"]}, "different names"),
        ({"features": ["logit", "similarity", "clicks"]}, "'clicks' is not known"),
        ({"coefficients": [1.0]}, "one coefficient for each"),
        ({"coefficients": [1.0, math.nan, 1.0]}, "'coefficients'"),
        ({"coefficients": [1.0, 1e300, 1.0]}, "beyond"),
        ({"intercept": [1.0, 2.0]}, "'intercept'"),
        ({"intercept": None}, "'intercept'"),
        ({"knots": None}, "'knots' is no object"),
        ({"knots": {"x": [0.0], "y": [1.0]}}, "fewer than two"),
        ({"knots": {**KNOTS, "x": [0.0, 1.0, 2.0]}}, "as many x as y"),
        ({"knots": {**KNOTS, "x": [1.0, 0.0]}}, "do not ascend"),
        ({"knots": {**KNOTS, "x": [1.0, 1.0]}}, "do not ascend"),
        ({"knots": {**KNOTS, "y": [3.0, 1.0]}}, "descend"),
        ({"knots": {**KNOTS, "y": [0.0, 4.5]}}, "leaves"),
        ({"knots": {**KNOTS, "y": [-1.0, 1.0]}}, "leaves"),
        ({"probability_knots": {**KNOTS, "y": [0.0, 1.5]}}, "leaves"),
        ({"threshold": 5.0}, "'threshold'"),
        ({"histogram": [1.0]}, "'histogram'"),
        ({"histogram": [0.5] * BINS}, "'histogram'"),
    ],
)
def test_a_damaged_file_is_refused_and_says_why(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        read_combination({**SMALL.as_data(), **wrong})


@given(st.lists(grades, min_size=1))
def test_a_histogram_is_that_of_the_reference(scores: list[float]) -> None:
    counts, _ = np.histogram(scores, bins=BINS, range=(0.0, 4.0))

    found = histogram_of(scores)

    assert sum(found) == pytest.approx(1.0)
    # At the edge of a bin rounding may decide otherwise, by one bin.
    assert np.abs(np.cumsum(found) - np.cumsum(counts / len(scores))).sum() <= 1.0 + 1e-9


@given(st.lists(grades, min_size=1, max_size=50), st.lists(grades, min_size=1, max_size=50))
def test_drift_is_the_divergence_of_the_reference(one: list[float], other: list[float]) -> None:
    expected = jensenshannon(histogram_of(one), histogram_of(other), base=2) ** 2

    assert drift(histogram_of(one), other) == pytest.approx(expected, abs=1e-9)


def test_the_same_scores_have_not_drifted_and_others_have() -> None:
    held = histogram_of([0.1, 0.5, 1.5, 3.2])

    assert drift(held, [3.2, 0.1, 1.5, 0.5] * 9) == 0.0
    assert drift(held, [2.5, 3.9]) == 1.0


def test_without_scores_nothing_is_known_of_drift() -> None:
    assert drift(FLAT, []) is None
    assert histogram_of([]) == tuple([0.0] * BINS)
