"""What the similarity models look at: numbers that mean the same for every source.

A source's own ranking score is not among them. Each function is used in fitting and in serving.
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from ..domain.caption import TermWeights
from ..domain.complexity import is_complex
from ..domain.ports import Scorable
from ..domain.sentences import sentences
from ..domain.words import is_cjk, term_places, terms

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
    """Weigh terms by how few of these candidates, from all sources, hold them in their text."""
    return TermWeights(passage.text for passage in passages)


def pair_features(
    query: str, passage: Scorable, similarity: float, weights: TermWeights
) -> list[float]:
    """Give the `PAIR_FEATURES` of one query and one passage; `similarity` is their cosine."""
    weighed = {term: weights(term) for term in sorted(set(terms(query)))}
    titled = _held(weighed, f"{passage.title}\n{passage.heading}")
    covered = _share(weighed, titled | _held(weighed, passage.text))
    cjk = float(is_cjk(query))
    return [
        similarity,
        similarity * similarity,
        covered,
        covered * covered,
        _best_sentence(weighed, passage.text),
        _share(weighed, titled),
        similarity * covered,
        cjk,
        cjk * similarity,
        cjk * covered,
        math.log1p(len(weighed)),
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
    weighed = {term: weights(term) for term in sorted(set(terms(query)))}
    grades = [*sorted(evidence.grades, reverse=True), 0.0]
    captions = [_held(weighed, caption) for caption in evidence.captions]
    joined = _share(weighed, set().union(*captions))
    several, cjk = float(is_complex(query)), float(is_cjk(query))
    return [
        joined,
        joined * joined,
        max((_share(weighed, held) for held in captions), default=0.0),
        max(_share(weighed, _held(weighed, passage.text)) for passage in evidence.passages),
        evidence.joined_similarity,
        max(evidence.similarities),
        grades[0],
        grades[0] * grades[0],
        grades[1],
        grades[0] - grades[1],
        several,
        several * grades[1],
        math.log1p(len(weighed)),
        cjk,
        cjk * grades[0],
    ]


def join_captions(captions: Sequence[str]) -> str:
    """Make one text of all captions, best first."""
    return "\n".join(captions)


def _held(weighed: Mapping[str, float], text: str) -> set[str]:
    """The query's terms that `text` holds."""
    return {term for term, _ in term_places(weighed.keys(), text)}


def _share(weighed: Mapping[str, float], held: Set[str]) -> float:
    """The share of the query's term weight that is held, in [0, 1]; 0 without terms."""
    total = sum(weighed.values())
    return sum(weight for term, weight in weighed.items() if term in held) / total if total else 0.0


def _best_sentence(weighed: Mapping[str, float], text: str) -> float:
    """The largest share of the query's term weight that stands in one sentence, in [0, 1]."""
    starts = [span.start for span in sentences(text)]
    by_sentence: dict[int, set[str]] = {}
    for term, start in term_places(weighed.keys(), text):
        by_sentence.setdefault(bisect_right(starts, start), set()).add(term)
    return max((_share(weighed, held) for held in by_sentence.values()), default=0.0)
