"""What scores on passages of known grades come to, in lines of a table."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from ..measures.calibration import auroc, ece
from ..measures.graded import (
    ANSWERING,
    ON_TOPIC,
    Cutoff,
    GradedScores,
    best_threshold,
    cutoff,
    on_topic,
)
from ..measures.sets import NEVER_TRAINED, kind_of
from ..statistics import Interval, bootstrap_statistic
from .collection import SEED
from .ranked import Ranked

ALL = "all"
MEAN_TRAINED, MEAN_NEW = "mean of sets with a train split", "mean of sets without one"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTopic:
    """How well scores tell answering passages from those that are only on topic."""

    dataset: str
    answering: int
    on_topic: int
    auroc: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """How well P(grade >= 3) came true for some passages."""

    by: str
    """What the passages have in common: language, or kind of source."""
    group: str
    n: int
    base_rate: float
    ece: float
    interval: Interval | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """One threshold on `dev` of all other sets, and on a set that had no part in choosing it."""

    dataset: str
    """A data set, or `MEAN_TRAINED` or `MEAN_NEW`."""
    chosen: str
    """How the threshold came about."""
    trained: bool
    """Whether the set has a part that a ranker may have learned from."""
    here: Cutoff
    dev: Cutoff
    """Mean over the other sets."""


def on_topic_lines(sets: Mapping[str, GradedScores]) -> list[OnTopic]:
    """Give a line for each set that has passages of both grades."""
    found = []
    for dataset, graded in sets.items():
        value = auroc(*on_topic(graded))
        if value is not None:
            asked = graded.of(ON_TOPIC, ANSWERING).questions
            interval = bootstrap_statistic(auroc, *on_topic(graded), seed=SEED, questions=asked)
            counts = (graded.grades.count(ANSWERING), graded.grades.count(ON_TOPIC))
            found.append(
                OnTopic(
                    dataset=dataset,
                    answering=counts[0],
                    on_topic=counts[1],
                    auroc=value,
                    interval=interval,
                )
            )
    return found


def calibrated_lines(ranked: Ranked) -> list[Calibrated]:
    """Give the calibration of P(grade >= 3): of all, by language, by kind of source."""
    found: dict[tuple[str, str], list[GradedScores]] = {}
    for (dataset, lang), graded in ranked.graded.items():
        for key in (("all", ALL), ("language", lang), ("kind of source", kind_of(dataset))):
            found.setdefault(key, []).append(graded)
    order = ["all", "language", "kind of source"]
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1]))
    joined = {key: GradedScores.joined(found[key]) for key in keys}
    return [_calibrated(key, graded) for key, graded in joined.items() if graded.scores]


def _calibrated(key: tuple[str, str], graded: GradedScores) -> Calibrated:
    stated, true = graded.probabilities, graded.relevant.tolist()
    return Calibrated(
        by=key[0],
        group=key[1],
        n=len(true),
        base_rate=fmean(true),
        ece=ece(stated, true) or 0.0,
        interval=bootstrap_statistic(ece, stated, true, seed=SEED, questions=graded.questions),
    )


def left_out_lines(ranked: Ranked) -> list[LeftOut]:
    """Give, set by set, what a threshold does to it and to `dev` of all the others.

    Once with the threshold that has the best mean F1 over the others, once with that of the
    ranker. Sets on which either cannot be cut are left out.
    """
    found = []
    for dataset, graded in ranked.graded_sets().items():
        others = [of for name, of in ranked.dev.items() if name != dataset]
        ways = {"best F1 on dev of the others": best_threshold(others), "own": ranked.threshold}
        for chosen, threshold in ways.items():
            here = None if threshold is None else cutoff(graded, threshold)
            dev = None if threshold is None else mean_cutoff(others, threshold)
            if here is not None and dev is not None:
                found.append(
                    LeftOut(
                        dataset=dataset,
                        chosen=chosen,
                        trained=dataset not in NEVER_TRAINED,
                        here=here,
                        dev=dev,
                    )
                )
    ways = dict.fromkeys(line.chosen for line in sorted(found, key=lambda line: line.chosen))
    return [
        line for way in ways for line in _with_means([line for line in found if line.chosen == way])
    ]


def _with_means(lines: Sequence[LeftOut]) -> list[LeftOut]:
    """Add the mean of the sets that have a train split, and of those that are new to any ranker."""
    means = []
    for label, trained in ((MEAN_TRAINED, True), (MEAN_NEW, False)):
        of = [line for line in lines if line.trained == trained]
        if of:
            means.append(
                replace(
                    of[0],
                    dataset=label,
                    here=_mean([line.here for line in of]),
                    dev=_mean([line.dev for line in of]),
                )
            )
    return [*lines, *means]


def mean_cutoff(sets: Iterable[GradedScores], threshold: float) -> Cutoff | None:
    """Cut every set, and give the mean of what came of it; `None` where none can be cut."""
    cuts = [cut for one in sets if (cut := cutoff(one, threshold)) is not None]
    return _mean(cuts) if cuts else None


def _mean(cuts: Sequence[Cutoff]) -> Cutoff:
    return Cutoff(
        threshold=fmean(cut.threshold for cut in cuts),
        precision=fmean(cut.precision for cut in cuts),
        recall=fmean(cut.recall for cut in cuts),
        balanced=fmean(cut.balanced for cut in cuts),
    )
