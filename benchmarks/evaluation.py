"""What does an evaluation cost beside the runs that it measures, in time and in memory?

Run `python -m benchmarks.evaluation [--json]`. The example knowledge base, 24 questions at every
effort, 3 passes after one to warm up. Each question is retrieved, and then asked as an evaluation
asks it: run, row, line on disk; the two sides take turns in being first. Milliseconds, sums over
all questions. Memory is what Python holds after the second pass and after the last.
"""

import argparse
import asyncio
import gc
import json
import shutil
import tempfile
import time
import tracemalloc
from dataclasses import asdict, dataclass
from pathlib import Path

from headwater.domain.request import Effort
from headwater.evaluation.data.corpora import OpenBase
from headwater.evaluation.data.own import open_own
from headwater.evaluation.data.questions import Placed, Question
from headwater.evaluation.data.rows import QueryRow
from headwater.evaluation.run.ask import Asker
from headwater.evaluation.run.journal import Journal
from headwater.evaluation.run.rows import RowMaker
from headwater.evaluation.run.task import Asking, Setting, Task

EXAMPLE = Path(__file__).parents[1] / "examples" / "field-service"
EFFORTS: tuple[Effort, ...] = ("minimal", "low", "medium")
PASSES = 3
QUESTIONS = [
    f"{asked} {about}?"
    for asked in ("How is it replaced:", "What does the warranty say on", "Who may repair")
    for about in (
        "the X-200 seal",
        "a pump that leaks",
        "the pressure sensor",
        "a frozen valve",
        "the filter of the compressor",
        "error E17",
        "a noisy motor",
        "the control board",
    )
]


@dataclass(frozen=True, slots=True)
class Row:
    """One effort."""

    effort: str
    questions: int
    retrieve_ms: float
    evaluate_ms: float
    bytes_a_question: float
    """Held at the end, beyond what was held after the second pass; keys of done rows included."""
    ratio_overhead: float
    """(evaluate - retrieve) / retrieve."""


async def measure(base: OpenBase, effort: Effort, folder: Path) -> Row:
    """Take both sides in turn on one effort."""
    asker, setting = Asker(base, RowMaker("benchmark", "test")), Setting(name=effort, effort=effort)
    spent = {"retrieve": 0.0, "evaluate": 0.0}
    held = [0, 0]
    with Journal.open(folder / effort) as journal:
        for number in range(PASSES + 1):
            for place, text in enumerate(QUESTIONS):
                asked = QueryRow(id=f"{number}-{place}", question=text, answers=["two years"])
                placed = Placed(asked, text, [], [])
                key = ("example", effort, "benchmark", placed.row.id)
                task = Task(key, setting, Question(placed.row))
                sides = ["retrieve", "evaluate"]
                for side in sides if (place + number) % 2 else reversed(sides):
                    started = time.perf_counter()
                    if side == "retrieve":
                        await base.kb.retrieve(text, effort=effort)
                    else:
                        journal.append(await asker(task, Asking(placed, setting.overrides)))
                    spent[side] += (time.perf_counter() - started) * 1_000 if number else 0.0
            if number in (1, PASSES):
                gc.collect()
                held[number == PASSES] = tracemalloc.get_traced_memory()[0] if number else 0
    total = PASSES * len(QUESTIONS)
    return Row(
        effort=effort,
        questions=total,
        retrieve_ms=round(spent["retrieve"], 1),
        evaluate_ms=round(spent["evaluate"], 1),
        bytes_a_question=round((held[1] - held[0]) / ((PASSES - 1) * len(QUESTIONS))),
        ratio_overhead=round(spent["evaluate"] / spent["retrieve"] - 1, 4),
    )


async def rows(*, traced: bool) -> list[Row]:
    """Measure every effort on a copy of the example; tracing memory makes times useless."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "field-service"
        shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns(".headwater"))
        async with await open_own(folder) as base:
            if traced:
                tracemalloc.start()
            found = [await measure(base, effort, Path(name) / "results") for effort in EFFORTS]
            if traced:
                tracemalloc.stop()
        return found


async def main() -> None:
    """Measure times, then memory; print one table, or one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    timed = await rows(traced=False)
    held = {row.effort: row.bytes_a_question for row in await rows(traced=True)}
    found = [asdict(row) | {"bytes_a_question": held[row.effort]} for row in timed]
    if as_json:
        print(json.dumps({"rows": found, "ratio_overhead": _whole(timed)}))
        return
    print(f"{'effort':8} {'retrieve ms':>12} {'evaluate ms':>12} {'overhead':>9} {'bytes/q':>8}")
    for row in found:
        print(
            f"{row['effort']:8} {row['retrieve_ms']:12.1f} {row['evaluate_ms']:12.1f} "
            f"{row['ratio_overhead']:9.2%} {row['bytes_a_question']:8.0f}"
        )
    print(f"all      overhead {_whole(timed):.2%}")


def _whole(found: list[Row]) -> float:
    retrieved = sum(row.retrieve_ms for row in found)
    return round(sum(row.evaluate_ms for row in found) / retrieved - 1, 4)


if __name__ == "__main__":
    asyncio.run(main())
