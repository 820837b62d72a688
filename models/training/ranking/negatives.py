"""Candidates for each query, as a first stage finds them: hard negatives, and lists to rank.

Keywords and vectors each order the passages of the query's language; the two orders are fused by
rank. What was found is kept on disk under a digest of everything it depends on.
"""

import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ....domain.conversation import standalone
from ....domain.ports import Embedder, Scorable
from ....domain.words import fold
from ...cache import write_once
from ...similarities import embedded_text
from ..vectors import KeptVectors
from .keywords import Keywords
from .sets import Asked, LabelledSet

DEPTH = 50
"""Candidates kept a query."""

FUSION = 10.0
"""The constant of reciprocal rank fusion (Cormack et al. 2009); a small one trusts the top."""

MARGIN = 0.05
"""A candidate this much nearer to the query than its best answer probably answers too."""

_REVISION = 1
"""Raise it when the search changes: what was kept before is then found anew."""

_SHORTEST = 4
"""Characters; a shorter answer stands in too many passages by chance. Half in Chinese."""

_QUERIES = 256
"""Compared with all passages at a time."""

Floats32: TypeAlias = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage the first stage found, and its cosine to the query."""

    id: str
    cosine: float


async def candidates(
    labelled: LabelledSet, embedder: Embedder, cache: Path
) -> list[list[Candidate]]:
    """Give the first stage's order for each query, best first, at most `DEPTH` each."""
    folder = cache / "ranker-training" / labelled.name
    folder.mkdir(parents=True, exist_ok=True)
    kept = folder / f"candidates-{_digest(labelled, embedder)}.json.gz"
    if kept.is_file():
        held = json.loads(gzip.decompress(kept.read_bytes()))
        return [[Candidate(i, cosine) for i, cosine in found] for found in held]
    found = await _search(labelled, embedder, folder)
    rows = [[(one.id, round(one.cosine, 5)) for one in row] for row in found]
    packed = gzip.compress(json.dumps(rows).encode(), mtime=0)
    write_once(kept, lambda fresh: _write(fresh, packed))
    return found


def negatives(query: Asked, found: Sequence[Candidate], passages: dict[str, Scorable]) -> list[str]:
    """Give those candidates that may be taken not to answer, best first.

    Left out are passages labelled as answering and copies of them, passages that hold a
    reference answer, and passages much nearer to the query than any that answers.
    """
    gold = {passages[i].text for i in query.gold}
    near = [one.cosine for one in found if one.id in query.gold]
    limit = max(near, default=1.0) + MARGIN
    answers = [fold(answer) for answer in query.answers if _tells(answer, query.question)]
    return [
        one.id
        for one in found
        if one.id not in query.gold
        and (one.id in query.grades or one.cosine <= limit)
        and passages[one.id].text not in gold
        and (one.id in query.grades or not _holds(passages[one.id].text, answers))
    ]


def _tells(answer: str, question: str) -> bool:
    """Tell whether a passage with this answer in it probably answers."""
    shortest = _SHORTEST if answer.isascii() else _SHORTEST // 2
    return len(answer.strip()) >= shortest and fold(answer) not in fold(question)


def _holds(text: str, answers: Sequence[str]) -> bool:
    if not answers:
        return False
    folded = fold(text)
    return any(answer in folded for answer in answers)


async def _search(labelled: LabelledSet, embedder: Embedder, folder: Path) -> list[list[Candidate]]:
    kept = KeptVectors(embedder, folder)
    found: dict[str, list[Candidate]] = {}
    for language in sorted({query.language for query in labelled.queries}):
        queries = [query for query in labelled.queries if query.language == language]
        here = {i: p for i, p in labelled.passages.items() if p.language == language}
        if not here:  # a language without passages of its own is asked of all
            here = labelled.passages
        asked = [standalone(query.question, query.history) for query in queries]
        vectors = _matrix(await kept.embed_passages([embedded_text(p) for p in here.values()]))
        sought = _matrix(await kept.embed_queries(asked))
        texts = Keywords([embedded_text(p) for p in here.values()])
        orders = _fused(asked, texts, sought, vectors)
        ids = list(here)
        for query, order in zip(queries, orders, strict=True):
            found[query.id] = [Candidate(ids[place], cosine) for place, cosine in order]
    kept.keep()
    return [found[query.id] for query in labelled.queries]


def _fused(
    asked: Sequence[str], texts: Keywords, sought: Floats32, vectors: Floats32
) -> Iterator[list[tuple[int, float]]]:
    """Give (place, cosine) of each query's candidates, best first."""
    for start in range(0, len(asked), _QUERIES):
        cosines = sought[start : start + _QUERIES] @ vectors.T
        for query, row in zip(asked[start : start + _QUERIES], cosines, strict=True):
            words = texts.scores(query)
            by_words = [place for place in _best(words) if words[place] > 0.0]
            worth: dict[int, float] = {}
            for order in (by_words, _best(row)):
                for rank, place in enumerate(order, 1):
                    worth[place] = worth.get(place, 0.0) + 1.0 / (FUSION + rank)
            best = sorted(worth, key=lambda place: (-worth[place], place))[:DEPTH]
            yield [(place, float(row[place])) for place in best]


def _best(scores: NDArray[np.floating]) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")[: 2 * DEPTH]]


def _matrix(vectors: Sequence[object]) -> Floats32:
    return np.array([np.frombuffer(vector, "f4") for vector in vectors])  # type: ignore[call-overload]


def _write(path: Path, packed: bytes) -> None:
    path.write_bytes(packed)


def _digest(labelled: LabelledSet, embedder: Embedder) -> str:
    """Name everything that decides what is found."""
    facts = [
        _REVISION,
        DEPTH,
        FUSION,
        embedder.name,
        [(i, p.language, embedded_text(p)) for i, p in labelled.passages.items()],
        [
            (q.id, q.language, q.question, [turn.content for turn in q.history])
            for q in labelled.queries
        ],
    ]
    packed = json.dumps(facts, ensure_ascii=True).encode()
    return hashlib.sha256(packed).hexdigest()[:16]
