from pathlib import Path

import pytest

from headwater.domain.errors import IndexVersionError
from headwater.graph.config import FilesSection, KnowledgeBaseFile, ModelsSection
from headwater.graph.knowledge_base import KnowledgeBase
from headwater.sources.files import FilesSource

PAGES = {
    "seal.md": "# Shaft\n\nReplace the seal of the pump once a year, or when water drips.",
    "leave.md": "# Leave\n\nAnnual leave is 28 days and is agreed with the head of department.",
    "badge.md": "# Visitors\n\nVisitors wear a badge and are met at the gate by their host.",
}
QUESTION = "Quand faut-il remplacer le joint de la pompe ?"


def config(embedder: str) -> KnowledgeBaseFile:
    section = FilesSection(name="handbook", path=".", description="Pumps, leave, visitors")
    models = ModelsSection(embedder=embedder, device="cpu")
    return KnowledgeBaseFile(name="kb", models=models, sources=[section])


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / name).write_text(text, "utf-8")
    async with KnowledgeBase.from_config(config("builtin-multilingual"), folder=tmp_path) as kb:
        await kb.ingest()
    return tmp_path


async def test_a_french_question_finds_the_english_page(folder: Path) -> None:
    async with KnowledgeBase.from_config(config("builtin-multilingual"), folder=folder) as kb:
        result = await kb.retrieve(QUESTION, effort="minimal")

    assert result.status == "ok"
    assert result.references[0].title == "Shaft"


async def test_an_index_of_one_embedder_is_not_searched_with_another(folder: Path) -> None:
    async with KnowledgeBase.from_config(config("builtin"), folder=folder) as kb:
        (source,) = kb.sources
        assert isinstance(source, FilesSource)
        (fault,) = (await source.health()).faults
        with pytest.raises(IndexVersionError, match="--rebuild"):
            await kb.ingest()

    assert "'multilingual-e5-small-4bit" in fault
    assert "'all-MiniLM-L6-v2-int8'" in fault
