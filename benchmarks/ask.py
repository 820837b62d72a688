"""How long does a warm question take on the example knowledge base?

Run `python -m benchmarks.ask [--json]`. Every question of `examples/field-service` that needs no
identity, at minimal, low and medium effort, on a freshly ingested copy, without a language model.
Milliseconds; five rounds after one to warm up.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import tempfile
import time
from pathlib import Path

from headwater import KnowledgeBase
from headwater.domain.request import Effort

EXAMPLE = Path(__file__).parents[1] / "examples" / "field-service"
EFFORTS: tuple[Effort, ...] = ("minimal", "low", "medium")
WARM_UP, ROUNDS = 1, 5


async def times_of(kb: KnowledgeBase, questions: list[str], effort: Effort) -> list[float]:
    """Ask all questions, round by round; give the milliseconds of each after the warm-up."""
    times = []
    for round_ in range(WARM_UP + ROUNDS):
        for question in questions:
            started = time.perf_counter()
            await kb.retrieve(question, effort=effort)
            if round_ >= WARM_UP:
                times.append((time.perf_counter() - started) * 1_000)
    return times


async def main() -> None:
    """Measure and print one table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    rows = [json.loads(line) for line in (EXAMPLE / "questions.jsonl").open(encoding="utf-8")]
    questions = [row["question"] for row in rows if not row.get("groups")]
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "field-service"
        shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns(".headwater"))
        async with KnowledgeBase.open(copy / "headwater.toml") as kb:
            await kb.ingest()
            for effort in EFFORTS:
                times = await times_of(kb, questions, effort)
                *_, p90 = statistics.quantiles(times, n=10)
                p50 = statistics.median(times)
                figures[effort] = {"p50_ms": round(p50, 1), "p90_ms": round(p90, 1)}
    if as_json:
        print(json.dumps({"questions": len(questions), "rounds": ROUNDS, "efforts": figures}))
        return
    print(f"{len(questions)} questions, {ROUNDS} rounds\n{'effort':<8} {'p50 ms':>8} {'p90 ms':>8}")
    for name, row in figures.items():
        print(f"{name:<8} {row['p50_ms']:>8.1f} {row['p90_ms']:>8.1f}")


if __name__ == "__main__":
    asyncio.run(main())
