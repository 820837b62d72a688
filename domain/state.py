"""The state of a run: plain, small, serialisable. Bodies of passages stay out of it.

Large lists are kept in columns (one value per sub-query and source, with parallel lists inside),
because a checkpoint stores the type's name with every object.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal, Required, TypeVar

from typing_extensions import TypedDict

from .activity import ActivityRecord
from .fate import Cut, FateLedger
from .request import Effort, Identity, Overrides, Run, Turn
from .result import Gap, Reference, Status

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SubQuery:
    """One focused query. `id` is `q1`, `q2`, …, unique in the run and never reused."""

    id: str
    text: str
    """Stands on its own: references to earlier turns are resolved."""
    round: int = 1
    rationale: str = ""
    complex: bool = False
    """Whether it shows signs of needing several passages at once (comparison, several hops)."""
    parent: str | None = None
    """In the second round: the sub-query whose gap this one is to fill."""
    weight: float = 1.0
    """In (0, 1]: how likely it is that this query leads to the answer; orders the second round."""


@dataclass(frozen=True, slots=True)
class Route:
    """The sources that one sub-query is sent to, most promising first."""

    sub_query: str
    sources: list[str]


@dataclass(frozen=True, slots=True)
class Found:
    """What one source found for one sub-query: passage ids, best first, in its own order.

    `similarities[i]` is the cosine of passage i to the sub-query, `None` where unknown. A source
    that failed leaves no `Found`.
    """

    sub_query: str
    source: str
    ids: list[str]
    similarities: list[float | None]
    denied: int = 0


@dataclass(frozen=True, slots=True)
class Ranking:
    """The passages of one sub-query that rank kept, over all its sources, best first.

    `scores[i]` is in [0, 4], or `None` where the ranker failed. `captions[i]` is [start, end] in
    characters of the passage's text.
    """

    sub_query: str
    passages: list[str]
    scores: list[float | None]
    captions: list[list[int]]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The classifier's decision on one sub-query.

    `passages` are those that were graded, best first, cut ones left out; `grades[i]` is the mean
    of `distributions[i]`. `probability` is `None` where the classifier failed.
    """

    sub_query: str
    passages: list[str]
    grades: list[float]
    distributions: list[list[float]]
    probability: float | None
    threshold: float
    decision: Literal["exit", "reflect"]


@dataclass(frozen=True, slots=True)
class Reflection:
    """What reflection concluded about one sub-query that the classifier did not let go."""

    sub_query: str
    satisfied: bool
    pinned: list[str]
    """Passage keys that must be in the content, best first."""
    missing: str = ""
    """What the evidence still lacks, as a phrase; empty when satisfied or not known."""


def _union(left: list[T], right: list[T], key: Callable[[T], str]) -> list[T]:
    """Unite two lists by `key`, sorted by it.

    Associative, commutative and idempotent: where two values share a key and differ, the one
    whose `repr` sorts last stays, whatever the order of writing.
    """
    by_key: dict[str, T] = {}
    for item in [*left, *right]:
        name = key(item)
        held = by_key.setdefault(name, item)
        if held != item:
            by_key[name] = max(held, item, key=repr)
    return [by_key[name] for name in sorted(by_key)]


def _place(sub_query_id: str) -> str:
    """Give a key that sorts `q2` before `q10`."""
    return sub_query_id[:1] + sub_query_id[1:].zfill(6)


def add_sub_queries(left: list[SubQuery], right: list[SubQuery]) -> list[SubQuery]:
    """Unite by id; ids are given in order, so the list stays in the order of asking."""
    return _union(left, right, lambda query: _place(query.id))


def add_routes(left: list[Route], right: list[Route]) -> list[Route]:
    """Unite by sub-query."""
    return _union(left, right, lambda route: _place(route.sub_query))


def add_found(left: list[Found], right: list[Found]) -> list[Found]:
    """Unite by (sub-query, source)."""
    return _union(left, right, lambda found: f"{_place(found.sub_query)} {found.source}")


def add_rankings(left: list[Ranking], right: list[Ranking]) -> list[Ranking]:
    """Unite by sub-query."""
    return _union(left, right, lambda ranking: _place(ranking.sub_query))


def add_judgements(left: list[Judgement], right: list[Judgement]) -> list[Judgement]:
    """Unite by sub-query."""
    return _union(left, right, lambda judgement: _place(judgement.sub_query))


def add_reflections(left: list[Reflection], right: list[Reflection]) -> list[Reflection]:
    """Unite by sub-query."""
    return _union(left, right, lambda reflection: _place(reflection.sub_query))


def add_cuts(left: list[Cut], right: list[Cut]) -> list[Cut]:
    """Unite by (sub-query, reason): one step writes all cuts of one reason for a sub-query."""
    return _union(left, right, lambda cut: f"{_place(cut.sub_query)} {cut.reason}")


class RunInput(TypedDict, total=False):
    """What a caller gives. Only `question` is required."""

    question: Required[str]
    history: list[Turn]
    """Earlier turns of the conversation, oldest first."""
    effort: Effort
    identity: Identity
    overrides: Overrides


class RunOutput(TypedDict, total=False):
    """What a caller gets. `headwater.graph.result_of` turns it into a `Result` with texts."""

    run: Run
    status: Status
    answer: str | None
    references: list[Reference]
    gaps: list[Gap]
    sub_queries: Annotated[list[SubQuery], add_sub_queries]
    routes: Annotated[list[Route], add_routes]
    judgements: Annotated[list[Judgement], add_judgements]
    ledger: FateLedger
    cuts: Annotated[list[Cut], add_cuts]
    activity: Annotated[list[ActivityRecord], operator.add]


class RunState(RunInput, RunOutput, total=False):
    """Everything the steps read and write. A key that is missing was not written yet."""

    round: int
    """1, or 2 after reflection asked for more."""
    found: Annotated[list[Found], add_found]
    rankings: Annotated[list[Ranking], add_rankings]
    reflections: Annotated[list[Reflection], add_reflections]
