"""How good a plan is, against a reference decomposition; by terms, with no model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ...domain.entities import names
from ...domain.words import stem, terms

COVERED = 0.5
"""Share of a part's terms that one sub-query must hold to cover it."""

SAME = 0.8
"""Jaccard similarity of terms from which two sub-queries count as one asked twice."""

_BACK = re.compile(r"#\d+")
"""A reference to the answer of an earlier part, which no planner can know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanQuality:
    """One plan against its reference."""

    sub_queries: int
    parts: int
    covered: float | None
    """Share of the parts that have at least half of their terms in one sub-query, in [0, 1];
    `None` where the reference has no part with terms."""
    duplicates: int
    """Sub-queries that repeat an earlier one."""
    lost: list[str]
    """Numbers and names of the question that no sub-query has."""
    kept: float | None
    """Share of the numbers and names that some sub-query has; `None` where there are none."""


def quality(question: str, parts: Sequence[str], planned: Sequence[str]) -> PlanQuality:
    """Compare a plan with the parts that a person divided the question into.

    Origin: own definition; term overlap as in recall-oriented summary evaluation (Lin 2004,
    "ROUGE"), on index terms cut down to their stems.
    """
    held = [_stems(text) for text in planned]
    wanted = [stems for part in parts if (stems := _stems(_BACK.sub(" ", part)))]
    covered = [max((len(w & h) / len(w) for h in held), default=0.0) >= COVERED for w in wanted]
    details = _details(question)
    everything = set().union(*held)
    lost = [detail for detail in details if not _stems(detail) <= everything]
    return PlanQuality(
        sub_queries=len(planned),
        parts=len(parts),
        covered=sum(covered) / len(covered) if covered else None,
        duplicates=_duplicates(held),
        lost=lost,
        kept=1 - len(lost) / len(details) if details else None,
    )


def _stems(text: str) -> set[str]:
    return {stem(term) for term in terms(text)}


def _details(question: str) -> list[str]:
    """Give the numbers and names of the question, each once: what a search must not lose."""
    numbers = [term for term in terms(question) if any(c.isdigit() for c in term)]
    return [
        d for d in dict.fromkeys([*numbers, *(name.text for name in names(question))]) if _stems(d)
    ]


def _duplicates(held: Sequence[set[str]]) -> int:
    again = {
        later
        for (_, first), (later, second) in combinations(enumerate(held), 2)
        if first and second and len(first & second) / len(first | second) >= SAME
    }
    return len(again)
