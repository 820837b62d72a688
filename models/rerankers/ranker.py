"""The `Ranker` port over any reranker that gives a logit for a query and a passage."""

import asyncio
from collections.abc import Sequence

from ...domain.ports import RankTask
from ..logistic import GRADES, sigmoid
from ..scorer import Scorer
from .forms import Encoded
from .reading import PassageReader


class PairRanker:
    """Scores passages by a model of others: 4 x sigmoid(logit), best window of a passage first.

    The scale is that of the port only in its ends and its order: what the model calls probable is
    near 4. It is not calibrated on graded data, as the built-in ranker is, so a score of 2 does
    not mean "on topic", and scores of two such models do not compare. For the same reason no
    passage is dropped unless the user sets a threshold (`threshold` is 0).
    """

    threshold = 0.0

    def __init__(self, reader: PassageReader, scorer: Scorer[Encoded]) -> None:
        self._reader = reader
        self._scorer = scorer

    @property
    def name(self) -> str:
        return self._scorer.name

    @property
    def device(self) -> str:
        return self._scorer.device

    @property
    def notes(self) -> tuple[str, ...]:
        """What went on with less than was wished for, such as smaller batches for want of memory.

        One sentence each, oldest first; empty as a rule.
        """
        return self._scorer.notes

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        return await asyncio.to_thread(self._scores, tasks)

    def _scores(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        windows = [self._reader.pairs(task.query, task.passages) for task in tasks]
        logits = iter(
            self._scorer.logits([pair for task in windows for passage in task for pair in passage])
        )
        return [
            [max((relevance(next(logits)) for _ in passage), default=0.0) for passage in task]
            for task in windows
        ]


def relevance(logit: float) -> float:
    """Give 4 x sigmoid(logit), in [0, 4]; no logit is too large for it."""
    return GRADES * sigmoid(logit)
