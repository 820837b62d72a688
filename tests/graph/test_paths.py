"""Which steps run, at each effort and in each mishap."""

import asyncio
import unicodedata
from collections.abc import Sequence

import pytest

from headwater.domain.errors import (
    InvalidRequestError,
    SourceRejectedError,
    SourceUnavailableError,
)
from headwater.domain.ports import ChatMessage
from headwater.domain.request import Overrides
from tests.fakes import FakeChat, FakeClassifier, FakeRanker, FakeSource, passage
from tests.graph.worlds import DOWN, MANUALS, NOTES, World

QUESTION = "Which seal does the X-200 pump use?"
MEDIUM = ["plan", "select", "federate", "rank", "classify"]
PLAN = {"queries": [{"text": QUESTION, "rationale": "one fact"}]}
ROUTES = {"choices": [{"query": "q1", "sources": ["manuals"]}]}
ONE_SOURCE = Overrides(max_sources=1)
"""Leaves something to select: with a place for every source no model is asked."""


async def test_minimal_asks_at_once_and_composes_no_answer() -> None:
    steps, result = await World().ask(QUESTION, effort="minimal")

    assert steps == ["federate", "rank", "merge"]
    assert result.answer is None
    assert result.references[0].id == "m1"
    assert [query.text for query in result.sub_queries] == [QUESTION]


async def test_minimal_answers_on_request() -> None:
    overrides = Overrides(answer=True)
    steps, result = await World().ask(QUESTION, effort="minimal", overrides=overrides)

    assert steps == ["federate", "rank", "merge", "answer"]
    assert "[ref_id:1]" in (result.answer or "")


async def test_minimal_leaves_remote_sources_alone() -> None:
    web = FakeSource("web", MANUALS, remote=True)
    world = World(sources=[FakeSource("manuals", MANUALS), web])

    await world.ask(QUESTION, effort="minimal")

    assert web.queries == []


async def test_a_source_that_is_always_asked_has_its_place_without_planning_too() -> None:
    world = World(sources=[FakeSource("notes", NOTES), FakeSource("manuals", MANUALS)])
    overrides = Overrides(max_sources=1, always_query=["manuals"])
    _, result = await world.ask(QUESTION, effort="minimal", overrides=overrides)

    assert result.sub_queries[0].sources == ["manuals"]


async def test_low_plans_and_answers_without_classifying() -> None:
    steps, result = await World().ask(QUESTION, effort="low")

    assert steps == ["plan", "select", "federate", "rank", "merge", "answer"]
    assert "S-14" in (result.answer or "")
    assert all(query.exit is None for query in result.sub_queries)


async def test_medium_exits_early_when_the_evidence_suffices() -> None:
    world = World(classifier=FakeClassifier(sufficient=0.95))
    steps, result = await world.ask(QUESTION, effort="medium")

    assert steps == [*MEDIUM, "merge", "answer"]
    assert result.rounds == 1
    exit_ = result.sub_queries[0].exit
    assert exit_ is not None
    assert (exit_.decision, exit_.probability, exit_.threshold) == ("exit", 0.95, 0.8)


async def test_medium_merges_when_reflection_is_satisfied() -> None:
    chat = FakeChat(
        [
            PLAN,
            ROUTES,
            {"satisfied": True, "pinned": [1], "missing": "", "follow_ups": []},
            "The X-200 uses the seal S-14 [ref_id:1].",
        ]
    )
    world = World(classifier=FakeClassifier(sufficient=0.1), chat=chat)
    steps, result = await world.ask(QUESTION, effort="medium", overrides=ONE_SOURCE)

    assert steps == [*MEDIUM, "reflect", "merge", "answer"]
    assert result.rounds == 1


async def test_medium_searches_a_second_time_and_then_stops() -> None:
    world = World(classifier=FakeClassifier(sufficient=0.1))
    steps, result = await world.ask(
        "What does the firmware of the controller of the X-200 pump fix?", effort="medium"
    )

    second = ["reflect", "federate", "rank", "classify", "merge", "answer"]
    assert steps == [*MEDIUM, *second]
    assert result.rounds == 2
    follow_ups = [query for query in result.sub_queries if query.round == 2]
    assert follow_ups
    assert any("Corvo" in query.text for query in follow_ups)
    assert "n1" in [reference.id for reference in result.references]


