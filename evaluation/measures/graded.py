"""What the scores of the ranker (L2) mean, on passages whose grades are known.

A passage is relevant from grade 3 on; grade 2 is on topic without answering.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..record import ResultRow
from .calibration import Floats, auroc
from .exits import HIGHEST
from .needs import GOLD_GRADE

ON_TOPIC, ANSWERING = 2, 4

STEP = 0.05
"""Between thresholds that are tried, on the scale of scores."""


@dataclass(slots=True)
class GradedScores:
    """Scores of graded passages, parallel lists; small, so that all of a run fit in memory."""

    scores: list[float] = field(default_factory=list)
    """In [0, 4]."""
    probabilities: list[float] = field(default_factory=list)
    """P(grade >= 3), in [0, 1]."""
    grades: list[int] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    """The question of each; where none is named each passage is one of its own."""
    stated: bool = True
    """Whether the ranker stated every probability; else it is score / 4."""

    def __post_init__(self) -> None:
        if not self.questions:
            self.questions = [str(number) for number in range(len(self.scores))]

    def add(self, row: ResultRow) -> None:
        """Take the passages of a row that have a grade and a score."""
        grades = {gold.doc: gold.grade for gold in row.gold}
        scores = row.scores.get("rank", [])
        stated = row.scores.get("probability")
        self.stated = self.stated and (stated is not None or not scores)
        probabilities = [s / HIGHEST for s in scores] if stated is None else stated
        for doc, score, probability in zip(
            row.layers.get("rank", []), scores, probabilities, strict=True
        ):
            if doc in grades:
                self.scores.append(score)
                self.probabilities.append(probability)
                self.grades.append(grades[doc])
                self.questions.append(f"{row.dataset}/{row.qid}")

    @classmethod
    def joined(cls, parts: Iterable["GradedScores"]) -> "GradedScores":
        """Put several together."""
        whole = cls()
        for part in parts:
            whole.scores += part.scores
            whole.probabilities += part.probabilities
            whole.grades += part.grades
            whole.questions += part.questions
            whole.stated = whole.stated and part.stated
        return whole

    def of(self, *grades: int) -> "GradedScores":
        """Give the passages of these grades."""
        kept = [place for place, grade in enumerate(self.grades) if grade in grades]
        return GradedScores(
            [self.scores[place] for place in kept],
            [self.probabilities[place] for place in kept],
            [self.grades[place] for place in kept],
            [self.questions[place] for place in kept],
            self.stated,
        )

    @property
    def relevant(self) -> Floats:
        """1 for each passage of grade 3 or 4, else 0."""
        return (np.asarray(self.grades, float) >= GOLD_GRADE).astype(float)


def on_topic(graded: GradedScores) -> tuple[list[float], list[float]]:
    """Give score / 4 of the passages of grade 2 and 4, and 1 for those of grade 4."""
    both = graded.of(ON_TOPIC, ANSWERING)
    return [s / HIGHEST for s in both.scores], [float(g == ANSWERING) for g in both.grades]


def on_topic_auroc(graded: GradedScores) -> float | None:
    """Give the chance that an answering passage scores above one that is only on topic.

    Grade 4 against grade 2, over all questions together, in [0, 1]; ties count half, 0.5 is
    chance. `None` where there are none of one of them. Source: Hanley and McNeil 1982, as `auroc`.
    """
    return auroc(*on_topic(graded))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutoff:
    """What is kept by "score >= threshold"; all three are shares."""

    threshold: float
    precision: float
    """Share of what is kept that is relevant; it falls where few passages are relevant at all."""
    recall: float
    """Share of what is relevant that is kept."""
    balanced: float
    """Precision if as many passages were relevant as not: r / (r + f) with the recall r and the
    share f of the others that is kept. It compares between sets whose labels are mixed unlike."""


def cutoff(graded: GradedScores, threshold: float) -> Cutoff | None:
    """Cut at a threshold; `None` where nothing, or all, is relevant, or nothing is kept.

    Source: Manning, Raghavan and Schütze 2008, section 8.3; the balanced form is precision at
    equal prevalence, Siblini et al. 2020, "Master your metrics with calibration",
    arXiv:1909.02827.
    """
    kept, true = np.asarray(graded.scores) >= threshold, graded.relevant == 1.0
    if not kept.any() or not true.any() or true.all():
        return None
    recall = float((kept & true).sum() / true.sum())
    false = float((kept & ~true).sum() / (~true).sum())
    return Cutoff(
        threshold=threshold,
        precision=float((kept & true).sum() / kept.sum()),
        recall=recall,
        balanced=recall / (recall + false),
    )


def best_threshold(sets: Sequence[GradedScores]) -> float | None:
    """Give the threshold with the largest mean F1 over sets, in steps of `STEP`; the lowest wins.

    `None` without a set that can be cut. It must be chosen on `dev`.
    """
    # Rounded: 38 steps are a hair more than 1.9, and would drop a score of just that.
    tried = [round(number * STEP, 6) for number in range(1, round(HIGHEST / STEP) + 1)]
    usable = [one for one in sets if one.relevant.any() and not one.relevant.all()]
    if not usable:
        return None
    return max(tried, key=lambda threshold: sum(_f1(one, threshold) for one in usable))


def _f1(graded: GradedScores, threshold: float) -> float:
    cut = cutoff(graded, threshold)
    if cut is None or not cut.precision + cut.recall:
        return 0.0
    return 2 * cut.precision * cut.recall / (cut.precision + cut.recall)
