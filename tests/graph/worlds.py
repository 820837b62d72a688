"""Small worlds of fakes to run the real graph in."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from headwater.domain.errors import ModelUnavailableError
from headwater.domain.passage import Passage
from headwater.domain.ports import Chat, Classifier, Embedder, Ranker, Source
from headwater.domain.request import Overrides
from headwater.domain.result import Result
from headwater.graph.builder import Models, build
from headwater.graph.opening import Defaults
from headwater.graph.passages import RunPassages
from headwater.graph.policies import Policy
from headwater.graph.results import result_of
from headwater.graph.system import System
from tests.fakes import (
    FakeClassifier,
    FakeRanker,
    FakeSource,
    WordCounter,
    counting_ids,
    passage,
    ticking_clock,
)

MANUALS = [
    passage("manuals:m1", "The X-200 pump uses the seal S-14. It weighs 41 kg.", title="X-200"),
    passage("manuals:m2", "The X-300 pump uses the seal S-20. It weighs 58 kg.", title="X-300"),
    passage("manuals:m3", "The controller of the X-200 pump is the Corvo unit.", title="Wiring"),
]
NOTES = [
    passage("notes:n1", "Firmware 4.2 for the Corvo unit fixes the restart fault.", title="Corvo"),
    passage("notes:n2", "Seal S-14 must be replaced every 24 months.", title="Seals"),
]
SECRET = passage("hr:s1", "The X-200 pump bonus is 900 euro.", access=["group:hr"])

QUICK = Policy(
    source_seconds=0.05,
    source_attempts=2,
    chat_seconds=0.05,
    chat_attempts=1,
    ranker_seconds=0.05,
    classifier_seconds=0.05,
    pause_seconds=0.001,
)
"""Deadlines short enough to meet in a test."""

DOWN = ModelUnavailableError("scripted", "the line is dead.")


@dataclass
class World:
    """Everything a graph is built from, each part replaceable."""

    sources: Sequence[Source] = field(
        default_factory=lambda: [FakeSource("manuals", MANUALS), FakeSource("notes", NOTES)]
    )
    ranker: Ranker = field(default_factory=FakeRanker)
    classifier: Classifier = field(default_factory=FakeClassifier)
    chat: Chat | None = None
    embedder: Embedder | None = None
    policy: Policy = QUICK
    defaults: Defaults = field(
        default_factory=lambda: Defaults(ranker_threshold=0.5, classifier_threshold=0.5)
    )

    def __post_init__(self) -> None:
        self.passages = RunPassages(self.sources)

    def compiled(self, **compile_with: Any) -> CompiledStateGraph[Any, Any, Any, Any]:
        return build(
            sources=self.sources,
            models=Models(
                ranker=self.ranker,
                classifier=self.classifier,
                counter=WordCounter(),
                embedder=self.embedder,
                chat=self.chat,
            ),
            defaults=self.defaults,
            policy=self.policy,
            system=System(ticking_clock(), counting_ids()),
            passages=self.passages,
        ).compile(**compile_with)

    async def ask(self, question: str, **given: Any) -> tuple[list[str], Result]:
        """Run once; give the steps that ran, in order, and the result."""
        steps: list[str] = []
        output: Any = None
        graph = self.compiled()
        request = {"question": question, **given}
        async for mode, item in graph.astream(request, stream_mode=["updates", "values"]):
            if mode == "updates":
                steps += list(item)
            else:
                output = item
        return steps, await result_of(output, self.passages, explain=True)


def budget(tokens: int) -> Overrides:
    return Overrides(content_budget=tokens)


def protected_world() -> World:
    hr = FakeSource("hr", [SECRET])
    return World(sources=[FakeSource("manuals", MANUALS), hr])


def texts(passages: Sequence[Passage]) -> list[str]:
    return [p.text for p in passages]
