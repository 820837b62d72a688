"""What rounding the ranker's network to 8 bits costs in retrieval."""

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.ranker_forms import Score, Setting, exact, of_network
from benchmarks.ranker_pairs import Job
from headwater.models.cache import cache_folder
from headwater.models.embedder import open_embedder
from headwater.models.training.grades import ndcg
from headwater.models.training.ranking.evaluate import HeldOut, held_out
from headwater.models.training.ranking.negatives import candidates
from headwater.models.training.ranking.session import DEV_SETS
from headwater.models.training.ranking.sets import read_sets

RESAMPLED = 2_000


def loss(setting: Setting, data: Path, questions: int) -> dict[str, float]:
    """Give nDCG@10 by 8 and by 32 bits, and the loss in points with its 95 % interval.

    Lists are the first stage's 20 best candidates of `dev` questions, so many a set; means over
    the sets, and questions drawn again within them for the interval.
    """
    reader, rounded = setting.parts()
    forms = (of_network(reader, rounded), of_network(reader, exact(setting.adapter())))
    lists = asyncio.run(_lists(data, questions))
    gains = {name: np.array([_gains(form, of_set) for form in forms]) for name, of_set in lists}
    eight, full = (
        statistics.mean(float(rows[i].mean()) for rows in gains.values()) for i in (0, 1)
    )
    lost = [100 * (rows[1] - rows[0]) for rows in gains.values()]
    rng = np.random.default_rng(1)
    again = [
        statistics.mean(float(rng.choice(rows, len(rows)).mean()) for rows in lost)
        for _ in range(RESAMPLED)
    ]
    low, high = np.percentile(again, [2.5, 97.5])
    return {
        "questions": sum(len(of_set) for _, of_set in lists),
        "sets": len(lists),
        "8-bit": eight,
        "32-bit": full,
        "loss_points": 100 * (full - eight),
        "loss_low": float(low),
        "loss_high": float(high),
    }


async def _lists(data: Path, questions: int) -> list[tuple[str, list[HeldOut]]]:
    """Make the lists of each set; what was embedded for them is kept in the user's cache."""
    embedder, found = open_embedder(device="cpu"), []
    for labelled in read_sets(data, "dev", seed=7, names=DEV_SETS):
        answered = [query for query in labelled.queries if query.gold][:questions]
        drawn = replace(labelled, queries=answered)
        rows = await candidates(drawn, embedder, cache_folder())
        found.append((labelled.name, held_out(drawn, rows)))
    return found


def _gains(score: Score, lists: Sequence[HeldOut]) -> list[float]:
    gains = []
    for one in lists:
        order = np.argsort(-np.array(score([Job(one.query, one.passages)])), kind="stable")
        gains.append(ndcg([one.grades[place] for place in order], one.all_grades))
    return gains
