"""Values that plots are drawn from; nothing here knows how they were computed."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...statistics import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its interval, over `n` cases."""

    mean: float
    ends: Interval | None
    """`None` where there are too few cases for one."""
    n: int


def reaches(estimates: Sequence[Estimate]) -> list[list[float]]:
    """Give how far each interval reaches below its mean, and above; 0 where it does not, or is not.

    A bootstrapped interval need not hold the mean of a very skewed sample.
    """
    known = [(e.mean, e.ends or Interval(e.mean, e.mean)) for e in estimates]
    return [
        [max(0.0, mean - ends.low) for mean, ends in known],
        [max(0.0, ends.high - mean) for mean, ends in known],
    ]


@dataclass(frozen=True, slots=True)
class Curve:
    """A named series of (x, estimate), x rising."""

    name: str
    points: list[tuple[float, Estimate]]


@dataclass(frozen=True, slots=True)
class Effect:
    """The difference that one setting makes on one set of questions."""

    label: str
    setting: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Bin:
    """Cases whose forecast fell into one bin: mean forecast, share that came true, how many."""

    forecast: float
    observed: float
    n: int
