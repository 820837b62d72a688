"""Running asynchronous work from a command."""

import asyncio
import os
import sys
from collections.abc import Coroutine
from typing import Any, NoReturn, TypeVar

from . import exits

T = TypeVar("T")

_PATIENCE_S = 2.0
"""How long an interrupted command may take to leave its work in order."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """Run `work` to its end and give what it returns.

    An interrupt cancels it and soon ends the process, whatever worker threads are doing: an index
    survives being killed, and the next ingestion goes on from there.
    """
    runner = asyncio.Runner()
    try:
        result = runner.run(_cancellable(work))
    except KeyboardInterrupt:
        _end_at_once()
    except BaseException:
        runner.close()
        raise
    runner.close()
    return result


async def _cancellable(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait([task], timeout=_PATIENCE_S)
        raise


def _end_at_once() -> NoReturn:
    sys.stdout.flush()
    # The cursor may be hidden by a progress bar that could not take its leave.
    print("\x1b[?25h" if sys.stderr.isatty() else "", file=sys.stderr, flush=True)  # noqa: T201
    os._exit(exits.INTERRUPTED)
