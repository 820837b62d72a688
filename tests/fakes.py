"""Fakes that satisfy the ports, for tests of the steps and of the graph."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from headwater.domain.activity import ProgressEvent
from headwater.domain.errors import ModelOutputError, PassageLostError
from headwater.domain.passage import Hit, Passage, SourceHits, may_read
from headwater.domain.ports import (
    ChatMessage,
    ChatReply,
    JudgeTask,
    Model,
    RankTask,
    Scorable,
    SourceProfile,
    Verdict,
)
from headwater.domain.request import Run
from headwater.domain.words import terms


def ticking_clock(step: float = 0.001) -> Callable[[], float]:
    """A clock that moves on by `step` seconds each time somebody looks at it."""
    ticks = itertools.count()
    return lambda: next(ticks) * step


def counting_ids(prefix: str = "run-") -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"{prefix}{next(numbers)}"


def count_words(text: str) -> int:
    return len(text.split())


class WordCounter:
    name = "words"

    def __call__(self, text: str) -> int:
        return count_words(text)


def run_with(**changes: Any) -> Run:
    """A resolved medium run over sources `a` and `b`, changed as asked."""
    run = Run(
        id="run-1",
        question="",
        started=0.0,
        effort="medium",
        output="answer",
        answer=True,
        max_sub_queries=5,
        max_sources=5,
        candidates=50,
        rank_depth=50,
        classify_depth=10,
        ranker_threshold=1.0,
        classifier_threshold=1.0,
        exit_threshold=0.8,
        max_rounds=2,
        content_budget=1_000,
        remote=True,
        sources=["a", "b"],
    )
    return replace(run, **changes)


def passage(key: str, text: str, **changes: Any) -> Passage:
    source, _, passage_id = key.partition(":")
    return Passage(source=source, id=passage_id, text=text, **changes)


def overlap(query: str, text: str) -> float:
    """Share of the query's terms that are in the text, in [0, 1]."""
    wanted = set(terms(query))
    return len(wanted & set(terms(text))) / len(wanted) if wanted else 0.0


@dataclass
class FakeRanker:
    """Scores 4 x the share of query terms in the passage; or fails, or hangs."""

    name: str = "overlap"
    device: str = "cpu"
    error: Exception | None = None
    delay: float = 0.0
    calls: list[list[RankTask]] = field(default_factory=list)

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        self.calls.append(list(tasks))
        await asyncio.sleep(self.delay)
        if self.error:
            raise self.error
        return [[4 * overlap(task.query, _text(p)) for p in task.passages] for task in tasks]


@dataclass
class FakeClassifier:
    """Grades like `FakeRanker`; `sufficient` is given, or the overlap with all captions."""

    sufficient: float | None = None
    name: str = "overlap"
    device: str = "cpu"
    error: Exception | None = None
    delay: float = 0.0

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        await asyncio.sleep(self.delay)
        if self.error:
            raise self.error
        return [self._verdict(task) for task in tasks]

    def _verdict(self, task: JudgeTask) -> Verdict:
        grades = [round(4 * overlap(task.query, _text(p))) for p in task.passages]
        sufficient = self.sufficient
        if sufficient is None:
            sufficient = overlap(task.query, " ".join(task.captions))
        return Verdict([[float(g == i) for i in range(5)] for g in grades], sufficient)


def _text(scorable: Scorable) -> str:
    return f"{scorable.title} {scorable.heading} {scorable.text}"


Script = Callable[[Sequence[ChatMessage]], Any]


@dataclass
class FakeChat:
    """Answers from a script: each entry is a text, a dict for `structured`, an error, or a
    function of the messages that gives one of these. The last entry repeats."""

    script: Sequence[Any] = ()
    name: str = "scripted"
    delay: float = 0.0
    seen: list[list[ChatMessage]] = field(default_factory=list)

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        on_token: Callable[[str], None] | None = None,
    ) -> ChatReply:
        text = str(await self._next(messages))
        for piece in text.split(" ") if on_token else []:
            on_token(piece + " ")  # type: ignore[misc]
        return ChatReply(text, input_tokens=10, output_tokens=len(text.split()))

    async def structured(
        self, messages: Sequence[ChatMessage], schema: type[Model]
    ) -> tuple[Model, ChatReply]:
        reply = await self._next(messages)
        if not isinstance(reply, dict):
            raise ModelOutputError(self.name, "prose instead of JSON.")
        try:
            return schema.model_validate(reply), ChatReply(str(reply), 10, 5)
        except ValidationError as exc:
            raise ModelOutputError(self.name, "JSON of another shape.") from exc

    async def _next(self, messages: Sequence[ChatMessage]) -> Any:
        self.seen.append(list(messages))
        await asyncio.sleep(self.delay)
        entry = self.script[min(len(self.seen), len(self.script)) - 1]
        entry = entry(messages) if callable(entry) else entry
        if isinstance(entry, Exception):
            raise entry
        return entry


@dataclass
class FakeSource:
    """Finds passages that share a term with the query, most shared first."""

    name: str
    passages: list[Passage] = field(default_factory=list)
    description: str = ""
    kind: str = "fake"
    remote: bool = False
    error: Exception | None = None
    delay: float = 0.0
    queries: list[str] = field(default_factory=list)
    closed: bool = False

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:
        self.queries.append(query)
        await asyncio.sleep(self.delay)
        if self.error:
            raise self.error
        scored = [(overlap(query, f"{p.title} {p.text}"), p) for p in self.passages]
        found = sorted((s for s in scored if s[0] > 0), key=lambda s: (-s[0], s[1].id))
        hits = [Hit(p, similarity=s, score=s) for s, p in found if may_read(p.access, principals)]
        return SourceHits(hits[:top], denied=len(found) - len(hits))

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:
        return [p for p in self.passages if p.id in ids and may_read(p.access, principals)]

    async def profile(self) -> SourceProfile | None:
        frequency: dict[str, int] = {}
        for p in self.passages:
            for term in set(terms(f"{p.title} {p.text}")):
                frequency[term] = frequency.get(term, 0) + 1
        return SourceProfile(len(self.passages), 20.0, frequency)

    async def close(self) -> None:
        self.closed = True


class MemoryPassages:
    """A passage store that forgets nothing and refills nothing."""

    def __init__(self, passages: Sequence[Passage] = ()) -> None:
        self._held = {p.key: p for p in passages}

    async def put(self, run: Run, passages: Sequence[Passage]) -> None:  # noqa: ARG002
        self._held.update((p.key, p) for p in passages)

    async def get(self, run: Run, keys: Sequence[str]) -> dict[str, Passage]:  # noqa: ARG002
        missing = [key for key in keys if key not in self._held]
        if missing:
            raise PassageLostError(missing)
        return {key: self._held[key] for key in keys}


@dataclass
class Recorder:
    """Keeps the progress events it gets."""

    events: list[ProgressEvent] = field(default_factory=list)

    def __call__(self, event: ProgressEvent) -> None:
        self.events.append(event)
