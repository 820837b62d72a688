"""An embedder that remembers: the same passage in another index costs no second inference."""

import hashlib
import sqlite3
import threading
from array import array
from collections.abc import Sequence
from pathlib import Path

from ...domain.ports import Embedder, Vector
from ..errors import DataError

_ASKED = 500
"""Keys in one query; SQLite takes at least 999 variables."""


class RememberingEmbedder:
    """Any embedder, with the vectors of passages kept in a file beside the indexes.

    Knowledge bases share passages: one has the nine parts of a corpus as sources, another has all
    of it as one. Questions are not kept.
    """

    def __init__(self, embedder: Embedder, file: Path) -> None:
        """Keep the vectors of `embedder` in `file`, made if need be. Raises DataError."""
        self._embedder = embedder
        self._file = file
        self._lock = threading.Lock()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._store = sqlite3.connect(file, timeout=60, check_same_thread=False)
            with self._store:
                self._store.execute("PRAGMA journal_mode = WAL")
                self._store.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) "
                    "WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error) as exc:
            raise _unusable(file, exc) from exc

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embedder.embed_queries(texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Embed what is not remembered yet. Raises ModelError, DataError."""
        keys = [self._key(text) for text in texts]
        known = self._known(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        vectors = await self._embedder.embed_passages(list(new.values())) if new else []
        known.update(zip(new, vectors, strict=True))
        self._keep({key: known[key] for key in new})
        return [known[key] for key in keys]

    def close(self) -> None:
        """Release the file."""
        with self._lock:
            self._store.close()

    def _key(self, text: str) -> bytes:
        named = f"{self.name}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(named, digest_size=16).digest()

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, Vector]:
        found: dict[bytes, Vector] = {}
        try:
            with self._lock:
                for first in range(0, len(keys), _ASKED):
                    part = keys[first : first + _ASKED]
                    marks = ",".join("?" * len(part))
                    query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
                    found.update((k, _vector(v)) for k, v in self._store.execute(query, part))
        except sqlite3.Error as exc:
            raise _unusable(self._file, exc) from exc
        return found

    def _keep(self, fresh: dict[bytes, Vector]) -> None:
        try:
            with self._lock, self._store:
                self._store.executemany(
                    "INSERT OR IGNORE INTO vectors VALUES (?, ?)",
                    [(key, vector.tobytes()) for key, vector in fresh.items()],
                )
        except sqlite3.Error as exc:
            raise _unusable(self._file, exc) from exc


def _vector(raw: bytes) -> Vector:
    vector = array("f")
    vector.frombytes(raw)
    return vector


def _unusable(file: Path, error: Exception) -> DataError:
    return DataError(
        f"The remembered vectors cannot be used ({error}).",
        place=str(file),
        fix="Make room on the disk, or delete the file: it is made anew.",
    )
