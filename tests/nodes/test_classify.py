import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from headwater.domain.errors import ModelUnavailableError
from headwater.domain.fate import Cut
from headwater.domain.passage import Passage
from headwater.domain.ports import Classifier, JudgeTask, Verdict
from headwater.domain.state import Found, Judgement, Ranking, RunState, SubQuery
from headwater.nodes.classify import UNKNOWN, Classify
from tests.fakes import FakeClassifier, MemoryPassages, passage, run_with, ticking_clock

PASSAGES = [passage(f"a:{n}", f"Text {n}. More of it.") for n in range(20)]
FAILURE = ModelUnavailableError("scripted", "timeout.")


def grade(value: int) -> list[float]:
    return [float(value == g) for g in range(5)]


@dataclass
class ScriptedClassifier:
    """Gives the verdicts it was told to give, and keeps what it was asked."""

    verdicts: list[Verdict]
    name: str = "scripted"
    device: str = "cpu"
    calls: list[list[JudgeTask]] = field(default_factory=list)

    async def judge(self, tasks: Sequence[JudgeTask]) -> list[Verdict]:
        self.calls.append(list(tasks))
        return self.verdicts


def node(classifier: Classifier, passages: Sequence[Passage] = PASSAGES) -> Classify:
    return Classify(classifier, MemoryPassages(passages), ticking_clock())


def ranking(query: str, *keys: str) -> Ranking:
    return Ranking(query, list(keys), [3.0] * len(keys), [[0, 7]] * len(keys))


def state(*rankings: Ranking, round_: int = 1, **run: object) -> RunState:
    return RunState(
        question="?",
        run=run_with(**run),
        round=round_,
        sub_queries=[SubQuery(r.sub_query, f"query {r.sub_query}") for r in rankings],
        rankings=list(rankings),
    )


@pytest.mark.parametrize(
    ("probability", "decision", "reason"),
    [
        (0.81, "exit", "exit: P 0.81 ≥ 0.80"),
        (0.80, "exit", "exit: P 0.80 ≥ 0.80"),
        (0.79, "reflect", "reflect: P 0.79 < 0.80"),
        (0.0, "reflect", "reflect: P 0.00 < 0.80"),
        (1.0, "exit", "exit: P 1.00 ≥ 0.80"),
    ],
)
async def test_the_threshold_decides(probability: float, decision: str, reason: str) -> None:
    judge = ScriptedClassifier([Verdict([grade(3)], probability)])

    update = await node(judge)(state(ranking("q1", "a:1")))

    [judgement], [record] = update["judgements"], update["activity"]
    assert (judgement.decision, judgement.probability) == (decision, probability)
    assert judgement.threshold == 0.8
    assert record.detail == reason


async def test_a_threshold_above_one_never_lets_go() -> None:
    judge = ScriptedClassifier([Verdict([grade(4)], 1.0)])

    update = await node(judge)(state(ranking("q1", "a:1"), exit_threshold=1.01))

    assert update["judgements"][0].decision == "reflect"
    assert update["activity"][0].detail == "reflect: P 1.00, no threshold is safe enough"


async def test_grades_order_the_passages_and_cut_the_weak_ones() -> None:
    half = [0.0, 0.5, 0.5, 0.0, 0.0]
    judge = ScriptedClassifier([Verdict([grade(0), half, grade(4), grade(1)], 0.9)])

    update = await node(judge)(state(ranking("q1", "a:1", "a:2", "a:3", "a:4")))

    assert update["judgements"] == [
        Judgement(
            sub_query="q1",
            passages=["a:3", "a:2", "a:4"],
            grades=[4.0, 1.5, 1.0],
            distributions=[grade(4), half, grade(1)],
            probability=0.9,
            threshold=0.8,
            decision="exit",
        )
    ]
    assert update["cuts"] == [Cut("q1", "classifier_threshold", ["a:1"], ["0.00"])]
    assert update["activity"][0].count == 4


async def test_a_sub_query_costs_eleven_inferences_and_all_go_in_one_batch() -> None:
    judge = ScriptedClassifier([Verdict([grade(3)] * 10, 0.9)] * 2)
    keys = [f"a:{n}" for n in range(20)]

    update = await node(judge)(state(ranking("q1", *keys), ranking("q2", *keys)))

    [tasks] = judge.calls
    assert [len(task.passages) + 1 for task in tasks] == [11, 11]
    assert [len(task.captions) for task in tasks] == [10, 10]
    assert [len(judgement.passages) for judgement in update["judgements"]] == [10, 10]
    assert update["cuts"] == []


