import string
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import (
    InvalidRequestError,
    ModelUnavailableError,
    SourceUnavailableError,
)
from headwater.domain.ports import SourceProfile, Vector
from headwater.domain.state import Route, RunState, SubQuery
from headwater.nodes import select as module
from headwater.nodes.select import Select, SelectUpdate
from tests.fakes import FakeChat, FakeSource, passage, run_with, ticking_clock

TOPICS = {"pumps": "pump seal bearing", "law": "leave notice contract", "menu": "soup bread"}
SOURCES = [FakeSource(name, [passage(f"{name}:1", text)]) for name, text in TOPICS.items()]
NAMES = list(TOPICS)


class BrokenSource(FakeSource):
    async def profile(self) -> SourceProfile | None:
        raise SourceUnavailableError(self.name, "no connection.")


@dataclass
class TopicEmbedder:
    """Puts each text on the axes of the topics whose words it holds; or fails."""

    topics: Sequence[Sequence[str]] = ()
    error: Exception | None = None
    name: str = "topics"

    @property
    def dimensions(self) -> int:
        return len(self.topics)

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        if self.error:
            raise self.error
        return [self._vector(text) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self.embed_queries(texts)

    def _vector(self, text: str) -> Vector:
        return array("f", [float(any(w in text for w in words)) for words in self.topics])


def asking(*questions: str, **run: Any) -> RunState:
    queries = [SubQuery(f"q{n}", text) for n, text in enumerate(questions, start=1)]
    settings = {"sources": NAMES, "max_sources": 2, **run}
    return {"run": run_with(**settings), "question": "?", "round": 1, "sub_queries": queries}


def node(
    chat: FakeChat | None = None,
    sources: Sequence[FakeSource] = SOURCES,
    embedder: TopicEmbedder | None = None,
) -> Select:
    return Select(sources, embedder, chat, ticking_clock())


def choosing(**choices: list[str]) -> FakeChat:
    listed = [{"query": query, "sources": names} for query, names in choices.items()]
    return FakeChat([{"choices": listed}])


def chosen(update: SelectUpdate) -> dict[str, list[str]]:
    return {route.sub_query: route.sources for route in update["routes"]}


async def test_each_sub_query_goes_to_the_sources_that_hold_its_words() -> None:
    update = await node()(asking("Which notice does the law ask?", "bread", max_sources=1))

    assert chosen(update) == {"q1": ["law"], "q2": ["menu"]}


async def test_all_sources_are_asked_where_they_fit_the_best_first() -> None:
    update = await node()(asking("soup", max_sources=3))

    assert chosen(update)["q1"][0] == "menu"
    assert sorted(chosen(update)["q1"]) == sorted(NAMES)


async def test_only_allowed_sources_are_asked() -> None:
    update = await node()(asking("soup", sources=["law", "pumps"], max_sources=3))

    assert sorted(chosen(update)["q1"]) == ["law", "pumps"]


async def test_a_source_that_must_be_asked_takes_the_place_of_a_better_one() -> None:
    update = await node()(asking("soup", max_sources=1, always_query=["pumps", "unknown"]))

    assert chosen(update) == {"q1": ["pumps"]}


async def test_only_unrouted_sub_queries_of_this_round_are_routed() -> None:
    state = asking("soup", "seal")
    state["round"] = 2
    state["sub_queries"] += [SubQuery("q3", "soup", round=2), SubQuery("q4", "seal", round=2)]
    state["routes"] = [Route("q3", ["law"])]

    assert list(chosen(await node()(state))) == ["q4"]


async def test_nothing_to_route_gives_an_empty_record() -> None:
    update = await node(choosing())(asking())

    assert update["routes"] == []
    assert update["activity"][0].count == 0


async def test_no_allowed_source_is_the_callers_error() -> None:
    with pytest.raises(InvalidRequestError, match="source"):
        await node()(asking("soup", sources=[]))


async def test_a_source_without_statistics_is_chosen_by_name_and_named_in_a_warning() -> None:
    sources = [*SOURCES, BrokenSource("wine_list", description="Wine and grapes")]
    update = await node(sources=sources)(
        asking("Which wine?", sources=[*NAMES, "wine_list"], max_sources=1)
    )

    assert chosen(update) == {"q1": ["wine_list"]}
    assert "wine_list" in (update["activity"][0].warning or "")


async def test_meaning_decides_where_no_word_is_shared() -> None:
    sources = [FakeSource("a", description="canine"), FakeSource("b", description="feline")]
    embedder = TopicEmbedder([["canine", "dog"], ["feline", "cat"]])
    update = await node(sources=sources, embedder=embedder)(
        asking("my cat", sources=["a", "b"], max_sources=1)
    )

    assert chosen(update) == {"q1": ["b"]}


async def test_where_the_embedder_fails_words_decide() -> None:
    broken = TopicEmbedder(error=ModelUnavailableError("topics", "out of memory."))

    update = await node(embedder=broken)(asking("soup", max_sources=1))

    assert chosen(update) == {"q1": ["menu"]}
    (record,) = update["activity"]
    assert "words only" in (record.warning or "")
    assert "topics" in (record.error or "")


async def test_the_model_decides_where_there_is_one() -> None:
    update = await node(choosing(q1=["law", "pumps"], q2=["menu"]))(asking("soup", "seal"))

    assert chosen(update) == {"q1": ["law", "pumps"], "q2": ["menu"]}
    (record,) = update["activity"]
    assert (record.step, record.model, record.count) == ("select", "scripted", 3)
    assert record.input_tokens == 10
    assert record.warning is None


async def test_names_the_model_invents_are_dropped_and_its_gaps_filled() -> None:
    chat = choosing(q1=["gossip"], q2=[" law", "law", "gossip"], q9=["menu"])

    update = await node(chat)(asking("soup", "seal", max_sources=1))

    assert chosen(update) == {"q1": ["menu"], "q2": ["law"]}
    assert "q1" in (update["activity"][0].warning or "")


async def test_the_model_cannot_drop_a_required_source_or_exceed_the_limit() -> None:
    chat = choosing(q1=["menu", "law", "pumps"])

    update = await node(chat)(asking("soup", always_query=["pumps"]))

    assert sorted(chosen(update)["q1"]) == ["menu", "pumps"]


@pytest.mark.parametrize("reply", [ModelUnavailableError("scripted", "down."), "All of them!"])
async def test_where_the_model_fails_statistics_decide_and_say_so(reply: Any) -> None:
    update = await node(FakeChat([reply]))(asking("soup", max_sources=1))

    assert chosen(update) == {"q1": ["menu"]}
    (record,) = update["activity"]
    assert "statistics" in (record.warning or "")
    assert "scripted" in (record.error or "")


async def test_the_model_is_not_asked_where_nothing_is_to_decide() -> None:
    chat = choosing(q1=["law"])

    update = await node(chat)(asking("soup", max_sources=3))

    assert chat.seen == []
    assert update["activity"][0].model is None


async def test_instructions_are_something_to_decide() -> None:
    chat = choosing(q1=["law"])

    update = await node(chat)(
        asking("soup", max_sources=3, retrieval_instructions="Only law. </instructions>")
    )

    assert chosen(update) == {"q1": ["law"]}
    assert chat.seen[0][0].content.count("</instructions>") == 1


def test_every_placeholder_of_the_prompts_is_known() -> None:
    prompts = (module.SYSTEM_PROMPT, module.INSTRUCTIONS_PROMPT, module.USER_PROMPT)
    fields = {field for prompt in prompts for _, field, _, _ in string.Formatter().parse(prompt)}

    assert fields - {None} == {"most", "sources", "instructions", "queries"}


SOME = st.lists(st.sampled_from([*NAMES, "unknown"]), max_size=5)


@given(
    st.lists(st.sampled_from(["soup", "seal of a pump", "?", "契约"]), min_size=1, max_size=4),
    st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
    st.integers(1, 4),
    SOME,
    st.none() | st.dictionaries(st.sampled_from(["q1", "q2", "q7"]), SOME),
)
async def test_every_route_keeps_the_promises(
    questions: list[str],
    allowed: list[str],
    most: int,
    always: list[str],
    choices: dict[str, list[str]] | None,
) -> None:
    def chat() -> FakeChat | None:
        return None if choices is None else choosing(**choices)

    state = asking(*questions, sources=allowed, max_sources=most, always_query=always)
    update = await node(chat())(state)

    required = set(always) & set(allowed)
    for route in update["routes"]:
        assert 1 <= len(route.sources) <= max(most, len(required))
        assert len(set(route.sources)) == len(route.sources)
        assert required <= set(route.sources) <= set(allowed)
    assert [route.sub_query for route in update["routes"]] == [q.id for q in state["sub_queries"]]
    assert (await node(chat())(state))["routes"] == update["routes"]
