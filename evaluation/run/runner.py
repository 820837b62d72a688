"""Do the tasks of some scenes: several at once, each row kept at once, what is done skipped."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..data.corpora import Building
from ..data.questions import Excluded
from ..record import ResultRow
from .journal import Journal
from .task import Ask, Key, Scene, Task


class Watcher(Protocol):
    """Is told how the work goes on; must not fail and must not wait."""

    def planned(self, total: int, done: int) -> None:
        """So many tasks there are, and so many of them were done before."""

    def opening(self, scene: str) -> None:
        """A scene is opened."""

    def building(self, building: Building) -> None:
        """An index is built."""

    def finished(self, task: Task, *, error: str | None) -> None:
        """A task is done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    asked: int
    """Tasks done now."""
    skipped: int
    """Tasks that were done before."""
    failed: int
    """Rows with an error among those asked now."""
    excluded: list[Excluded]
    """Each question once, however many settings and scenes left it out."""


class Failed(Protocol):
    """Makes the row of a question that ended with an error."""

    def __call__(self, task: Task, error: str) -> ResultRow: ...


async def run(
    scenes: Sequence[Scene],
    journal: Journal,
    *,
    workers: int,
    watcher: Watcher,
    failed: Failed,
) -> Outcome:
    """Do every task whose row is not there yet, `workers` at a time, and append its row.

    A question that fails leaves a row with its error, and is not done: the next time it is asked
    again. A scene whose tasks are all done is not even opened.

    Raises:
        DataError: a scene cannot be opened, or a row cannot be written.
    """
    wanted = [(scene, _left(scene, journal.done)) for scene in scenes]
    total = sum(len(scene.tasks) for scene in scenes)
    left = sum(len(tasks) for _, tasks in wanted)
    watcher.planned(total, total - left)
    count = _Count()
    for scene, tasks in wanted:
        if not tasks:
            continue
        watcher.opening(scene.name)
        async with scene.open(watcher.building) as ask:
            await _work(tasks, workers, _Doing(ask, journal, watcher, failed, count))
    # Scenes that ask the same questions leave out the same.
    excluded = list(dict.fromkeys(one for scene in scenes for one in scene.excluded))
    return Outcome(count.asked, total - left, count.failed, excluded)


@dataclass(slots=True)
class _Count:
    asked: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class _Doing:
    """How one task is done and its row kept."""

    ask: Ask
    journal: Journal
    watcher: Watcher
    failed: Failed
    count: _Count

    async def __call__(self, task: Task) -> None:
        try:
            row = await self.ask(task)
        except Exception as error:  # noqa: BLE001 - whatever ends one question must not end all
            row = self.failed(task, f"{type(error).__name__}: {error}")
        if row is not None:
            self.journal.append(row)
            self.count.asked += 1
            self.count.failed += row.error is not None
        self.watcher.finished(task, error=row.error if row else None)


def _left(scene: Scene, done: set[Key]) -> list[Task]:
    return [task for task in scene.tasks if task.key not in done]


async def _work(tasks: Sequence[Task], workers: int, do: Callable[[Task], Awaitable[None]]) -> None:
    """Let `workers` take tasks from one list; the first error that is no row's ends them all."""
    waiting: Iterator[Task] = iter(tasks)

    async def worker() -> None:
        for task in waiting:
            await do(task)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(workers, len(tasks))):
                group.create_task(worker())
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
