"""What does the graph cost, beyond the work of its steps?

Run `python -m benchmarks.overhead [--json]`. A full medium run (plan, select, federate, rank,
classify, reflect, second round, merge, answer) on collaborators that answer at once, against the
same nodes called one after the other. Milliseconds, medians of 100 runs after 10 warm-ups, the two
sides taken in turn; the checkpoint is that of LangGraph's SQLite saver, all steps of one run.
"""

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

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
SIZES = ((3, 5), (3, 17), (5, 50))
"""(sources, hits a source and sub-query)."""

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
    checkpoint_kb: float
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


async def measure(count: int, hits: int) -> Row:
    """Take both sides in turn on one size of world."""
    world = sources(count, hits)
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
        checkpoint_kb=round(await checkpoint_bytes(world, models) / 1_000, 1),
        bodies_kb=round(sum(len(p.text) for s in world for p in s.passages) / 1_000, 1),
        ratio_graph_to_nodes=round(through / direct, 2),
    )


async def checkpoint_bytes(world: list[Any], models: Models) -> int:
    """Bytes that one run leaves in the SQLite saver's tables."""
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "runs.sqlite")
        async with AsyncSqliteSaver.from_conn_string(database) as saver:
            graph = build(sources=world, models=models).compile(checkpointer=saver)
            request: Any = {"question": QUESTION, "effort": "medium"}
            await graph.ainvoke(request, {"configurable": {"thread_id": "one"}})
            query = (
                "SELECT (SELECT SUM(LENGTH(checkpoint) + LENGTH(metadata)) FROM checkpoints)"
                " + (SELECT SUM(LENGTH(value)) FROM writes)"
            )
            async with saver.conn.execute(query) as cursor:
                row = await cursor.fetchone()
    return int(row[0]) if row else 0


async def main() -> None:
    """Measure and print one table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    rows = [await measure(count, hits) for count, hits in SIZES]
    if as_json:
        print(json.dumps({"rows": [asdict(row) for row in rows], "runs": RUNS}))
        return
    print(
        f"{'sources':>7} {'hits':>5} {'found':>6} {'graph':>8} {'nodes':>8} {'diff':>7} {'kB':>7}"
    )
    for row in rows:
        print(
            f"{row.sources:>7} {row.hits_per_pair:>5} {row.candidates:>6} {row.graph_ms:>8.2f}"
            f" {row.nodes_ms:>8.2f} {row.difference_ms:>7.2f} {row.checkpoint_kb:>7.1f}"
        )


if __name__ == "__main__":
    asyncio.run(main())
