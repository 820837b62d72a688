"""How many sub-queries does an effort plan, and do they cover what the question is made of?"""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from ....domain.effort import PRESETS
from ....domain.ports import Chat, Clock
from ....domain.request import Effort, Run
from ....domain.state import RunState
from ....graph.system import System
from ....models.chat import open_chat
from ....nodes.plan import Plan
from ...data.bases import BaseSpec, QuerySet
from ...data.corpora import Building, Opening
from ...data.questions import Excluded, Question, question_text
from ...record import ResultRow, SubQueryRow
from ..decomposition import write_decomposition
from ..experiment import Experiment, Request
from ..rows import RowMaker
from ..task import Ask, Scene, Setting, Task, alternating

NAME = "sub-queries"
SETS = ("fanoutqa", "strategyqa", "financebench_composed")
_EFFORTS: tuple[Effort, ...] = ("low", "medium")


class PlanScene:
    """The first step alone: what it plans for each question. Nothing is searched."""

    def __init__(
        self,
        name: str,
        settings: Sequence[Setting],
        questions: Sequence[Question],
        *,
        rows: RowMaker,
        opening: Opening,
    ) -> None:
        self.name = name
        self.tasks = alternating(name, settings, questions)
        self.excluded: list[Excluded] = []
        self._rows = rows
        self._opening = opening

    @asynccontextmanager
    async def open(
        self,
        on_progress: Callable[[Building], None],  # noqa: ARG002 - there is nothing to build
    ) -> AsyncGenerator[Ask, None]:
        """Make the step as the graph does."""
        system = System()
        plan = Plan(_chat(self._opening), system.clock)

        async def ask(task: Task) -> ResultRow:
            asked, run = task.question, _run(task, system.clock)
            state: RunState = {
                "run": run,
                "question": run.question,
                "history": asked.row.history,
                "round": 1,
            }
            update = await plan(state)
            spent_ms = (system.clock() - run.started) * 1_000
            return replace(
                self._rows.failed(task, ""),
                status="ok",
                rounds=1,
                error=None,
                gold=[],
                gold_sources=[],
                sub_queries=[
                    SubQueryRow(id=q.id, text=q.text, round=q.round, sources=[])
                    for q in update["sub_queries"]
                ],
                step_ms={"plan": spent_ms},
                elapsed_ms=spent_ms,
            )

        yield ask


def _chat(opening: Opening) -> Chat | None:
    named = opening.chat or opening.models.chat
    return open_chat(named, timeout=opening.models.chat_seconds) if named else None


def _run(task: Task, clock: Clock) -> Run:
    """Resolve the settings that planning reads; those of later steps do not matter here."""
    preset = PRESETS[task.setting.effort]
    return Run(
        id=task.key[3],
        question=question_text(task.question.row),
        started=clock(),
        effort=task.setting.effort,
        output="extractive",
        answer=preset.answer,
        max_sub_queries=preset.max_sub_queries,
        max_sources=preset.max_sources,
        candidates=preset.candidates,
        rank_depth=preset.rank_depth,
        classify_depth=preset.classify_depth,
        ranker_threshold=0.0,
        classifier_threshold=0.0,
        exit_threshold=1.0,
        max_rounds=preset.max_rounds,
        content_budget=preset.content_budget,
        remote=preset.remote,
    )


def scenes(request: Request) -> Sequence[Scene]:
    """The efforts that plan, over sets whose questions come with a reference decomposition."""
    settings = [Setting(name=effort, effort=effort) for effort in request.wanted(_EFFORTS)]
    rows, found = request.rows(NAME), []
    for name in request.bases or SETS:
        questions = questions_of(name, request)
        found.append(PlanScene(name, settings, questions, rows=rows, opening=request.opening))
    return found


def questions_of(name: str, request: Request) -> list[Question]:
    """Choose questions of one data set, which needs no corpus. Raises DataError."""
    return request.questions(BaseSpec(name=name, sources=(), queries=(QuerySet(name),)))


def finish(folder: Path, request: Request) -> None:
    """Compare the plans with the reference decompositions, in files of their own."""
    parts = {
        (question.row.dataset, question.row.id): question.row
        for name in request.bases or SETS
        for question in questions_of(name, request)
    }
    write_decomposition(folder, parts, question=EXPERIMENT.question)


EXPERIMENT = Experiment(
    name=NAME,
    question="How many sub-queries are planned, how much of a reference decomposition do they "
    "cover, and what do they repeat or lose?",
    settings=_EFFORTS,
    scenes=scenes,
    finish=finish,
)
