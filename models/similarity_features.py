"""What the similarity models look at: numbers that mean the same for every source.

A source's own ranking score is not among them. Each function is used in fitting and in serving.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.caption import TermWeights, coverage
from ..domain.complexity import is_complex
from ..domain.ports import Scorable
from ..domain.sentences import sentences
from ..domain.words import is_cjk, terms

PAIR_FEATURES = (
    "similarity",
    "similarity_squared",
    "coverage",
    "coverage_squared",
    "best_sentence",
    "title_coverage",
    "similarity_x_coverage",
    "cjk",
    "cjk_x_similarity",
    "cjk_x_coverage",
    "log_terms",
)
EXIT_FEATURES = (
    "joined_coverage",
    "joined_coverage_squared",
    "best_caption_coverage",
    "best_passage_coverage",
    "joined_similarity",
    "best_similarity",
    "best_grade",
    "best_grade_squared",
    "second_grade",
    "lead",
    "complex",
    "complex_x_second_grade",
    "log_terms",
    "cjk",
    "cjk_x_best_grade",
)
"""Raise nothing here without fitting anew: the order is that of the stored coefficients."""


def weights_of(passages: Sequence[Scorable]) -> TermWeights:
    """Weigh terms by how few of these candidates, from all sources, hold them."""
    return TermWeights(whole_text(passage) for passage in passages)


def whole_text(passage: Scorable) -> str:
    """Give everything of a passage that is read: title, heading, text."""
    return f"{passage.title}\n{passage.heading}\n{passage.text}"


def pair_features(
    query: str, passage: Scorable, similarity: float, weights: TermWeights
) -> list[float]:
    """Give the `PAIR_FEATURES` of one query and one passage; `similarity` is their cosine."""
    covered = coverage(query, whole_text(passage), weights)
    cjk = float(is_cjk(query))
    return [
        similarity,
        similarity * similarity,
        covered,
        covered * covered,
        _best_sentence(query, passage.text, weights),
        coverage(query, f"{passage.title}\n{passage.heading}", weights),
        similarity * covered,
        cjk,
        cjk * similarity,
        cjk * covered,
        _log_terms(query),
    ]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a sub-query's best passages before it is judged whether they suffice.

    `grades` are expected grades in [0, 4], `similarities` cosines, one for each passage;
    `joined_similarity` is the cosine of the query and all captions as one text.
    """

    passages: Sequence[Scorable]
    captions: Sequence[str]
    grades: Sequence[float]
    similarities: Sequence[float]
    joined_similarity: float


def exit_features(query: str, evidence: Evidence) -> list[float]:
    """Give the `EXIT_FEATURES` of one sub-query with its evidence, which must not be empty."""
    weights = weights_of(evidence.passages)
    grades = [*sorted(evidence.grades, reverse=True), 0.0]
    joined = coverage(query, join_captions(evidence.captions), weights)
    several, cjk = float(is_complex(query)), float(is_cjk(query))
    return [
        joined,
        joined * joined,
        max((coverage(query, caption, weights) for caption in evidence.captions), default=0.0),
        max(coverage(query, whole_text(passage), weights) for passage in evidence.passages),
        evidence.joined_similarity,
        max(evidence.similarities),
        grades[0],
        grades[0] * grades[0],
        grades[1],
        grades[0] - grades[1],
        several,
        several * grades[1],
        _log_terms(query),
        cjk,
        cjk * grades[0],
    ]


def join_captions(captions: Sequence[str]) -> str:
    """Make one text of all captions, best first."""
    return "\n".join(captions)


def _best_sentence(query: str, text: str, weights: TermWeights) -> float:
    """The largest share of the query's term weight that stands in one sentence, in [0, 1]."""
    wanted = sorted(set(terms(query)))
    total = sum(map(weights, wanted))
    if not total:
        return 0.0
    found = (set(terms(span.of(text))) for span in sentences(text))
    best = max((sum(weights(t) for t in wanted if t in held) for held in found), default=0.0)
    return best / total


def _log_terms(query: str) -> float:
    return math.log1p(len(set(terms(query))))
