"""From features of a query and a passage to a score in [0, 4] and P(grade >= 3).

One linear sum of few features orders the passages; two monotone maps, fitted on graded pairs, say
what the sum means. Origin of the second step: isotonic calibration, Zadrozny and Elkan 2002,
"Transforming classifier scores into accurate multiclass probability estimates". All of it is data:
a file `scores.json` beside the weights that it belongs to.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NoReturn

from ...domain.errors import ConfigurationError, ModelOutputError
from ...domain.ports import Scorable
from ..logistic import GRADES, numbers
from .evidence import LEXICAL_FEATURES, features_of, lexical_evidence

SCORES_FILE = "scores.json"

FEATURES = ("logit", "similarity", *LEXICAL_FEATURES)
"""All that may be combined: the cross-encoder's logit of the best window, the cosine of query and
passage by the embedder, lexical evidence. None depends on a source or on other candidates."""

BINS = 20
"""Bins of equal width over [0, 4] in a histogram of scores."""

DRIFT_ALARM = 0.4
"""From this `drift` on, scores are further from those of the calibration than any single data set
of it is: what they mean there was never checked."""

_LIMIT = 1e6
"""Largest magnitude of a feature, a coefficient and a knot, so that no sum overflows. A larger
feature is cut; a larger number in a file is an error."""

Features = Mapping[str, float | None]
"""Feature values by name; `None` where one is not known."""


@dataclass(frozen=True, slots=True)
class MonotoneMap:
    """A piecewise linear function through points (x, y), flat outside; it never falls."""

    x: tuple[float, ...]
    """At least two, ascending strictly."""
    y: tuple[float, ...]
    """As many, not descending."""

    def __call__(self, value: float) -> float:
        """Map a number; infinities too."""
        place = bisect_right(self.x, value)
        if place == 0:
            return self.y[0]
        if place == len(self.x):
            return self.y[-1]
        x, low, high = self.x, self.y[place - 1], self.y[place]
        part = (value - x[place - 1]) / (x[place] - x[place - 1])
        return min(high, low + (high - low) * part)


@dataclass(frozen=True, slots=True)
class Scored:
    """What a passage is worth for a query."""

    score: float
    """In [0, 4]: the grade that passages with this evidence have on average."""
    likely: float
    """P(grade >= 3), in [0, 1]: that it answers, or gives a part of the answer."""


NOTHING = Scored(0.0, 0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """The fitted combination. Equal features give equal scores, whatever stands beside them."""

    features: tuple[str, ...]
    coefficients: tuple[float, ...]
    intercept: float
    grade: MonotoneMap
    """From the linear sum to the score, in [0, 4]."""
    chance: MonotoneMap
    """From the linear sum to P(grade >= 3)."""
    threshold: float
    """Score below which a passage is dropped, in [0, 4]."""
    histogram: tuple[float, ...]
    """Shares of the retrieved passages of the calibration data, by score in `BINS` bins."""

    def raw(self, features: Features) -> float:
        """Give the linear sum, finite and unitless; it only orders.

        Raises:
            ModelOutputError: a feature is no number, or is missing.
        """
        named = zip(self.features, self.coefficients, strict=True)
        return self.intercept + math.fsum(c * self._value(name, features) for name, c in named)

    def scored(self, features: Features) -> Scored:
        """Give score and probability. Raises ModelOutputError."""
        raw = self.raw(features)
        return Scored(self.grade(raw), self.chance(raw))

    def as_data(self) -> dict[str, object]:
        """Give the object that `read_combination` reads."""
        return {
            "features": list(self.features),
            "coefficients": list(self.coefficients),
            "intercept": self.intercept,
            "knots": {"x": list(self.grade.x), "y": list(self.grade.y)},
            "probability_knots": {"x": list(self.chance.x), "y": list(self.chance.y)},
            "threshold": self.threshold,
            "histogram": list(self.histogram),
        }

    def _value(self, name: str, features: Features) -> float:
        value = features.get(name)
        if value is None:
            raise ModelOutputError("ranker", f"the feature {name!r} is missing.")
        if math.isnan(value):
            raise ModelOutputError("ranker", f"the feature {name!r} is no number.")
        return max(-_LIMIT, min(_LIMIT, value))


def scores_of(
    combination: Combination,
    query: str,
    passages: Sequence[Scorable],
    *,
    logits: Sequence[float | None],
    similarities: Sequence[float | None],
) -> list[Scored]:
    """Score each passage alone; `logits` and `similarities` are parallel to the passages.

    Empty text is worth nothing, whatever a model says of it.

    Raises:
        ModelOutputError: a logit or a similarity is no number, or a needed one is missing.
        ConfigurationError: the file of term weights is missing or damaged.
    """
    found: list[Scored] = []
    for passage, logit, similarity in zip(passages, logits, similarities, strict=True):
        if not passage.text.strip():
            found.append(NOTHING)
            continue
        lexical = features_of(lexical_evidence(query, passage))
        found.append(combination.scored({**lexical, "logit": logit, "similarity": similarity}))
    return found


def read_combination(data: Mapping[str, object]) -> Combination:
    """Read a combination from the object of a `scores.json`.

    Raises:
        ConfigurationError: something is missing, out of range, or not a feature that is known.
    """
    names = data.get("features")
    if not isinstance(names, list) or not names or len(set(map(str, names))) < len(names):
        _refuse("'features' is no list of different names")
    features = tuple(str(name) for name in names)
    coefficients = _finite(data, "coefficients")
    _known(features)
    if len(coefficients) != len(features):
        _refuse("it has not one coefficient for each feature")
    return Combination(
        features=features,
        coefficients=coefficients,
        intercept=_one(data, "intercept"),
        grade=_read_map(data, "knots", high=float(GRADES)),
        chance=_read_map(data, "probability_knots", high=1.0),
        threshold=_within("threshold", _one(data, "threshold"), high=float(GRADES)),
        histogram=_read_histogram(data),
    )


def histogram_of(scores: Iterable[float]) -> tuple[float, ...]:
    """Give the share of the scores, in [0, 4], in each of `BINS` bins; no scores give zeros."""
    counts = [0] * BINS
    for score in scores:
        counts[min(BINS - 1, int(score * BINS / GRADES))] += 1
    total = sum(counts)
    return tuple(count / total if total else 0.0 for count in counts)


def drift(histogram: Sequence[float], scores: Sequence[float]) -> float | None:
    """Tell how far scores in [0, 4] lie from a histogram: 0 alike, 1 nothing in common.

    The Jensen-Shannon divergence in bits (Lin 1991, "Divergence measures based on the Shannon
    entropy"). `None` without scores. Few scores look different by chance: of n scores it is on
    average about `BINS` / 6n.
    """
    if not scores:
        return None
    found = histogram_of(scores)
    middle = [(a + b) / 2.0 for a, b in zip(histogram, found, strict=True)]
    apart = (_bits(histogram, middle) + _bits(found, middle)) / 2.0
    return min(1.0, max(0.0, apart))


def _bits(shares: Sequence[float], others: Sequence[float]) -> float:
    """The Kullback-Leibler divergence in bits; `others` is above 0 wherever `shares` is."""
    return math.fsum(a * math.log2(a / b) for a, b in zip(shares, others, strict=True) if a > 0.0)


def _known(names: Iterable[object]) -> None:
    for name in names:
        if name not in FEATURES:
            _refuse(f"the feature {name!r} is not known")


def _read_map(data: Mapping[str, object], key: str, *, high: float) -> MonotoneMap:
    knots = data.get(key)
    if not isinstance(knots, Mapping):
        _refuse(f"{key!r} is no object")
    x, y = _finite(knots, "x"), _finite(knots, "y")
    if len(x) != len(y) or len(x) < 2:
        _refuse(f"{key!r} has not as many x as y, or fewer than two")
    if any(a >= b for a, b in pairwise(x)):
        _refuse(f"the x of {key!r} do not ascend")
    if any(a > b for a, b in pairwise(y)):
        _refuse(f"the y of {key!r} descend")
    for value in (y[0], y[-1]):
        _within(key, value, high=high)
    return MonotoneMap(x, y)


def _read_histogram(data: Mapping[str, object]) -> tuple[float, ...]:
    shares = _finite(data, "histogram")
    if len(shares) != BINS or min(shares) < 0.0 or abs(math.fsum(shares) - 1.0) > 1e-3:
        _refuse(f"'histogram' has not {BINS} shares that sum to 1")
    return shares


def _finite(data: Mapping[str, object], key: str) -> tuple[float, ...]:
    try:
        found = numbers(data, key)
    except ConfigurationError:
        _refuse(f"{key!r} is no list of finite numbers")
    if any(abs(value) > _LIMIT for value in found):
        _refuse(f"{key!r} holds a number beyond {_LIMIT:g}")
    return found


def _one(data: Mapping[str, object], key: str) -> float:
    found = _finite(data, key)
    if len(found) != 1:
        _refuse(f"{key!r} is no single number")
    return found[0]


def _within(key: str, value: float, *, high: float) -> float:
    if not 0.0 <= value <= high:
        _refuse(f"{key!r} leaves [0, {high:g}]")
    return value


def _refuse(cause: str) -> NoReturn:
    raise ConfigurationError(
        f"The {SCORES_FILE} of the ranker is damaged: {cause}.",
        fix="Get the ranker's folder again, or fit it with headwater.models.training.scores.",
    )
