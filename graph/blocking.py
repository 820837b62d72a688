"""Calling asynchronous code from synchronous code, whatever loop the caller has."""

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Give the one background loop; a single one, so that clients opened on it stay usable."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="headwater-sync", daemon=True).start()
    return loop


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` on the background loop and wait; the caller's context variables are seen there.

    Blocks the calling thread. An interrupt of the caller cancels the work.
    """
    future = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
