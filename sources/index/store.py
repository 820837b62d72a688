"""One generation of an index: catalogue, keyword index and vector index, kept in agreement."""

from contextlib import suppress
from pathlib import Path

from ...domain.errors import IndexDamagedError, IndexStoreError
from ..document import Chunk
from .catalog import Catalog
from .changes import Batch, Pending
from .keyword import KeywordIndex, open_keyword
from .probe import check_vectors
from .sqlite import REBUILD
from .stamp import Stamp
from .vectors import VectorIndex

_CATALOG, _KEYWORD, _VECTORS, _OPEN = "chunks.sqlite", "keyword", "vectors", "open"
_STAMP, _RUN = "stamp", "run"


class IndexStore:
    """The three parts, opened together and closed together, by one process at a time.

    Opening repeats what a killed process left undone, then compares the three.

    Raises:
        IndexVersionError: it was made with something else than `stamp`.
        IndexDamagedError: a part cannot be read, or they contradict each other.
    """

    def __init__(self, folder: Path, stamp: Stamp, *, title_boost: float) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.catalog = Catalog(folder / _CATALOG)
        opened: list[Catalog | KeywordIndex | VectorIndex] = [self.catalog]
        try:
            self._check_stamp(stamp)
            self._check_after_crash()
            self.keyword = open_keyword(stamp.keyword, folder / _KEYWORD, title_boost=title_boost)
            opened.append(self.keyword)
            self.vectors = VectorIndex(folder / _VECTORS)
            opened.append(self.vectors)
            (folder / _OPEN).touch()
            self.recover()
            self._check_counts()
        except BaseException:
            for part in opened:
                with suppress(IndexStoreError):
                    part.close()
            raise

    def apply(self, batch: Batch) -> None:
        """Bring a batch in. After a kill inside, the next opening completes it."""
        self._carry_out(self.catalog.begin(batch))
        self.catalog.finish()

    def recover(self) -> None:
        """Complete what was begun; does nothing where nothing was."""
        pending = self.catalog.pending()
        if pending.delete or pending.entries:
            self._carry_out(pending)
        self.catalog.finish()

    def next_run(self) -> int:
        """Give a number that no ingestion into this index had before."""
        run = int(self.catalog.get(_RUN) or 0) + 1
        self.catalog.put(_RUN, str(run))
        return run

    def counts(self) -> dict[str, int]:
        """Number of chunks in each of the three."""
        return {
            "chunks": self.catalog.count(),
            "keyword": self.keyword.count(),
            "vectors": self.vectors.count(),
        }

    def close(self) -> None:
        """Release all files; a second call does nothing."""
        for part in (self.vectors, self.keyword, self.catalog):
            part.close()
        (self.folder / _OPEN).unlink(missing_ok=True)

    def _carry_out(self, pending: Pending) -> None:
        self.vectors.write(pending.vectors)
        self.vectors.relabel(pending.relabel)
        self.vectors.delete(pending.delete)
        gone = [*pending.delete, *pending.renew]
        if gone or pending.entries:
            self.keyword.write(delete=gone, add=pending.entries)

    def _check_stamp(self, stamp: Stamp) -> None:
        stored = self.catalog.get(_STAMP)
        if stored is None:
            self.catalog.put(_STAMP, stamp.dumps())
        else:
            stamp.check(stored, path=str(self.folder))

    def _check_after_crash(self) -> None:
        """A vector index that was not closed may be damaged so that opening it is fatal."""
        if (self.folder / _OPEN).exists():
            check_vectors(self.folder / _VECTORS)

    def _check_counts(self) -> None:
        counts = self.counts()
        if len(set(counts.values())) > 1:
            cause = f"its parts hold different numbers of chunks ({counts})."
            raise IndexDamagedError(str(self.folder), cause, fix=REBUILD)


def embedding_text(chunk: Chunk) -> str:
    """The text whose vector stands for a chunk: title, headings, text."""
    above = [part for part in dict.fromkeys([chunk.title, *chunk.heading]) if part.strip()]
    return "\n".join([*above, chunk.text])
