"""Federate: ask every (sub-query, source) pair of this round at once."""

import asyncio
import math
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass

from typing_extensions import TypedDict

from ..domain.activity import ActivityRecord, ProgressEvent
from ..domain.errors import SourceError
from ..domain.passage import Hit, SourceHits, may_read
from ..domain.ports import Clock, PassageStore, Progress, Source
from ..domain.request import Run
from ..domain.state import Found, RunState, SubQuery


class FederateUpdate(TypedDict):
    """The part of the state this step writes."""

    found: list[Found]
    activity: list[ActivityRecord]


@dataclass(frozen=True, slots=True)
class _Answer:
    """What came of one pair."""

    found: Found | None
    hits: list[Hit]
    record: ActivityRecord


@dataclass(frozen=True, slots=True)
class Federate:
    """Search all sources for all sub-queries of the round, in parallel.

    Reads `run`, `round`, `sub_queries`, `routes`. Writes `found`: one entry a pair that
    answered, at most `run.candidates` ids each; `activity`: one record a pair. Bodies go into
    the passage store. A source that fails costs its own hits and is named in its record.

    Access is checked here again, whatever the source says it did.
    """

    sources: Sequence[Source]
    passages: PassageStore
    clock: Clock
    progress: Progress

    async def __call__(self, state: RunState) -> FederateUpdate:
        run, round_ = state["run"], state["round"]
        by_name = {source.name: source for source in self.sources}
        by_id = {query.id: query for query in state["sub_queries"] if query.round == round_}
        answers = await _together(
            self._ask(by_name[name], by_id[route.sub_query], run)
            for route in state["routes"]
            if route.sub_query in by_id
            for name in dict.fromkeys(route.sources)
        )
        await self.passages.put(run, [hit.passage for answer in answers for hit in answer.hits])
        return {
            "found": [answer.found for answer in answers if answer.found],
            "activity": [answer.record for answer in answers],
        }

    async def _ask(self, source: Source, query: SubQuery, run: Run) -> _Answer:
        started = self.clock()
        principals = frozenset(run.principals)
        try:
            answer = await source.search(query.text, top=run.candidates, principals=principals)
        except SourceError as exc:
            return _Answer(None, [], self._record(source, query, started=started, error=str(exc)))
        hits, denied = _readable(answer, principals, top=run.candidates)
        found = Found(
            sub_query=query.id,
            source=source.name,
            ids=[hit.passage.id for hit in hits],
            similarities=[_known(hit.similarity) for hit in hits],
            denied=denied,
        )
        return _Answer(found, hits, self._record(source, query, started=started, count=len(hits)))

    def _record(
        self,
        source: Source,
        query: SubQuery,
        *,
        started: float,
        count: int | None = None,
        error: str | None = None,
    ) -> ActivityRecord:
        elapsed_ms = (self.clock() - started) * 1_000
        self.progress(
            ProgressEvent(
                step="federate",
                kind="finished",
                round=query.round,
                sub_query=query.id,
                source=source.name,
                count=count,
                elapsed_ms=elapsed_ms,
                error=error,
            )
        )
        return ActivityRecord(
            step="federate",
            round=query.round,
            started=started,
            elapsed_ms=elapsed_ms,
            sub_query=query.id,
            source=source.name,
            count=count,
            error=error,
        )


async def _together(pairs: Iterable[Coroutine[None, None, _Answer]]) -> list[_Answer]:
    """Wait for all; where one fails by a bug, or the run is cancelled, the others stop too."""
    tasks = [asyncio.ensure_future(pair) for pair in pairs]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


def _known(similarity: float | None) -> float | None:
    """Take a cosine that is no number for one that is not known."""
    return None if similarity is None or math.isnan(similarity) else similarity


def _readable(answer: SourceHits, principals: frozenset[str], *, top: int) -> tuple[list[Hit], int]:
    """Keep the `top` readable passages, each once; count those that are held back."""
    by_id = {hit.passage.id: hit for hit in reversed(answer.hits)}
    once = [by_id[name] for name in dict.fromkeys(hit.passage.id for hit in answer.hits)]
    kept = [hit for hit in once if may_read(hit.passage.access, principals)]
    return kept[:top], answer.denied + len(once) - len(kept)
