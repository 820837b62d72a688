"""The similarity ranker: a grade from cosine and word overlap, at next to no cost.

Origin: `models/fitted/similarity_ranker.json` says which data, command and seed its coefficients
come from; `benchmarks/RESULTS.md` says how well it ranks.
"""

import asyncio
import math
from collections.abc import Sequence

from ..domain.errors import ModelOutputError
from ..domain.ports import Embedder, RankTask, Scorable
from .logistic import Ordinal, read_fitted, read_ordinal
from .similarities import fill_similarities
from .similarity_features import PAIR_FEATURES, pair_features, weights_of

FITTED = "similarity_ranker.json"
THRESHOLD = 0.2
"""Below it a passage is dropped. Chosen for these coefficients by `benchmarks/thresholds.py`: from
0.4 on, answers in another language than the question's are lost."""


class SimilarityRanker:
    """The `Ranker` port: the expected grade of each passage, by an ordinal model.

    Its text is read alone, so a score does not depend on a passage's source; it depends a little
    on the other candidates of the query, which decide how much each word tells.
    """

    name = "similarity"
    device = "cpu"
    threshold = THRESHOLD

    def __init__(self, embedder: Embedder, model: Ordinal) -> None:
        self._embedder = embedder
        self.model = model

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        cosines = await fill_similarities(self._embedder, [(t.query, t.passages) for t in tasks])
        return await asyncio.to_thread(self._scores, tasks, cosines)

    def _scores(
        self, tasks: Sequence[RankTask], cosines: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        return [
            [grade for grade, _ in graded(self.model, task.query, task.passages, row)]
            for task, row in zip(tasks, cosines, strict=True)
        ]


def graded(
    model: Ordinal, query: str, passages: Sequence[Scorable], cosines: Sequence[float]
) -> list[tuple[float, list[float]]]:
    """Give each passage's expected grade in [0, 4] with its distribution over the grades 0 to 4.

    Empty text has grade 0 for certain. Raises ModelOutputError for a cosine that is no number.
    """
    weights = weights_of(passages)
    found: list[tuple[float, list[float]]] = []
    for passage, cosine in zip(passages, cosines, strict=True):
        if not math.isfinite(cosine):
            raise ModelOutputError("similarity", f"the similarity {cosine!r} is no finite number.")
        if not passage.text.strip():
            found.append((0.0, [1.0, 0.0, 0.0, 0.0, 0.0]))
            continue
        features = pair_features(query, passage, cosine, weights)
        found.append((model.expected(features), model.distribution(features)))
    return found


def open_similarity_ranker(embedder: Embedder) -> SimilarityRanker:
    """Open the ranker with the coefficients of this package. Raises ConfigurationError."""
    return SimilarityRanker(embedder, read_ordinal(read_fitted(FITTED), PAIR_FEATURES))
