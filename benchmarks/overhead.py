"""What does the graph cost, beyond the work of its steps?

Run `python -m benchmarks.overhead [--json]`. A full medium run (plan, select, federate, rank,
classify, reflect, second round, merge, answer) on collaborators that answer at once, against the
same nodes called one after the other. Milliseconds, medians of 100 runs after 10 warm-ups, the two
sides taken in turn. The first world has one sentence a passage, so that the steps themselves cost
next to nothing; the others have passages of about 1,000 characters.

Kilobytes are what one run leaves in the tables of LangGraph's SQLite saver: with a checkpoint at
every step (the saver's default), for a run that exits after its first round, and with
`durability="exit"`, which keeps the last state only.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from benchmarks.instant import CharacterCounter, InstantClassifier, InstantRanker, sources
from headwater.domain.activity import Step
from headwater.domain.state import RunState
from headwater.graph.builder import Models, build, nodes_of
from headwater.graph.opening import Defaults, Opening
from headwater.graph.passages import RunPassages
from headwater.graph.policies import Policy
from headwater.graph.system import System

QUESTION = "Compare Model 1001 with Model 2002 and Model 3003."
WARM_UP, RUNS = 10, 100
SIZES = ((3, 5, 0), (3, 5, 19), (3, 17, 19), (5, 50, 19))
"""(sources, hits a source and sub-query, further sentences a passage)."""

ORDER: tuple[Step, ...] = ("plan", "select", "federate", "rank", "classify", "reflect")
SECOND: tuple[Step, ...] = ("federate", "rank", "classify", "merge", "answer")


@dataclass(frozen=True, slots=True)
class Row:
    """One size of world."""

    sources: int
    hits_per_pair: int
    candidates: int
    graph_ms: float
    nodes_ms: float
    difference_ms: float
    every_step_kb: float
    early_exit_kb: float
    last_state_kb: float
    bodies_kb: float
    ratio_graph_to_nodes: float


class Sequence:
    """The same nodes, called one after the other, with the reducers applied by hand."""

    def __init__(self, world: list[Any], models: Models) -> None:
        system = System()
        self.opening = Opening(world, Defaults(), system.clock, system.ids)
        self.nodes = nodes_of(world, models, RunPassages(world), system)

    async def run(self) -> None:
        state: Any = {"question": QUESTION, "effort": "medium"}
        state |= self.opening.update(state)
        for step in (*ORDER, *SECOND):
            update = await self.nodes[step](state)
            for key, value in update.items():
                appended = key in RunState.__annotations__ and isinstance(value, list)
                held = state.get(key, []) if appended and key not in ("references", "gaps") else []
                state[key] = [*held, *value] if appended else value


async def measure(count: int, hits: int, sentences: int) -> Row:
    """Take both sides in turn on one size of world."""
    world = sources(count, hits, sentences=sentences)
    models = Models(InstantRanker(), InstantClassifier(), CharacterCounter())
    graph = build(sources=world, models=models, policy=Policy()).compile()
    by_hand = Sequence(world, models)
    request: Any = {"question": QUESTION, "effort": "medium"}
    graph_ms: list[float] = []
    nodes_ms: list[float] = []
    output: dict[str, Any] = {}
    for _ in range(WARM_UP + RUNS):
        started = time.perf_counter()
        output = await graph.ainvoke(request)
        graph_ms.append((time.perf_counter() - started) * 1_000)
        started = time.perf_counter()
        await by_hand.run()
        nodes_ms.append((time.perf_counter() - started) * 1_000)
    through, direct = (statistics.median(times[WARM_UP:]) for times in (graph_ms, nodes_ms))
    return Row(
        sources=count,
        hits_per_pair=hits,
        candidates=output["ledger"].found,
        graph_ms=round(through, 2),
        nodes_ms=round(direct, 2),
        difference_ms=round(through - direct, 2),
        every_step_kb=await kilobytes(world, models, durability="async"),
        early_exit_kb=await kilobytes(
            world, replace(models, classifier=InstantClassifier(sufficient=1.0)), durability="async"
        ),
        last_state_kb=await kilobytes(world, models, durability="exit"),
        bodies_kb=round(sum(len(p.text) for s in world for p in s.passages) / 1_000, 1),
        ratio_graph_to_nodes=round(through / direct, 2),
    )


async def kilobytes(
    world: list[Any], models: Models, *, durability: Literal["async", "exit"]
) -> float:
    """Give what one run leaves in the SQLite saver's tables."""
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "runs.sqlite")
        async with AsyncSqliteSaver.from_conn_string(database) as saver:
            graph = build(sources=world, models=models).compile(checkpointer=saver)
            request: Any = {"question": QUESTION, "effort": "medium"}
            config: Any = {"configurable": {"thread_id": "one"}}
            await graph.ainvoke(request, config, durability=durability)
            query = (
                "SELECT (SELECT SUM(LENGTH(checkpoint) + LENGTH(metadata)) FROM checkpoints)"
                " + (SELECT COALESCE(SUM(LENGTH(value)), 0) FROM writes)"
            )
            async with saver.conn.execute(query) as cursor:
                row = await cursor.fetchone()
    return round(row[0] / 1_000, 1) if row else 0.0


async def main() -> None:
    """Measure and print one table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    rows = [await measure(*size) for size in SIZES]
    if as_json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "runs": RUNS}))
        return
    heads = ("found", "bodies kB", "graph ms", "nodes ms", "more ms", "kB", "kB early", "kB last")
    print(" ".join(f"{head:>9}" for head in heads))
    for row in rows:
        cells = (row.graph_ms, row.nodes_ms, row.difference_ms)
        sizes = (row.every_step_kb, row.early_exit_kb, row.last_state_kb)
        print(f"{row.candidates:>9} {row.bodies_kb:>9.1f}", end=" ")
        print(" ".join(f"{cell:>9.1f}" for cell in (*cells, *sizes)))


if __name__ == "__main__":
    asyncio.run(main())
