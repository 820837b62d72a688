"""Vector index: one Chroma collection in a folder of its own."""

import threading
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...domain.errors import IndexDamagedError, ModelOutputError
from ...domain.ports import Vector
from .sqlite import REBUILD

_COLLECTION = "chunks"
_HNSW: Any = {"space": "cosine", "ef_construction": 200, "ef_search": 200}
"""With the library's default width a search for 50 misses some of the nearest."""
_LARGEST_CALL = 1_000


@dataclass(frozen=True, slots=True)
class VectorEntry:
    """One passage as the vector index stores it; `label` is the number of its access list."""

    id: str
    vector: Vector
    label: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A passage near a query; `similarity` is the cosine, in [-1, 1]."""

    id: str
    similarity: float


class VectorIndex:
    """Nearest passages by cosine. Safe to call from any thread of one process.

    Texts never enter it, and vectors are always given: Chroma would otherwise download a model.

    Raises:
        IndexDamagedError: its files cannot be read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._client, self._collection = _open(folder)
        self._closing = threading.Lock()
        self._closed = False

    def write(self, entries: Sequence[VectorEntry]) -> None:
        """Add these, or replace those that are there.

        Raises:
            ModelOutputError: a vector holds NaN or infinity, which Chroma would take.
        """
        for batch in _batches(entries):
            vectors = np.stack([np.frombuffer(e.vector, "f4") for e in batch])
            _check_finite(vectors)
            self._call(
                "upsert",
                ids=[e.id for e in batch],
                embeddings=vectors,
                metadatas=[{"label": e.label} for e in batch],
            )

    def relabel(self, labels: Sequence[tuple[str, int]]) -> None:
        """Give passages that are there another access list."""
        for batch in _batches(labels):
            metadatas = [{"label": label} for _, label in batch]
            self._call("update", ids=[i for i, _ in batch], metadatas=metadatas)

    def delete(self, ids: Sequence[str]) -> None:
        """Delete these; unknown ids are passed over."""
        for batch in _batches(ids):
            self._call("delete", ids=list(batch))

    def search(
        self, vector: Vector, *, limit: int, labels: Collection[int] | None = None
    ) -> list[Neighbour]:
        """Return the nearest passages, best first, at most `limit`; `labels` restricts them."""
        if limit < 1 or (labels is not None and not labels):
            return []
        found = self._call(
            "query",
            query_embeddings=_row(vector),
            n_results=limit,
            where=None if labels is None else {"label": {"$in": sorted(labels)}},
            include=["distances"],
        )
        pairs = zip(found["ids"][0], found["distances"][0], strict=True)
        return [Neighbour(i, _cosine(1.0 - distance)) for i, distance in pairs]

    def vectors(self, ids: Sequence[str]) -> dict[str, Vector]:
        """Return the stored vectors of those of `ids` that are there."""
        found: dict[str, Vector] = {}
        for batch in _batches(ids):
            rows = self._call("get", ids=list(batch), include=["embeddings"])
            pairs = zip(rows["ids"], rows["embeddings"], strict=True)
            found.update((i, array("f", np.asarray(v, "f4").tobytes())) for i, v in pairs)
        return found

    def similarities(self, vector: Vector, ids: Sequence[str]) -> dict[str, float]:
        """Return the cosine to `vector` of those of `ids` that are there."""
        query = _row(vector)[0]
        found = self.vectors(ids)
        return {i: _cosine(float(_unit(np.frombuffer(v, "f4")) @ query)) for i, v in found.items()}

    def count(self) -> int:
        """Number of passages."""
        return int(self._call("count"))

    def ids(self) -> list[str]:
        """Every id once, in any order."""
        return list(self._call("get", include=[])["ids"])

    def close(self) -> None:
        """Release the folder; a second call does nothing."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._client.close()

    def _call(self, method: str, **arguments: object) -> Any:  # noqa: ANN401 - as Chroma's
        try:
            return getattr(self._collection, method)(**arguments)
        except Exception as exc:  # Chroma raises what its parts raise, without a common base
            cause = f"the vector index failed ({exc!r})."
            raise IndexDamagedError(str(self._folder), cause, fix=REBUILD) from exc


def _open(folder: Path) -> tuple[Any, Any]:
    # Imported late: it takes a second, and a help text needs no index.
    import chromadb
    from chromadb.config import Settings

    try:
        client = chromadb.PersistentClient(
            path=str(folder), settings=Settings(anonymized_telemetry=False)
        )
        collection = client.get_or_create_collection(
            _COLLECTION, embedding_function=None, configuration={"hnsw": _HNSW}
        )
    except Exception as exc:  # as above
        cause = f"the vector index cannot be opened ({exc!r})."
        raise IndexDamagedError(str(folder), cause, fix=REBUILD) from exc
    return client, collection


def _batches(items: Sequence[Any]) -> list[Sequence[Any]]:
    return [items[i : i + _LARGEST_CALL] for i in range(0, len(items), _LARGEST_CALL)]


def _check_finite(vectors: "np.ndarray[Any, Any]") -> None:
    if not np.isfinite(vectors).all():
        raise ModelOutputError("embedder", "a vector holds NaN or infinity.")


def _row(vector: Vector) -> "np.ndarray[Any, Any]":
    row = _unit(np.frombuffer(vector, "f4"))[None, :]
    _check_finite(row)
    return row


def _unit(vector: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    length = float(np.linalg.norm(vector))
    return vector / length if length > 0.0 else vector


def _cosine(value: float) -> float:
    return max(-1.0, min(1.0, float(value)))
