"""Lexical evidence: how much of a query's words a passage holds, with weights from elsewhere.

A keyword index weighs a term by how few of its own passages hold it, so that its scores compare
within one index only. Here the weights come from a fixed background, `fitted/term_weights.json`:
the same query and passage give the same numbers in every source and beside any other candidates.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import pairwise
from typing import Self

from ...domain.errors import ConfigurationError
from ...domain.language import language_hint
from ...domain.ports import Scorable
from ...domain.words import terms
from ..logistic import numbers, read_fitted

TERM_WEIGHTS_FILE = "term_weights.json"

K1, B = 1.2, 0.4
"""Saturation and length normalisation of BM25 (Robertson and Zaragoza 2009, "The Probabilistic
Relevance Framework: BM25 and Beyond", section 3.2). `B` is below the usual 0.75: passages are cut
to size already. On `dev` no other pair was better by more than chance."""

NEAR = 24
"""Terms in the window of `together`: about two sentences."""

MAX_CHARS = 64_000
"""Of a text that are read; a passage is far shorter."""


@dataclass(frozen=True, slots=True)
class TermWeights:
    """What each term tells, above 0; one that is not listed is rare and tells most."""

    weights: Mapping[str, float]
    unknown: float
    mean_terms: float
    """Terms of a passage, on average; the length that BM25 leaves as it is."""

    def __call__(self, term: str) -> float:
        return self.weights.get(term, self.unknown)


@dataclass(frozen=True, slots=True)
class LexicalEvidence:
    """What a passage holds of a query's words. All are in [0, 1], and 0 without common words."""

    lexical: float
    """BM25 with background weights, over what a passage full of the query would get."""
    title_lexical: float
    """Share of the query's weight in title or heading."""
    covered: float
    """Share of the query's weight anywhere in title, heading or text."""
    rare_covered: float
    """The same with squared weights: a rare name counts more than three usual words."""
    together: float
    """Largest share of the query's weight within `NEAR` terms of the text."""
    phrases: float
    """Share of the query's neighbouring terms, by weight, that are neighbours here as well."""
    foreign: float
    """1 where the languages differ, so that few words can agree; else 0."""


LEXICAL_FEATURES = tuple(field.name for field in fields(LexicalEvidence))


@dataclass(frozen=True, slots=True)
class QueryTerms:
    """A query as its words: made once, looked for in every passage."""

    weights: Mapping[str, float]
    """Distinct terms in order, each with its weight."""
    pairs: frozenset[tuple[str, str]]
    """Neighbouring terms."""
    language: str | None

    @classmethod
    def of(cls, query: str, background: TermWeights) -> Self:
        """Read a query."""
        found = terms(query)
        return cls(
            {term: background(term) for term in dict.fromkeys(found)},
            frozenset(pairwise(found)),
            language_hint(query),
        )

    def share(self, held: Iterable[str], power: int = 1) -> float:
        """Give the share, in [0, 1], that distinct terms have of the query's weights to `power`."""
        total = math.fsum(weight**power for weight in self.weights.values())
        mine = math.fsum(self.weights[term] ** power for term in held)
        return min(1.0, mine / total) if total else 0.0


def lexical_evidence(query: str, passage: Scorable) -> LexicalEvidence:
    """Look for the words of a query in a passage, by the background weights of this package.

    It depends on the two texts alone. Of the text the first `MAX_CHARS` are read; the terms of a
    passage are kept, so that whoever cuts captions from it does not read it again.

    Raises:
        ConfigurationError: the file of weights is missing or damaged.
    """
    return evidence_of(_asked(query), passage, background_weights())


def evidence_of(asked: QueryTerms, passage: Scorable, background: TermWeights) -> LexicalEvidence:
    """Look for the words of a query that was read before."""
    above, body = terms(f"{passage.title}\n{passage.heading}"), terms(passage.text[:MAX_CHARS])
    places = [(place, term) for place, term in enumerate(body) if term in asked.weights]
    titled = Counter(term for term in above if term in asked.weights)
    counts = titled + Counter(term for _, term in places)
    return LexicalEvidence(
        lexical=_saturated(asked, counts, len(body) / background.mean_terms),
        title_lexical=asked.share(titled),
        covered=asked.share(counts),
        rare_covered=asked.share(counts, power=2),
        together=_together(asked, places),
        phrases=_phrases(asked, (above, body)),
        foreign=float(_differ(asked.language, passage.language)),
    )


def features_of(evidence: LexicalEvidence) -> dict[str, float]:
    """Give the evidence by name, in the order of `LEXICAL_FEATURES`."""
    return asdict(evidence)


@lru_cache(maxsize=1)
def background_weights() -> TermWeights:
    """Read the background weights of this package, once. Raises ConfigurationError."""
    return read_term_weights(read_fitted(TERM_WEIGHTS_FILE))


def read_term_weights(fitted: Mapping[str, object]) -> TermWeights:
    """Read term weights from a file's object.

    Raises:
        ConfigurationError: a weight is no number above 0, or something is missing.
    """
    single = [*numbers(fitted, "unknown"), *numbers(fitted, "mean_terms")]
    if len(single) != 2:
        raise _damaged("'unknown' or 'mean_terms' is no single number")
    unknown, mean_terms = single
    lists = fitted.get("weights")
    if not isinstance(lists, dict) or not lists:
        raise _damaged("it lists no terms")
    try:
        held = {term: float(w) for w, joined in lists.items() for term in joined.split()}
    except (ValueError, AttributeError) as error:
        raise _damaged("its weights are no lists of terms by weight") from error
    if not all(0.0 < weight < math.inf for weight in (unknown, mean_terms, *held.values())):
        raise _damaged("not every weight is above 0")
    return TermWeights(held, unknown, mean_terms)


@lru_cache(maxsize=64)
def _asked(query: str) -> QueryTerms:
    """Read a query once for all its passages."""
    return QueryTerms.of(query, background_weights())


def _saturated(asked: QueryTerms, counts: Mapping[str, int], length: float) -> float:
    """BM25 over its limit; `length` is the passage's, 1 where it is the usual one."""
    total = math.fsum(asked.weights.values())
    norm = K1 * (1.0 - B + B * length)
    mine = math.fsum(asked.weights[term] * n / (n + norm) for term, n in counts.items())
    return min(1.0, mine / total) if total else 0.0


def _together(asked: QueryTerms, places: Sequence[tuple[int, str]]) -> float:
    """The best window of `NEAR` terms; `places` are those of the query's terms, ascending."""
    inside: Counter[str] = Counter()
    best, first = 0.0, 0
    for place, term in places:
        inside[term] += 1
        while places[first][0] <= place - NEAR:
            gone = places[first][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            first += 1
        best = max(best, asked.share(inside))
    return best


def _phrases(asked: QueryTerms, texts: Iterable[Sequence[str]]) -> float:
    """The share of the query's neighbours that stand side by side, a pair weighing its terms."""
    if not asked.pairs:
        return 0.0
    held = {pair for text in texts for pair in pairwise(text) if pair in asked.pairs}
    weight = {(a, b): asked.weights[a] + asked.weights[b] for a, b in sorted(asked.pairs)}
    return min(1.0, math.fsum(weight[pair] for pair in held) / math.fsum(weight.values()))


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _damaged(cause: str) -> ConfigurationError:
    return ConfigurationError(
        f"The term weights of this package are damaged: {cause}.",
        fix="Reinstall headwater, or make them again with headwater.models.training.term_weights.",
    )
