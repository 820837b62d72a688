import math
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ModelUnavailableError
from headwater.domain.fate import Cut
from headwater.domain.passage import Passage
from headwater.domain.ports import Ranker, RankTask
from headwater.domain.sentences import Span
from headwater.domain.state import Found, RunState, SubQuery
from headwater.nodes.rank import Rank
from tests.fakes import FakeRanker, MemoryPassages, passage, run_with, ticking_clock

TEXTS = {
    "a:1": "The red seal.",
    "a:2": "The red pump.",
    "a:3": "A grey hat.",
    "b:1": "Red seal of the loud pump.",
    "b:2": "A loud day. Nobody knew the seal.",
}
PASSAGES = [passage(key, text) for key, text in TEXTS.items()]
BOTH = [
    Found("q1", "a", ["1", "2", "3"], [0.5, 0.4, None]),
    Found("q1", "b", ["1", "2"], [0.3] * 2),
]


@dataclass
class FixedRanker:
    """Gives every passage the same score."""

    value: float
    name: str = "fixed"
    device: str = "cpu"

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        return [[self.value for _ in task.passages] for task in tasks]


def node(ranker: Ranker | None = None, passages: Sequence[Passage] = PASSAGES) -> Rank:
    return Rank(ranker or FakeRanker(), MemoryPassages(passages), ticking_clock())


def state(
    found: list[Found] | None = None, query: str = "red seal pump", **run: object
) -> RunState:
    return RunState(
        question="?",
        run=run_with(**run),
        round=1,
        sub_queries=[SubQuery("q1", query)],
        found=BOTH if found is None else found,
    )


async def test_passages_of_all_sources_are_ordered_by_one_scale() -> None:
    update = await node()(state())

    [ranking] = update["rankings"]
    assert ranking.passages == ["b:1", "a:1", "a:2", "b:2"]
    assert ranking.scores == [4.0, 2.6667, 2.6667, 1.3333]


async def test_what_scores_below_the_threshold_is_cut_with_its_score() -> None:
    update = await node()(state(ranker_threshold=2.0))

    assert update["rankings"][0].passages == ["b:1", "a:1", "a:2"]
    assert update["cuts"] == [Cut("q1", "ranker_threshold", ["b:2", "a:3"], ["1.33", "0.00"])]


async def test_a_score_at_the_threshold_stays() -> None:
    update = await node(FixedRanker(1.5))(state(ranker_threshold=1.5))

    assert len(update["rankings"][0].passages) == 5
    assert update["cuts"] == []


async def test_equal_scores_keep_the_turns_of_the_sources() -> None:
    update = await node(FixedRanker(2.0))(state())

    assert update["rankings"][0].passages == ["a:1", "b:1", "a:2", "b:2", "a:3"]


async def test_every_source_gets_its_share_of_the_depth() -> None:
    ranker = FakeRanker()

    update = await node(ranker)(state(rank_depth=3, ranker_threshold=0.0))

    assert sorted(update["rankings"][0].passages) == ["a:1", "a:2", "b:1"]
    assert update["cuts"] == [Cut("q1", "rank_depth", ["b:2", "a:3"], ["", ""])]
    assert [len(task.passages) for task in ranker.calls[0]] == [3]


async def test_the_ranker_sees_the_known_similarities() -> None:
    ranker = FakeRanker()

    await node(ranker)(state())

    [[task]] = ranker.calls
    assert [p.similarity for p in task.passages] == [0.5, 0.3, 0.4, 0.3, None]
    assert [p.text for p in task.passages][:2] == [TEXTS["a:1"], TEXTS["b:1"]]


@pytest.mark.parametrize(
    ("ranker", "cause"),
    [
        (FakeRanker(error=ModelUnavailableError("overlap", "timeout.")), "timeout"),
        (FixedRanker(math.nan), "nan"),
        (FixedRanker(4.01), "4.01"),
        (FixedRanker(-0.01), "-0.01"),
    ],
)
async def test_where_the_ranker_fails_the_sources_order_stays_and_it_is_said(
    ranker: Ranker, cause: str
) -> None:
    update = await node(ranker)(state(ranker_threshold=3.0))

    [ranking], [record] = update["rankings"], update["activity"]
    assert ranking.passages == ["a:1", "b:1", "a:2", "b:2", "a:3"]
    assert ranking.scores == [None] * 5
    assert update["cuts"] == []
    assert cause in (record.error or "")
    assert record.warning == "kept the order of the sources' ranks"


