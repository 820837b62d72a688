"""Collaborators that answer at once, so that only our own cost is left to measure."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from headwater.domain.passage import Hit, Passage, SourceHits
from headwater.domain.ports import JudgeTask, RankTask, SourceProfile, Verdict


@dataclass(frozen=True, slots=True)
class InstantSource:
    """Gives the same passages to every query, after `seconds`."""

    name: str
    passages: list[Passage]
    seconds: float = 0.0
    description: str = "Measured, not read"
    kind: str = "instant"
    remote: bool = False

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:  # noqa: ARG002
        if self.seconds:
            await asyncio.sleep(self.seconds)
        return SourceHits([Hit(passage, similarity=0.5) for passage in self.passages[:top]])

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:  # noqa: ARG002
        return [passage for passage in self.passages if passage.id in ids]

    async def profile(self) -> SourceProfile | None:
        return None

    async def close(self) -> None:
        """Hold nothing."""


@dataclass(frozen=True, slots=True)
class InstantRanker:
    """Scores passages from 4 downwards in the order they come."""

    name: str = "instant"
    device: str = "cpu"

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        return [[4.0 / (1 + place) for place in range(len(task.passages))] for task in tasks]


@dataclass(frozen=True, slots=True)
class InstantClassifier:
    """Grades everything 3; with `sufficient` 0 it is never sure, and the second round runs."""

    sufficient: float = 0.0
    name: str = "instant"
    device: str = "cpu"

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        return [
            Verdict([[0.0, 0.0, 0.0, 1.0, 0.0]] * len(t.passages), self.sufficient) for t in tasks
        ]


@dataclass(frozen=True, slots=True)
class CharacterCounter:
    """Counts four characters as a token."""

    name: str = "characters"

    def __call__(self, text: str) -> int:
        return (len(text) + 3) // 4


def sources(
    count: int, passages: int, *, sentences: int, seconds: float = 0.0
) -> list[InstantSource]:
    """Make `count` sources with `passages` passages each; no two passages are alike."""
    return [
        InstantSource(
            name=f"source_{s}",
            passages=[
                Passage(f"source_{s}", f"{p:04x}", _text(s, p, sentences)) for p in range(passages)
            ],
            seconds=seconds,
        )
        for s in range(count)
    ]


def _text(source: int, place: int, sentences: int) -> str:
    """A fact with a name, then sentences of about 50 characters that only this passage has."""
    fact = f"Model {source * 1000 + place} is made in the Corvo works {source}-{place}. "
    steps = (
        f"Station {source}-{place}-{n} checks the weld of part {n}. " for n in range(sentences)
    )
    return fact + "".join(steps)
