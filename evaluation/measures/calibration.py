"""Whether a probability means what it says: ECE, Brier, AUROC, reliability."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...domain.errors import ScoreRangeError

Floats = NDArray[np.float64]
Numbers = Sequence[float] | Floats

BINS = 10


@dataclass(frozen=True, slots=True)
class Observation:
    """One stated probability, in [0, 1], of one group, and whether it came true."""

    probability: float
    outcome: bool
    group: str = ""


@dataclass(frozen=True, slots=True)
class Bin:
    """Observations whose probability lies in (low, high]; the first bin holds 0 as well."""

    low: float
    high: float
    n: int
    mean_probability: float | None
    """`None` for an empty bin."""
    share: float | None
    """Share that came true."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reliability:
    """How well the probabilities of one group are calibrated."""

    group: str
    n: int
    ece: float
    brier: float
    auroc: float | None
    """`None` where all came true or none did."""
    base_rate: float
    """Share that came true."""
    bins: list[Bin]


def ece(probabilities: Numbers, outcomes: Numbers, bins: int = BINS) -> float | None:
    """Give the expected calibration error, in [0, 1]; 0 is calibrated. `None` without values.

    The mean over observations of |share that came true - mean probability| of their bin, with
    bins of equal width. Source: Guo et al. 2017, "On Calibration of Modern Neural Networks",
    arXiv:1706.04599, equation 3.
    """
    p, y = _checked(probabilities, outcomes)
    if not len(p):
        return None
    off = np.bincount(_bin_of(p, bins), weights=y - p, minlength=bins)
    return float(np.abs(off).sum() / len(p))


def brier(probabilities: Numbers, outcomes: Numbers) -> float | None:
    """Give the mean squared distance of probability and outcome, in [0, 1]; 0 is best.

    `None` without values. Source: Brier 1950, "Verification of forecasts expressed in terms of
    probability", for two classes, in the half form in use today.
    """
    p, y = _checked(probabilities, outcomes)
    return float(((p - y) ** 2).mean()) if len(p) else None


def auroc(probabilities: Numbers, outcomes: Numbers) -> float | None:
    """Give the chance that a true one has a higher probability than a false one, in [0, 1].

    Ties count half; 0.5 is chance. It is the Mann-Whitney U over the number of pairs. `None`
    where all came true or none did. Source: Hanley and McNeil 1982, "The meaning and use of the
    area under a receiver operating characteristic (ROC) curve".
    """
    p, y = _checked(probabilities, outcomes)
    _, place, counts = np.unique(p, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[place]
    true = y == 1.0
    positive, negative = int(true.sum()), int((~true).sum())
    if not positive or not negative:
        return None
    u = float(ranks[true].sum()) - positive * (positive + 1) / 2.0
    return u / (positive * negative)


def reliability_of(observations: Iterable[Observation], *, bins: int = BINS) -> list[Reliability]:
    """Describe the calibration of each group, groups in alphabetical order."""
    groups: dict[str, list[Observation]] = defaultdict(list)
    for observation in observations:
        groups[observation.group].append(observation)
    return [_reliability(name, groups[name], bins) for name in sorted(groups)]


def _reliability(group: str, observations: list[Observation], bins: int) -> Reliability:
    p, y = _checked([o.probability for o in observations], [float(o.outcome) for o in observations])
    return Reliability(
        group=group,
        n=len(p),
        ece=ece(p, y, bins) or 0.0,
        brier=brier(p, y) or 0.0,
        auroc=auroc(p, y),
        base_rate=float(y.mean()),
        bins=_bins(p, y, bins),
    )


def _bins(p: Floats, y: Floats, bins: int) -> list[Bin]:
    place = _bin_of(p, bins)
    counts = np.bincount(place, minlength=bins)
    stated = np.bincount(place, weights=p, minlength=bins)
    true = np.bincount(place, weights=y, minlength=bins)
    return [
        Bin(
            low=i / bins,
            high=(i + 1) / bins,
            n=int(counts[i]),
            mean_probability=float(stated[i] / counts[i]) if counts[i] else None,
            share=float(true[i] / counts[i]) if counts[i] else None,
        )
        for i in range(bins)
    ]


def _bin_of(p: Floats, bins: int) -> NDArray[np.int64]:
    edges = np.linspace(0.0, 1.0, bins + 1)
    return np.clip(np.searchsorted(edges, p, side="left") - 1, 0, bins - 1)


def _checked(probabilities: Numbers, outcomes: Numbers) -> tuple[Floats, Floats]:
    """Give both as arrays of one length; NaN and what is outside [0, 1] is refused."""
    pairs = np.column_stack([np.asarray(probabilities, float), np.asarray(outcomes, float)])
    p, y = pairs[:, 0], pairs[:, 1]
    for value in p[~((p >= 0.0) & (p <= 1.0))]:
        raise ScoreRangeError(float(value), low=0.0, high=1.0)
    return p, y
