"""Bodies of passages: kept by run, refilled from the sources, and never across rights."""

import asyncio
from collections.abc import Sequence
from typing import cast

import pytest

from headwater.domain.errors import PassageLostError, SourceUnavailableError
from headwater.domain.passage import Passage
from headwater.domain.state import RunOutput
from headwater.graph.passages import RunPassages
from headwater.graph.results import result_of
from tests.fakes import FakeClassifier, FakeSource, passage, run_with
from tests.graph.worlds import MANUALS, NOTES, SECRET, World

ADA = run_with(id="ada", principals=["group:hr"])
BOB = run_with(id="bob")


class _Asked(FakeSource):
    """Remembers which passages it was asked for again; gives them whoever asks."""

    error_of_get: Exception | None = None

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:  # noqa: ARG002
        self.queries.append(" ".join(ids))
        await asyncio.sleep(0)
        if self.error_of_get:
            raise self.error_of_get
        return [p for p in self.passages if p.id in ids]


async def test_gives_what_was_put_without_asking_a_source() -> None:
    manuals = _Asked("manuals", MANUALS)
    store = RunPassages([manuals])
    await store.put(BOB, MANUALS)

    assert await store.get(BOB, ["manuals:m2"]) == {"manuals:m2": MANUALS[1]}
    assert manuals.queries == []


async def test_asks_each_source_once_for_all_that_is_missing() -> None:
    manuals, notes = _Asked("manuals", MANUALS), _Asked("notes", NOTES)
    store = RunPassages([manuals, notes])
    await store.put(BOB, MANUALS[:1])
    keys = ["manuals:m1", "manuals:m2", "notes:n1", "manuals:m3", "manuals:m2"]

    assert list(await store.get(BOB, keys)) == list(dict.fromkeys(keys))
    await store.get(BOB, keys)
    assert (manuals.queries, notes.queries) == (["m2 m3"], ["n1"])


async def test_a_passage_that_no_source_has_any_more_is_named() -> None:
    store = RunPassages([FakeSource("manuals", MANUALS)])

    with pytest.raises(PassageLostError, match="'manuals:m9'"):
        await store.get(BOB, ["manuals:m1", "manuals:m9"])


async def test_a_source_that_cannot_be_asked_again_loses_the_passage() -> None:
    down = _Asked("manuals", MANUALS)
    down.error_of_get = SourceUnavailableError("manuals", "down.")

    with pytest.raises(PassageLostError) as caught:
        await RunPassages([down]).get(BOB, ["manuals:m1"])
    assert isinstance(caught.value.__cause__, SourceUnavailableError)


async def test_a_run_never_gets_what_another_one_put() -> None:
    store = RunPassages([_Asked("hr", [SECRET])])
    await store.put(ADA, [SECRET])

    with pytest.raises(PassageLostError):
        await store.get(BOB, ["hr:s1"])
    assert await store.get(ADA, ["hr:s1"]) == {"hr:s1": SECRET}


async def test_a_protected_passage_is_gone_with_its_run() -> None:
    store = RunPassages([])
    await store.put(ADA, [SECRET])
    store.drop(ADA)
    store.drop(ADA)

    with pytest.raises(PassageLostError):
        await store.get(ADA, ["hr:s1"])


async def test_the_run_that_was_used_longest_ago_is_pushed_out_and_refilled() -> None:
    manuals = _Asked("manuals", MANUALS)
    store = RunPassages([manuals], runs_kept=2)
    first, second, third = (run_with(id=name) for name in "abc")
    await store.put(first, MANUALS)
    await store.put(second, MANUALS)
    await store.get(first, ["manuals:m1"])
    await store.put(third, MANUALS)

    await store.get(first, ["manuals:m1"])
    assert manuals.queries == []
    await store.get(second, ["manuals:m1"])
    assert manuals.queries == ["m1"]


async def test_a_run_that_is_pushed_out_while_it_refills_still_gets_everything() -> None:
    store = RunPassages([_Asked("notes", NOTES), _Asked("manuals", MANUALS)], runs_kept=1)
    keys = [p.key for p in MANUALS]
    runs = [run_with(id=str(n)) for n in range(8)]
    for run in runs:
        await store.put(run, MANUALS[:1])

    bodies = await asyncio.gather(*(store.get(run, keys) for run in runs))
    assert all(list(found) == keys for found in bodies)


async def test_more_runs_at_once_than_are_kept_all_end_as_they_should() -> None:
    world = World(classifier=FakeClassifier(sufficient=0.1))
    world.passages.runs_kept = 1
    graph = world.compiled()
    question = "What does the firmware of the controller of the X-200 pump fix?"

    outputs = await asyncio.gather(*(graph.ainvoke({"question": question}) for _ in range(12)))
    results = [await result_of(cast("RunOutput", output), world.passages) for output in outputs]

    _, alone = await World(classifier=FakeClassifier(sufficient=0.1)).ask(question)
    assert {result.answer for result in results} == {alone.answer}
    assert all(result.references == alone.references for result in results)


async def test_everything_is_forgotten_at_the_end() -> None:
    store = RunPassages([])
    await store.put(BOB, [passage("a:1", "text")])
    store.clear()

    with pytest.raises(PassageLostError):
        await store.get(BOB, ["a:1"])
