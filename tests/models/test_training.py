import gzip
import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.metrics import roc_auc_score

from headwater.domain.errors import ConfigurationError
from headwater.models.training import similarity
from headwater.models.training.labelled import Labelled
from headwater.models.training.regression import (
    auc,
    calibration_error,
    exit_threshold,
    fit_binary,
    fit_ordinal,
    upper_bound,
)

RNG = np.random.default_rng(5)


def test_the_ordinal_fit_finds_what_made_the_data() -> None:
    features = RNG.normal(size=(20_000, 2))
    latent = features @ [2.0, -1.0] + RNG.logistic(size=20_000)
    grades = np.digitize(latent, [-2.0, -0.5, 0.5, 2.0])

    model = fit_ordinal(features, grades, np.ones(20_000))

    assert model.coefficients == pytest.approx((2.0, -1.0), abs=0.1)
    assert model.thresholds == pytest.approx((2.0, 0.5, -0.5, -2.0), abs=0.1)


def test_the_binary_fit_finds_what_made_the_data() -> None:
    features = RNG.normal(3.0, 10.0, size=(20_000, 1))
    labels = (features[:, 0] * 0.3 - 1.0 + RNG.logistic(size=20_000) > 0).astype(float)

    model = fit_binary(features, labels, np.ones(20_000))

    assert (model.intercept, *model.coefficients) == pytest.approx((-1.0, 0.3), abs=0.1)


def test_a_feature_that_never_changes_does_no_harm() -> None:
    features = np.column_stack([RNG.normal(size=500), np.full(500, 7.0)])

    model = fit_binary(features, (features[:, 0] > 0).astype(float), np.ones(500))

    assert all(map(math.isfinite, (model.intercept, *model.coefficients)))


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2))
def test_auc_is_that_of_the_reference(rows: list[tuple[int, bool]]) -> None:
    scores = np.array([float(score) for score, _ in rows])
    labels = np.array([float(label) for _, label in rows])
    if len(set(labels)) < 2:
        assert math.isnan(auc(scores, labels))
    else:
        assert auc(scores, labels) == pytest.approx(roc_auc_score(labels, scores))


@given(st.integers(0, 60), st.integers(1, 60), st.sampled_from([0.9, 0.95, 0.9975]))
def test_the_upper_bound_is_that_of_the_reference(
    wrong: int, right: int, confidence: float
) -> None:
    expected = beta.ppf(confidence, wrong + 1, right)

    assert upper_bound(wrong, wrong + right, confidence) == pytest.approx(expected, abs=1e-6)


def test_without_cases_nothing_is_known() -> None:
    assert upper_bound(0, 0, 0.95) == 1.0
    assert upper_bound(3, 3, 0.95) == 1.0


def test_perfect_probabilities_have_no_calibration_error() -> None:
    assert calibration_error(np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 1.0])) == 0.0
    assert calibration_error(np.array([0.8] * 10), np.array([1.0] * 5 + [0.0] * 5)) == (
        pytest.approx(0.3)
    )


def test_the_threshold_is_the_lowest_that_keeps_the_risk() -> None:
    chances = np.repeat([0.52, 0.72, 0.92], 1_000)
    labels = np.concatenate([np.zeros(1_000), np.ones(2_000)])

    found = exit_threshold(chances, labels, risk=0.1, confidence=0.95, never=1.01)

    assert found == 0.55


def test_a_risk_that_cannot_be_kept_means_never() -> None:
    chances, labels = np.full(1_000, 0.99), np.tile([0.0, 1.0], 500)

    assert exit_threshold(chances, labels, risk=0.1, confidence=0.95, never=1.01) == 1.01


def test_too_few_cases_prove_nothing() -> None:
    chances, labels = np.full(20, 0.99), np.ones(20)

    assert exit_threshold(chances, labels, risk=0.1, confidence=0.95, never=1.01) == 1.01


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """One set of twelve questions about parts, each with its answer and two other passages."""
    folder = tmp_path / "data" / "parts"
    places = range(36)
    corpus = [
        {"id": str(n), "title": f"Part {n}", "text": f"Part number {n} costs {n * 7} euros.",
         "lang": "en", "split": "train" if n < 12 else "eval"}
        for n in places
    ]  # fmt: skip
    write(folder / "corpus.jsonl.gz", corpus)
    for split, start in (("train", 0), ("dev", 12), ("test", 24)):
        ids = [str(n) for n in range(start, start + 12)]
        others = random.Random(start)
        rows = [(i, *others.sample([j for j in ids if j != i], 2)) for i in ids]
        questions = [{"id": i, "question": f"What does part {i} cost?"} for i in ids]
        pairs = [
            {"qid": i, "docid": docid, "grade": grade, "kind": "k"}
            for i, *rest in rows
            for docid, grade in zip([i, *rest], (4, 1, 0), strict=True)
        ]
        exits = [
            {"qid": i, "docids": docids, "label": label, "kind": "gold" if label else "absent"}
            for i, *rest in rows
            for docids, label in (([rest[0], i], 1), (rest, 0))
        ]
        write(folder / f"queries.{split}.jsonl.gz", questions)
        write(folder / f"pairs.{split}.jsonl.gz", pairs)
        write(folder / f"sufficiency.{split}.jsonl.gz", exits)
    return folder.parent


def test_training_refuses_a_passage_that_is_kept_for_evaluation(small: Path) -> None:
    rows = [{"qid": "0", "docid": "30", "grade": 1, "kind": "k"}]
    write(small / "parts" / "pairs.train.jsonl.gz", rows)

    with pytest.raises(ConfigurationError, match=r"'30'.*kept for evaluation"):
        Labelled(small, "train", 5, 1).graded_lists()


def test_sets_for_evaluation_only_are_never_trained_on(small: Path) -> None:
    (small / "parts").rename(small / "financebench")

    assert Labelled(small, "train", 5, 1).graded_lists() == []
    assert Labelled(small, "dev", 5, 1).graded_lists() != []


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        Labelled(tmp_path / "nowhere", "train", 5, 1).exit_rows()


def test_the_seed_decides_which_questions_are_drawn(small: Path) -> None:
    drawn = [
        [one.query for one in Labelled(small, "train", 4, seed).graded_lists()]
        for seed in (1, 1, 2)
    ]

    assert drawn[0] == drawn[1] != drawn[2]
    assert len(drawn[0]) == 4


@pytest.mark.parametrize("model", ["ranker", "classifier"])
def test_the_same_data_and_seed_give_the_same_file(
    model: str, small: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, warm_cache: Path,
) -> None:  # fmt: skip
    monkeypatch.setenv("HEADWATER_CACHE", str(warm_cache))
    for out in ("one", "two"):
        similarity.main([model, "--data", str(small), "--out", str(tmp_path / out)])

    name = f"similarity_{model}.json"
    first, second = ((tmp_path / out / name).read_text() for out in ("one", "two"))
    assert first == second
    fitted = json.loads(first)
    assert fitted["origin"]["rows"] == {s: 36 if model == "ranker" else 24 for s in _SPLITS}
    assert json.loads(capsys.readouterr().out.split("\n}\n")[0] + "\n}") == fitted["measured"]


_SPLITS = ("train", "dev", "test")


@pytest.fixture(scope="session")
def warm_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of these tests alone, so that no real vectors are touched."""
    return tmp_path_factory.mktemp("cache")
