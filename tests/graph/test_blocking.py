"""Synchronous calls, from threads, from loops and from inside a run."""

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from headwater.domain.errors import BlockingCallError
from headwater.domain.passage import SourceHits
from headwater.graph.blocking import wait_for
from tests.fakes import FakeSource
from tests.graph.worlds import MANUALS, World

QUESTION = "Which seal does the X-200 pump use?"
CALLER: ContextVar[str] = ContextVar("CALLER", default="nobody")


async def _thread() -> threading.Thread:
    return threading.current_thread()


def test_all_threads_share_one_loop() -> None:
    with ThreadPoolExecutor(8) as pool:
        threads = set(pool.map(lambda _: wait_for(_thread()), range(32)))

    assert len(threads) == 1
    assert threading.current_thread() not in threads


def test_the_work_sees_the_context_variables_of_the_caller() -> None:
    async def caller() -> str:
        return CALLER.get()

    token = CALLER.set("ada")
    try:
        assert wait_for(caller()) == "ada"
    finally:
        CALLER.reset(token)


def test_an_error_of_the_work_comes_out_as_it_is() -> None:
    async def bug() -> None:
        raise ZeroDivisionError("bug")

    with pytest.raises(ZeroDivisionError, match="bug"):
        wait_for(bug())


async def test_a_call_inside_a_running_loop_is_served() -> None:
    assert wait_for(_thread()) is not threading.current_thread()


def test_a_call_on_the_background_loop_itself_is_refused_at_once() -> None:
    async def nested() -> threading.Thread:
        return wait_for(_thread())

    with pytest.raises(BlockingCallError, match="Await the asynchronous form"):
        wait_for(nested())


class _Nested(FakeSource):
    """Asks another graph synchronously in the middle of its own search."""

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:
        World().compiled().invoke({"question": query})
        return await FakeSource.search(self, query, top=top, principals=principals)


def test_a_source_that_blocks_inside_a_synchronous_run_is_named_as_a_bug_not_a_hang() -> None:
    graph = World(sources=[_Nested("manuals", MANUALS)]).compiled()

    with pytest.raises(BlockingCallError):
        graph.invoke({"question": QUESTION})


class InterruptError(Exception):
    """What the signal handler raises in the thread that waits."""


def test_an_interrupt_of_the_caller_cancels_the_work() -> None:
    cancelled = threading.Event()
    waiting = threading.main_thread().ident
    assert waiting is not None

    def interrupt(*_: object) -> None:
        raise InterruptError

    async def work() -> None:
        await asyncio.sleep(0.2)  # until the caller waits
        signal.pthread_kill(waiting, signal.SIGUSR1)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        with pytest.raises(InterruptError):
            wait_for(work())
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert cancelled.wait(5)
