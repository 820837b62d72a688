"""Stops runs after each step, or resumes them: `python -m tests.graph.resuming MODE DATABASE`."""

import asyncio
import json
import os
import sys
from typing import Any

os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from headwater.domain.result import Result
from headwater.graph.results import result_of
from tests.fakes import FakeClassifier
from tests.graph.test_resume import QUESTION, STEPS
from tests.graph.worlds import World


def world() -> World:
    return World(classifier=FakeClassifier(sufficient=0.1))


def essence(result: Result) -> dict[str, object]:
    """What must not depend on where the run was stopped: all but its times and its id."""
    return {
        "answer": result.answer,
        "references": [repr(reference) for reference in result.references],
        "sub_queries": [repr(query) for query in result.sub_queries],
        "fates": repr(result.fates),
        "gaps": repr(result.gaps),
        "steps": [record.step for record in result.activity],
        "status": result.status,
    }


async def stop(database: str) -> None:
    async with AsyncSqliteSaver.from_conn_string(database) as saver:
        for step in STEPS:
            graph = world().compiled(checkpointer=saver, interrupt_after=[step])
            await graph.ainvoke({"question": QUESTION}, thread(step))


async def resume(database: str) -> dict[str, dict[str, object]]:
    outcomes: dict[str, dict[str, object]] = {}
    async with AsyncSqliteSaver.from_conn_string(database) as saver:
        for step in STEPS:
            fresh = world()
            graph = fresh.compiled(checkpointer=saver)
            before = await graph.aget_state(thread(step))
            output: Any = await graph.ainvoke(None, thread(step))
            result = await result_of(output, fresh.passages, explain=True)
            ran = sorted({record.step for record in before.values["activity"]})
            outcomes[step] = {"ran_before": ran, "result": essence(result)}
    _, result = await world().ask(QUESTION)
    outcomes["uninterrupted"] = {"result": essence(result)}
    return outcomes


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


if __name__ == "__main__":
    mode, path = sys.argv[1:]
    if mode == "stop":
        asyncio.run(stop(path))
    else:
        print(json.dumps(asyncio.run(resume(path))))  # noqa: T201
