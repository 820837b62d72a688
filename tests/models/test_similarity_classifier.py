import math

import pytest

from headwater.domain.ports import Embedder, JudgeTask, RankTask, Scorable
from headwater.models.similarity_classifier import NEVER_EXIT, open_similarity_classifier
from headwater.models.similarity_ranker import open_similarity_ranker

QUESTION = "Which seal fits the X-200 pump?"
GOOD = Scorable("The X-200 pump takes seal S-7. The seal fits without tools.", title="X-200")
FAR = Scorable("Employees get 28 days of holiday a year.", title="Holiday")


def task(*passages: Scorable, query: str = QUESTION) -> JudgeTask:
    return JudgeTask(query, list(passages), [p.text for p in passages], [None] * len(passages))


async def test_grades_are_distributions_and_the_better_passage_has_the_higher_mean(
    embedder: Embedder,
) -> None:
    (verdict,) = await open_similarity_classifier(embedder).judge([task(GOOD, FAR)])

    assert [math.fsum(shares) for shares in verdict.grades] == pytest.approx([1.0, 1.0])
    good, far = (sum(g * share for g, share in enumerate(s)) for s in verdict.grades)
    assert good > far + 1.0


async def test_evidence_makes_sufficiency_more_likely(embedder: Embedder) -> None:
    with_it, without = await open_similarity_classifier(embedder).judge(
        [task(GOOD, FAR), task(FAR)]
    )

    assert 1.0 >= with_it.sufficient > without.sufficient + 0.2 >= 0.2


@pytest.mark.parametrize("passages", [[], [Scorable("")], [Scorable(" \n", title=QUESTION)]])
async def test_nothing_to_read_is_never_sufficient(
    embedder: Embedder, passages: list[Scorable]
) -> None:
    (verdict,) = await open_similarity_classifier(embedder).judge([task(*passages)])

    assert verdict.sufficient == 0.0
    assert verdict.grades == [[1.0, 0.0, 0.0, 0.0, 0.0]] * len(passages)


@pytest.mark.parametrize("query", ["", "?", "\ud800\x00", "🙂" * 50, "why " * 5_000])
async def test_any_query_gets_a_probability(embedder: Embedder, query: str) -> None:
    (verdict,) = await open_similarity_classifier(embedder).judge([task(GOOD, query=query)])

    assert 0.0 <= verdict.sufficient <= 1.0


async def test_tasks_are_judged_alone_and_in_order(embedder: Embedder) -> None:
    classifier = open_similarity_classifier(embedder)
    tasks = [task(GOOD), task(FAR), task(FAR, GOOD)]

    together = await classifier.judge(tasks)

    assert together == [(await classifier.judge([one]))[0] for one in tasks]


async def test_it_drops_nothing_that_the_ranker_would_keep(embedder: Embedder) -> None:
    ranker, classifier = open_similarity_ranker(embedder), open_similarity_classifier(embedder)
    candidates = [GOOD, FAR, *(Scorable(f"Seal {n} fits the pump.") for n in range(9))]
    ((_, far, *_),) = await ranker.score([RankTask(QUESTION, candidates)])

    (verdict,) = await classifier.judge([task(GOOD, FAR)])

    mean = sum(grade * share for grade, share in enumerate(verdict.grades[1]))
    assert far >= ranker.threshold
    assert mean >= classifier.threshold


def test_the_exit_threshold_is_one_that_was_chosen(embedder: Embedder) -> None:
    threshold = open_similarity_classifier(embedder).exit_threshold

    assert 0.5 <= threshold < 1.0 or threshold == NEVER_EXIT
