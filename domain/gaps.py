"""What an answer does not cover, and where its sources disagree, in one sentence each."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from .conflict import Conflict, Statement, conflicts
from .markers import mark
from .numbers import numbers
from .result import Gap
from .sentences import sentences
from .state import SubQuery
from .support import Support
from .words import stem, terms

MAX_STATEMENTS = 300
"""Sentences compared for disagreement; pairs grow with its square."""

RELEVANT = 0.5
"""A statement and its title hold more than this share of a sub-query's terms to count for it."""

QUOTED_CHARS = 160


def gaps_of(
    before: Sequence[Gap], supports: Sequence[Support], statements: Sequence[Statement]
) -> list[Gap]:
    """Give failed sources as they were noted, then what was not found, then conflicts."""
    failed = [gap for gap in before if gap.reason == "source_failed"]
    missing = [_missing(support) for support in supports if support.extent != "answered"]
    return [*failed, *missing, *_conflicts(supports, statements)]


def after_reading(
    gaps: Sequence[Gap],
    sub_queries: Sequence[SubQuery],
    served: Collection[str],
) -> list[Gap]:
    """Soften `not_found` where a composed answer cites, checked, what a sub-query brought.

    `served` are the ids of the sub-queries whose passages are cited.
    """
    parents = {query.id: query.parent for query in sub_queries}
    reached = {*served, *(parents.get(served_id) for served_id in served)}
    texts = {query.id: query.text for query in sub_queries}
    return [
        replace(gap, reason="partly_found", text=_partly(texts[gap.sub_query], ""))
        if gap.reason == "not_found" and gap.sub_query in texts and gap.sub_query in reached
        else gap
        for gap in gaps
    ]


def statements_of(ref_id: int, text: str, *, context: str, dated: str) -> list[Statement]:
    """Give the sentences of one reference that state a number."""
    found = (span.of(text) for span in sentences(text))
    return [Statement(ref_id, s, context, dated) for s in found if numbers(s)]


def _missing(support: Support) -> Gap:
    query = support.sub_query
    if support.extent == "not_found":
        return Gap(query.id, f"Nothing in the sources answers: {query.text}", "not_found")
    return Gap(query.id, _partly(query.text, support.missing), "partly_found")


def _partly(query: str, missing: str) -> str:
    tail = f" (missing: {missing})" if missing else ""
    return f"Found only in part: {query}{tail}"


def _conflicts(supports: Sequence[Support], statements: Sequence[Statement]) -> list[Gap]:
    """Name each disagreement once, at the first sub-query that it is relevant to."""
    gaps: dict[frozenset[int], Gap] = {}
    for support in (s for s in supports if s.extent != "not_found"):
        wanted = frozenset(map(stem, terms(support.sub_query.text)))
        relevant = [s for s in statements if _relevant(s, wanted)][:MAX_STATEMENTS]
        for conflict in conflicts(relevant):
            pair = frozenset([conflict.first.ref_id, conflict.second.ref_id])
            gaps.setdefault(pair, _conflict(support.sub_query.id, conflict))
    return list(gaps.values())


def _relevant(statement: Statement, wanted: frozenset[str]) -> bool:
    own = wanted.intersection(map(stem, terms(statement.text)))
    near = wanted.intersection(map(stem, terms(statement.context)))
    return bool(own) and len(own | near) > RELEVANT * len(wanted)


def _conflict(sub_query: str, conflict: Conflict) -> Gap:
    said = "; ".join(f"{mark(s.ref_id)} says {_short(s.text)}" for s in _both(conflict))
    text = f"The sources disagree: {said}."
    newer = next((s for s in _both(conflict) if s.ref_id == conflict.newer), None)
    if newer is not None:
        text += f" {mark(newer.ref_id)} is newer ({newer.dated})."
    return Gap(sub_query, text, "conflict")


def _both(conflict: Conflict) -> tuple[Statement, Statement]:
    return conflict.first, conflict.second


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"“{flat}”" if len(flat) <= QUOTED_CHARS else f"“{flat[:QUOTED_CHARS].rstrip()}…”"
