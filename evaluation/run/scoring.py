"""What the ranker (L2), the classifier (L3) and captions make of given passages of a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ...domain.caption import TermWeights, caption
from ...domain.ports import Classifier, JudgeTask, Ranker, RankTask, Scorable
from ...domain.sentences import Span, sentences
from ...domain.words import terms


class Likely(Protocol):
    """A score in [0, 4] with P(grade >= 3), in [0, 1]."""

    @property
    def score(self) -> float: ...

    @property
    def likely(self) -> float: ...


@runtime_checkable
class Stating(Protocol):
    """A ranker that states how likely each passage is to be relevant, beside its score."""

    async def scored(self, tasks: Sequence[RankTask]) -> Sequence[Sequence[Likely]]:
        """Score every passage of every task, in the order given. Raises ModelError."""
        ...


@runtime_checkable
class Thresholded(Protocol):
    """A ranker that comes with a threshold of its own."""

    @property
    def threshold(self) -> float:
        """Score below which a passage is dropped, in [0, 4]."""
        ...


@dataclass(frozen=True, slots=True)
class Scores:
    """What a ranker gives the passages of a question, in their order."""

    scores: list[float]
    """In [0, 4]."""
    likely: list[float] | None = None
    """P(grade >= 3), in [0, 1]; `None` where the ranker does not state it."""


async def scores_of(ranker: Ranker, query: str, passages: Sequence[Scorable]) -> Scores:
    """Let a ranker score passages, each once. Raises ModelError."""
    task = RankTask(query, list(passages))
    if isinstance(ranker, Stating):
        [found] = await ranker.scored([task])
        return Scores([one.score for one in found], [one.likely for one in found])
    [scores] = await ranker.score([task])
    return Scores(scores)


def threshold_of(ranker: Ranker) -> float | None:
    """Give the threshold that the ranker comes with; `None` where it has none."""
    return ranker.threshold if isinstance(ranker, Thresholded) else None


async def grades_of(
    classifier: Classifier,
    query: str,
    passages: Sequence[Scorable],
    *,
    captions: Sequence[str],
    scores: Sequence[float],
) -> list[float]:
    """Let the classifier grade passages; give the mean of each distribution. Raises ModelError.

    It gets them as it does in a run: best first by `scores`. Grades come in the order given.
    """
    best_first = sorted(range(len(passages)), key=lambda place: -scores[place])
    task = JudgeTask(
        query=query,
        passages=[passages[place] for place in best_first],
        captions=[captions[place] for place in best_first],
        scores=[scores[place] for place in best_first],
    )
    [verdict] = await classifier.judge([task])
    means = [sum(grade * share for grade, share in enumerate(d)) for d in verdict.grades]
    by_place = dict(zip(best_first, means, strict=True))
    return [by_place[place] for place in range(len(passages))]


@dataclass(frozen=True, slots=True)
class Windows:
    """Two parts of a passage that might show why it matched."""

    caption: Span
    sentence: Span
    """The best lexical sentence."""


def windows(query: str, texts: Sequence[str]) -> list[Windows]:
    """Give the windows of each text; the weight of a term is that among these texts."""
    weights = TermWeights(texts)
    return [
        Windows(caption(query, text, weights), lexical_sentence(query, text, weights))
        for text in texts
    ]


def lexical_sentence(query: str, text: str, weights: TermWeights) -> Span:
    """Give the sentence with the largest summed weight of distinct query terms; earlier ones win.

    The first where none has a term in common; an empty span for text without a sentence.
    """
    wanted = set(terms(query))

    def weight(span: Span) -> float:
        # Rounded: the same terms must weigh the same, in whatever order they are added.
        return round(sum(map(weights, wanted & set(terms(span.of(text))))), 9)

    return max(sentences(text), key=weight, default=Span(0, 0))
