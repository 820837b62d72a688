"""SQLite as the index files use it: connection settings, and its errors as ours."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...domain.errors import IndexDamagedError, IndexStoreError

REBUILD = "Run `headwater ingest --rebuild`."


def connect(path: Path) -> sqlite3.Connection:
    """Open a database that one thread writes while others read; guard it by a lock."""
    connection = sqlite3.connect(path, timeout=30, check_same_thread=False)
    # A write-ahead log survives the death of the process at every point.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn SQLite's errors into IndexDamagedError or, where the disk is at fault, its base."""
    try:
        yield
    except sqlite3.OperationalError as exc:
        fix = "Check the free space and the permissions."
        raise IndexStoreError(str(path), f"SQLite says: {exc}.", fix=fix) from exc
    except sqlite3.DatabaseError as exc:
        raise IndexDamagedError(str(path), f"SQLite says: {exc}.", fix=REBUILD) from exc
