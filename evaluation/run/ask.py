"""Ask one question of an open knowledge base and give its row."""

from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, cast

from ...domain.passage import passage_key
from ...domain.state import RunInput, RunState
from ...graph.results import result_of
from ..data.corpora import OpenBase
from ..record import ResultRow
from .rows import Finished, RowMaker
from .task import Asking, Task


@dataclass(frozen=True, slots=True)
class Asker:
    """Runs the graph itself, so that what every step found and thought is at hand."""

    base: OpenBase
    rows: RowMaker

    async def __call__(self, task: Task, asking: Asking) -> ResultRow:
        """Ask and give the row. Raises what the run raises."""
        state, step_ms = await self._run(task, asking)
        run = state["run"]
        passages = self.base.kb.passages
        try:
            if task.setting.until is not None:
                return self.rows.selected(task, asking.placed, state, step_ms=step_ms)
            keys = [passage_key(f.source, i) for f in state.get("found", []) for i in f.ids]
            bodies = await passages.get(run, keys)
            result = await result_of(state, passages)
            done = Finished(state=state, result=result, bodies=bodies, step_ms=step_ms)
            row = self.rows.finished(task, asking.placed, done, self.base)
            if self.rows.witness is not None:
                await self.rows.witness(row, result)
            return row
        finally:
            passages.drop(run)

    async def _run(self, task: Task, asking: Asking) -> tuple[RunState, dict[str, float]]:
        setting, placed = task.setting, asking.placed
        given: RunInput = {
            "question": placed.text,
            "history": placed.history,
            "effort": setting.effort,
            "overrides": asking.overrides,
        }
        state: Any = {}
        step_ms: dict[str, float] = defaultdict(float)
        until = [setting.until] if setting.until else None
        stream = self.base.kb.graph.astream(
            given, stream_mode=["custom", "values"], interrupt_after=until
        )
        async for mode, item in cast("AsyncIterator[tuple[str, Any]]", stream):
            if mode == "values":
                state = item
            elif item["kind"] == "finished" and item["source"] is None:
                step_ms[item["step"]] += item["elapsed_ms"]
        return cast("RunState", state), dict(step_ms)
