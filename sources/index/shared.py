"""The state folder of a source: its lock, its generations, and who in this process uses it.

    state/
    ├── lock         one process at a time
    ├── current      name of the generation in use
    └── g000001/     chunks.sqlite, keyword/, vectors/

A rebuild fills a new generation and then switches: readers never see a half-built index, and a
folder that the vector library has had open is never made anew.
"""

import atexit
import os
import shutil
import threading
from collections import Counter
from pathlib import Path
from typing import ClassVar, Self

from ...domain.errors import ConfigurationError, IndexStoreError
from .lock import IndexLock
from .stamp import Stamp
from .store import IndexStore

_PATIENCE_S = 30
"""Longer than any search takes."""


class SharedIndex:
    """The index in one state folder, shared by all who open it in this process.

    Opening is cheap: the lock is taken, nothing is read. The parts are opened when first needed.
    """

    _all: ClassVar[dict[Path, Self]] = {}
    _registry: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, state: Path, stamp: Stamp, *, title_boost: float, patience_s: float) -> None:
        self.state = state
        self.stamp = stamp
        self.title_boost = title_boost
        self.users = 0
        self.ingesting = threading.Lock()
        """Held by the one ingestion that may run."""
        self._lock = IndexLock(state / "lock", patience_s=patience_s)
        self._opening = threading.RLock()
        self._leases: Counter[IndexStore] = Counter()
        self._returned = threading.Condition()
        self._store: IndexStore | None = None

    @classmethod
    def open(
        cls, state: Path, stamp: Stamp, *, title_boost: float, patience_s: float = 0.0
    ) -> Self:
        """Open the index of this folder, or join those who have it open.

        Another process that has it is waited for, at most `patience_s` seconds.

        Raises:
            IndexLockedError: another process has it still.
            IndexStoreError: the folder cannot be made or written.
            ConfigurationError: somebody in this process has it with other settings.
        """
        state = state.expanduser().resolve()
        with cls._registry:
            index = cls._all.get(state)
            if index is None:
                index = cls._all[state] = cls(
                    state, stamp, title_boost=title_boost, patience_s=patience_s
                )
            if (index.stamp, index.title_boost) != (stamp, title_boost):
                raise ConfigurationError(
                    f"The index {str(state)!r} is open with other settings.",
                    fix="Give each source its own `state`, or close the other one first.",
                )
            index.users += 1
            return index

    def close(self) -> None:
        """Leave it; the last one releases the files and the lock."""
        with self._registry:
            self.users -= 1
            if self.users == 0:
                del self._all[self.state]
                self._release()

    @staticmethod
    def ingested(state: Path) -> bool:
        """Tell whether anything was ever ingested into the index of this folder."""
        return (state / "current").exists()

    def exists(self) -> bool:
        """Tell whether anything was ever ingested."""
        return self._current() is not None

    def store(self) -> IndexStore:
        """The generation in use, opened at the first call and begun where there is none.

        Raises:
            IndexVersionError, IndexDamagedError: it cannot be used and has to be rebuilt.
        """
        with self._opening:
            if self._store is None:
                name = self._current() or self._unused_name()
                self._sweep(name)
                self._store = self._open(name)
                self._point_to(name)
            return self._store

    def lease(self) -> IndexStore:
        """As `store`, and not closed before `give_back`."""
        with self._opening:
            store = self.store()
            with self._returned:
                self._leases[store] += 1
            return store

    def give_back(self, store: IndexStore) -> None:
        """End a lease."""
        with self._returned:
            self._leases[store] -= 1
            self._returned.notify_all()

    def begin_rebuild(self) -> IndexStore:
        """Open an empty new generation; it replaces the present one when `switch` is called.

        Where the present one cannot be used, there is nothing to protect: the new one is in use
        at once, so that a killed rebuild can go on.
        """
        usable = self._usable()
        with self._opening:
            fresh = self._open(self._unused_name())
            if not usable:
                self._store = fresh
                self._point_to(fresh.folder.name)
            return fresh

    def switch(self, fresh: IndexStore) -> None:
        """Put a rebuilt generation in the place of the present one."""
        with self._opening:
            former, self._store = self._store, fresh
            self._point_to(fresh.folder.name)
        if former is not None and former is not fresh:
            self._close(former)
        self._sweep(fresh.folder.name)

    def abandon(self, fresh: IndexStore) -> None:
        """Close a generation whose rebuild failed; the next opening removes it."""
        if fresh is not self._store:
            fresh.close()

    def _usable(self) -> bool:
        try:
            return self.exists() and self.store() is not None
        except IndexStoreError:
            return False

    def _open(self, name: str) -> IndexStore:
        return IndexStore(self.state / name, self.stamp, title_boost=self.title_boost)

    def _current(self) -> str | None:
        try:
            return (self.state / "current").read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None

    def _point_to(self, name: str) -> None:
        beside = self.state / "current.new"
        beside.write_text(name, encoding="ascii")
        os.replace(beside, self.state / "current")

    def _sweep(self, name: str) -> None:
        """Remove generations that are no longer, or never came to be, in use."""
        for folder in self.state.glob("g[0-9]*"):
            if folder.name != name:
                shutil.rmtree(folder, ignore_errors=True)

    def _release(self) -> None:
        with self._opening:
            store, self._store = self._store, None
            if store is not None:
                self._close(store)
        self._lock.release()

    def _close(self, store: IndexStore) -> None:
        """Close it once nobody searches it any more, or has hung for too long."""
        with self._returned:
            self._returned.wait_for(lambda: not self._leases[store], timeout=_PATIENCE_S)
            del self._leases[store]
        store.close()

    def _unused_name(self) -> str:
        used = [int(folder.name[1:]) for folder in self.state.glob("g[0-9]*")]
        return f"g{max(used, default=0) + 1:06d}"


@atexit.register
def _close_all() -> None:
    """Close what nobody closed, so that the next opening need not suspect a crash."""
    for index in list(SharedIndex._all.values()):
        index._release()
