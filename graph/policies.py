"""Deadlines and retries, put around the ports when the graph is wired.

No step mentions them: a step sees a port that either answers in time or raises our error.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from ..domain.errors import HeadwaterError, ModelUnavailableError, SourceUnavailableError
from ..domain.passage import Passage, SourceHits
from ..domain.ports import (
    Chat,
    ChatMessage,
    ChatReply,
    Classifier,
    JudgeTask,
    Model,
    Ranker,
    RankTask,
    Source,
    SourceProfile,
    Verdict,
)

T = TypeVar("T")
Scorer = TypeVar("Scorer", Ranker, Classifier)


@dataclass(frozen=True, slots=True)
class Policy:
    """How long each kind of call may take, in seconds, and how often it is tried.

    A source's deadline covers all its attempts, so that nothing waits longer than it says.
    """

    source_seconds: float = 10.0
    source_attempts: int = 2
    chat_seconds: float = 60.0
    chat_attempts: int = 2
    ranker_seconds: float = 60.0
    classifier_seconds: float = 60.0
    pause_seconds: float = 0.2
    """Before the second attempt; doubled before each further one."""
    seconds_by_source: dict[str, float] = field(default_factory=dict)
    """Deadlines of single sources that differ from `source_seconds`."""


async def attempt(call: Callable[[], Awaitable[T]], *, attempts: int, pause_seconds: float) -> T:
    """Call until it works, at most `attempts` times; only our retryable errors are retried."""
    for number in range(attempts - 1):
        try:
            return await call()
        except HeadwaterError as exc:
            if not exc.retryable:
                raise
        await asyncio.sleep(pause_seconds * 2**number)
    return await call()


async def within(seconds: float, work: Awaitable[T], late: HeadwaterError) -> T:
    """Await `work` for at most `seconds`, then cancel it and raise `late`."""
    try:
        async with asyncio.timeout(seconds) as deadline:
            return await work
    except TimeoutError as exc:
        if deadline.expired():
            raise late from exc
        raise


@dataclass(frozen=True, slots=True)
class PatientSource:
    """A source under a deadline, retried while the deadline allows."""

    inner: Source
    policy: Policy

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def description(self) -> str:
        return self.inner.description

    @property
    def kind(self) -> str:
        return self.inner.kind

    @property
    def remote(self) -> bool:
        return self.inner.remote

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:
        return await self._patiently(
            lambda: self.inner.search(query, top=top, principals=principals)
        )

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:
        return await self._patiently(lambda: self.inner.get(ids, principals=principals))

    async def profile(self) -> SourceProfile | None:
        return await self._patiently(self.inner.profile)

    async def close(self) -> None:
        await self.inner.close()

    async def _patiently(self, call: Callable[[], Awaitable[T]]) -> T:
        policy = self.policy
        seconds = policy.seconds_by_source.get(self.name, policy.source_seconds)
        late = SourceUnavailableError(self.name, f"no answer within {seconds:g} seconds.")
        tries = attempt(call, attempts=policy.source_attempts, pause_seconds=policy.pause_seconds)
        return await within(seconds, tries, late)


@dataclass(frozen=True, slots=True)
class PatientChat:
    """A chat model under a deadline for each attempt."""

    inner: Chat
    policy: Policy

    @property
    def name(self) -> str:
        return self.inner.name

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        on_token: Callable[[str], None] | None = None,
    ) -> ChatReply:
        # Tokens that were shown cannot be taken back, so a streamed reply is not tried again.
        attempts = 1 if on_token else self.policy.chat_attempts
        return await self._patiently(
            lambda: self.inner.complete(messages, on_token=on_token), attempts
        )

    async def structured(
        self, messages: Sequence[ChatMessage], schema: type[Model]
    ) -> tuple[Model, ChatReply]:
        attempts = self.policy.chat_attempts
        return await self._patiently(lambda: self.inner.structured(messages, schema), attempts)

    async def _patiently(self, call: Callable[[], Awaitable[T]], attempts: int) -> T:
        policy = self.policy
        late = ModelUnavailableError(self.name, f"no reply within {policy.chat_seconds:g} seconds.")
        tries = attempt(call, attempts=attempts, pause_seconds=policy.pause_seconds)
        return await within(policy.chat_seconds, tries, late)


@dataclass(frozen=True, slots=True)
class _PatientModel(Generic[Scorer]):
    inner: Scorer
    policy: Policy

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def device(self) -> str:
        return self.inner.device

    def _late(self, what: str, seconds: float) -> ModelUnavailableError:
        return ModelUnavailableError(self.name, f"no {what} within {seconds:g} seconds.")


class PatientRanker(_PatientModel[Ranker]):
    """A ranker under a deadline."""

    __slots__ = ()

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        seconds = self.policy.ranker_seconds
        return await within(seconds, self.inner.score(tasks), self._late("scores", seconds))


class PatientClassifier(_PatientModel[Classifier]):
    """A classifier under a deadline."""

    __slots__ = ()

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        seconds = self.policy.classifier_seconds
        return await within(seconds, self.inner.judge(tasks), self._late("verdicts", seconds))
