"""The graph inside other people's programs."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from headwater.domain.ports import RankTask
from headwater.domain.request import Effort, Identity, Overrides
from headwater.domain.state import RunOutput
from headwater.graph.results import result_of
from tests.fakes import FakeClassifier, FakeRanker, FakeSource
from tests.graph.worlds import MANUALS, SECRET, World, protected_world

QUESTION = "Which seal does the X-200 pump use?"


@dataclass
class HostContext:
    """A context of the host's own class."""

    user: str


class HostState(TypedDict, total=False):
    question: str
    answer: str | None
    shouted: str


def _host(world: World) -> Any:
    host = StateGraph(HostState, context_schema=HostContext)
    host.add_node("kb", world.compiled())
    host.add_node("shout", lambda state: {"shouted": (state["answer"] or "").upper()})
    host.add_edge(START, "kb")
    host.add_edge("kb", "shout")
    host.add_edge("shout", END)
    return host


async def test_runs_as_a_node_of_a_host_whose_context_is_of_another_class() -> None:
    host = _host(World()).compile()

    state = await host.ainvoke({"question": QUESTION}, context=HostContext("bob"))

    assert "S-14 [REF_ID:1]" in state["shouted"] or "S-14" in state["shouted"]
    assert set(state) == {"question", "answer", "shouted"}


def test_runs_in_a_synchronous_host() -> None:
    state = _host(World()).compile().invoke({"question": QUESTION})

    assert "S-14" in state["shouted"]


async def test_runs_synchronously_inside_a_running_loop() -> None:
    state = await asyncio.to_thread(World().compiled().invoke, {"question": QUESTION})

    assert "S-14" in state["answer"]


async def test_sync_and_async_give_the_same() -> None:
    waiting = await World().compiled().ainvoke({"question": QUESTION})
    blocking = await asyncio.to_thread(World().compiled().invoke, {"question": QUESTION})

    assert blocking["answer"] == waiting["answer"]
    assert blocking["references"] == waiting["references"]


async def test_32_runs_at_once_do_not_mix() -> None:
    world = World(classifier=FakeClassifier(sufficient=0.9))
    graph = world.compiled()
    questions = [f"Which seal does the {name} pump use?" for name in ("X-200", "X-300")] * 16

    outputs = await asyncio.gather(*(graph.ainvoke({"question": q}) for q in questions))
    results = [await result_of(cast("RunOutput", output), world.passages) for output in outputs]

    assert len({result.run_id for result in results}) == 32
    for question, result in zip(questions, results, strict=True):
        assert result.question == question
        assert result.references[0].id == ("m1" if "X-200" in question else "m2")


async def test_a_thread_that_is_used_again_starts_a_fresh_run() -> None:
    world = World(classifier=FakeClassifier(sufficient=0.9))
    graph = world.compiled(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}

    for effort in ("medium", "minimal", "medium"):
        request = {"question": "Which seal does the X-200 pump use?", "effort": effort}
        first = await graph.ainvoke(request, config)
        second = await graph.ainvoke({**request, "question": "How heavy is the X-300?"}, config)

        assert second["run"].id != first["run"].id
        assert [query.text for query in second["sub_queries"]] == ["How heavy is the X-300?"]
        assert second["references"][0].id == "m2"
        assert len([r for r in second["activity"] if r.step == "merge"]) == 1


async def test_a_stranger_learns_nothing_of_a_protected_passage() -> None:
    world = protected_world()
    question = "What is the X-200 pump bonus?"
    everything = []

    for effort in ("minimal", "low", "medium", "auto"):
        steps, result = await world.ask(question, effort=effort)
        everything.append(repr((steps, result)))
        assert result.fates.cut["access"] >= 1

    for text in everything:
        assert "900 euro" not in text
        assert "s1" not in text


async def test_a_member_of_the_group_reads_it() -> None:
    _, result = await protected_world().ask(
        "What is the X-200 pump bonus?", effort="low", identity=Identity(groups=["hr"])
    )

    assert "900" in (result.answer or "")


