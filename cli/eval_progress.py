"""An evaluation as a command shows it: a bar with the time left, or a line now and then."""

import time
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn
from rich.progress import Progress as Bars
from rich.progress import TimeElapsedColumn as Elapsed

from ..evaluation.data.corpora import Building
from ..evaluation.run.task import Task
from .screen import Screen, one_line, styled

_EVERY_S = 10.0
"""Between two lines where there is no terminal."""


class Progress:
    """Watches a runner."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._bars = Bars(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TextColumn("{task.fields[note]}"),
            Elapsed(),
            console=screen,
            disable=not screen.is_terminal,
        )
        self._bar: TaskID | None = None
        self._total = self._done = self._failed = 0
        self._before = 0
        self._asking_s = 0.0
        self._since = self._told = time.monotonic()
        self._scene = ""

    def __enter__(self) -> Self:
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def planned(self, total: int, done: int) -> None:
        self._total, self._done, self._before = total, done, done
        self._bar = self._bars.add_task("questions", total=total, completed=done, note="")

    def opening(self, scene: str) -> None:
        self._scene = one_line(scene, 30)
        self._since = time.monotonic()
        self._show(f"{self._scene}: opening")

    def building(self, building: Building) -> None:
        """Building an index does not count as asking: it happens once."""
        self._since = time.monotonic()
        of = f" of {building.passages} passages" if building.passages else ""
        self._show(f"indexing {one_line(building.source, 30)}: {building.chunks} chunks{of}")

    def finished(self, task: Task, *, error: str | None) -> None:
        now = time.monotonic()
        self._asking_s += now - self._since
        self._since = now
        self._done += 1
        self._failed += error is not None
        failed = f", {self._failed} failed" if self._failed else ""
        self._show(f"{one_line(task.key[0], 30)}{failed}, {self._left()} left")

    def _left(self) -> str:
        """Say how long the remaining questions take if they are like those asked so far."""
        asked = self._done - self._before
        seconds = self._asking_s / asked * (self._total - self._done)
        minutes, rest = divmod(round(seconds), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

    def _show(self, note: str) -> None:
        if self._screen.is_terminal:
            if self._bar is not None:
                self._bars.update(self._bar, completed=self._done, note=note)
            return
        now = time.monotonic()
        if now - self._told >= _EVERY_S or self._done == self._total:
            self._told = now
            self._screen.print(styled(f"{self._done} of {self._total}: {note}"))
