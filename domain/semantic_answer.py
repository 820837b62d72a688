"""The sentence that answers a question, where one convinces: verbatim, with its place."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .caption import TermWeights
from .decompose import is_question
from .extract import Excerpt, quotes
from .sentences import Span

DEEPEST = 3
"""Passages, best first, that are looked at; a lower one hardly ever answers better."""

BIAS, SCORE, COVERAGE, MARGIN = -3.45, 2.25, 2.7, 1.2
"""Weights of a logistic model: does the sentence hold the answer?

The score of its passage in [0, 1], the share of the question's words in it, and its passage's lead
over the best other one; fitted on dev by `benchmarks/semantic_answers.py`, half of the questions
without their answer.
"""

CONVINCING = 0.5
"""Confidence from which a sentence is shown, in [0, 1]; higher shows fewer, and more of them right.

The lowest of those tried at which 70 % of the shown were right on dev, questions as people asked
them; `benchmarks/semantic_answers.py` prints the curve.
"""


@dataclass(frozen=True, slots=True)
class Captioned:
    """A ranked passage: its text, its caption in it, and its title and headings.

    `score` is the ranker's, in [0, 4]; `None` where it failed.
    """

    text: str
    caption: Span
    context: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for a sentence: see the weights above. All but `margin` are in [0, 1]."""

    score: float
    coverage: float
    margin: float
    """In [-1, 1]."""

    @property
    def confidence(self) -> float:
        """The chance, in [0, 1], that the sentence holds the answer."""
        logit = BIAS + SCORE * self.score + COVERAGE * self.coverage + MARGIN * self.margin
        return 1.0 / (1.0 + math.exp(-logit))


@dataclass(frozen=True, slots=True)
class SemanticAnswer:
    """A sentence of a caption, with its passage's number and its place in that passage's text."""

    passage: int
    span: Span
    signs: Signs


def semantic_answer(
    query: str, passages: Sequence[Captioned], *, convincing: float = CONVINCING
) -> SemanticAnswer | None:
    """Find the sentence that answers `query` among the captions of its passages, best first.

    `None` where the query is no question, nobody scored the passages, or nothing convinces.

    Origin: verbatim answers beside a ranked list, as extractive question answering gives them; the
    choice of the sentence is that of `extract.quotes`.
    """
    found = best_answer(query, passages) if is_question(query) else None
    return found if found and found.signs.confidence >= convincing else None


def best_answer(query: str, passages: Sequence[Captioned]) -> SemanticAnswer | None:
    """Find the best sentence, convincing or not; `None` without scores or sentences."""
    scores = [passage.score / 4 for passage in passages if passage.score is not None]
    if len(scores) < len(passages):
        return None
    excerpts = [
        Excerpt(number, passage.caption.of(passage.text), passage.context, score)
        for number, (passage, score) in enumerate(zip(passages[:DEEPEST], scores, strict=False))
    ]
    weights = TermWeights(f"{passage.context} {passage.text}" for passage in passages)
    for quote in quotes(query, excerpts, weights, top=1):
        number, shift = quote.ref_id, passages[quote.ref_id].caption.start
        others = max((score for i, score in enumerate(scores) if i != number), default=0.0)
        place = Span(quote.span.start + shift, quote.span.end + shift)
        signs = Signs(scores[number], quote.coverage, scores[number] - others)
        return SemanticAnswer(number, place, signs)
    return None
