"""What the ranker's combination is fitted on: candidates with their features and labels.

A query's candidates are what a first stage finds for it and the passages that were labelled for
it. Most of what is found nobody labelled: it stands as a near miss at best.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from ...domain.conversation import standalone
from ...domain.ports import Embedder, Scorable
from ..ranker.evidence import features_of, lexical_evidence
from ..ranker.scores import FEATURES
from ..similarities import fill_similarities
from .labelled import Split
from .linear import Table
from .ranking.lists import IN_CONTEXT
from .ranking.negatives import candidates
from .ranking.sets import Asked, LabelledSet, read_sets

NEAR_MISSES = 10
"""Of what was found and not labelled, so many stand as grade 1, the rest as grade 0."""

Logits: TypeAlias = Callable[[str, Sequence[Scorable]], Sequence[float | None]]
"""Gives the cross-encoder's logit of each passage, `None` where there is nothing to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How much is read: queries of each set, passages of its corpus, candidates of a query."""

    data: Path
    split: Split = "dev"
    queries: int = 60
    passages: int = 4_000
    """A corpus is cut to the labelled passages and an even part of the rest."""
    depth: int = 50
    seed: int = 7


@dataclass(frozen=True, slots=True)
class Candidates:
    """One query with its candidates; `ranks` from 1, 0 for what the first stage did not find."""

    query: str
    language: str
    passages: list[Scorable]
    grades: list[int]
    labelled: list[bool]
    ranks: list[int]


def sets_of(wanted: Wanted) -> Iterator[LabelledSet]:
    """Read the sets, each with its corpus cut."""
    for labelled in read_sets(wanted.data, wanted.split, seed=wanted.seed, limit=wanted.queries):
        yield cut_corpus(labelled, wanted.passages, wanted.seed)


def cut_corpus(labelled: LabelledSet, most: int, seed: int) -> LabelledSet:
    """Keep the passages that are labelled for a query, and of the others a sample up to `most`."""
    needed = {i for query in labelled.queries for i in query.grades}
    others = [i for i in labelled.passages if i not in needed]
    room = max(0, most - len(needed))
    if room < len(others):
        others = random.Random(f"{seed} {labelled.name}").sample(others, room)
    kept = needed.union(others)
    return replace(labelled, passages={i: p for i, p in labelled.passages.items() if i in kept})


async def candidates_of(
    labelled: LabelledSet, embedder: Embedder, cache: Path, *, depth: int
) -> list[Candidates]:
    """Find the candidates of each query; a set that is read in context has its labelled ones."""
    if labelled.name in IN_CONTEXT:
        return [_joined(labelled, query, []) for query in labelled.queries]
    found = await candidates(labelled, embedder, cache)
    return [
        _joined(labelled, query, [one.id for one in row[:depth]])
        for query, row in zip(labelled.queries, found, strict=True)
    ]


async def table_of(
    sets: Sequence[tuple[str, Sequence[Candidates]]], embedder: Embedder, logits: Logits | None
) -> Table:
    """Compute all `FEATURES` of all candidates, as serving does; without `logits` they are 0.

    What the network cannot read is left out, as serving gives it nothing in any case.
    """
    asked = [(name, one) for name, found in sets for one in found]
    cosines = await fill_similarities(embedder, [(one.query, one.passages) for _, one in asked])
    rows: list[_Row] = []
    for number, ((name, one), similar) in enumerate(zip(asked, cosines, strict=True)):
        seen = logits(one.query, one.passages) if logits else [0.0] * len(one.passages)
        for place, (cosine, logit) in enumerate(zip(similar, seen, strict=True)):
            if logit is not None:
                known = features_of(lexical_evidence(one.query, one.passages[place]))
                values = {**known, "logit": logit, "similarity": cosine}
                rows.append(_Row(name, number, one, place, [values[n] for n in FEATURES]))
    return Table(
        features=np.array([row.features for row in rows]).reshape(len(rows), len(FEATURES)),
        grades=np.array([row.of.grades[row.place] for row in rows], dtype=np.int64),
        labelled=np.array([row.of.labelled[row.place] for row in rows], dtype=np.bool_),
        ranks=np.array([row.of.ranks[row.place] for row in rows], dtype=np.int64),
        queries=np.array([row.query for row in rows], dtype=np.int64),
        datasets=np.array([row.dataset for row in rows], dtype=np.str_),
        languages=np.array([row.of.language for row in rows], dtype=np.str_),
    )


class _Row(NamedTuple):
    """One candidate: that at `place` of the query with this number."""

    dataset: str
    query: int
    of: Candidates
    place: int
    features: list[float]


def _joined(labelled: LabelledSet, query: Asked, found: Sequence[str]) -> Candidates:
    """Put what was found before what was only labelled.

    Left out are blank passages, and translations of what answers: where the first stage looks
    in one language only, every passage in another would be a right one.
    """
    ranks = {i: rank for rank, i in enumerate(found, 1)}
    known = {
        i: passage
        for i in dict.fromkeys([*found, *query.grades])
        for passage in [labelled.passages[i]]
        if passage.text.strip() and (i in ranks or passage.language == query.language)
    }
    return Candidates(
        standalone(query.question, query.history),
        query.language,
        list(known.values()),
        [query.grades.get(i, int(ranks.get(i, 0) <= NEAR_MISSES)) for i in known],
        [i in query.grades for i in known],
        [ranks.get(i, 0) for i in known],
    )
