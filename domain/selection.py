"""Choosing among sources before asking any of them, from their names and their statistics."""

import math
import operator
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from .caption import TermWeights
from .ports import SourceProfile, Vector
from .words import terms

DEFAULT_BELIEF = 0.4
"""CORI's belief in a source that lacks the term; Callan, Lu and Croft 1995."""
NEAREST = 5
"""Sampled passages whose cosines are averaged: one may be chance, many blur a small topic."""
SAMPLED = 64
"""Sampled passages looked at per source, drawn evenly from its sample; each costs about 30
microseconds a sub-query."""

WEIGHT_CORI = 2.0
WEIGHT_SAMPLE = 1.0
WEIGHT_WORDS = 0.25
WEIGHT_DESCRIPTION = 0.25
"""Share of each sign in a source's score. Chosen on the dev questions of three knowledge bases
by `python -m benchmarks.selection --tune`; without the words it is the best by 0.0007, but then a
source without statistics could not be told from another where there is no embedder."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A source as selection sees it. `described` is the vector of its name and description."""

    name: str
    description: str = ""
    profile: SourceProfile | None = None
    described: "Vector | None" = None

    @property
    def label(self) -> str:
        """Name, in words, and description, as one text."""
        words = self.name.replace("_", " ").replace("-", " ")
        return f"{words}: {self.description}" if self.description else words


@dataclass(frozen=True, slots=True)
class Weights:
    """How much each sign counts; 0 leaves it out."""

    cori: float = WEIGHT_CORI
    sample: float = WEIGHT_SAMPLE
    words: float = WEIGHT_WORDS
    description: float = WEIGHT_DESCRIPTION


@dataclass(frozen=True, slots=True)
class Query:
    """A sub-query as selection sees it; `vector` is `None` where there is no embedder."""

    text: str
    vector: "Vector | None" = None
    terms: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, text: str, vector: "Vector | None" = None) -> "Query":
        return cls(text, vector, list(dict.fromkeys(terms(text))))


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for each source, one list a sign, in the order of the candidates.

    Each sign is standardised over the sources that have it (mean 0, deviation 1), since only its
    differences between sources tell anything; a source without it gets the mean.
    """

    cori: list[float]
    sample: list[float]
    words: list[float]
    description: list[float]

    @classmethod
    def of(cls, query: Query, candidates: Sequence[Candidate]) -> "Signs":
        return cls(
            _standardised(cori(query.terms, [c.profile for c in candidates])),
            _standardised([_sample_match(query.vector, c.profile) for c in candidates]),
            _standardised(_word_match(query.terms, [c.label for c in candidates])),
            _standardised([_cosine(query.vector, c.described) for c in candidates]),
        )

    def order(self, weights: Weights) -> list[int]:
        """Give the places of the candidates by weighted sum, best first; ties in their order."""
        rows = zip(self.cori, self.sample, self.words, self.description, strict=True)
        totals = [
            weights.cori * c + weights.sample * s + weights.words * w + weights.description * d
            for c, s, w, d in rows
        ]
        return sorted(range(len(totals)), key=lambda place: (-round(totals[place], 9), place))


def by_promise(query: Query, candidates: Sequence[Candidate]) -> list[str]:
    """Give the names of all candidates, most promising first; ties in the order given."""
    order = Signs.of(query, candidates).order(Weights())
    return [candidates[place].name for place in order]


def within(ranked: Sequence[str], *, most: int, always: Sequence[str]) -> list[str]:
    """Keep the `most` best of `ranked`, in order, and never drop one of `always`.

    Those in `always` count towards `most`; only where they alone are more do they exceed it.
    """
    wanted = set(always)
    room = max(0, most - sum(name in wanted for name in ranked))
    chosen = wanted.union([name for name in ranked if name not in wanted][:room])
    return [name for name in ranked if name in chosen]


def cori(
    query_terms: Sequence[str], profiles: Sequence[SourceProfile | None]
) -> list[float | None]:
    """Give CORI's belief in [0.4, 1] that each source satisfies the query; `None` without profile.

    T = df / (df + 50 + 150 cw / mean cw), I = ln((C + 0.5) / cf) / ln(C + 1), belief of a term
    = 0.4 + 0.6 T I, of a query the mean over its terms; cw are the words of a source, cf the
    sources out of C that hold the term. A term that no source holds tells nothing and is left out.

    Origin: Callan, Lu and Croft 1995, "Searching distributed collections with inference networks".
    """
    known = [profile for profile in profiles if profile is not None]
    sizes = [profile.passages * profile.mean_words for profile in known]
    mean_size = statistics.fmean(sizes) if sizes else 0.0
    spread = {t: sum(t in profile.document_frequency for profile in known) for t in query_terms}
    told = [term for term in query_terms if spread[term]]
    rarity = {t: math.log((len(known) + 0.5) / spread[t]) / math.log(len(known) + 1) for t in told}

    def belief(profile: SourceProfile | None) -> float | None:
        if profile is None or not told:
            return None
        size = profile.passages * profile.mean_words / mean_size if mean_size else 1.0
        held = [(profile.document_frequency.get(term, 0), rarity[term]) for term in told]
        informed = statistics.fmean(df / (df + 50 + 150 * size) * idf for df, idf in held)
        return DEFAULT_BELIEF + (1 - DEFAULT_BELIEF) * informed

    return [belief(profile) for profile in profiles]


def _sample_match(vector: "Vector | None", profile: SourceProfile | None) -> float | None:
    """Mean of the best cosines to a source's sampled passages, in [-1, 1].

    Origin: like ReDDE (Si and Callan 2003) it judges a source by where its sample lands, but by
    closeness instead of estimated counts: a source of few fitting passages is worth asking.
    """
    if vector is None or profile is None or not profile.sample:
        return None
    step = math.ceil(len(profile.sample) / SAMPLED)
    cosines = sorted((_dot(vector, passage) for passage in profile.sample[::step]), reverse=True)
    return statistics.fmean(cosines[:NEAREST])


def _word_match(query_terms: Sequence[str], labels: Sequence[str]) -> list[float | None]:
    """Share of the query's term weight that each label holds; a term in few labels weighs more."""
    weights = TermWeights(labels)
    held = [set(terms(label)) for label in labels]
    return [sum(weights(term) for term in query_terms if term in own) for own in held]


def _cosine(left: "Vector | None", right: "Vector | None") -> float | None:
    return None if left is None or right is None else _dot(left, right)


def _dot(left: Vector, right: Vector) -> float:
    product: float = sum(map(operator.mul, left, right))
    return product


def _standardised(values: Sequence[float | None]) -> list[float]:
    """Bring values to mean 0 and deviation 1; 0 where there is none or all are equal."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    if len(known) < 2:
        return [0.0] * len(values)
    mean, deviation = statistics.fmean(known), statistics.pstdev(known)
    if deviation < 1e-12:
        return [0.0] * len(values)
    return [
        (value - mean) / deviation if value is not None and math.isfinite(value) else 0.0
        for value in values
    ]
