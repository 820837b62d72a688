"""What grades 0 to 4 mean to what is fitted and measured here."""

import math
from collections.abc import Sequence

GOLD = 3
"""From this grade on a passage answers, at least in part."""

SHARES = (0.0, 0.0, 0.1, 0.7, 1.0)
"""What a passage of each grade has of its list's probability, before they are made to sum to 1."""

TOP = 10
"""Places that count."""


def ndcg(ranked: Sequence[int], grades: Sequence[int]) -> float:
    """Give nDCG at 10 with gain 2 ** grade - 1 for what answers; NaN where nothing does.

    `ranked` are the grades in their order, `grades` all there are.
    """
    best = _gain(sorted(grades, reverse=True))
    return _gain(ranked) / best if best else math.nan


def _gain(grades: Sequence[int]) -> float:
    kept = (2.0**grade - 1.0 if grade >= GOLD else 0.0 for grade in grades[:TOP])
    return sum(gain / math.log2(rank + 2.0) for rank, gain in enumerate(kept))
