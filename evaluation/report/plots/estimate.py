"""Values that plots are drawn from; nothing here knows how they were computed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the ends of its interval, over `n` cases."""

    mean: float
    low: float
    high: float
    n: int


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