async def test_auto_asks_a_simple_question_at_once_and_stops_at_strong_evidence() -> None:
    steps, _ = await World().ask("X-200 seal", effort="auto")

    assert steps == ["federate", "rank", "merge", "answer"]


async def test_auto_escalates_when_the_evidence_is_weak() -> None:
    world = World(classifier=FakeClassifier(sufficient=0.1))
    steps, _ = await world.ask("Which grease does the X-200 want?", effort="auto")

    assert steps[:4] == ["federate", "rank", "classify", "reflect"]


async def test_auto_plans_a_comparison() -> None:
    steps, _ = await World().ask("Compare the X-200 with the X-300 on weight.", effort="auto")

    assert steps[:3] == ["plan", "select", "federate"]


async def test_auto_chooses_among_more_sources_than_it_may_ask() -> None:
    others = [
        FakeSource(name, [passage(f"{name}:p1", "Opening hours of the workshop.")])
        for name in ("hours", "prices", "rooms", "buses", "menus")
    ]
    world = World(sources=[*others, FakeSource("manuals", MANUALS)])
    steps, result = await world.ask("X-200 seal", effort="auto")

    assert steps[:3] == ["plan", "select", "federate"]
    assert "manuals" in result.sub_queries[0].sources
    assert len(result.sub_queries[0].sources) == 5


async def test_a_dead_source_costs_its_own_hits_and_is_named() -> None:
    dead = FakeSource("notes", error=SourceUnavailableError("notes", "no route to host."))
    world = World(sources=[FakeSource("manuals", MANUALS), dead])
    _, result = await world.ask(QUESTION, effort="low")

    assert result.status == "partial"
    assert "S-14" in (result.answer or "")
    assert [gap.reason for gap in result.gaps] == ["source_failed"]
    assert any("notes" in warning for warning in result.warnings)
    assert len(dead.queries) == 2, "a retryable error is tried twice"


async def test_a_source_that_refuses_is_not_asked_again() -> None:
    dead = FakeSource("notes", error=SourceRejectedError("notes", "wrong key."))
    await World(sources=[FakeSource("manuals", MANUALS), dead]).ask(QUESTION, effort="low")

    assert len(dead.queries) == 1


async def test_all_sources_down_is_a_failed_run_with_a_full_account() -> None:
    error = SourceUnavailableError("x", "down.")
    world = World(sources=[FakeSource("a", error=error), FakeSource("b", error=error)])
    _, result = await world.ask(QUESTION, effort="medium")

    assert result.status == "failed"
    assert result.answer is None
    assert result.references == []
    assert (result.fates.found, result.fates.kept) == (0, 0)


async def test_a_bug_in_a_source_is_not_swallowed() -> None:
    world = World(sources=[FakeSource("a", error=ZeroDivisionError("bug"))])

    with pytest.raises(ZeroDivisionError):
        await world.ask(QUESTION, effort="low")


async def test_every_model_step_survives_a_dead_chat_model() -> None:
    chat = FakeChat([DOWN])
    world = World(classifier=FakeClassifier(sufficient=0.1), chat=chat)
    _, result = await world.ask(QUESTION, effort="medium", overrides=ONE_SOURCE)

    failed = {record.step for record in result.activity if record.error}
    assert {"plan", "select", "reflect", "answer"} <= failed
    assert result.status == "partial"
    assert "S-14" in (result.answer or "")


async def test_every_model_step_survives_a_chat_model_that_answers_in_prose() -> None:
    chat = FakeChat(["Certainly! The X-200 pump uses the seal S-14."])
    world = World(classifier=FakeClassifier(sufficient=0.1), chat=chat)
    _, result = await world.ask(QUESTION, effort="medium", overrides=ONE_SOURCE)

    failed = {record.step for record in result.activity if record.error}
    assert failed == {"plan", "select", "reflect"}
    assert result.status == "partial"
    assert "S-14. [ref_id:1]" in (result.answer or ""), "the check finds the missing citation"


