"""Ports: what the steps need from the outside, and what whoever provides it promises.

Every port that waits is asynchronous; an adapter with blocking work gives it to a thread. One
instance serves concurrent calls and keeps no state of a single call.
"""

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, Self, TypeAlias, TypeVar

from pydantic import BaseModel

from .activity import ProgressEvent
from .passage import Passage, SourceHits
from .request import Run

Vector: TypeAlias = "array[float]"
"""A unit vector of 32-bit floats, `array("f")`; `numpy.frombuffer(v, "f4")` reads it in place."""

Model = TypeVar("Model", bound=BaseModel)


class Clock(Protocol):
    """Gives the time in seconds; never goes backwards within a process."""

    def __call__(self) -> float: ...


class Ids(Protocol):
    """Gives a new identifier at each call."""

    def __call__(self) -> str: ...


class Progress(Protocol):
    """Takes events for whoever watches; must not fail and must not wait."""

    def __call__(self, event: ProgressEvent) -> None: ...


class TokenCounter(Protocol):
    """Counts tokens by one named tokenizer."""

    @property
    def name(self) -> str: ...

    def __call__(self, text: str) -> int:
        """Give the number of tokens in `text`; 0 only for empty text."""
        ...


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    @property
    def name(self) -> str:
        """Stable identifier of weights and numeric form; part of an index's identity."""
        ...

    @property
    def dimensions(self) -> int: ...

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        """Embed questions, in the order given. Raises ModelError."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embed passages, in the order given. Raises ModelError."""
        ...


@dataclass(frozen=True, slots=True)
class SourceProfile:
    """Statistics of one source for choosing among sources before asking any of them.

    `document_frequency` maps an index term (see `domain.words.terms`) to the number of passages
    that hold it, the most frequent 20,000 terms at most. `sample` holds the vectors of at most
    256 passages, drawn evenly; empty where the source cannot be sampled.
    """

    passages: int
    mean_words: float
    document_frequency: dict[str, int] = field(default_factory=dict)
    sample: list[Vector] = field(default_factory=list)


class Source(Protocol):
    """A knowledge source."""

    @property
    def name(self) -> str:
        """Stable identifier, shown in references and activity records; holds no colon."""
        ...

    @property
    def description(self) -> str: ...

    @property
    def kind(self) -> str:
        """What sort of source it is: `files`, `web`, `mcp`, and so on."""
        ...

    @property
    def remote(self) -> bool:
        """True where a query leaves this machine, as for the web: not asked at minimal effort."""
        ...

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:
        """Return at most `top` hits that one of `principals` may read, best first.

        Raises:
            SourceUnavailableError: asking again may work.
            SourceRejectedError: asking again cannot work.
        """
        ...

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:
        """Return the passages with these ids that exist and may be read, in any order.

        Raises the same errors as `search`.
        """
        ...

    async def profile(self) -> SourceProfile | None:
        """Return statistics for source selection; `None` where the source gives none."""
        ...

    async def close(self) -> None:
        """Release files and connections; a second call does nothing."""
        ...


class PassageStore(Protocol):
    """Holds the bodies of a run's passages, which stay out of the state."""

    async def put(self, run: Run, passages: Sequence[Passage]) -> None:
        """Keep these passages for the run."""
        ...

    async def get(self, run: Run, keys: Sequence[str]) -> dict[str, Passage]:
        """Return every passage asked for, by key; refilled from the sources where need be.

        Raises:
            PassageLostError: a passage can no longer be had.
        """
        ...


@dataclass(frozen=True, slots=True)
class Scorable:
    """A passage as a model reads it.

    `similarity` is the cosine to the query where it is already known, else `None`.
    """

    text: str
    title: str = ""
    heading: str = ""
    language: str | None = None
    similarity: float | None = None

    @classmethod
    def of(cls, passage: Passage, similarity: float | None = None) -> Self:
        """Show a passage to a model."""
        return cls(
            text=passage.text,
            title=passage.title,
            heading=" > ".join(passage.heading),
            language=passage.language,
            similarity=similarity,
        )


@dataclass(frozen=True, slots=True)
class RankTask:
    """One query with the passages to score against it."""

    query: str
    passages: list[Scorable]


class Ranker(Protocol):
    """The semantic ranker (L2)."""

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str: ...

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        """Return a score in [0, 4] for every passage of every task, in the order given.

        The scale is absolute: it means the same for all queries and sources. Text that is empty
        or white space scores 0. Raises ModelError.
        """
        ...


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One sub-query with its best passages, best first, and the captions of those passages."""

    query: str
    passages: list[Scorable]
    captions: list[str]
    scores: list[float | None]
    """Ranker scores of the passages, in [0, 4]; `None` where the ranker failed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The classifier's view of one `JudgeTask`.

    `grades[i]` is a distribution over the grades 0 to 4 of passage i: five numbers that sum to
    1. `sufficient` is P(the captions together satisfy the query), in [0, 1].
    """

    grades: list[list[float]]
    sufficient: float


class Classifier(Protocol):
    """The semantic classifier (L3)."""

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str: ...

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        """Judge all tasks in one batch, in the order given. Raises ModelError."""
        ...


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message to a chat model."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a chat model said, and what it cost; tokens are `None` where the vendor is silent."""

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None


class Chat(Protocol):
    """A chat model."""

    @property
    def name(self) -> str: ...

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        on_token: Callable[[str], None] | None = None,
    ) -> ChatReply:
        """Return the reply; `on_token` gets its pieces as they come. Raises ModelError."""
        ...

    async def structured(
        self, messages: Sequence[ChatMessage], schema: type[Model]
    ) -> tuple[Model, ChatReply]:
        """Return the reply as a validated `schema`, with the raw reply for its token counts.

        Raises:
            ModelUnavailableError: asking again may work.
            ModelOutputError: no valid object came back, also after one repair.
        """
        ...
