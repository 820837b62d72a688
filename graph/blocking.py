"""Calling asynchronous code from synchronous code, whatever loop the caller has."""

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

from ..domain.errors import BlockingCallError

T = TypeVar("T")

_STARTING = threading.Lock()


@dataclass(frozen=True, slots=True)
class _Background:
    loop: asyncio.AbstractEventLoop
    thread: threading.Thread


@cache
def _started() -> _Background:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="headwater-sync", daemon=True)
    thread.start()
    return _Background(loop, thread)


def _background() -> _Background:
    """Give the one background loop; a single one, so that clients opened on it stay usable."""
    # `cache` alone lets two threads that come first at once start a loop each.
    with _STARTING:
        return _started()


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on the background loop and wait; the caller's context variables are seen there.

    Blocks the calling thread. An interrupt of the caller cancels the work.

    Raises:
        BlockingCallError: the caller runs on the background loop, which would wait for itself.
    """
    background = _background()
    if threading.current_thread() is background.thread:
        work.close()
        raise BlockingCallError
    future = asyncio.run_coroutine_threadsafe(work, background.loop)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
