"""A step as LangGraph runs it: opened, announced, and callable with and without a loop."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableLambda
from langgraph.types import Overwrite

from ..domain.activity import ProgressEvent, Step
from ..domain.ports import Clock, Progress
from ..domain.state import RunState
from .blocking import wait_for
from .opening import Opening

Node = Callable[[RunState], Awaitable[Any]]

SUMMARIES: dict[Step, str] = {
    "plan": "Split the conversation's question into focused sub-queries.",
    "select": "Send each sub-query to the sources most likely to hold its answer.",
    "federate": "Search every (sub-query, source) pair in parallel.",
    "rank": "Score all candidates on one scale and caption the best (L2).",
    "classify": "Grade the best passages and decide whether the evidence suffices (L3).",
    "reflect": "Look at what is missing and ask once more.",
    "merge": "Fill the token budget in turns, without duplicates.",
    "answer": "Answer with citations that were checked.",
}
"""One sentence a step, shown by graph viewers."""


@dataclass(frozen=True, slots=True)
class Announced:
    """A node that tells whoever watches when it starts and when it is done."""

    step: Step
    node: Node
    clock: Clock
    progress: Progress

    async def __call__(self, state: RunState) -> dict[str, Any]:
        round_ = state.get("round", 1)
        self.progress(ProgressEvent(step=self.step, kind="started", round=round_))
        started = self.clock()
        update: dict[str, Any] = await self.node(state)
        elapsed_ms = (self.clock() - started) * 1_000
        records = [record for record in update["activity"] if record.step == self.step]
        self.progress(
            ProgressEvent(
                step=self.step,
                kind="finished",
                round=round_,
                count=sum(record.count or 0 for record in records),
                elapsed_ms=elapsed_ms,
                error=next((record.error for record in records if record.error), None),
                text="; ".join(record.detail for record in records if record.detail),
            )
        )
        return update


@dataclass(frozen=True, slots=True)
class Opened:
    """A node that a run can begin with: it opens the run first, unless one is under way."""

    opening: Opening
    node: Node
    begin: Callable[[RunState], dict[str, Any]]
    """Gives what the earlier steps would have written, for a run that begins here."""

    async def __call__(self, state: RunState) -> dict[str, Any]:
        if "round" in state:
            return dict(await self.node(state))
        opened = self.opening.update(state)
        fresh: Any = {**state, **{key: _plain(value) for key, value in opened.items()}}
        begun: Any = self.begin(fresh)
        update = await self.node(fresh | begun)
        return _combined(opened, begun | dict(update))


def runnable(step: Step, node: Node) -> RunnableLambda[RunState, dict[str, Any]]:
    """Give a node both forms, so that sync hosts can embed the graph as well."""

    def blocking(state: RunState) -> dict[str, Any]:
        async def work() -> dict[str, Any]:
            return dict(await node(state))

        return wait_for(work())

    async def waiting(state: RunState) -> dict[str, Any]:
        return dict(await node(state))

    return RunnableLambda(blocking, afunc=waiting, name=step)


def _plain(value: object) -> object:
    return value.value if isinstance(value, Overwrite) else value


def _combined(opened: dict[str, Any], update: dict[str, Any]) -> dict[str, Any]:
    """Let the step's own writes win; a key that is cleared stays overwritten, not appended to."""
    combined = dict(opened)
    for key, value in update.items():
        combined[key] = Overwrite(value) if isinstance(opened.get(key), Overwrite) else value
    return combined
