"""Made tables of candidates, for the tests of what is fitted on them."""

import numpy as np

from headwater.models.ranker.scores import FEATURES
from headwater.models.training.linear import Table
from headwater.models.training.regression import Floats

TRUE = {"logit": 1.5, "similarity": 4.0, "lexical": 2.0}
"""How strongly each feature tells what is good in a made table; the others are noise."""


def made_table(
    *, sets: tuple[str, ...] = ("one", "two"), queries: int = 40, depth: int = 12, seed: int = 4
) -> Table:
    """Make lists in which grade 4 and 1 are drawn by a sum of the features in `TRUE`."""
    random = np.random.default_rng(seed)
    lists = len(sets) * queries
    features = random.random((lists * depth, len(FEATURES)))
    features[:, 0] = random.normal(0.0, 2.0, len(features))
    chance = 1.0 / (1.0 + np.exp(-(truth(features) - 5.0)))
    good = random.random(len(features)) < chance
    ranks = np.tile(np.arange(1, depth + 1), lists)
    labelled = good | (ranks % 2 == 0)
    return Table(
        features=features,
        grades=np.where(good, 4, 1),
        labelled=labelled,
        ranks=ranks,
        queries=np.repeat(np.arange(lists), depth),
        datasets=np.repeat(np.array(sets), queries * depth),
        languages=np.repeat(np.where(np.arange(lists) % 2, "en", "fr"), depth),
    )


def truth(features: Floats) -> Floats:
    """Give the sum that decides what is good."""
    found: Floats = features[:, [FEATURES.index(name) for name in TRUE]] @ list(TRUE.values())
    return found
