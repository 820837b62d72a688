"""The graph: eight steps and the edges between them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ..domain.activity import Step
from ..domain.complexity import needs_planning
from ..domain.errors import ConfigurationError
from ..domain.ports import Chat, Classifier, Embedder, PassageStore, Ranker, Source, TokenCounter
from ..domain.selection import within
from ..domain.state import Route, RunInput, RunOutput, RunState, SubQuery
from ..nodes.answer import Answer
from ..nodes.classify import Classify
from ..nodes.federate import Federate
from ..nodes.merge import Merge
from ..nodes.plan import Plan
from ..nodes.rank import Rank
from ..nodes.reflect import Reflect
from ..nodes.select import Select
from .opening import Defaults, Opening
from .passages import RunPassages
from .policies import PatientChat, PatientClassifier, PatientRanker, PatientSource, Policy
from .progress import stream_progress
from .steps import SUMMARIES, Announced, Node, Opened, runnable
from .system import System

STRONG_SCORE = 3.0
"""At effort `auto`, in [0, 4]: with a passage of this score for every sub-query the classifier is
not asked. A lower value saves inferences and trusts the ranker more."""

MAX_SOURCES = 10
"""More sources than this make selection guesswork; several knowledge bases serve better."""

Graph = StateGraph[RunState, None, RunInput, RunOutput]


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a knowledge base. Without `chat` every step works in its built-in way."""

    ranker: Ranker
    classifier: Classifier
    counter: TokenCounter
    embedder: Embedder | None = None
    chat: Chat | None = None


def build(
    *,
    sources: Sequence[Source],
    models: Models,
    defaults: Defaults | None = None,
    policy: Policy | None = None,
    system: System | None = None,
    passages: PassageStore | None = None,
) -> Graph:
    """Wire the eight steps and return the builder; the caller compiles and picks a checkpointer.

    `passages` holds the bodies of running runs; by default one that refills itself from the
    sources. Raises ConfigurationError where sources are none or too many, or a name repeats or
    holds a colon.
    """
    _check(sources)
    system, policy = system or System(), policy or Policy()
    patient = [PatientSource(source, policy) for source in sources]
    store = passages or RunPassages(patient)
    opening = Opening(patient, defaults or Defaults(), system.clock, system.ids)
    nodes = nodes_of(patient, _patient(models, policy), store, system)
    nodes["plan"] = Opened(opening, nodes["plan"], lambda _: {})
    nodes["federate"] = Opened(opening, nodes["federate"], ask_as_it_is)

    graph: Graph = StateGraph(RunState, input_schema=RunInput, output_schema=RunOutput)
    for step, node in nodes.items():
        graph.add_node(step, runnable(step, node), metadata={"summary": SUMMARIES[step]})
    graph.add_conditional_edges(START, to_first_step(opening), ["plan", "federate"])
    graph.add_edge("plan", "select")
    graph.add_edge("select", "federate")
    graph.add_edge("federate", "rank")
    graph.add_conditional_edges("rank", after_rank)
    graph.add_conditional_edges("classify", after_classify)
    graph.add_conditional_edges("reflect", after_reflect)
    graph.add_conditional_edges("merge", after_merge)
    graph.add_edge("answer", END)
    return graph


def ask_as_it_is(state: RunState) -> dict[str, Any]:
    """Begin without planning: the question itself, at as many sources as it may have."""
    run = state["run"]
    question = state["question"].strip()
    return {
        "sub_queries": [SubQuery("q1", question, rationale="the question as it was asked")],
        "routes": [Route("q1", within(run.sources, most=run.max_sources, always=run.always_query))],
    }


def to_first_step(opening: Opening) -> Callable[[RunState], Send]:
    """Build the entry edge: minimal effort asks at once, the others plan first.

    Effort `auto` plans when the question looks as if it had parts, and when there are more sources
    than it may ask, since which of them is for `select` to say. Bad input is refused here,
    before any step runs. The step gets the request alone: on a thread that broke off in the
    middle, what is left in the state looks like a run under way, and may be another caller's.
    """

    def first_step(state: RunState) -> Send:
        effort = opening.effort(state)
        if effort == "auto":
            looks_complex = needs_planning(state["question"], opening.history(state))
            planned = looks_complex or opening.must_choose(state)
        else:
            planned = effort != "minimal"
        return Send("plan" if planned else "federate", opening.request(state))

    return first_step


def after_rank(state: RunState) -> Literal["classify", "merge"]:
    """Classify at medium effort; at `auto` only where the ranker alone does not convince."""
    run = state["run"]
    if run.effort == "auto":
        return "merge" if _all_strong(state) else "classify"
    return "classify" if run.effort == "medium" else "merge"


def after_classify(state: RunState) -> Literal["reflect", "merge"]:
    """Exit when every sub-query has its evidence, or when this was the second round."""
    if state["round"] >= state["run"].max_rounds:
        return "merge"
    settled = all(judgement.decision == "exit" for judgement in state["judgements"])
    return "merge" if settled else "reflect"


def after_reflect(state: RunState) -> Literal["federate", "merge"]:
    """Search again, once, if reflection asked for something new."""
    return "federate" if state["round"] == 2 else "merge"


def after_merge(state: RunState) -> Literal["answer", "__end__"]:
    """Compose an answer where one was asked for."""
    return "answer" if state["run"].answer else "__end__"


def _all_strong(state: RunState) -> bool:
    return all(
        any((score or 0.0) >= STRONG_SCORE for score in ranking.scores[:1])
        for ranking in state["rankings"]
    )


def _check(sources: Sequence[Source]) -> None:
    names = [source.name for source in sources]
    if not 1 <= len(names) <= MAX_SOURCES:
        raise ConfigurationError(
            f"A knowledge base has 1 to {MAX_SOURCES} sources, this one has {len(names)}."
        )
    for name in names:
        if names.count(name) > 1:
            raise ConfigurationError(
                f"Two sources are called {name!r}.", fix="Give each its own name."
            )
        if ":" in name:
            raise ConfigurationError(f"The source name {name!r} holds a colon.", fix="Use `_`.")


def _patient(models: Models, policy: Policy) -> Models:
    return replace(
        models,
        ranker=PatientRanker(models.ranker, policy),
        classifier=PatientClassifier(models.classifier, policy),
        chat=PatientChat(models.chat, policy) if models.chat else None,
    )


def nodes_of(
    sources: Sequence[Source], models: Models, passages: PassageStore, system: System
) -> dict[Step, Node]:
    """Make the eight steps, each with its collaborators."""
    clock, progress = system.clock, stream_progress
    nodes: dict[Step, Node] = {
        "plan": Plan(models.chat, clock),
        "select": Select(sources, models.embedder, models.chat, clock),
        "federate": Federate(sources, passages, clock, progress),
        "rank": Rank(models.ranker, passages, clock),
        "classify": Classify(models.classifier, passages, clock),
        "reflect": Reflect(passages, sources, models.chat, clock),
        "merge": Merge(passages, models.counter, clock),
        "answer": Answer(passages, models.counter, models.chat, clock, progress),
    }
    return {step: Announced(step, node, clock, progress) for step, node in nodes.items()}
