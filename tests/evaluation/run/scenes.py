"""Scenes of a runner's tests: nothing is searched, but all the rest is as it is."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from headwater.evaluation.data.corpora import Building
from headwater.evaluation.data.questions import Excluded, Question
from headwater.evaluation.data.rows import QueryRow
from headwater.evaluation.record import ResultRow
from headwater.evaluation.run.rows import RowMaker
from headwater.evaluation.run.task import Ask, Setting, Task, alternating
from tests.evaluation.rows import row

MEDIUM = Setting(name="medium", effort="medium")
LOW = Setting(name="low", effort="low")
ROWS = RowMaker("effort", "dev")


def questions(count: int) -> list[Question]:
    return [
        Question(QueryRow(id=f"q{n}", question=f"Question {n}?", dataset="wiki"))
        for n in range(1, count + 1)
    ]


@dataclass
class FakeScene:
    """Gives a row a task; keeps what it was asked and how many at once."""

    name: str = "base"
    tasks: list[Task] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    fails: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    asked: list[Task] = field(default_factory=list)
    opened: int = 0
    at_once: int = 0
    most_at_once: int = 0

    @classmethod
    def of(cls, count: int, *settings: Setting, name: str = "base") -> "FakeScene":
        return cls(name, alternating(name, settings or (MEDIUM,), questions(count)))

    @asynccontextmanager
    async def open(self, on_progress: Callable[[Building], None]) -> AsyncGenerator[Ask, None]:
        self.opened += 1
        on_progress(Building("a", 1, 1, 0.1))
        yield self._ask

    async def _ask(self, task: Task) -> ResultRow | None:
        self.asked.append(task)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0.001)
        self.at_once -= 1
        base, setting, dataset, qid = task.key
        if qid in self.fails:
            raise RuntimeError("the model is gone")
        if qid in self.missing:
            self.excluded.append(Excluded(dataset, qid, "nobody has it"))
            return None
        return row(base=base, setting=setting, dataset=dataset, qid=qid)


@dataclass
class Watching:
    """Keeps what a watcher is told."""

    plans: list[tuple[int, int]] = field(default_factory=list)
    scenes: list[str] = field(default_factory=list)
    built: list[Building] = field(default_factory=list)
    errors: list[str | None] = field(default_factory=list)

    def planned(self, total: int, done: int) -> None:
        self.plans.append((total, done))

    def opening(self, scene: str) -> None:
        self.scenes.append(scene)

    def building(self, building: Building) -> None:
        self.built.append(building)

    def finished(self, task: Task, *, error: str | None) -> None:  # noqa: ARG002
        self.errors.append(error)
