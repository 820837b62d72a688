"""The trained ranker: a cross-encoder's logit and other evidence, combined on one scale."""

import asyncio
from collections.abc import Sequence

from ...domain.ports import Embedder, RankTask
from ..scorer import Scorer
from ..similarities import fill_similarities
from .reading import Pair, PairReader
from .scores import NOTHING, Combination, Scored, scores_of


class CrossEncoderRanker:
    """The `Ranker` port: a passage's score depends on its query and on nothing beside it.

    A passage that is read through several windows is worth its best one.
    """

    def __init__(
        self,
        embedder: Embedder,
        reader: PairReader,
        scorer: Scorer[Pair],
        combination: Combination,
        *,
        name: str,
    ) -> None:
        self.name = name
        self.combination = combination
        self._embedder = embedder
        self._reader = reader
        self._scorer = scorer

    @property
    def device(self) -> str:
        return self._scorer.device

    @property
    def threshold(self) -> float:
        """Score below which a passage is dropped, in [0, 4]."""
        return self.combination.threshold

    @property
    def notes(self) -> tuple[str, ...]:
        """When a batch did not fit into the device's memory, one sentence each, oldest first."""
        return self._scorer.notes

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        return [[found.score for found in row] for row in await self.scored(tasks)]

    async def scored(self, tasks: Sequence[RankTask]) -> list[list[Scored]]:
        """Give score and P(grade >= 3) of every passage of every task, in the order given.

        Text that is blank, or has nothing that can be read, is worth 0. Raises ModelError.
        """
        if "similarity" not in self.combination.features:
            return await asyncio.to_thread(self._scored, tasks, [])
        cosines = await fill_similarities(self._embedder, [(t.query, t.passages) for t in tasks])
        return await asyncio.to_thread(self._scored, tasks, cosines)

    async def logits(self, tasks: Sequence[RankTask]) -> list[list[float | None]]:
        """Give the logit of each passage's best window; `None` where nothing can be read."""
        return await asyncio.to_thread(self._logits, tasks)

    def _scored(
        self, tasks: Sequence[RankTask], cosines: Sequence[Sequence[float]]
    ) -> list[list[Scored]]:
        rows: list[list[Scored]] = []
        for number, (task, logits) in enumerate(zip(tasks, self._logits(tasks), strict=True)):
            row = [NOTHING] * len(logits)
            read = [place for place, logit in enumerate(logits) if logit is not None]
            found = scores_of(
                self.combination,
                task.query,
                [task.passages[place] for place in read],
                logits=[logits[place] for place in read],
                similarities=[cosines[number][place] if cosines else None for place in read],
            )
            for place, scored in zip(read, found, strict=True):
                row[place] = scored
            rows.append(row)
        return rows

    def _logits(self, tasks: Sequence[RankTask]) -> list[list[float | None]]:
        """Read and score all tasks in one batch."""
        read = [self._reader.pairs(task.query, task.passages) for task in tasks]
        flat = [pair for task in read for passage in task for pair in passage]
        logits = iter(self._scorer.logits(flat))
        return [
            [max((next(logits) for _ in passage), default=None) for passage in task]
            for task in read
        ]
