"""How well the content of a run supports each sub-query: answered, in part, or not at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .caption import TermWeights, query_weights
from .extract import Excerpt, Quote, quotes
from .language import comparable
from .passage import passage_key
from .result import Reference
from .state import Judgement, Ranking, Reflection, SubQuery
from .words import stem, terms

EVIDENCE = 1.1
"""Twice a passage's score plus a quote's coverage, from which the quote is evidence.

Lower answers more questions, higher abstains more often where nothing answers; chosen on dev.
`benchmarks/answers.py` measures both.
"""

WITHOUT_VALUE = 1.9
"""The same for a quote without the value that the sub-query asks for, such as a date."""

LEAST_SCORE = 0.2
"""Passage score in [0, 1] below which nothing is evidence, whatever its words."""

PART_COVERAGE = 0.4
"""Joint coverage of the quotes below which a sub-query counts as answered only in part."""

QUOTES = 3
"""Sentences per sub-query at most."""

Extent = Literal["answered", "partly_found", "not_found"]


@dataclass(frozen=True, slots=True)
class Support:
    """The quotes for one sub-query of round 1, in reading order, and how far they answer it.

    `missing` is a phrase; empty where nothing is, or nobody can tell what.
    """

    sub_query: SubQuery
    extent: Extent
    quotes: list[Quote]
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """The references of a run with their texts, and what the steps concluded about them.

    `texts[i]` is the text of `references[i]`, `contexts[i]` its title and headings.
    """

    references: Sequence[Reference]
    texts: Sequence[str]
    contexts: Sequence[str]
    rankings: Sequence[Ranking] = ()
    judgements: Sequence[Judgement] = ()
    reflections: Sequence[Reflection] = ()

    def supports(self, sub_queries: Sequence[SubQuery]) -> list[Support]:
        """Judge every sub-query of round 1; what its follow-ups found counts for it."""
        weights = TermWeights(
            f"{context} {text}" for context, text in zip(self.contexts, self.texts, strict=True)
        )
        return [
            self._support(query, [q for q in sub_queries if q.parent == query.id], weights)
            for query in sub_queries
            if query.round == 1
        ]

    def _support(
        self, query: SubQuery, follow_ups: Sequence[SubQuery], weights: TermWeights
    ) -> Support:
        family = {query.id, *(follow_up.id for follow_up in follow_ups)}
        excerpts = self._excerpts(family)
        settled = self._settled(query)
        found = quotes(query.text, excerpts, weights, top=QUOTES)
        chosen = _evidence(found, excerpts, settled=settled)
        for follow_up in follow_ups:
            found = quotes(follow_up.text, self._excerpts({follow_up.id}), weights, top=1)
            chosen = _with_new(chosen, _evidence(found, excerpts, settled=settled))
        if not chosen:
            return Support(query, "not_found", [])
        ordered = sorted(chosen, key=lambda q: (q.ref_id, q.span.start))
        missing = self._missing(query, excerpts)
        whole = settled or (not missing and self._covered(query, chosen, weights))
        return Support(query, "answered" if whole else "partly_found", ordered, missing)

    def _excerpts(self, family: set[str]) -> list[Excerpt]:
        """The references of these sub-queries, also those kept for another one."""
        scores = self._scores(family)
        rows = zip(self.references, self.texts, self.contexts, strict=True)
        return [
            Excerpt(ref.ref_id, text, context, scores.get(key, _own_score(ref)))
            for ref, text, context in rows
            if (key := passage_key(ref.source, ref.id)) in scores or ref.sub_query in family
        ]

    def _scores(self, family: set[str]) -> dict[str, float | None]:
        """Give each passage its best score in the family, in [0, 1]: ranker and grade averaged."""
        grades = {
            (judged.sub_query, key): grade
            for judged in self.judgements
            for key, grade in zip(judged.passages, judged.grades, strict=True)
        }
        best: dict[str, float | None] = {}
        for ranking in self.rankings:
            if ranking.sub_query in family:
                for key, score in zip(ranking.passages, ranking.scores, strict=True):
                    value = _mean(score, grades.get((ranking.sub_query, key)))
                    known = [v for v in (value, best.get(key)) if v is not None]
                    best[key] = max(known, default=None)
        return best

    def _settled(self, query: SubQuery) -> bool:
        """Tell whether classify or reflect was satisfied."""
        return any(
            j.sub_query == query.id and j.decision == "exit" and j.probability is not None
            for j in self.judgements
        ) or any(r.sub_query == query.id and r.satisfied for r in self.reflections)

    def _missing(self, query: SubQuery, excerpts: Sequence[Excerpt]) -> str:
        """What reflection missed, unless the second round brought all its words."""
        phrase = next((r.missing for r in self.reflections if r.sub_query == query.id), "")
        held = {stem(t) for e in excerpts for t in terms(f"{e.context} {e.text}")}
        return phrase if any(stem(term) not in held for term in terms(phrase)) else ""

    def _covered(self, query: SubQuery, chosen: Sequence[Quote], weights: TermWeights) -> bool:
        """Tell whether the quotes together hold enough of the query's words.

        Words tell little across languages; there the passage's score has decided already.
        """
        contexts = {r.ref_id: c for r, c in zip(self.references, self.contexts, strict=True)}
        if not all(comparable(query.text, quote.text) for quote in chosen):
            return True
        held = {stem(t) for quote in chosen for t in terms(contexts[quote.ref_id])}
        held = held.union(*(quote.stems for quote in chosen))
        wanted = query_weights(query.text, weights)
        total = sum(wanted.values())
        return sum(w for term, w in wanted.items() if term in held) >= PART_COVERAGE * total


def _evidence(found: Sequence[Quote], excerpts: Sequence[Excerpt], *, settled: bool) -> list[Quote]:
    """Leave out quotes that neither words nor scores call relevant."""
    scores = {excerpt.ref_id: excerpt.score for excerpt in excerpts}
    return [q for q in found if _is_evidence(q, scores[q.ref_id], settled=settled)]


def _is_evidence(quote: Quote, score: float | None, *, settled: bool) -> bool:
    if score is None:
        return quote.coverage >= PART_COVERAGE
    least = EVIDENCE if quote.fits or settled else WITHOUT_VALUE
    return score >= LEAST_SCORE and 2 * score + quote.coverage >= least


def _with_new(chosen: list[Quote], found: list[Quote]) -> list[Quote]:
    """Make room for a quote of a follow-up: the last one of a full list gives way."""
    places = {(quote.ref_id, quote.span) for quote in chosen}
    new = [quote for quote in found if (quote.ref_id, quote.span) not in places]
    return [*chosen[: QUOTES - len(new)], *new]


def _own_score(reference: Reference) -> float | None:
    return _mean(reference.scores.ranker, reference.scores.classifier)


def _mean(ranker: float | None, grade: float | None) -> float | None:
    known = [score for score in (ranker, grade) if score is not None]
    return sum(known) / len(known) / 4 if known else None
