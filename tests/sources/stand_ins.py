"""Stand-ins for what sources are given: an embedder without a model."""

import asyncio
import hashlib
from array import array
from collections.abc import Sequence

import numpy as np

from headwater.domain.words import terms


def hashed_vector(text: str, dimensions: int = 64) -> "array[float]":
    """A unit vector in which texts that share terms are near each other."""
    vector = np.full(dimensions, 1e-3, "f4")
    for term in terms(text):
        digest = hashlib.blake2b(term.encode(), digest_size=4).digest()
        vector[int.from_bytes(digest, "big") % dimensions] += 1.0
    vector /= np.linalg.norm(vector)
    return array("f", vector.astype("f4").tobytes())


class HashingEmbedder:
    """Embeds by `hashed_vector`; counts its passages; or fails, or waits."""

    def __init__(
        self,
        *,
        name: str = "hashing",
        dimensions: int = 64,
        error: Exception | None = None,
        delay: float = 0.0,
    ) -> None:
        self.name = name
        self.dimensions = dimensions
        self.error = error
        self.delay = delay
        self.passages: list[str] = []

    async def embed_queries(self, texts: Sequence[str]) -> list["array[float]"]:
        if self.error:
            raise self.error
        return [hashed_vector(text, self.dimensions) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> list["array[float]"]:
        await asyncio.sleep(self.delay)
        if self.error:
            raise self.error
        self.passages += texts
        return [hashed_vector(text, self.dimensions) for text in texts]
