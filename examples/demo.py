"""Ask the example knowledge base three questions, without a key and without a network.

Run `make demo`, or `python examples/demo.py`. The first run builds the indexes; the next
one finds that nothing changed.
"""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.indexing import file_sources, ingest, print_reports
from headwater.cli.live import Steps, watched
from headwater.cli.report import print_report
from headwater.cli.screen import Screen, stderr, stdout, styled
from headwater.domain.request import Effort, Overrides
from headwater.graph.knowledge_base import KnowledgeBase

FILE = Path(__file__).parent / "field-service" / "headwater.toml"


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the effort that it deserves, and why."""

    text: str
    effort: Effort
    why: str


QUESTIONS = (
    Question(
        "What is the maximum head of the X-180?",
        "minimal",
        "one fact: ask every source as it is, no planning",
    ),
    Question(
        "Which oil does the bearing housing of the X-300 take, and how soon must used oil reach"
        " the depot?",
        "low",
        "two facts from two sources: plan once, no judging",
    ),
    Question(
        "In which Modbus register does the controller of the X-200 give its operating hours?",
        "medium",
        "the manual names the controller, the release notes its register: judge, ask again",
    ),
)


async def main(file: Path = FILE) -> None:
    """Ingest, ask, and print what a user of the command would see."""
    screen, progress = stdout(), stderr()
    started = time.perf_counter()
    async with KnowledgeBase.open(file) as kb:
        screen.print(styled("Ingesting the example knowledge base", "bold"))
        print_reports(screen, await ingest(kb, progress, file_sources(kb)))
        for question in QUESTIONS:
            await ask(kb, question, screen, progress)
    screen.print(styled(f"\nAll of it took {time.perf_counter() - started:.1f} s.", "dim"))


async def ask(kb: KnowledgeBase, question: Question, screen: Screen, progress: Screen) -> None:
    """Ask one question; minimal effort composes an answer only on request, so it is requested."""
    screen.print()
    screen.rule(styled(f"{question.effort}: {question.why}"))
    screen.print(styled(f"? {question.text}\n", "bold"))
    wanted = Overrides(answer=True)
    with Steps(progress) as steps:
        run = kb.stream(question.text, effort=question.effort, overrides=wanted)
        result = await watched(run, steps)
    print_report(screen, result)


if __name__ == "__main__":
    asyncio.run(main())