async def test_a_bug_in_the_ranker_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        await node(FakeRanker(error=ZeroDivisionError()))(state())


async def test_captions_are_the_sentences_that_match() -> None:
    long = passage("a:9", "The hat is grey. " * 20 + "The seal is red. " + "The hat is old. " * 20)

    update = await node(passages=[long])(state([Found("q1", "a", ["9"], [None])]))

    [[start, end]] = update["rankings"][0].captions
    assert "The seal is red." in Span(start, end).of(long.text)
    assert end - start <= 300


async def test_empty_text_has_an_empty_caption() -> None:
    empty = passage("a:9", "", title="red seal pump")

    update = await node(passages=[empty])(state([Found("q1", "a", ["9"], [None])]))

    assert update["rankings"][0].captions == [[0, 0]]


async def test_a_sub_query_without_candidates_has_an_empty_ranking() -> None:
    update = await node()(state([]))

    assert (update["rankings"][0].sub_query, update["rankings"][0].passages) == ("q1", [])
    assert update["cuts"] == []
    assert update["activity"][0].count == 0


async def test_all_sub_queries_of_the_round_are_scored_in_one_call() -> None:
    ranker = FakeRanker()
    two = state()
    two["round"] = 2
    two["sub_queries"] = [
        SubQuery("q1", "first"),
        SubQuery("q2", "seal", round=2),
        SubQuery("q3", "pump", round=2),
    ]
    two["found"] = [*BOTH, Found("q2", "a", ["1"], [None]), Found("q3", "a", ["2"], [None])]

    update = await node(ranker)(two)

    assert [[task.query for task in call] for call in ranker.calls] == [["seal", "pump"]]
    assert [ranking.sub_query for ranking in update["rankings"]] == ["q2", "q3"]
    assert [record.round for record in update["activity"]] == [2]


async def test_the_record_names_model_device_and_count() -> None:
    [record] = (await node()(state()))["activity"]

    assert (record.step, record.model, record.device, record.count) == ("rank", "overlap", "cpu", 5)
    assert record.elapsed_ms > 0
    assert (record.warning, record.error) == (None, None)


@given(
    columns=st.lists(st.integers(0, 8), min_size=1, max_size=4),
    depth=st.integers(1, 20),
    threshold=st.floats(0, 4),
)
async def test_every_candidate_is_ranked_or_cut_once_and_shares_are_fair(
    columns: list[int], depth: int, threshold: float
) -> None:
    found = [
        Found("q1", f"s{i}", [str(n) for n in range(count)], [None] * count)
        for i, count in enumerate(columns)
    ]
    keys = [f"{column.source}:{name}" for column in found for name in column.ids]
    texts = ["red seal", "pump", "hat", "red seal pump"]
    bodies = [passage(key, texts[n % 4]) for n, key in enumerate(keys)]

    update = await node(passages=bodies)(state(found, rank_depth=depth, ranker_threshold=threshold))

    cut = [key for cut in update["cuts"] for key in cut.passages]
    assert sorted([*update["rankings"][0].passages, *cut]) == sorted(keys)
    ranked_scores = [s or 0.0 for s in update["rankings"][0].scores]
    assert ranked_scores == sorted(ranked_scores, reverse=True)
    deep = {key for cut in update["cuts"] if cut.reason == "rank_depth" for key in cut.passages}
    taken = {s.source: len(s.ids) - sum(f"{s.source}:{n}" in deep for n in s.ids) for s in found}
    assert sum(taken.values()) == min(depth, len(keys))
    short = [taken[s.source] for s in found if taken[s.source] < len(s.ids)]
    assert not short or max(taken.values()) - min(short) <= 1
