"""Does federation wait for more than the slowest source?

Run `python -m benchmarks.federation [--json]`. Ten sources with injected latencies of 20 to 200 ms,
five sub-queries, so 50 searches; the time of the federate step against the slowest single search.
Medians of 20 runs after 2 warm-ups.
"""

import argparse
import asyncio
import json
import statistics
import time

from benchmarks.instant import InstantSource
from headwater.domain.passage import Passage
from headwater.domain.request import Run
from headwater.domain.state import Route, RunState, SubQuery
from headwater.graph.opening import Defaults, Opening
from headwater.graph.passages import RunPassages
from headwater.graph.policies import PatientSource, Policy
from headwater.graph.progress import stream_progress
from headwater.graph.system import System
from headwater.nodes.federate import Federate

SOURCES, SUB_QUERIES, HITS = 10, 5, 50
WARM_UP, RUNS = 2, 20


def world() -> list[PatientSource]:
    """Sources from 20 to 200 ms slow, each with 50 passages of about 1,500 characters."""
    body = "The coupling of the second stage is checked at every service. " * 24
    return [
        PatientSource(
            InstantSource(
                name=f"source_{s}",
                passages=[Passage(f"source_{s}", f"{p:04x}", body) for p in range(HITS)],
                seconds=0.02 * (s + 1),
            ),
            Policy(),
        )
        for s in range(SOURCES)
    ]


def request(sources: list[PatientSource], system: System) -> RunState:
    """Send every sub-query to every source."""
    opening = Opening(sources, Defaults(), system.clock, system.ids)
    given: RunState = {"question": "q", "effort": "medium"}
    run = opening.update(given)["run"]
    assert isinstance(run, Run)
    queries = [SubQuery(f"q{n + 1}", f"question {n}") for n in range(SUB_QUERIES)]
    names = [source.name for source in sources]
    return {
        "question": "q",
        "run": run,
        "round": 1,
        "sub_queries": queries,
        "routes": [Route(query.id, names) for query in queries],
    }


async def main() -> None:
    """Measure and print one table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    sources, system = world(), System()
    node = Federate(sources, RunPassages(sources), system.clock, stream_progress)
    state = request(sources, system)
    times, slowest = [], []
    for _ in range(WARM_UP + RUNS):
        started = time.perf_counter()
        update = await node(state)
        times.append((time.perf_counter() - started) * 1_000)
        started = time.perf_counter()
        await sources[-1].search("q", top=HITS, principals=frozenset())
        slowest.append((time.perf_counter() - started) * 1_000)
        assert len(update["found"]) == SOURCES * SUB_QUERIES
    federate_ms, slowest_ms = (statistics.median(t[WARM_UP:]) for t in (times, slowest))
    figures = {
        "searches": SOURCES * SUB_QUERIES,
        "federate_ms": round(federate_ms, 1),
        "slowest_source_ms": round(slowest_ms, 1),
        "ratio_federate_to_slowest": round(federate_ms / slowest_ms, 3),
        "runs": RUNS,
    }
    if as_json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        print(f"{name:<28} {value}")


if __name__ == "__main__":
    asyncio.run(main())
