"""What happens while a question is asked: a line a step, on stderr."""

from collections.abc import AsyncIterator, Callable
from typing import Self

from rich.status import Status
from rich.text import Text

from ..domain.activity import ProgressEvent
from ..domain.result import Result
from ..graph.steps import SUMMARIES
from .screen import Screen, one_line, styled

_TAIL = 70
"""Characters of the answer in the making that the live line shows."""


Watcher = Callable[[ProgressEvent], None]
"""Takes the events of a run."""


class Quiet:
    """Shows nothing: for JSON that is read by a program."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __call__(self, event: ProgressEvent) -> None:
        pass


class Steps:
    """Prints a line for everything that finished; on a terminal also what is under way."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._status = Status("", console=screen) if screen.is_terminal else None
        self._answer = ""

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()

    def __call__(self, event: ProgressEvent) -> None:
        if event.kind == "finished":
            self._screen.print(event_line(event), soft_wrap=True)
        elif self._status and event.kind == "started":
            self._status.update(styled(f"{event.step}: {SUMMARIES[event.step]}", "dim"))
        elif self._status:
            self._answer += event.text
            self._status.update(styled(one_line(self._answer)[-_TAIL:], "dim"))


def event_line(event: ProgressEvent) -> Text:
    """Give one line: step, round beyond the first, sub-query and source, count, time, remark."""
    pair = f"{event.sub_query} → {event.source}" if event.source else ""
    step = "  " if event.source else event.step
    round_ = f"round {event.round}" if event.round > 1 and not event.source else ""
    count = "" if event.count is None else f"{event.count} {'hits' if event.source else 'out'}"
    took = "" if event.elapsed_ms is None else f"{event.elapsed_ms:,.0f} ms"
    said = f"error: {event.error}" if event.error else event.text
    facts = [round_, one_line(pair), count, took, one_line(said, 120)]
    line = Text().append(f"{step:<9} ", style="cyan")
    return line.append(
        " · ".join(filter(None, facts)),
        style="red" if event.error else "dim" if event.source else "",
    )


async def watched(run: AsyncIterator[ProgressEvent | Result], watcher: Watcher) -> Result:
    """Hand every event of a run to `watcher` and give the result, its last item."""
    result: Result | None = None
    async for item in run:
        if isinstance(item, Result):
            result = item
        else:
            watcher(item)
    if result is None:
        raise RuntimeError("The run ended without a result.")
    return result
