"""A small BM25 over index terms, to find the negatives that share words with a query.

Origin: Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond".
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....domain.words import terms
from ..regression import Floats

K1, B = 1.2, 0.75


class Keywords:
    """Scores all texts of a collection against a query."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(terms(text)) for text in texts]
        lengths = np.array([count.total() for count in counts], dtype=np.float64)
        self._size = len(texts)
        self._norm = K1 * (1 - B + B * lengths / max(1.0, float(lengths.mean())))
        held: dict[str, list[tuple[int, int]]] = {}
        for place, count in enumerate(counts):
            for term, times in count.items():
                held.setdefault(term, []).append((place, times))
        self._postings = {term: np.array(found) for term, found in held.items()}

    def scores(self, query: str) -> Floats:
        """Give the BM25 score of every text, in order; 0 where no term is shared."""
        total = np.zeros(self._size)
        for term in dict.fromkeys(terms(query)):
            found: NDArray[np.int64] | None = self._postings.get(term)
            if found is None:
                continue
            places, times = found[:, 0], found[:, 1]
            weight = np.log1p((self._size - len(found) + 0.5) / (len(found) + 0.5))
            total[places] += weight * times * (K1 + 1) / (times + self._norm[places])
        return total
