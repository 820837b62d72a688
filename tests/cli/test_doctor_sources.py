from array import array
from collections.abc import Sequence
from pathlib import Path

import pytest

from headwater.cli.base import Base
from headwater.cli.doctor_routing import Described
from headwater.cli.doctor_sources import similarities, source_checks
from headwater.domain.ports import Vector
from headwater.graph.config import FilesSection, KnowledgeBaseFile
from headwater.sources import files

SECTION = FilesSection(name="pump_manuals", path=".", description="Pumps: seals, torques, faults")


class AxisEmbedder:
    """Puts a text on the axis of its first letter, `a` or `b`."""

    name = "axis"
    dimensions = 2

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return [array("f", [text[0] == "a", text[0] == "b"]) for text in texts]

    embed_passages = embed_queries


async def test_each_pair_of_descriptions_has_its_cosine() -> None:
    sources = [Described("one", "a"), Described("two", "a b"), Described("three", "b")]

    assert await similarities(sources, AxisEmbedder()) == {
        ("one", "two"): 1.0,
        ("one", "three"): 0.0,
        ("two", "three"): 0.0,
    }


async def test_a_source_without_description_has_none() -> None:
    sources = [Described("one", "a"), Described("two", " ")]

    assert await similarities(sources, AxisEmbedder()) == {}


async def test_nothing_is_compared_without_embedder_or_descriptions() -> None:
    assert await similarities([Described("one", "a")], None) is None
    assert await similarities([Described("one", "")], AxisEmbedder()) is None


async def test_an_index_that_another_process_holds_is_an_error_and_routing_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PATIENCE_S", 0.0)
    fcntl = pytest.importorskip("fcntl")
    base = Base(KnowledgeBaseFile(name="kb", sources=[SECTION]), tmp_path)
    state = tmp_path / ".headwater" / "pump_manuals"
    state.mkdir(parents=True)
    with (state / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        checks = await source_checks(base)

    assert [(check.area, check.level) for check in checks] == [
        ("sources", "error"),
        ("routing", "ok"),
    ]
    assert "has it open" in checks[0].text


async def test_a_folder_with_nothing_to_read_is_a_warning_once_it_is_ingested(
    tmp_path: Path,
) -> None:
    from headwater.graph.knowledge_base import KnowledgeBase

    base = Base(KnowledgeBaseFile(name="kb", sources=[SECTION]), tmp_path)
    async with KnowledgeBase.from_config(base.config, folder=tmp_path) as kb:
        await kb.ingest()

    checks = await source_checks(base)

    assert (checks[0].level, checks[0].text) == ("warning", "pump_manuals: 0 files, 0 passages.")
