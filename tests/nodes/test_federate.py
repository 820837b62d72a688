import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from headwater.domain.errors import PassageLostError, SourceUnavailableError
from headwater.domain.passage import Hit, Passage, SourceHits
from headwater.domain.ports import Source
from headwater.domain.state import Found, Route, RunState, SubQuery
from headwater.nodes.federate import Federate
from tests.fakes import FakeSource, MemoryPassages, Recorder, passage, run_with, ticking_clock

SEAL = passage("a:1", "The seal is S-14.")
PUMP = passage("b:1", "The pump is loud.")
SECRET = passage("a:s3cret", "The seal bonus.", access=["group:hr"])
DOWN = SourceUnavailableError("a", "no answer.")


@dataclass
class ScriptedSource(FakeSource):
    """Gives the hits it was told to give, whoever asks and however many are wanted."""

    hits: list[Hit] = field(default_factory=list)
    denied: int = 0

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:  # noqa: ARG002
        return SourceHits(self.hits, self.denied)


def node(
    *sources: Source, store: MemoryPassages | None = None, recorder: Recorder | None = None
) -> Federate:
    return Federate(sources, store or MemoryPassages(), ticking_clock(), recorder or Recorder())


def state(*routes: Route, **changes: object) -> RunState:
    return RunState(
        question="?",
        run=run_with(**changes),
        round=1,
        sub_queries=[SubQuery("q1", "seal"), SubQuery("q2", "pump")],
        routes=list(routes) or [Route("q1", ["a", "b"]), Route("q2", ["a", "b"])],
    )


async def test_every_sub_query_is_asked_of_each_of_its_sources() -> None:
    store = MemoryPassages()

    update = await node(FakeSource("a", [SEAL]), FakeSource("b", [PUMP]), store=store)(state())

    assert update["found"] == [
        Found("q1", "a", ["1"], [1.0]),
        Found("q1", "b", [], []),
        Found("q2", "a", [], []),
        Found("q2", "b", ["1"], [1.0]),
    ]
    assert await store.get(run_with(), ["a:1", "b:1"]) == {"a:1": SEAL, "b:1": PUMP}


async def test_one_record_and_one_event_tell_of_each_pair() -> None:
    recorder = Recorder()

    update = await node(FakeSource("a", [SEAL]), FakeSource("b"), recorder=recorder)(
        state(Route("q1", ["a", "b"]))
    )

    told = [(r.step, r.sub_query, r.source, r.count, r.error) for r in update["activity"]]
    assert told == [("federate", "q1", "a", 1, None), ("federate", "q1", "b", 0, None)]
    assert all(record.elapsed_ms > 0 for record in update["activity"])
    assert [(e.kind, e.source, e.count) for e in recorder.events] == [
        ("finished", "a", 1),
        ("finished", "b", 0),
    ]


async def test_a_source_that_is_down_costs_its_own_hits_and_is_named() -> None:
    recorder = Recorder()

    update = await node(FakeSource("a", error=DOWN), FakeSource("b", [PUMP]), recorder=recorder)(
        state(Route("q2", ["a", "b"]))
    )

    assert update["found"] == [Found("q2", "b", ["1"], [1.0])]
    assert [record.error for record in update["activity"]] == ["Source 'a': no answer.", None]
    assert [record.count for record in update["activity"]] == [None, 1]
    assert [event.error for event in recorder.events] == ["Source 'a': no answer.", None]


async def test_with_every_source_down_nothing_is_found_and_each_is_named() -> None:
    update = await node(FakeSource("a", error=DOWN), FakeSource("b", error=DOWN))(state())

    assert update["found"] == []
    assert len([record for record in update["activity"] if record.error]) == 4


async def test_a_protected_passage_that_a_source_gives_away_goes_no_further() -> None:
    store = MemoryPassages()
    leaky = ScriptedSource("a", hits=[Hit(SECRET), Hit(SEAL, 0.5)], denied=2)

    update = await node(leaky, store=store)(state(Route("q1", ["a"])))

    assert update["found"] == [Found("q1", "a", ["1"], [0.5], denied=3)]
    assert "s3cret" not in repr(update)
    with pytest.raises(PassageLostError):
        await store.get(run_with(), [SECRET.key])


