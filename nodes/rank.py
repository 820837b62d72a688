"""Rank (L2): put the candidates of every source on one scale, and caption the best."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from typing_extensions import TypedDict

from ..domain.activity import ActivityRecord
from ..domain.caption import TermWeights, caption
from ..domain.errors import ModelError, ScoreRangeError
from ..domain.fate import Cut
from ..domain.passage import Passage, passage_key
from ..domain.ports import Clock, PassageStore, Ranker, RankTask, Scorable
from ..domain.request import Run
from ..domain.score import RankerScore
from ..domain.state import Found, Ranking, RunState, SubQuery


class RankUpdate(TypedDict):
    """The part of the state this step writes."""

    rankings: list[Ranking]
    cuts: list[Cut]
    activity: list[ActivityRecord]


@dataclass(frozen=True, slots=True)
class _Pool:
    """The candidates of one sub-query, in the order of their sources' ranks."""

    query: SubQuery
    keys: list[str]
    similarities: list[float | None]
    too_deep: list[str]


@dataclass(frozen=True, slots=True)
class Rank:
    """Score the candidates of the round's sub-queries, drop the weak ones, caption the rest.

    Reads `run`, `round`, `sub_queries`, `found`. Writes `rankings`: one a sub-query, scores in
    [0, 4], best first, equal scores in the order of their sources' ranks; `cuts`: what lay
    beyond `run.rank_depth` (every source gets its fair share of it) or below
    `run.ranker_threshold`; `activity`: one record.

    Where the ranker fails, scores are `None`, nothing is dropped and the order is that of the
    sources' ranks.

    Origin: cross-encoder over a candidate list, Nogueira and Cho 2019, arXiv:1901.04085.
    """

    ranker: Ranker
    passages: PassageStore
    clock: Clock

    async def __call__(self, state: RunState) -> RankUpdate:
        started, run, round_ = self.clock(), state["run"], state["round"]
        queries = [query for query in state["sub_queries"] if query.round == round_]
        pools = [_pool(query, state.get("found", []), run.rank_depth) for query in queries]
        bodies = await self.passages.get(run, [key for pool in pools for key in pool.keys])
        scores, error = await self._scores(pools, bodies)
        ranked = [
            _rank(pool, scores_of_pool, bodies, run)
            for pool, scores_of_pool in zip(pools, scores, strict=True)
        ]
        record = ActivityRecord(
            step="rank",
            round=round_,
            started=started,
            elapsed_ms=(self.clock() - started) * 1_000,
            count=sum(len(pool.keys) for pool in pools),
            model=self.ranker.name,
            device=self.ranker.device,
            warning="kept the order of the sources' ranks" if error else None,
            error=error,
        )
        return {
            "rankings": [ranking for ranking, _ in ranked],
            "cuts": [cut for _, cuts in ranked for cut in cuts],
            "activity": [record],
        }

    async def _scores(
        self, pools: list[_Pool], bodies: dict[str, Passage]
    ) -> tuple[list[list[float | None]], str | None]:
        tasks = [
            RankTask(
                pool.query.text,
                [
                    Scorable.of(bodies[key], similarity)
                    for key, similarity in zip(pool.keys, pool.similarities, strict=True)
                ],
            )
            for pool in pools
        ]
        try:
            scores = await self.ranker.score(tasks)
            return [[RankerScore(score).value for score in row] for row in scores], None
        except (ModelError, ScoreRangeError) as exc:
            return [[None for _ in pool.keys] for pool in pools], str(exc)


def _pool(query: SubQuery, found: list[Found], depth: int) -> _Pool:
    """Take candidates in turn from each source, each in its own order, down to `depth`."""
    columns = [
        [
            (passage_key(column.source, passage_id), similarity)
            for passage_id, similarity in zip(column.ids, column.similarities, strict=True)
        ]
        for column in found
        if column.sub_query == query.id
    ]
    in_turn = [pair for row in zip_longest(*columns) for pair in row if pair is not None]
    return _Pool(
        query=query,
        keys=[key for key, _ in in_turn[:depth]],
        similarities=[similarity for _, similarity in in_turn[:depth]],
        too_deep=[key for key, _ in in_turn[depth:]],
    )


def _rank(
    pool: _Pool,
    scores: list[float | None],
    bodies: dict[str, Passage],
    run: Run,
) -> tuple[Ranking, list[Cut]]:
    scored = list(zip(pool.keys, scores, strict=True))
    kept = [(key, s) for key, s in scored if s is None or s >= run.ranker_threshold]
    weak = [(key, s) for key, s in scored if s is not None and s < run.ranker_threshold]
    kept.sort(key=lambda pair: -(pair[1] or 0.0))
    weights = TermWeights(bodies[key].text for key in pool.keys)
    spans = [caption(pool.query.text, bodies[key].text, weights) for key, _ in kept]
    ranking = Ranking(
        sub_query=pool.query.id,
        passages=[key for key, _ in kept],
        scores=[None if s is None else round(s, 4) for _, s in kept],
        captions=[[span.start, span.end] for span in spans],
    )
    return ranking, list(_cuts(pool, weak))


def _cuts(pool: _Pool, weak: list[tuple[str, float]]) -> Iterator[Cut]:
    if pool.too_deep:
        yield Cut(pool.query.id, "rank_depth", pool.too_deep, ["" for _ in pool.too_deep])
    if weak:
        keys = [key for key, _ in weak]
        yield Cut(pool.query.id, "ranker_threshold", keys, [f"{score:.2f}" for _, score in weak])
