"""Whose turn it is: the order in which passages ask for a place in the content."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from .passage import source_of

T = TypeVar("T")

TURN_MARGIN = 0.75
"""A source gets its turn while its next passage scores at most this much, on [0, 4], below the
best that the sub-query has left. A wider margin gives weak sources more of the budget; 4 would be
plain round robin."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One ranked passage of one sub-query, waiting for its turn.

    `value` in [0, 4] is what it is ordered by; `None` where no model scored it.
    """

    sub_query: str
    round: int
    passage: str
    value: float | None
    caption: list[int]
    score: float | None = None
    grade: float | None = None


def round_robin(queues: Iterable[Sequence[T]]) -> Iterator[T]:
    """Take the first of each queue, then the second of each, until all are empty."""
    missing = object()
    for row in zip_longest(*queues, fillvalue=missing):
        yield from (item for item in row if item is not missing)  # type: ignore[misc]


def in_turn(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Order candidates: round robin over rounds, then sub-queries, then sources.

    `candidates` are best first within each sub-query and come in the order of the sub-queries.
    """
    rounds: dict[int, dict[str, list[Candidate]]] = {}
    for candidate in candidates:
        queries = rounds.setdefault(candidate.round, {})
        queries.setdefault(candidate.sub_query, []).append(candidate)
    return list(
        round_robin(
            list(round_robin([_over_sources(queue) for queue in queries.values()]))
            for _, queries in sorted(rounds.items())
        )
    )


def _over_sources(queue: Sequence[Candidate]) -> list[Candidate]:
    """Alternate over the sources that still hold something comparable to the best left."""
    waiting: dict[str, list[Candidate]] = {}
    for candidate in queue:
        waiting.setdefault(source_of(candidate.passage), []).append(candidate)
    ordered: list[Candidate] = []
    while waiting:
        best = max(_value(left[0]) for left in waiting.values())
        for source in list(waiting):
            if _value(waiting[source][0]) >= best - TURN_MARGIN:
                ordered.append(waiting[source].pop(0))
                if not waiting[source]:
                    del waiting[source]
    return ordered


def _value(candidate: Candidate) -> float:
    return 0.0 if candidate.value is None else candidate.value
