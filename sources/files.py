"""Knowledge source: a folder of files, or one file, with a keyword and a vector index."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from ..domain.errors import (
    IndexDamagedError,
    IndexStoreError,
    IndexVersionError,
    ModelError,
    SourceRejectedError,
    SourceUnavailableError,
)
from ..domain.passage import Passage, SourceHits, may_read
from ..domain.ports import Embedder, SourceProfile, TokenCounter
from .chunk import chunk
from .index.health import IndexHealth, examine
from .index.hybrid import Query, Sides, search
from .index.intake import Reading
from .index.keyword import Engine
from .index.profile import Profiles
from .index.shared import SharedIndex
from .index.stamp import Stamp, analysis_version
from .index.store import IndexStore
from .ingest import Ingestion, IngestProgress, IngestReport, uninterrupted
from .language import detect
from .parse.reading import clean
from .parse.registry import FieldRules, ParseLimits, parse, parsing
from .walk import WalkRules

__all__ = [
    "FilesConfig",
    "FilesSource",
    "IndexHealth",
    "IngestProgress",
    "IngestReport",
]

_LONGEST_QUERY = 8_000
"""Characters of a query that are embedded; far more than any embedder reads."""
_POLL_S = 0.05
PATIENCE_S = 5.0
"""For another process to leave the index: longer than a question takes, so that two that are asked
at once take turns."""


@dataclass(frozen=True, slots=True)
class FilesConfig:
    """What a files source is made from."""

    name: str
    path: Path
    """A folder, or a single file."""
    state: Path
    """Folder where the index lives; its files are trusted when they are opened."""
    description: str = ""
    keyword: Engine = "whoosh"
    language: str | None = None
    """Language of all files, in place of detection."""
    include: list[str] = field(default_factory=lambda: ["**/*"])
    exclude: list[str] = field(default_factory=list)
    title_boost: float = 1.0
    """Weight of words in titles and headings, where words in the text weigh 1."""
    max_file_bytes: int = WalkRules().max_file_bytes
    max_files: int = WalkRules().max_files
    limits: ParseLimits = field(default_factory=ParseLimits)
    fields: FieldRules = field(default_factory=FieldRules)
    """Which fields of records are title, keywords and content."""


class FilesSource:
    """A `Source` over local files.

    Open it, `ingest`, then search; ingesting again follows what changed. An index that cannot be
    used (another version, damaged, never filled) shows in `health`, and as SourceRejectedError
    when it is searched; `ingest(rebuild=True)` makes it anew.
    """

    kind = "files"
    remote = False

    def __init__(
        self, config: FilesConfig, index: SharedIndex, embedder: Embedder, counter: TokenCounter
    ) -> None:
        self.config = config
        self._index = index
        self._embedder = embedder
        self._counter = counter
        self._profiles = Profiles()
        self._closed = False

    @classmethod
    def open(cls, config: FilesConfig, *, embedder: Embedder, counter: TokenCounter) -> Self:
        """Take hold of the index; its files are opened at first use.

        Blocks for up to `PATIENCE_S` while another process has it open.

        Raises:
            IndexLockedError: another process has it open still.
            IndexStoreError: the folder of the index cannot be made or written.
            ConfigurationError: this process has it open with other settings.
        """
        stamp = Stamp(embedder.name, embedder.dimensions, config.keyword, analysis_version())
        index = SharedIndex.open(
            config.state, stamp, title_boost=config.title_boost, patience_s=PATIENCE_S
        )
        return cls(config, index, embedder, counter)

    @staticmethod
    def ingested(state: Path) -> bool:
        """Tell whether an index was ever filled in this folder; it answers without its files."""
        return SharedIndex.ingested(state)

    @property
    def name(self) -> str:
        return self.config.name

    @property
    def description(self) -> str:
        return self.config.description

    async def ingest(
        self,
        *,
        on_progress: Callable[[IngestProgress], None] | None = None,
        rebuild: bool = False,
    ) -> IngestReport:
        """Bring the index up to date; a killed or cancelled one goes on at the next call.

        `on_progress` is called from the event loop's thread. Another ingestion of the same index
        in this process is waited for.

        Raises:
            ConfigurationError: the folder or file is not there.
            IndexVersionError, IndexDamagedError: only a rebuild helps.
            IndexStoreError: the index cannot be written.
            ModelError: the embedder failed; what was written before stays.
        """
        # The lock is one of threads: two event loops may share an index.
        while not self._index.ingesting.acquire(blocking=False):  # noqa: ASYNC110
            await asyncio.sleep(_POLL_S)
        try:
            if rebuild:
                return await self._rebuild(on_progress)
            store = await uninterrupted(self._index.store)
            return await self._ingest(store, on_progress)
        finally:
            self._index.ingesting.release()

    async def search(self, query: str, *, top: int, principals: frozenset[str]) -> SourceHits:
        """Return at most `top` hits that one of `principals` may read, best first.

        Each has its cosine to the query. A query without a single letter or digit is answered by
        vectors alone, a blank one by nothing.

        Raises:
            SourceUnavailableError: the embedder or the disk failed. Keyword search alone would
                go on, but its hits could not be compared with those of other sources.
            SourceRejectedError: the index has to be filled or rebuilt first.
        """
        found = await self.sides(query, top=top, principals=principals)
        return SourceHits(found.hits[: max(0, top)], found.denied)

    async def sides(self, query: str, *, top: int, principals: frozenset[str]) -> Sides:
        """Return all that `search` takes the best of, with what each index found by itself.

        Raises:
            SourceUnavailableError, SourceRejectedError: as `search` does.
        """
        text = clean(query[:_LONGEST_QUERY])  # as ingestion does with texts
        if not text.replace("\ufffd", "").strip():
            return Sides([])
        try:
            [vector] = await self._embedder.embed_queries([text])
            async with self._in_use() as store:
                language = await asyncio.to_thread(detect, text)
                asked = Query(text, vector, principals, language)
                return await search(store, asked, top=top, source=self.name)
        except ModelError as exc:
            raise SourceUnavailableError(self.name, exc.message, fix=exc.fix) from exc

    async def get(self, ids: Sequence[str], *, principals: frozenset[str]) -> list[Passage]:
        """Return the passages with these ids that exist and may be read, in any order."""
        async with self._in_use() as store:
            wanted = [_storable(i) for i in ids]
            found = await asyncio.to_thread(store.catalog.passages, wanted, source=self.name)
        return [p for p in found.values() if may_read(p.access, principals)]

    async def profile(self) -> SourceProfile | None:
        """Return statistics of what is indexed, computed once for each ingestion."""
        async with self._in_use() as store:
            return await asyncio.to_thread(self._profiles.of, store)

    async def health(self) -> IndexHealth:
        """Look at the index without changing it; what is wrong is said, never raised."""
        return await asyncio.to_thread(examine, self._index)

    async def close(self) -> None:
        """Leave the index; the last user in this process releases files and lock."""
        if not self._closed:
            self._closed = True
            await uninterrupted(self._index.close)

    async def _ingest(
        self, store: IndexStore, on_progress: Callable[[IngestProgress], None] | None
    ) -> IngestReport:
        with parsing():
            return await Ingestion(store, self._reading(), self._embedder, on_progress).run()

    async def _rebuild(self, on_progress: Callable[[IngestProgress], None] | None) -> IngestReport:
        fresh = await uninterrupted(self._index.begin_rebuild)
        try:
            report = await self._ingest(fresh, on_progress)
        except BaseException:
            await uninterrupted(lambda: self._index.abandon(fresh))
            raise
        await uninterrupted(lambda: self._index.switch(fresh))
        return report

    def _reading(self) -> Reading:
        config = self.config
        return Reading(
            root=config.path,
            rules=WalkRules(
                include=config.include,
                exclude=config.exclude,
                max_file_bytes=config.max_file_bytes,
                max_files=config.max_files,
            ),
            limits=config.limits,
            parse=parse,
            split=chunk,
            counter=self._counter,
            language=config.language,
            fields=config.fields,
        )

    async def _lease(self) -> IndexStore:
        leasing = asyncio.ensure_future(asyncio.to_thread(self._index.lease))
        try:
            return await asyncio.shield(leasing)
        except asyncio.CancelledError:
            # The thread goes on, and nobody is left to give back what it gets.
            leasing.add_done_callback(self._give_back)
            raise

    def _give_back(self, leased: "asyncio.Future[IndexStore]") -> None:
        if not leased.cancelled() and leased.exception() is None:
            self._index.give_back(leased.result())

    @asynccontextmanager
    async def _in_use(self) -> AsyncIterator[IndexStore]:
        """Keep the index open meanwhile; its errors become those of a source."""
        try:
            if self._closed or not self._index.exists():
                cause = "it is closed." if self._closed else "it was never ingested."
                raise SourceRejectedError(self.name, cause, fix="Run `headwater ingest`.")
            store = await self._lease()
            try:
                yield store
            finally:
                self._index.give_back(store)
        except (IndexVersionError, IndexDamagedError) as exc:
            raise SourceRejectedError(self.name, exc.message, fix=exc.fix) from exc
        except IndexStoreError as exc:
            raise SourceUnavailableError(self.name, exc.message, fix=exc.fix) from exc


def _storable(text: str) -> str:
    """Replace lone surrogates, which neither tokenizers nor databases take."""
    return text.encode("utf-8", "replace").decode("utf-8")
