"""Reciprocal rank fusion of a keyword ranking and a vector ranking.

Scores of two engines do not compare; ranks do. Cormack, Clarke and Büttcher 2009, "Reciprocal
rank fusion outperforms Condorcet and individual rank learning methods", here with a weight a list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

K = 2.0
"""Added to every rank. Smaller, and the first few places decide; larger, and being on both lists
counts more. With `KEYWORD_WEIGHT` chosen on the `dev` splits by `benchmarks/fusion.py`."""
KEYWORD_WEIGHT = 1.25
"""Of the keyword ranking, where the vector ranking has 1."""
FOREIGN_FACTOR = 0.5
"""Of the keyword weight, for a passage in another language than the query: words that two
languages share are mostly names and chance. It helps where the answer is wanted in the language
of the question, and costs a little where translations count as answers."""


@dataclass(frozen=True, slots=True)
class Fused:
    """One item with its fused score, unitless and above 0; only the order means anything."""

    id: str
    score: float


def fuse(
    rankings: Sequence[Sequence[str | None]], weights: Sequence[float], k: float
) -> list[Fused]:
    """Order all items by the sum of weight / (k + rank) over the rankings, ranks from 1.

    `None` holds a place in a ranking that nobody gets. Equal scores are ordered by id.
    """
    scores: dict[str, float] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, item in enumerate(ranking, start=1):
            if item is not None:
                scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    ordered = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
    return [Fused(item, score) for item, score in ordered]


def fuse_hybrid(
    keyword: Sequence[str],
    vector: Sequence[str],
    *,
    query_language: str | None,
    languages: Mapping[str, str | None],
) -> list[Fused]:
    """Fuse what the two indexes of one source found, with the constants above.

    `languages` gives the language of each item; where one of the two is unknown, they match.
    """
    native = [i if _match(query_language, languages.get(i)) else None for i in keyword]
    foreign = [None if n is not None else i for n, i in zip(native, keyword, strict=True)]
    weights = (1.0, KEYWORD_WEIGHT, KEYWORD_WEIGHT * FOREIGN_FACTOR)
    return fuse((vector, native, foreign), weights, K)


def _match(one: str | None, other: str | None) -> bool:
    return one is None or other is None or one == other
