"""What tests of several folders share."""

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

# Before anything imports langgraph: a type that a checkpoint cannot restore then fails a test.
os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")

from headwater.domain.ports import Embedder

ROOT = Path(__file__).resolve().parents[1]

# How long an example takes says nothing on a machine that others use as well.
settings.register_profile("headwater", deadline=None)
settings.load_profile("headwater")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of evaluation data: `HEADWATER_DATA`, else `../shared/data` by the checkout."""
    named = os.environ.get("HEADWATER_DATA")
    folder = Path(named) if named else ROOT.parent / "shared" / "data"
    if folder.is_dir():
        return folder
    reason = f"no evaluation data at {folder}: set HEADWATER_DATA to its folder"
    if os.environ.get("CI") == "true":
        pytest.fail(f"{reason} (in CI it must be there)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The built-in embedder itself, opened once."""
    from headwater.models.embedder import open_embedder

    return open_embedder("builtin")


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an ingested copy of the example knowledge base; copy it, do not open it."""
    from headwater.graph.knowledge_base import KnowledgeBase

    folder = tmp_path_factory.mktemp("ingested") / "field-service"
    example = ROOT / "examples" / "field-service"
    shutil.copytree(example, folder, ignore=shutil.ignore_patterns(".headwater"))

    async def ingest() -> None:
        async with KnowledgeBase.open(folder / "headwater.toml") as knowledge_base:
            reports = await knowledge_base.ingest()
        assert all(report.chunks and not report.problems for report in reports.values())

    asyncio.run(ingest())
    return folder


@pytest.fixture
def field_service(ingested: Path, tmp_path: Path) -> Path:
    """The file of a test's own copy of the ingested example."""
    shutil.copytree(ingested, tmp_path / "field-service")
    return tmp_path / "field-service" / "headwater.toml"
