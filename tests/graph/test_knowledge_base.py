"""A knowledge base from its file to its answers, on the ingested example."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from headwater.domain.activity import ProgressEvent
from headwater.domain.errors import ConfigurationError, InvalidRequestError, PassageLostError
from headwater.domain.request import Identity, Overrides, Turn
from headwater.domain.result import Result
from headwater.graph.builder import Models
from headwater.graph.config_file import read
from headwater.graph.knowledge_base import KnowledgeBase
from headwater.sources.ingest import IngestProgress
from tests.fakes import FakeClassifier, FakeRanker, FakeSource, WordCounter
from tests.graph.worlds import MANUALS, QUICK
from tests.models.scripted_chat import ScriptedModel, said

QUESTION = "How much does the X-200 pump weigh?"
WEIGHT = "46 kg"


@pytest.fixture
async def kb(field_service: Path) -> AsyncIterator[KnowledgeBase]:
    async with KnowledgeBase.open(field_service) as knowledge_base:
        yield knowledge_base


def _of_fakes(*sources: FakeSource) -> KnowledgeBase:
    return KnowledgeBase(
        sources, Models(FakeRanker(), FakeClassifier(), WordCounter()), policy=QUICK
    )


async def test_answers_with_references_whose_texts_are_filled_in(kb: KnowledgeBase) -> None:
    result = await kb.retrieve(QUESTION, effort="low")

    assert WEIGHT in (result.answer or "")
    assert any(WEIGHT in reference.text for reference in result.references)
    assert result.effort == "low"


async def test_takes_every_setting_of_one_run(kb: KnowledgeBase) -> None:
    result = await kb.retrieve(
        "And how heavy is it?",
        effort="low",
        history=[Turn(role="user", content="Tell me about the X-200 pump.")],
        overrides=Overrides(sources=["product_manuals"], answer=False),
        explain=True,
    )

    assert "X-200" in result.sub_queries[0].text
    assert {reference.source for reference in result.references} == {"product_manuals"}
    assert result.answer is None
    assert len(result.fates.rows) == result.fates.found


async def test_a_protected_passage_is_found_by_its_readers_alone(kb: KnowledgeBase) -> None:
    question, only_hr = "stand-by allowance", Overrides(sources=["hr_handbook"])
    stranger = await kb.retrieve(question, effort="minimal", overrides=only_hr)
    identity = Identity(groups=["hr", "staff", "management"])
    reader = await kb.retrieve(question, effort="minimal", overrides=only_hr, identity=identity)

    assert stranger.references == []
    assert stranger.fates.cut["access"] > 0
    assert reader.references


def test_asks_synchronously_without_a_loop(field_service: Path) -> None:
    kb = KnowledgeBase.open(field_service)

    assert WEIGHT in (kb.retrieve_sync(QUESTION, effort="low").answer or "")
    asyncio.run(kb.close())


async def test_asks_synchronously_inside_a_running_loop(kb: KnowledgeBase) -> None:
    waited = await kb.retrieve(QUESTION, effort="low")
    blocked = kb.retrieve_sync(QUESTION, effort="low")

    assert (blocked.answer, blocked.references) == (waited.answer, waited.references)


async def test_streams_events_and_then_the_result(kb: KnowledgeBase) -> None:
    items = [item async for item in kb.stream(QUESTION, effort="low")]

    *events, result = items
    assert isinstance(result, Result)
    assert WEIGHT in (result.answer or "")
    assert all(isinstance(event, ProgressEvent) for event in events)
    finished = [e.step for e in events if isinstance(e, ProgressEvent) and not e.source]
    assert list(dict.fromkeys(finished)) == [
        "plan",
        "select",
        "federate",
        "rank",
        "merge",
        "answer",
    ]


async def test_who_stops_reading_a_stream_stops_the_run() -> None:
    slow = FakeSource("manuals", MANUALS, delay=0.02)
    stream = _of_fakes(slow).stream(QUESTION, effort="minimal")

    async for event in stream:
        assert isinstance(event, ProgressEvent)
        break
    await stream.aclose()

    tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    assert tasks == []


async def test_what_a_run_held_is_forgotten_when_it_is_over() -> None:
    source = FakeSource("manuals", MANUALS)
    kb = _of_fakes(source)
    output = await kb.graph.ainvoke({"question": QUESTION, "effort": "low"})
    store = kb.passages
    assert await store.get(output["run"], ["manuals:m1"])

    source.passages = []
    await kb.close()
    with pytest.raises(PassageLostError):
        await store.get(output["run"], ["manuals:m1"])


async def test_serves_as_a_tool_under_its_own_name(kb: KnowledgeBase) -> None:
    tool = kb.as_tool(effort="low")

    assert tool.name == "field_service"
    assert "field engineers" in tool.description
    assert WEIGHT in await tool.ainvoke({"question": QUESTION})


def test_a_tool_without_configuration_still_says_what_it_does() -> None:
    tool = _of_fakes(FakeSource("manuals")).as_tool()

    assert tool.name == "knowledge_base"
    assert tool.description.startswith("Answers questions")


async def test_a_tool_that_finds_nothing_says_so() -> None:
    answer = await _of_fakes(FakeSource("manuals")).as_tool().ainvoke({"question": QUESTION})

    assert answer.startswith("Nothing was found.")


async def test_ingestion_of_unchanged_files_reads_nothing_anew(kb: KnowledgeBase) -> None:
    told: list[tuple[str, IngestProgress]] = []
    reports = await kb.ingest(on_progress=lambda name, progress: told.append((name, progress)))

    assert list(reports) == [source.name for source in kb.sources]
    assert all(report.added == report.changed == 0 for report in reports.values())
    assert {name for name, _ in told} == set(reports)


async def test_one_source_is_ingested_alone(kb: KnowledgeBase, field_service: Path) -> None:
    (field_service.parent / "policies" / "new.md").write_text("# Gate\n\nClose the gate.", "utf-8")

    reports = await kb.ingest("service_policies")

    assert list(reports) == ["service_policies"]
    assert reports["service_policies"].added == 1


async def test_ingestion_of_an_unknown_source_names_the_known_ones(kb: KnowledgeBase) -> None:
    with pytest.raises(InvalidRequestError, match=r"'policies'.*service_policies"):
        await kb.ingest("policies")


async def test_closing_twice_is_harmless(field_service: Path) -> None:
    kb = KnowledgeBase.open(field_service)
    await kb.retrieve(QUESTION, effort="minimal")

    await kb.close()
    await kb.close()


def test_a_path_that_does_not_exist_is_named_with_its_source(field_service: Path) -> None:
    shutil.rmtree(field_service.parent / ".headwater")
    text = field_service.read_text("utf-8").replace('"./manuals"', '"./manual"')
    field_service.write_text(text, "utf-8")

    with pytest.raises(ConfigurationError, match=r"'product_manuals'.*manual'"):
        KnowledgeBase.open(field_service)


async def test_opens_from_a_configuration_that_was_changed_in_memory(field_service: Path) -> None:
    config = read(field_service).model_copy(update={"effort": "minimal"})

    async with KnowledgeBase.from_config(config, folder=field_service.parent) as kb:
        assert (await kb.retrieve(QUESTION)).effort == "minimal"


async def test_a_chat_model_object_serves_in_place_of_a_named_one(field_service: Path) -> None:
    model = ScriptedModel(script=[said(f"It weighs {WEIGHT} [ref_id:1].")])

    async with KnowledgeBase.open(field_service, chat=model) as kb:
        result = await kb.retrieve(
            QUESTION, effort="minimal", overrides=Overrides(answer=True, content_budget=500)
        )

    assert model.seen
    assert any(usage.input_tokens for usage in result.usage)


async def test_a_source_whose_files_were_taken_away_answers_from_its_index(
    field_service: Path,
) -> None:
    (field_service.parent / "manuals").rename(field_service.parent / "elsewhere")

    async with KnowledgeBase.open(field_service) as knowledge_base:
        result = await knowledge_base.retrieve("Which seal does the X-200 use?", effort="low")
        with pytest.raises(ConfigurationError, match="manuals"):
            await knowledge_base.ingest("product_manuals")

    assert result.status == "ok"
    assert "product_manuals" in [reference.source for reference in result.references]
