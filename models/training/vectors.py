"""Vectors of training texts, kept on disk so that a second fit embeds nothing."""

import hashlib
from array import array
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...domain.ports import Embedder, Vector
from ..cache import write_once

_BATCH = 512


class KeptVectors:
    """An embedder that remembers on disk what another one embedded. Call `keep` at the end."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self._file = folder / f"vectors-{embedder.name}.npz"
        self._held: dict[str, Vector] = {}
        if self._file.is_file():
            with np.load(self._file) as held:
                rows = zip(held["keys"], held["vectors"], strict=True)
                self._held = {str(key): array("f", row.tobytes()) for key, row in rows}

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embed("q", texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embed("p", texts)

    def keep(self) -> None:
        """Write all vectors to disk."""
        keys = np.array(list(self._held))
        rows = np.array([np.frombuffer(vector, "f4") for vector in self._held.values()])
        write_once(self._file, lambda fresh: np.savez(fresh, keys=keys, vectors=rows))

    async def _embed(self, side: str, texts: Sequence[str]) -> list[Vector]:
        keys = [_key(side, text) for text in texts]
        new = dict(zip(keys, texts, strict=True))
        missing = [key for key in new if key not in self._held]
        embed = self._embedder.embed_queries if side == "q" else self._embedder.embed_passages
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            found = await embed([new[key] for key in batch])
            self._held.update(zip(batch, found, strict=True))
        return [self._held[key] for key in keys]


def _key(side: str, text: str) -> str:
    return side + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
