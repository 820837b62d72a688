"""Scores, each with the interval it lives in."""

from dataclasses import dataclass
from typing import ClassVar

from .errors import ScoreRangeError


@dataclass(frozen=True, slots=True, order=True)
class _Bounded:
    """A number that refuses to leave its interval; NaN is refused as well."""

    MIN: ClassVar[float] = 0.0
    MAX: ClassVar[float] = 1.0

    value: float

    def __post_init__(self) -> None:
        if not self.MIN <= self.value <= self.MAX:
            raise ScoreRangeError(self.value, low=self.MIN, high=self.MAX)


@dataclass(frozen=True, slots=True, order=True)
class RankerScore(_Bounded):
    """Relevance of one passage to one query by the semantic ranker (L2), in [0, 4].

    0 is unrelated, 2 on topic without answering, 4 answers on its own. The scale is absolute,
    so scores from different sources and sub-queries compare. A hit nobody scored has `None`.
    """

    MAX: ClassVar[float] = 4.0


@dataclass(frozen=True, slots=True, order=True)
class Grade(_Bounded):
    """Relevance of one passage to one query by the semantic classifier (L3), in [0, 4]."""

    MAX: ClassVar[float] = 4.0


@dataclass(frozen=True, slots=True, order=True)
class Probability(_Bounded):
    """A probability, in [0, 1]."""
