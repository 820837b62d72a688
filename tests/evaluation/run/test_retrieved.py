"""Candidates of a question in every order."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.ports import RankTask
from headwater.evaluation.data.bases import one_set
from headwater.evaluation.data.corpora import OpenBase, open_base
from headwater.evaluation.data.questions import Choice, Placed, place, select
from headwater.evaluation.measures.orders import ORDERS
from headwater.evaluation.run.retrieved import CandidateSearch
from headwater.models.ranker.scores import Scored
from tests.evaluation.data.corpora import write_rows
from tests.fakes import FakeClassifier, FakeRanker


class ReversingRanker:
    """Scores passages by their place, the last best, and states probabilities."""

    name = "reversing"
    device = "cpu"
    threshold = 0.5

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    async def score(self, tasks: Sequence[RankTask]) -> list[list[float]]:
        return [[one.score for one in row] for row in await self.scored(tasks)]

    async def scored(self, tasks: Sequence[RankTask]) -> list[list[Scored]]:
        self.asked += [[p.text for p in task.passages] for task in tasks]
        return [
            [Scored(4 * n / len(task.passages), n / 6) for n, _ in enumerate(task.passages)]
            for task in tasks
        ]


@pytest.fixture
async def base(small: Path, indexes: Path) -> AsyncIterator[OpenBase]:
    async with await open_base(one_set("planets"), small, cache=indexes) as opened:
        yield opened


async def placed_of(base: OpenBase, data: Path) -> dict[str, Placed]:
    placed, _ = await place(base, select(one_set("planets"), data, Choice()))
    return {one.row.id: one for one in placed}


async def test_every_order_holds_the_passages_of_the_data_set_each_once(
    base: OpenBase, small: Path
) -> None:
    found = await CandidateSearch.over(base)((await placed_of(base, small))["p1"])

    assert list(found.layers) == list(ORDERS)
    assert all(len(docs) == len(set(docs)) for docs in found.layers.values())
    assert all(sorted(found.layers[o]) == ["mars", "saturn", "venus"] for o in ("vector", "rank"))
    assert found.layers["keyword"][0] == found.layers["federate"][0] == "mars"
    assert set(found.step_ms) == {"federate", "rank", "classify"}


async def test_each_candidate_is_scored_once_by_each_model(base: OpenBase, small: Path) -> None:
    ranker, similarity = ReversingRanker(), FakeRanker()
    base.kb.models = replace(base.kb.models, ranker=ranker)
    search = replace(CandidateSearch.over(base), similarity=similarity)

    found = await search((await placed_of(base, small))["p1"])

    [asked] = ranker.asked
    assert len(asked) == len(set(asked)) == 3
    assert len(similarity.calls) == 1
    assert found.layers["rank"] == found.layers["federate"][::-1]
    assert found.layers["similarity"] != found.layers["rank"]


async def test_the_similarity_ranker_is_not_asked_twice_where_it_serves(
    base: OpenBase, small: Path
) -> None:
    search = CandidateSearch.over(base)

    found = await search((await placed_of(base, small))["p2"])

    served = search.similarity is base.kb.models.ranker
    assert served == (base.kb.models.ranker.name == "similarity")
    if served:
        assert found.layers["similarity"] == found.layers["rank"]


async def test_scores_and_probabilities_stand_beside_the_order_of_the_ranker(
    base: OpenBase, small: Path
) -> None:
    base.kb.models = replace(base.kb.models, ranker=ReversingRanker())

    found = await CandidateSearch.over(base)((await placed_of(base, small))["p1"])

    assert found.scores["rank"] == pytest.approx([8 / 3, 4 / 3, 0])
    assert found.scores["probability"] == pytest.approx([1 / 3, 1 / 6, 0])
    assert len(found.scores["classify"]) == len(found.layers["classify"])


async def test_l3_orders_by_score_and_grade_together(base: OpenBase, small: Path) -> None:
    base.kb.models = replace(base.kb.models, ranker=ReversingRanker(), classifier=FakeClassifier())

    found = await CandidateSearch.over(base)((await placed_of(base, small))["p1"])

    # The ranker puts "Mars has two moons" last with 0; the classifier alone favours it.
    assert found.layers["rank"][-1] == "mars"
    grades = {piece.doc: piece.grade or 0.0 for piece in found.content}
    ranks = {piece.doc: piece.score or 0.0 for piece in found.content}
    together = {doc: (grades[doc] + ranks[doc]) / 2 for doc in grades}
    assert found.scores["classify"] == pytest.approx(sorted(together.values(), reverse=True))
    assert [piece.doc for piece in found.content] == found.layers["classify"]


async def test_content_lies_in_the_text_of_the_data_set(base: OpenBase, small: Path) -> None:
    found = await CandidateSearch.over(base)((await placed_of(base, small))["p1"])

    mars = next(piece for piece in found.content if piece.doc == "mars")
    text = base.text("planets", "mars") or ""
    assert (mars.start, mars.end) == (0, len(text))
    assert text[slice(*mars.caption)] == "Mars has two moons, Phobos and Deimos."
    assert mars.tokens > 0


async def test_translations_of_the_evidence_are_neither_right_nor_wrong(
    small: Path, indexes: Path
) -> None:
    write_rows(
        small / "planets" / "qrels.dev.jsonl",
        [
            {"qid": "p1", "docid": "venus"},
            {"qid": "p1", "docid": "mars", "basis": "parallel_translation"},
        ],
    )
    async with await open_base(one_set("planets"), small, cache=indexes) as base:
        found = await CandidateSearch.over(base)((await placed_of(base, small))["p1"])

    assert all("mars" not in docs for docs in found.layers.values())
    assert sorted(found.layers["rank"]) == ["saturn", "venus"]
    assert len(found.scores["rank"]) == 2


async def test_a_blank_question_has_empty_orders(base: OpenBase, small: Path) -> None:
    asked = replace((await placed_of(base, small))["p1"], text=" ")

    found = await CandidateSearch.over(base)(asked)

    assert set(map(len, found.layers.values())) == {0}
    assert found.content == []