async def test_whoever_may_read_a_protected_passage_gets_it() -> None:
    leaky = ScriptedSource("a", hits=[Hit(SECRET)])

    update = await node(leaky)(state(Route("q1", ["a"]), principals=["group:hr"]))

    assert update["found"] == [Found("q1", "a", ["s3cret"], [None])]


async def test_the_caller_is_passed_on_to_the_source() -> None:
    hr = FakeSource("a", [SECRET])

    stranger = await node(hr)(state(Route("q1", ["a"])))
    member = await node(hr)(state(Route("q1", ["a"]), principals=["group:hr"]))

    assert (stranger["found"][0].ids, stranger["found"][0].denied) == ([], 1)
    assert (member["found"][0].ids, member["found"][0].denied) == (["s3cret"], 0)


async def test_a_passage_found_twice_counts_once_at_its_better_rank() -> None:
    twice = [Hit(SEAL, 0.9), Hit(passage("a:2", "x"), 0.8), Hit(SEAL, 0.1)]

    update = await node(ScriptedSource("a", hits=twice))(state(Route("q1", ["a"])))

    assert update["found"] == [Found("q1", "a", ["1", "2"], [0.9, 0.8])]


async def test_a_source_cannot_give_more_than_was_asked_for() -> None:
    many = [Hit(passage(f"a:{n}", "seal")) for n in range(9)]

    update = await node(ScriptedSource("a", hits=many))(state(Route("q1", ["a"]), candidates=3))

    assert update["found"][0].ids == ["0", "1", "2"]
    assert update["activity"][0].count == 3


async def test_a_similarity_that_is_no_number_is_not_known() -> None:
    update = await node(ScriptedSource("a", hits=[Hit(SEAL, math.nan)]))(state(Route("q1", ["a"])))

    assert update["found"][0].similarities == [None]


async def test_a_source_named_twice_on_a_route_is_asked_once() -> None:
    source = FakeSource("a", [SEAL])

    update = await node(source)(state(Route("q1", ["a", "a"])))

    assert source.queries == ["seal"]
    assert len(update["found"]) == 1


async def test_only_the_sub_queries_of_this_round_are_asked() -> None:
    source = FakeSource("a", [SEAL])
    later = state(Route("q1", ["a"]), Route("q2", ["a"]), Route("q3", ["a"]))
    later["round"] = 2
    later["sub_queries"] = [*later["sub_queries"], SubQuery("q3", "S-14", round=2)]

    update = await node(source)(later)

    assert source.queries == ["S-14"]
    assert [record.round for record in update["activity"]] == [2]


@dataclass
class MeetingSource(FakeSource):
    """Answers only when all that share its barrier are being asked."""

    barrier: asyncio.Barrier | None = None

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:
        assert self.barrier is not None
        await self.barrier.wait()
        return await super().search(query, top=top, principals=principals)


async def test_all_pairs_are_asked_at_the_same_time() -> None:
    barrier = asyncio.Barrier(4)
    sources = [MeetingSource(name, [SEAL], barrier=barrier) for name in "ab"]

    update = await asyncio.wait_for(node(*sources)(state()), timeout=5)

    assert len(update["found"]) == 4


@dataclass
class WaitingSource(FakeSource):
    """Hangs, and notes that it was told to stop."""

    started: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:  # noqa: ARG002
        self.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.stopped.set()
        raise AssertionError


@dataclass
class BrokenSource(FakeSource):
    """Has a bug that shows once the other source is being asked."""

    after: asyncio.Event = field(default_factory=asyncio.Event)

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:  # noqa: ARG002
        await self.after.wait()
        raise ZeroDivisionError

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:  # noqa: ARG002
        raise ZeroDivisionError


async def test_a_bug_in_a_source_comes_through_and_stops_the_others() -> None:
    waiting = WaitingSource("a")
    broken = BrokenSource("b", after=waiting.started)

    with pytest.raises(ZeroDivisionError):
        await node(waiting, broken)(state(Route("q1", ["a", "b"])))

    await asyncio.wait_for(waiting.stopped.wait(), timeout=5)


async def test_a_run_that_is_cancelled_stops_its_searches() -> None:
    waiting = WaitingSource("a")
    run = asyncio.create_task(node(waiting)(state(Route("q1", ["a"]))))
    await waiting.started.wait()

    run.cancel()

    with pytest.raises(asyncio.CancelledError):
        await run
    await asyncio.wait_for(waiting.stopped.wait(), timeout=5)
