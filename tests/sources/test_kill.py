"""An ingestion that is killed at the points where something has just been written."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.domain.errors import IndexLockedError
from headwater.sources.index.keyword import Engine
from tests.sources.stand_ins import HashingEmbedder
from tests.sources.test_ingest import open_source, titles, write

NOTES = 35


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    for number in range(NOTES):
        write(folder, f"n{number:02}.md", f"# Note {number}\n\nWord{number} in note {number}.")
    return folder


async def run_elsewhere(files: Path, engine: Engine, point: str, number: int) -> int:
    """Ingest in another process; returns its exit status, negative where a signal ended it."""
    arguments = [str(files), str(files.parent / "state"), engine, point, str(number)]
    command = [sys.executable, "-m", "tests.sources.killed", *arguments]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True)
    assert done.returncode in (0, 1, -signal.SIGKILL), done.stderr
    return done.returncode if done.returncode != 1 else IndexLockedError.__name__ in done.stderr


KILLS = [
    ("whoosh", "Catalog.begin:before"),
    ("whoosh", "Catalog.begin:after"),
    ("whoosh", "VectorIndex.write:after"),
    ("whoosh", "WhooshKeyword.write:after"),
    ("whoosh", "Catalog.finish:after"),
    ("fts5", "Fts5Keyword.write:before"),
    ("fts5", "Fts5Keyword.write:after"),
]


@pytest.mark.parametrize(("engine", "point"), KILLS, ids=[f"{e}-{p}" for e, p in KILLS])
async def test_a_killed_ingestion_resumes_and_loses_nothing(
    files: Path, engine: Engine, point: str
) -> None:
    # Opening passes `finish` and each write that a recovery needs; the 2nd batch is meant here.
    number = 3 if point.startswith("Catalog.finish") else 2
    assert await run_elsewhere(files, engine, point, number) == -signal.SIGKILL

    embedder = HashingEmbedder()
    source = open_source(files, embedder, engine)
    kept = (await source.health()).counts
    assert kept["chunks"] == kept["keyword"] == kept["vectors"] >= 10
    report = await source.ingest()
    assert report.chunks == NOTES
    assert len(embedder.passages) == report.embedded == NOTES - kept["chunks"]
    assert (await source.health()).counts == dict.fromkeys(kept, NOTES)
    for number in range(NOTES):
        assert (await titles(source, f"word{number}"))[0] == f"Note {number}"
    await source.close()


async def test_a_killed_rebuild_leaves_the_former_index_in_use(files: Path) -> None:
    source = open_source(files)
    await source.ingest()
    await source.close()
    status = await run_elsewhere(files, "fts5", "rebuild Catalog.begin:after", 2)
    assert status == -signal.SIGKILL
    again = open_source(files)
    assert (await again.health()).counts == dict.fromkeys(("chunks", "keyword", "vectors"), NOTES)
    assert (await titles(again, "word7"))[0] == "Note 7"
    assert (await again.ingest(rebuild=True)).embedded == NOTES
    await again.close()


async def test_a_second_process_that_ingests_the_same_index_is_refused(files: Path) -> None:
    source = open_source(files)
    assert await run_elsewhere(files, "fts5", "none", 1) is True
    await source.close()
    assert await run_elsewhere(files, "fts5", "none", 1) == 0
