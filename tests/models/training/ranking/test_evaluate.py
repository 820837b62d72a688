import math
from pathlib import Path

import numpy as np
import pytest
import torch
from ir_measures import RR, nDCG

from headwater.domain.ports import Scorable
from headwater.models.ranker.network import CrossEncoder
from headwater.models.training.grades import ndcg
from headwater.models.training.ranking.batches import logits_of, windows
from headwater.models.training.ranking.evaluate import (
    Dev,
    held_out,
    measure,
    reciprocal_rank,
    score,
    topic_pairs,
)
from headwater.models.training.ranking.negatives import Candidate
from tests.models.training.ranking.made import (
    WORDS,
    asked,
    labelled,
    reader,
    tiny_bench,
)

MODEL = CrossEncoder.tiny(words=WORDS)
TEXTS = {"a": "The pump was made.", "b": "The valve is the price of the seal.", "c": "hose"}


@pytest.mark.parametrize("ranked", [[4, 0, 3], [0, 0, 0, 4], [1, 2, 3, 0, 4], [0] * 11 + [4]])
def test_figures_are_those_of_the_reference(ranked: list[int]) -> None:
    grades = [4, 3, 1]
    kept = [grade if grade >= 3 else 0 for grade in ranked]
    qrels = {"q": {f"d{i}": 2**grade - 1 for i, grade in enumerate(kept)}}
    run = {"q": {f"d{i}": float(-i) for i in range(len(kept))}}
    found = next(row.value for row in (nDCG @ 10).iter_calc(qrels, run))
    # The reference knows only the passages of the run: the best order is over all there are.
    expected = found * _gain(sorted(kept, reverse=True)) / _gain(grades)

    assert ndcg(ranked, grades) == pytest.approx(expected, abs=1e-4)
    rank = next(row.value for row in (RR(rel=7) @ 10).iter_calc(qrels, run))
    assert reciprocal_rank(ranked) == pytest.approx(rank)


def _gain(grades: list[int]) -> float:
    kept = [2**grade - 1 if grade >= 3 else 0 for grade in grades[:10]]
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(kept))


def test_without_an_answer_there_is_nothing_to_gain() -> None:
    assert math.isnan(ndcg([2, 1], [2, 1]))
    assert reciprocal_rank([2, 1]) == 0.0


def test_the_best_window_counts_and_empty_text_comes_last() -> None:
    long = " ".join(["The pump was made."] * 1_200)
    read = windows(reader(), [("pump", Scorable(long)), ("pump", Scorable(" "))])
    MODEL.eval()

    with torch.no_grad():
        found = logits_of(MODEL, read, 2)
        each = [
            logits_of(MODEL, type(read)([pair], [0]), 1).item()
            for pair, owner in zip(read.pairs, read.owner, strict=True)
            if owner == 0
        ]

    assert len(each) > 1
    assert found[0].item() == pytest.approx(max(each), abs=1e-5)
    assert found[1].item() < -1e30


def test_scores_do_not_depend_on_the_order_asked() -> None:
    pairs = [("What is the pump?", Scorable(text)) for text in TEXTS.values()]

    forward, backward = (score(MODEL, reader(), some) for some in (pairs, pairs[::-1]))

    np.testing.assert_allclose(forward, backward[::-1], atol=2e-2)


def test_measuring_leaves_the_model_as_it_was() -> None:
    MODEL.train()

    score(MODEL, reader(), [("a", Scorable("b"))])

    assert MODEL.training
    assert all(parameter.grad is None for parameter in MODEL.parameters())


def test_a_model_that_knows_the_answer_is_measured_as_perfect(tmp_path: Path) -> None:
    data = labelled(TEXTS, asked("pump", {"a": 4, "b": 2}), asked("no answer", {"b": 2}))
    bench = tiny_bench(tmp_path)
    passages = list(data.passages.values())
    best = int(score(bench.model, bench.reader, [("pump", p) for p in passages]).argmax())
    gold = list(data.passages)[best]
    data = labelled(TEXTS, asked("pump", {gold: 4}))
    order = [Candidate(i, 0.0) for i in TEXTS if i != gold] + [Candidate(gold, 0.0)]

    figures = measure(bench.model, bench.reader, Dev(held_out(data, [order]), []))

    assert figures["ndcg"] == figures["ndcg.set"] == figures["mrr"] == 1.0
    assert figures["first_stage"] == pytest.approx(1 / math.log2(4))


def test_only_queries_with_an_answer_make_a_list() -> None:
    data = labelled(TEXTS, asked("pump", {"a": 4}), asked("none", {"b": 2}))

    found = held_out(data, [[Candidate("a", 0.1)], [Candidate("b", 0.1)]])

    assert [one.query for one in found] == ["pump"]


def test_topic_pairs_come_from_sets_with_both_kinds() -> None:
    both = labelled(TEXTS, asked("pump", {"a": 4}), asked("none", {"b": 2, "c": 1}))
    one = labelled(TEXTS, asked("pump", {"a": 4}))

    assert sorted(pair.grade for pair in topic_pairs(both, 1)) == [2, 4]
    assert topic_pairs(one, 1) == []


def test_answers_are_told_from_topics_by_the_area_under_the_curve(tmp_path: Path) -> None:
    bench = tiny_bench(tmp_path)
    order = np.argsort(
        score(bench.model, bench.reader, [("q", Scorable(t)) for t in TEXTS.values()])
    )
    names = [list(TEXTS)[place] for place in order]
    data = labelled(TEXTS, asked("q", {names[0]: 2, names[1]: 4, names[2]: 4}))

    figures = measure(bench.model, bench.reader, Dev([], topic_pairs(data, 1)))

    assert figures == {"answers_auc.set": 1.0}