async def test_the_classifier_reads_query_passages_captions_scores_and_similarities() -> None:
    judge = ScriptedClassifier([Verdict([grade(3)] * 2, 0.9)])
    given = state(ranking("q1", "a:2", "a:1"))
    given["found"] = [Found("q1", "a", ["1", "2"], [0.1, 0.2]), Found("q9", "a", ["1"], [0.9])]

    await node(judge)(given)

    [[task]] = judge.calls
    assert task.query == "query q1"
    assert [p.text for p in task.passages] == ["Text 2. More of it.", "Text 1. More of it."]
    assert [p.similarity for p in task.passages] == [0.2, 0.1]
    assert task.captions == ["Text 2.", "Text 1."]
    assert task.scores == [3.0, 3.0]


async def test_a_sub_query_without_passages_has_no_evidence_and_costs_nothing() -> None:
    judge = ScriptedClassifier([Verdict([grade(3)], 0.9)])

    update = await node(judge)(state(ranking("q1"), ranking("q2", "a:1"), ranking("q3")))

    assert [j.probability for j in update["judgements"]] == [0.0, 0.9, 0.0]
    assert [j.decision for j in update["judgements"]] == ["reflect", "exit", "reflect"]
    assert [len(call) for call in judge.calls] == [1]


async def test_with_nothing_found_at_all_the_classifier_is_not_asked() -> None:
    judge = ScriptedClassifier([])

    update = await node(judge)(state(ranking("q1")))

    assert judge.calls == []
    assert update["judgements"][0].decision == "reflect"
    assert update["activity"][0].error is None


@pytest.mark.parametrize(
    ("classifier", "cause"),
    [
        (FakeClassifier(error=FAILURE), "timeout"),
        (ScriptedClassifier([Verdict([grade(3)], math.nan)]), "nan"),
        (ScriptedClassifier([Verdict([grade(3)], 1.2)]), "1.2"),
        (ScriptedClassifier([Verdict([[math.nan] * 5], 0.5)]), "nan"),
        (ScriptedClassifier([Verdict([[-0.5, 1.5, 0.0, 0.0, 0.0]], 0.5)]), "-0.5"),
        (ScriptedClassifier([Verdict([[0.0, 0.0, 0.9, 0.9, 0.9]], 0.5)]), "8.1"),
    ],
)
async def test_where_the_classifier_fails_nothing_is_cut_and_the_run_reflects(
    classifier: Classifier, cause: str
) -> None:
    update = await node(classifier)(state(ranking("q1", "a:1")))

    [judgement], [record] = update["judgements"], update["activity"]
    assert (judgement.probability, judgement.decision) == (None, "reflect")
    assert (judgement.passages, judgement.grades, judgement.distributions) == ([], [], [])
    assert update["cuts"] == []
    assert cause in (record.error or "")
    assert (record.warning, record.detail) == (UNKNOWN, "reflect: P unknown")


async def test_that_nothing_was_found_is_known_also_where_the_classifier_fails() -> None:
    update = await node(FakeClassifier(error=FAILURE))(state(ranking("q1"), ranking("q2", "a:1")))

    assert [j.probability for j in update["judgements"]] == [0.0, None]
    assert [bool(record.error) for record in update["activity"]] == [False, True]


async def test_a_bug_in_the_classifier_comes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        await node(FakeClassifier(error=ZeroDivisionError()))(state(ranking("q1", "a:1")))


async def test_too_few_verdicts_are_a_bug() -> None:
    with pytest.raises(ValueError, match="zip"):
        await node(ScriptedClassifier([]))(state(ranking("q1", "a:1")))


async def test_only_the_sub_queries_of_this_round_are_judged() -> None:
    judge = ScriptedClassifier([Verdict([grade(3)], 0.9)])
    later = state(ranking("q1", "a:1"), ranking("q2", "a:2"), round_=2)
    later["sub_queries"] = [SubQuery("q1", "first"), SubQuery("q2", "second", round=2)]

    update = await node(judge)(later)

    assert [j.sub_query for j in update["judgements"]] == ["q2"]
    assert [record.round for record in update["activity"]] == [2]
