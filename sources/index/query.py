"""From any text to the few terms that are looked up; no query language, so nothing to inject."""

from collections.abc import Callable, Iterable

from ...domain.words import located_terms

MAX_QUERY = 2_000
"""Characters of the query that are read; what is beyond them rarely names the topic."""
MAX_TERMS = 64
"""Distinct terms whose document frequency is looked up."""
KEEP = 16
"""Terms that are searched, the rarest; each costs time. With 8, questions that tell a whole story
lose nearly half of what keywords find for them (`benchmarks/RESULTS.md`, Fusion)."""


def query_terms(text: str) -> list[str]:
    """Give the distinct index terms of the beginning of `text`, in order, at most MAX_TERMS."""
    distinct: dict[str, None] = {}
    for term, _, _ in located_terms(text[:MAX_QUERY]):
        distinct[term] = None
        if len(distinct) == MAX_TERMS:
            break
    return list(distinct)


def rarest(
    terms: Iterable[str], document_frequency: Callable[[str], int], *, keep: int = KEEP
) -> list[str]:
    """Give the `keep` terms that the fewest passages hold, rarest first; unknown ones drop out."""
    known = [(frequency, term) for term in terms if (frequency := document_frequency(term))]
    return [term for _, term in sorted(known)[:keep]]
