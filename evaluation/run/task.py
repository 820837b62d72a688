"""What there is to do: a question under a setting, and a scene in which it is done."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Literal, Protocol

from ...domain.request import Effort, Overrides
from ..data.corpora import Building
from ..data.questions import Excluded, Placed, Question
from ..record import ResultRow

Key = tuple[str, str, str, str]
"""(base, setting, dataset, qid): what tells one row of results from all others."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question as it is asked under one setting."""

    placed: Placed
    overrides: Overrides


Adapt = Callable[[Placed, Overrides], Asking | None]
"""Turns a question into what a setting asks; `None` where the setting does not concern it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What is varied: how a question is asked."""

    name: str
    effort: Effort
    overrides: Overrides = field(default_factory=Overrides)
    adapt: Adapt = Asking
    concerns: Callable[[Question], bool] = lambda _: True
    """Tells before anything is opened whether a question is asked under this setting."""
    until: Literal["select"] | None = None
    """Where the run is left; `None` for its end."""


@dataclass(frozen=True, slots=True)
class Task:
    """One question under one setting."""

    key: Key
    setting: Setting
    question: Question


Ask = Callable[[Task], Awaitable[ResultRow | None]]
"""Does a task; `None` where it turns out that it cannot be done, which the scene notes."""


class Scene(Protocol):
    """A knowledge base, or another thing that can be asked, and its tasks. Opened once."""

    @property
    def name(self) -> str: ...

    @property
    def tasks(self) -> Sequence[Task]:
        """All tasks, in the order in which they are done; known before anything is opened."""
        ...

    @property
    def excluded(self) -> Sequence[Excluded]:
        """Questions that were left out so far, with the reason."""
        ...

    def open(self, on_progress: Callable[[Building], None]) -> AbstractAsyncContextManager[Ask]:
        """Open what is asked; indexes that are missing are built, with progress."""
        ...


def alternating(
    base: str, settings: Sequence[Setting], questions: Sequence[Question]
) -> list[Task]:
    """Give all tasks, question by question.

    Each question begins with another setting: what one run leaves in memory for the next must not
    always speed up the same setting.
    """
    tasks = []
    for number, question in enumerate(questions):
        start = number % len(settings)
        for setting in (*settings[start:], *settings[:start]):
            if setting.concerns(question):
                key = (base, setting.name, question.row.dataset, question.row.id)
                tasks.append(Task(key, setting, question))
    return tasks
