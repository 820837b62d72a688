"""Ingests a folder in a process that dies at a named point.

Run as `python -m tests.sources.killed FILES STATE ENGINE POINT NUMBER`: SIGKILL at the NUMBERth
passing of POINT, `Class.method:before` or `:after`; `none` lets it
live; with `rebuild ` before the point, it rebuilds.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any, cast

from headwater.sources import files as files_source
from headwater.sources.files import FilesConfig, FilesSource
from headwater.sources.index import intake
from headwater.sources.index.catalog import Catalog
from headwater.sources.index.keyword import Engine
from headwater.sources.index.keyword_fts5 import Fts5Keyword
from headwater.sources.index.keyword_whoosh import WhooshKeyword
from headwater.sources.index.vectors import VectorIndex
from tests.fakes import WordCounter
from tests.sources.stand_ins import HashingEmbedder

CLASSES = {c.__name__: c for c in (Catalog, VectorIndex, WhooshKeyword, Fts5Keyword)}


def arm(point: str, number: int) -> None:
    """Put the end of this process before or after a method."""
    name, _, when = point.partition(":")
    owner, method = CLASSES[name.partition(".")[0]], name.partition(".")[2]
    original, calls = getattr(owner, method), 0

    def deadly(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number and when == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments, **named)
        if calls == number and when == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, method, deadly)


async def main(files: Path, state: Path, engine: Engine, *, rebuild: bool) -> None:
    intake.BATCH = 10
    files_source.PATIENCE_S = 0.0
    config = FilesConfig("files", files, state, keyword=engine)
    source = FilesSource.open(config, embedder=HashingEmbedder(), counter=WordCounter())
    await source.ingest(rebuild=rebuild)
    await source.close()


if __name__ == "__main__":
    files, state, engine, point, number = sys.argv[1:]
    rebuild, point = point.startswith("rebuild "), point.removeprefix("rebuild ")
    if point != "none":
        arm(point, int(number))
    asyncio.run(main(Path(files), Path(state), cast("Engine", engine), rebuild=rebuild))
