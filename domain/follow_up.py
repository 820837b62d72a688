"""Follow-up queries for the second round: their wording, what admits them, their ids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .state import RunState, SubQuery
from .words import located_terms, stem, terms

MAX_CHARS = 400
"""Longest text of a new sub-query, in characters."""

LEAST_WEIGHT = 0.01
"""A weight of 0 would say that a query cannot lead anywhere; then it would not be asked."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A new query before it has an id; `parent` is the sub-query whose gap it is to fill."""

    parent: str
    text: str
    sources: list[str]
    weight: float
    rationale: str


def missing_parts(query: str, captions: Sequence[str]) -> str:
    """Name the parts of the query that no caption holds, as they are written in the query."""
    held = {stem(term) for caption in captions for term in terms(caption)}
    parts: list[tuple[int, int]] = []
    covered_to = 0
    for term, start, end in located_terms(query):
        if stem(term) in held:
            covered_to = max(covered_to, end)
        elif parts and start < parts[-1][1]:
            parts[-1] = (parts[-1][0], max(end, parts[-1][1]))
        elif end > covered_to:
            parts.append((max(start, covered_to), end))
    return ", ".join(dict.fromkeys(query[start:end] for start, end in parts))[:MAX_CHARS]


def with_name(query: str, name: str) -> str:
    """Append a name to the query; the query gives way where both are too long."""
    name = one_line(name)
    room = MAX_CHARS - len(name) - 1
    return f"{one_line(query)[:room]} {name}"


def one_line(text: str) -> str:
    """Collapse white space and cut at the longest text allowed."""
    return " ".join(text.split())[:MAX_CHARS]


def admitted(wanted: Iterable[FollowUp], state: RunState) -> list[FollowUp]:
    """Leave out repeats, keep the likeliest, and give them back in the order of their parents.

    A text that was asked before is admitted for sources that it did not go to.
    """
    routes = {route.sub_query: route.sources for route in state.get("routes", [])}
    asked = {(_key(q.text), name) for q in state["sub_queries"] for name in routes.get(q.id, [])}
    fresh: list[FollowUp] = []
    for follow_up in wanted:
        sources = [name for name in follow_up.sources if (_key(follow_up.text), name) not in asked]
        if _key(follow_up.text) and sources:
            asked.update((_key(follow_up.text), name) for name in sources)
            fresh.append(replace(follow_up, sources=sources))
    most = state["run"].max_sub_queries
    likeliest = sorted(range(len(fresh)), key=lambda i: -fresh[i].weight)[:most]
    return [fresh[i] for i in sorted(likeliest)]


def _key(text: str) -> str:
    """Compare texts by their terms; punctuation and case do not make a new query."""
    return " ".join(terms(text)) or one_line(text).lower()


def numbered(wanted: Sequence[FollowUp], before: Sequence[SubQuery]) -> list[SubQuery]:
    """Make sub-queries of round 2, with ids that go on from the last one."""
    last = max((int(query.id[1:]) for query in before), default=0)
    return [
        SubQuery(
            f"q{last + i}",
            follow_up.text,
            round=2,
            rationale=follow_up.rationale,
            parent=follow_up.parent,
            weight=min(max(follow_up.weight, LEAST_WEIGHT), 1.0),
        )
        for i, follow_up in enumerate(wanted, 1)
    ]