async def test_a_protected_passage_does_not_show_up_in_the_checkpoints_of_a_stranger() -> None:
    saver = InMemorySaver()
    graph = protected_world().compiled(checkpointer=saver)
    config: Any = {"configurable": {"thread_id": "t"}}
    await graph.ainvoke({"question": "What is the X-200 pump bonus?"}, config)

    history = [repr(snapshot.values) async for snapshot in graph.aget_state_history(config)]
    assert history
    assert not any("900 euro" in values or "hr:s1" in values for values in history)


@pytest.mark.parametrize("given", ["objects", "plain"])
async def test_settings_may_come_as_objects_or_as_plain_values(given: str) -> None:
    identity = Identity(groups=["hr"])
    overrides = Overrides(sources=["hr"], content_budget=100)
    plain = {"identity": identity.model_dump(), "overrides": {"sources": ["hr"]}}
    request: dict[str, Any] = {"question": "X-200 pump bonus", "effort": "minimal"}
    request |= {"identity": identity, "overrides": overrides} if given == "objects" else plain

    output = await protected_world().compiled().ainvoke(request)

    assert [reference.source for reference in output["references"]] == ["hr"]


def test_input_and_output_have_json_schemas_for_a_viewers_form() -> None:
    graph = World(sources=[FakeSource("manuals", MANUALS)]).compiled()

    form = graph.get_input_jsonschema()
    assert set(form["properties"]) == {"question", "history", "effort", "identity", "overrides"}
    assert form["required"] == ["question"]
    assert "answer" in graph.get_output_jsonschema()["properties"]


HR = Identity(groups=["hr"])
BONUS: dict[str, Any] = {"question": "What is the X-200 pump bonus?"}


class Breaking(FakeRanker):
    """Has a bug that strikes once."""

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        if not self.calls:
            self.calls.append(list(tasks))
            raise ZeroDivisionError("bug")
        return await FakeRanker.score(self, tasks)


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "auto"])
async def test_a_request_on_an_old_thread_brings_its_own_rights_and_settings(effort: str) -> None:
    graph = protected_world().compiled(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    narrow = Overrides(content_budget=100, answer=True)
    asked = {**BONUS, "effort": effort}
    first = await graph.ainvoke({**asked, "identity": HR, "overrides": narrow}, config)
    second = await graph.ainvoke(BONUS, config)

    assert "900 euro" in first["answer"]
    assert second["run"].principals == []
    assert (second["run"].effort, second["run"].content_budget) == ("medium", 10_000)
    assert "900 euro" not in repr(second)


@pytest.mark.parametrize("effort", ["minimal", "low", "auto"])
async def test_a_run_that_broke_off_is_not_continued_by_the_next_request(
    effort: Effort,
) -> None:
    world = protected_world()
    world.ranker = Breaking()
    world.defaults = replace(world.defaults, effort=effort)
    graph = world.compiled(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}

    with pytest.raises(ZeroDivisionError):
        await graph.ainvoke({**BONUS, "identity": HR}, config)
    output = await graph.ainvoke(BONUS, config)

    assert output["run"].id == "run-2"
    assert output["run"].principals == []
    assert not any(ref.source == "hr" for ref in output["references"])
    assert output["ledger"].balanced


async def test_a_run_that_broke_off_goes_on_where_it_was_asked_to() -> None:
    world = World(ranker=Breaking())
    graph = world.compiled(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}

    with pytest.raises(ZeroDivisionError):
        await graph.ainvoke({"question": QUESTION, "effort": "minimal"}, config)
    output = await graph.ainvoke(None, config)

    assert output["run"].id == "run-1"
    assert output["references"][0].id == "m1"


async def test_a_run_that_broke_off_in_its_first_step_keeps_its_request() -> None:
    hr = FakeSource("hr", [SECRET], error=ZeroDivisionError("bug"))
    graph = World(sources=[hr]).compiled(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}

    with pytest.raises(ZeroDivisionError):
        await graph.ainvoke({**BONUS, "effort": "minimal", "identity": HR}, config)
    hr.error = None
    output = await graph.ainvoke(None, config)

    assert output["run"].principals == ["group:hr"]
    assert [reference.id for reference in output["references"]] == ["s1"]
