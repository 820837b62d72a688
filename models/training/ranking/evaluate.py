"""How well a network orders the first stage's candidates of held-out queries.

This chooses between models while they are trained; `headwater eval ranking` measures the ranker.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import torch

from ....domain.conversation import standalone
from ....domain.ports import Scorable
from ...ranker.network import CrossEncoder
from ...ranker.reading import PairReader
from ..grades import GOLD, TOP, ndcg
from ..regression import auc
from .batches import logits_of, low_precision, windows
from .negatives import Candidate
from .sets import Asked, LabelledSet

DEPTH = 20
"""Candidates that are ordered anew."""

TOPIC_PAIRS = 120
"""Pairs of a set, at most, to tell what is on topic from what answers."""

_GOOD, _TOPIC = 4, 2

Figures: TypeAlias = dict[str, float]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """A query with candidates in the first stage's order; grades of them, and of all there are."""

    dataset: str
    query: str
    passages: list[Scorable]
    grades: list[int]
    all_grades: list[int]


@dataclass(frozen=True, slots=True)
class TopicPair:
    """A pair of grade 4 or 2: it answers, or is on topic only."""

    dataset: str
    query: str
    passage: Scorable
    grade: int


@dataclass(frozen=True, slots=True)
class Dev:
    """What is measured on."""

    lists: list[HeldOut] = field(default_factory=list)
    topics: list[TopicPair] = field(default_factory=list)


def held_out(
    labelled: LabelledSet, found: Sequence[Sequence[Candidate]], depth: int = DEPTH
) -> list[HeldOut]:
    """Make lists of the queries of a set that have an answer."""
    return [
        HeldOut(
            labelled.name,
            standalone(query.question, query.history),
            [labelled.passages[one.id] for one in row[:depth]],
            [query.grades.get(one.id, 0) for one in row[:depth]],
            list(query.grades.values()),
        )
        for query, row in zip(labelled.queries, found, strict=True)
        if query.gold
    ]


def topic_pairs(labelled: LabelledSet, seed: int) -> list[TopicPair]:
    """Draw as many pairs of grade 4 as of grade 2 from a set that has both."""
    rng = random.Random(f"{seed} {labelled.name}")
    chosen: list[TopicPair] = []
    for wanted in (_GOOD, _TOPIC):
        pairs = [(q, i) for q in labelled.queries for i, g in q.grades.items() if g == wanted]
        drawn = rng.sample(pairs, min(TOPIC_PAIRS // 2, len(pairs)))
        chosen += [_topic_pair(labelled, query, i) for query, i in drawn]
    return chosen if {one.grade for one in chosen} == {_GOOD, _TOPIC} else []


def measure(model: CrossEncoder, reader: PairReader, dev: Dev) -> Figures:
    """Give nDCG and MRR at 10, means over the sets, and the AUROC of grade 4 against 2.

    `ndcg.<set>` is a set's own; `first_stage` the nDCG of the candidates as they came.
    """
    asked = [(one.query, passage) for one in dev.lists for passage in one.passages]
    asked += [(one.query, one.passage) for one in dev.topics]
    scores = score(model, reader, asked)
    figures: dict[str, dict[str, list[float]]] = {}
    start = 0
    for one in dev.lists:
        mine = scores[start : start + len(one.passages)]
        start += len(one.passages)
        order = np.argsort(-mine, kind="stable")
        found = figures.setdefault(one.dataset, {})
        ranked = [one.grades[place] for place in order]
        found.setdefault("ndcg", []).append(ndcg(ranked, one.all_grades))
        found.setdefault("mrr", []).append(reciprocal_rank(ranked))
        found.setdefault("first_stage", []).append(ndcg(one.grades, one.all_grades))
    return _means(figures) | _topics(dev.topics, scores[start:])


def score(
    model: CrossEncoder, reader: PairReader, asked: Sequence[tuple[str, Scorable]]
) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Give the logit of each query with its passage, without learning from it."""
    training = model.training
    model.eval()
    try:
        with torch.inference_mode(), low_precision(model.cosine_scale.device):
            found = logits_of(model, windows(reader, asked), len(asked))
    finally:
        model.train(training)
    return found.float().cpu().numpy()


def reciprocal_rank(ranked: Sequence[int]) -> float:
    """Give 1 / rank of the first passage that answers, 0 where none is in the first ten."""
    ranks = [rank for rank, grade in enumerate(ranked[:TOP], 1) if grade >= GOLD]
    return 1.0 / ranks[0] if ranks else 0.0


def _means(figures: Mapping[str, Mapping[str, Sequence[float]]]) -> Figures:
    means: Figures = {}
    for figure in ("ndcg", "mrr", "first_stage"):
        of_sets = {name: float(np.mean(found[figure])) for name, found in figures.items()}
        if of_sets:
            means[figure] = float(np.mean(list(of_sets.values())))
        if figure == "ndcg":
            means |= {f"ndcg.{name}": value for name, value in of_sets.items()}
    return means


def _topics(
    pairs: Sequence[TopicPair], scores: np.ndarray[tuple[int], np.dtype[np.float32]]
) -> Figures:
    found: Figures = {}
    for name in sorted({pair.dataset for pair in pairs}):
        mine = [place for place, pair in enumerate(pairs) if pair.dataset == name]
        labels = np.array([float(pairs[place].grade == _GOOD) for place in mine])
        found[f"answers_auc.{name}"] = auc(scores[mine].astype(np.float64), labels)
    return found


def _topic_pair(labelled: LabelledSet, query: Asked, passage: str) -> TopicPair:
    grade = query.grades[passage]
    return TopicPair(labelled.name, query.question, labelled.passages[passage], grade)
