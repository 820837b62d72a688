"""One query over one index: keyword and vector search side by side, access checked, fused."""

import asyncio
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from ...domain.passage import Hit, may_read
from ...domain.ports import Vector
from ..fusion import fuse_hybrid
from .catalog import readable
from .query import query_terms, rarest
from .store import IndexStore
from .vectors import Neighbour

DEPTH = 50
"""Candidates taken from each index before fusion."""
_BROAD = 0.3
"""Share of readable chunks above which more is fetched and checked, below which the indexes
filter: the vector index scans all rows that pass a filter, so broad filters are its slow case."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, by whom; `vector` is its embedding, `language` its language if known."""

    text: str
    vector: Vector
    principals: frozenset[str]
    language: str | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    """Two rankings, best first."""

    keyword: list[str]
    neighbours: list[Neighbour]

    @property
    def ids(self) -> list[str]:
        return list(dict.fromkeys([*(n.id for n in self.neighbours), *self.keyword]))

    def only(self, allowed: set[str], depth: int) -> "_Found":
        """Keep the first `depth` allowed ones of each."""
        return _Found(
            [i for i in self.keyword if i in allowed][:depth],
            [n for n in self.neighbours if n.id in allowed][:depth],
        )


@dataclass(frozen=True, slots=True)
class Sides:
    """All that was found for one query, best first, and the two rankings behind it.

    `keyword` and `vector` are ids of passages of `hits`.
    """

    hits: list[Hit]
    denied: int = 0
    keyword: list[str] = field(default_factory=list)
    vector: list[str] = field(default_factory=list)


async def search(store: IndexStore, query: Query, *, top: int, source: str) -> Sides:
    """Return the chunks that the caller may read: at least `top`, where the indexes have them.

    Every hit has its cosine, those that only the keyword index found too. `denied` counts the
    candidates among the first `DEPTH` of each index that the caller may not read.

    Raises:
        IndexStoreError: a part of the index cannot be read.
    """
    if top < 1:
        return Sides([])
    depth = max(DEPTH, top)
    terms = await asyncio.to_thread(_terms, store, query.text)
    found = await _look(store, query, terms, limit=depth)
    access = await asyncio.to_thread(_access, store, found.ids)
    denied = sum(not may_read(allowed, query.principals) for allowed in access.values())
    if denied:
        found = await _look_again(store, query, terms, depth=depth)
    hits = await asyncio.to_thread(_hits, store, query, found, source)
    open_ids = {hit.passage.id for hit in hits}
    return Sides(
        hits,
        denied,
        [i for i in found.keyword if i in open_ids],
        [n.id for n in found.neighbours if n.id in open_ids],
    )


async def _look(
    store: IndexStore,
    query: Query,
    terms: Sequence[str],
    *,
    limit: int,
    labels: Collection[int] | None = None,
) -> _Found:
    keyword, neighbours = await asyncio.gather(
        asyncio.to_thread(store.keyword.search, terms, limit=limit, labels=labels),
        asyncio.to_thread(store.vectors.search, query.vector, limit=limit, labels=labels),
    )
    return _Found(keyword, neighbours)


async def _look_again(
    store: IndexStore, query: Query, terms: Sequence[str], *, depth: int
) -> _Found:
    """Look only among what the caller may read, so that what is denied takes no places."""
    counts = await asyncio.to_thread(store.catalog.labels)
    labels = readable(((label, access) for label, (access, _) in counts.items()), query.principals)
    if not labels:
        return _Found([], [])
    share = sum(counts[label][1] for label in labels) / sum(n for _, n in counts.values())
    if share >= _BROAD:
        limit = math.ceil(2 * depth / share)
        wide = await _look(store, query, terms, limit=limit)
        access = await asyncio.to_thread(_access, store, wide.ids)
        found = wide.only({i for i, of in access.items() if may_read(of, query.principals)}, depth)
        # Where the caller may read much, but little of what matches, this is not enough.
        if _enough(wide.keyword, found.keyword, limit=limit, depth=depth) and _enough(
            wide.neighbours, found.neighbours, limit=limit, depth=depth
        ):
            return found
    return await _look(store, query, terms, limit=depth, labels=labels)


def _enough(wide: Sequence[object], left: Sequence[object], *, limit: int, depth: int) -> bool:
    """Tell whether nothing more can be had: enough is left, or there was no more to look at."""
    return len(left) == depth or len(wide) < limit


def _terms(store: IndexStore, text: str) -> list[str]:
    return rarest(query_terms(text), store.keyword.document_frequency)


def _access(store: IndexStore, ids: Sequence[str]) -> dict[str, list[str] | None]:
    return {i: known.access for i, known in store.catalog.known(ids).items()}


def _hits(store: IndexStore, query: Query, found: _Found, source: str) -> list[Hit]:
    """Fuse; the last check of access is here, on the passages themselves."""
    passages = store.catalog.passages(found.ids, source=source)
    passages = {i: p for i, p in passages.items() if may_read(p.access, query.principals)}
    fused = fuse_hybrid(
        [i for i in found.keyword if i in passages],
        [n.id for n in found.neighbours if n.id in passages],
        query_language=query.language,
        languages={i: p.language for i, p in passages.items()},
    )
    cosines = {n.id: n.similarity for n in found.neighbours}
    missing = [f.id for f in fused if f.id not in cosines]
    cosines.update(store.vectors.similarities(query.vector, missing))
    return [Hit(passages[f.id], cosines.get(f.id), f.score) for f in fused]
