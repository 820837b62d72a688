"""Scenes with a knowledge base in them: over data sets, or a user's own."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...graph.config_file import read
from ..data.bases import BaseSpec, SourceSpec
from ..data.corpora import Building, OpenBase, Opening, open_base
from ..data.own import KNOWLEDGE_BASE_FILE, open_own
from ..data.passages import Cut
from ..data.questions import Excluded, Question, homes, place
from ..record import ResultRow
from .ask import Asker
from .rows import RowMaker
from .task import Ask, Setting, Task, alternating

_Tell = Callable[[Building], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where data lies, and where indexes are kept."""

    data: Path
    cache: Path
    cut: Cut | None = None
    opening: Opening = field(default_factory=Opening)


class BaseScene:
    """Questions under some settings, asked of one knowledge base."""

    def __init__(
        self,
        name: str,
        settings: Sequence[Setting],
        questions: Sequence[Question],
        *,
        rows: RowMaker,
        opened: Callable[[_Tell], "AbstractAsyncContextManager[OpenBase]"],
        absent: Callable[[], dict[str, str]] = dict,
    ) -> None:
        """`absent` names the source of passages that were taken away, by their ids."""
        self.name = name
        self.tasks = alternating(name, settings, questions)
        self.excluded: list[Excluded] = []
        self._questions = questions
        self._rows = rows
        self._opened = opened
        self._absent = absent

    @asynccontextmanager
    async def open(self, on_progress: _Tell) -> AsyncGenerator[Ask, None]:
        """Open the knowledge base and find where the evidence of each question is."""
        async with self._opened(on_progress) as base:
            placed, excluded = await place(base, self._questions, absent=self._absent())
            self.excluded += excluded
            found = {(one.row.dataset, one.row.id): one for one in placed}
            asker = Asker(base, self._rows)

            async def ask(task: Task) -> ResultRow | None:
                setting, one = task.setting, found.get(task.key[2:])
                asking = setting.adapt(one, setting.overrides) if one else None
                if one and not asking:
                    reason = f"it cannot be asked under {setting.name!r}"
                    self.excluded.append(Excluded(task.key[2], task.key[3], reason))
                return await asker(task, asking) if asking else None

            yield ask


def opener(
    spec: BaseSpec, place: Place
) -> Callable[[_Tell], "AbstractAsyncContextManager[OpenBase]"]:
    """Give what opens a knowledge base over data sets."""

    @asynccontextmanager
    async def opened(tell: _Tell) -> AsyncGenerator[OpenBase, None]:
        opening = replace(place.opening, on_progress=tell)
        base = await open_base(spec, place.data, cache=place.cache, cut=place.cut, opening=opening)
        async with base:
            yield base

    return opened


def over_data(
    spec: BaseSpec,
    settings: Sequence[Setting],
    questions: Sequence[Question],
    *,
    place: Place,
    rows: RowMaker,
    removed: Sequence[SourceSpec] = (),
) -> BaseScene:
    """Give the scene of a knowledge base over data sets, some of whose sources were removed."""
    return BaseScene(
        spec.name,
        settings,
        questions,
        rows=rows,
        opened=opener(spec, place),
        absent=lambda: homes(removed, place.data),
    )


def over_own(
    folder: Path,
    settings: Sequence[Setting],
    questions: Sequence[Question],
    *,
    opening: Opening,
    rows: RowMaker,
) -> BaseScene:
    """Give the scene of a user's own knowledge base."""

    @asynccontextmanager
    async def opened(tell: _Tell) -> AsyncGenerator[OpenBase, None]:
        async with await open_own(folder, replace(opening, on_progress=tell)) as base:
            yield base

    name = read(folder / KNOWLEDGE_BASE_FILE).name
    return BaseScene(name, settings, questions, rows=rows, opened=opened)