@pytest.mark.parametrize("step", ["plan", "select", "reflect", "answer"])
async def test_a_chat_model_that_hangs_at_one_step_is_left_behind(step: str) -> None:
    chat = HangingAt(step)
    world = World(classifier=FakeClassifier(sufficient=0.1), chat=chat)
    _, result = await world.ask(QUESTION, effort="medium", overrides=ONE_SOURCE)

    failed = [record.step for record in result.activity if record.error]
    assert set(failed) == {step}
    assert "S-14" in (result.answer or "")


async def test_a_source_that_hangs_is_left_at_its_deadline() -> None:
    slow = FakeSource("notes", NOTES, delay=60)
    world = World(sources=[FakeSource("manuals", MANUALS), slow])
    _, result = await world.ask(QUESTION, effort="low")

    assert result.status == "partial"
    assert any("no answer within 0.05 seconds" in warning for warning in result.warnings)


async def test_a_ranker_that_hangs_leaves_the_order_of_the_sources() -> None:
    _, result = await World(ranker=FakeRanker(delay=60)).ask(QUESTION, effort="low")

    assert result.status == "partial"
    assert result.references
    assert all(reference.scores.ranker is None for reference in result.references)


async def test_a_classifier_that_hangs_lets_the_run_reflect() -> None:
    world = World(classifier=FakeClassifier(delay=60))
    steps, result = await world.ask(QUESTION, effort="medium")

    assert "reflect" in steps
    assert result.status == "partial"
    assert "S-14" in (result.answer or "")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"question": "   "}, "empty"),
        ({"question": "x" * 200_001}, "200,001 characters"),
        ({"question": "q", "effort": "maximal"}, "effort"),
        ({"question": "q", "overrides": {"content_budget": 0}}, "content_budget"),
        ({"question": "q", "overrides": {"sources": ["manual"]}}, "manuals"),
        ({"question": "q", "overrides": {"never_query": ["manuals", "notes"]}}, "No source"),
        ({"question": "q", "history": [{"role": "user", "content": "x"}] * 201}, "201 turns"),
        ({"question": "q", "history": [{"role": "robot", "content": "x"}]}, "history.0.role"),
    ],
)
async def test_bad_input_is_refused_before_any_step(given: dict[str, object], message: str) -> None:
    world = World()

    with pytest.raises(InvalidRequestError, match=message):
        await world.compiled().ainvoke(given)

    asked = [query for s in world.sources if isinstance(s, FakeSource) for query in s.queries]
    assert asked == []


@pytest.mark.parametrize("effort", ["minimal", "low", "medium", "auto"])
@pytest.mark.parametrize(
    "question", ["?!…", "🙂🙂", "a\x00b\ud800c", "seal " * 20_000, "x" * 9_000]
)
async def test_odd_questions_run_to_the_end_and_their_fates_balance(
    question: str, effort: str
) -> None:
    _, result = await World().ask(question, effort=effort)

    result.question.encode("utf-8")
    assert result.fates.found == result.fates.kept + sum(result.fates.cut.values())


async def test_letters_in_parts_become_whole_before_anything_reads_them() -> None:
    apart = unicodedata.normalize("NFD", "Où est la pièce de la X-200 ?")
    world = World()

    _, result = await world.ask(apart, effort="minimal")

    assert result.question == "Où est la pièce de la X-200 ?" != apart
    asked = {query for s in world.sources if isinstance(s, FakeSource) for query in s.queries}
    assert asked == {result.question}


class HangingAt(FakeChat):
    """Serves every step but one, which waits for ever."""

    def __init__(self, step: str) -> None:
        self._script = {
            "plan": PLAN,
            "select": ROUTES,
            "reflect": {"satisfied": True, "pinned": [1], "missing": "", "follow_ups": []},
            "answer": "The X-200 pump uses the seal S-14 [ref_id:1].",
        }
        self._step = step
        super().__init__()

    async def _next(self, messages: Sequence[ChatMessage]) -> object:
        self.seen.append(list(messages))
        step = list(self._script)[min(len(self.seen), len(self._script)) - 1]
        if step == self._step:
            await asyncio.sleep(60)
        return self._script[step]
