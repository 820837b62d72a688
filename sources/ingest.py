"""Ingestion: read, embed and write at the same time, batch by batch."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

import numpy as np

from ..domain.errors import ModelOutputError
from ..domain.ports import Embedder, Vector
from .document import FileProblem
from .index.changes import Batch
from .index.intake import Filling, Intake, Reading
from .index.store import IndexStore, embedding_text

EMBED = 128
"""Chunks in one call of the embedder: enough to sort by length, few enough to show progress."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far an ingestion is."""

    files_done: int
    files_total: int | None
    """`None` while the folder is still being listed."""
    chunks: int
    """Chunks read and embedded so far, in this run."""
    current: str
    """Path of the file that is being worked on; empty before the first and after the last."""
    seconds: float


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingestion did; the first four count files."""

    added: int
    changed: int
    deleted: int
    unchanged: int
    chunks: int
    """In the index now."""
    embedded: int
    """Chunks whose vector was computed in this run."""
    problems: list[FileProblem] = field(default_factory=list)
    """Files that are not in the index, and why; also those left out for the same cause before."""
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0


Watcher = Callable[[IngestProgress], None]


class Ingestion:
    """One run over one index. While a batch is embedded, the next is read and the last written."""

    def __init__(
        self, store: IndexStore, reading: Reading, embedder: Embedder, watcher: Watcher | None
    ) -> None:
        self._store = store
        self._reading = reading
        self._embedder = embedder
        self._watcher = watcher
        self._started = time.monotonic()
        self._files = self._chunks = self._embedded = 0
        self._total: int | None = None

    async def run(self) -> IngestReport:
        """Bring the index up to date with the files.

        Raises:
            ConfigurationError: the folder is not there.
            IndexStoreError: the index cannot be written.
            ModelError: the embedder failed; what was written before stays.
        """
        self._tell("")
        intake = await uninterrupted(self._begin)
        self._total, self._files = intake.plan.total, len(intake.plan.problems)
        self._files += intake.plan.unchanged
        await self._pump(intake.batches())
        self._files = self._total
        self._tell("")
        tally = intake.tally
        return IngestReport(
            added=tally.added,
            changed=tally.changed,
            deleted=len(intake.plan.gone),
            unchanged=tally.unchanged,
            chunks=await asyncio.to_thread(self._store.catalog.count),
            embedded=self._embedded,
            problems=sorted(tally.problems, key=lambda problem: problem.path),
            warnings=tally.warnings,
            seconds=time.monotonic() - self._started,
        )

    def _begin(self) -> Intake:
        self._store.recover()  # of an ingestion in this process that was broken off
        return Intake(self._reading, self._store.catalog, run=self._store.next_run())

    async def _pump(self, batches: Iterator[Filling]) -> None:
        read = await uninterrupted(lambda: next(batches, None))
        writing: asyncio.Future[None] | None = None
        # A thread cannot be stopped: whatever happens, it is waited for.
        try:
            while read is not None:
                reading = _started(lambda: next(batches, None))
                try:
                    batch = await self._embed(read)
                finally:
                    await _settled(reading, writing)
                if writing is not None:
                    writing.result()
                writing = _started(partial(self._store.apply, batch))
                read = reading.result()
        finally:
            await _settled(writing)
        if writing is not None:
            writing.result()

    async def _embed(self, filling: Filling) -> Batch:
        """Give every chunk that needs one its vector, in slices that show progress."""
        batch = filling.batch
        changes = []
        for first in range(0, len(batch.chunks), EMBED):
            part = batch.chunks[first : first + EMBED]
            self._tell(part[0].chunk.path)
            needy = [c for c in part if c.kind in ("add", "replace")]
            vectors = iter(await self._vectors([embedding_text(c.chunk) for c in needy]))
            needed = {c.chunk.id for c in needy}
            changes += [
                replace(c, vector=next(vectors)) if c.chunk.id in needed else c for c in part
            ]
            self._chunks += len(part)
            done = first + len(part)
            self._files += sum(first < end <= done for end in filling.ends)
        self._files += sum(end == 0 for end in filling.ends)
        return replace(batch, chunks=changes)

    async def _vectors(self, texts: list[str]) -> list[Vector]:
        if not texts:
            return []
        vectors = await self._embedder.embed_passages(texts)
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != len(texts) or sizes != {self._embedder.dimensions}:
            cause = f"{len(vectors)} vectors of sizes {sorted(sizes)} for {len(texts)} texts."
            raise ModelOutputError(self._embedder.name, cause)
        if not all(np.isfinite(np.frombuffer(vector, "f4")).all() for vector in vectors):
            raise ModelOutputError(self._embedder.name, "a vector holds NaN or infinity.")
        self._embedded += len(vectors)
        return vectors

    def _tell(self, current: str) -> None:
        if self._watcher is not None:
            seconds = time.monotonic() - self._started
            self._watcher(IngestProgress(self._files, self._total, self._chunks, current, seconds))


async def uninterrupted(function: Callable[[], Result]) -> Result:
    """Run blocking work in a thread; when cancelled, wait for its end before giving up.

    Otherwise whoever cancels would release locks that the thread still relies on.
    """
    future = _started(function)
    await _settled(future)
    return future.result()


def _started(function: Callable[[], Result]) -> "asyncio.Future[Result]":
    return asyncio.get_running_loop().run_in_executor(None, function)


async def _settled(*futures: "asyncio.Future[Result] | asyncio.Future[None] | None") -> None:
    """Wait until all are done, failed ones too; a cancellation is passed on after that."""
    waiting: list[Awaitable[object]] = [f for f in futures if f is not None]
    together = asyncio.gather(*waiting, return_exceptions=True)
    try:
        await asyncio.shield(together)
    except asyncio.CancelledError:
        await together
        raise
