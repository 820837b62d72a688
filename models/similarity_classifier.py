"""The similarity classifier: grades, and whether the captions suffice, from the same features.

Origin: `models/fitted/similarity_classifier.json` says which data, command and seed its
coefficients come from; `benchmarks/RESULTS.md` says how well it judges, by kind of case.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.ports import Embedder, JudgeTask, Scorable, Verdict
from .logistic import Binary, Ordinal, numbers, read_binary, read_fitted, read_ordinal
from .similarities import fill_similarities
from .similarity_features import (
    EXIT_FEATURES,
    PAIR_FEATURES,
    Evidence,
    exit_features,
    join_captions,
)
from .similarity_ranker import FITTED as RANKER_FITTED
from .similarity_ranker import graded

FITTED = "similarity_classifier.json"
THRESHOLD = 0.0
"""Nothing is dropped: grades come from the ranker's own coefficients, so that a second cut would
only lose what word weights of fewer candidates shift below the line."""
NEVER_EXIT = 1.01
"""A threshold that no probability reaches: the stored one where the stated risk cannot be met."""


@dataclass(frozen=True, slots=True)
class SimilarityClassifier:
    """The `Classifier` port. Without a passage that has text, nothing is sufficient (0).

    `exit_threshold`: among held-out cases with P(sufficient) at or above it, at most a tenth
    lacked evidence, at 95 % confidence; or `NEVER_EXIT`.
    """

    embedder: Embedder
    grader: Ordinal
    sufficiency: Binary
    exit_threshold: float
    trusts_ranker: bool = False
    """Whether a passage's grade is the score that the ranker gave it: right where the ranker reads
    more than these features do, since they would only blur its order."""
    threshold: float = THRESHOLD
    name: str = "similarity"
    device: str = "cpu"

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        asked = [
            (task.query, [*task.passages, Scorable(join_captions(task.captions))]) for task in tasks
        ]
        cosines = await fill_similarities(self.embedder, asked)
        return await asyncio.to_thread(self._verdicts, tasks, cosines)

    def _verdicts(
        self, tasks: Sequence[JudgeTask], cosines: Sequence[Sequence[float]]
    ) -> list[Verdict]:
        return [self._verdict(task, row) for task, row in zip(tasks, cosines, strict=True)]

    def _verdict(self, task: JudgeTask, cosines: Sequence[float]) -> Verdict:
        *similarities, joined = cosines
        judged = graded(self.grader, task.query, task.passages, similarities)
        grades = [
            between(score) if self.trusts_ranker and score is not None else distribution
            for (_, distribution), score in zip(judged, task.scores, strict=True)
        ]
        if not any(passage.text.strip() for passage in task.passages):
            return Verdict(grades, 0.0)
        expected = [grade for grade, _ in judged]
        evidence = Evidence(task.passages, task.captions, expected, similarities, joined)
        return Verdict(grades, self.sufficiency.probability(exit_features(task.query, evidence)))


def between(score: float) -> list[float]:
    """Give the distribution over the two grades around a score in [0, 4] whose mean it is."""
    below = min(int(score), 3)
    shares = [0.0] * 5
    shares[below], shares[below + 1] = below + 1 - score, score - below
    return shares


def open_similarity_classifier(
    embedder: Embedder, *, trusts_ranker: bool = False
) -> SimilarityClassifier:
    """Open the classifier with the coefficients of this package. Raises ConfigurationError."""
    fitted = read_fitted(FITTED)
    (threshold,) = numbers(fitted, "exit_threshold")
    return SimilarityClassifier(
        embedder,
        read_ordinal(read_fitted(RANKER_FITTED), PAIR_FEATURES),
        read_binary(fitted, EXIT_FEATURES),
        threshold,
        trusts_ranker=trusts_ranker,
    )
