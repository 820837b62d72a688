"""Classify (L3): grade the best passages and decide, sub-query by sub-query, whether to stop."""

from dataclasses import dataclass

from typing_extensions import TypedDict

from ..domain.activity import ActivityRecord
from ..domain.errors import ModelError, ScoreRangeError
from ..domain.fate import Cut
from ..domain.passage import Passage, passage_key
from ..domain.ports import Classifier, Clock, JudgeTask, PassageStore, Scorable, Verdict
from ..domain.request import Run
from ..domain.score import Grade, Probability
from ..domain.sentences import Span
from ..domain.state import Found, Judgement, Ranking, RunState, SubQuery

NOTHING = Verdict([], 0.0)
"""The verdict on a sub-query for which nothing was found."""

UNKNOWN = "reflected without knowing whether it was needed"


class ClassifyUpdate(TypedDict):
    """The part of the state this step writes."""

    judgements: list[Judgement]
    cuts: list[Cut]
    activity: list[ActivityRecord]


@dataclass(frozen=True, slots=True)
class Classify:
    """Judge the round's sub-queries by their best passages, all in one batch.

    Reads `run`, `round`, `sub_queries`, `rankings`. Writes `judgements`: one a sub-query, with
    P(sufficient), the threshold and the decision; `cuts`: passages graded below
    `run.classifier_threshold`; `activity`: one record a sub-query.

    A sub-query without passages has probability 0. Where the classifier fails nothing is known,
    so nothing is dropped and the decision is to reflect.
    """

    classifier: Classifier
    passages: PassageStore
    clock: Clock

    async def __call__(self, state: RunState) -> ClassifyUpdate:
        started, run, round_ = self.clock(), state["run"], state["round"]
        queries = {query.id: query for query in state["sub_queries"] if query.round == round_}
        rankings = [
            _top(ranking, run.classify_depth)
            for ranking in state.get("rankings", [])
            if ranking.sub_query in queries
        ]
        bodies = await self.passages.get(run, [k for ranking in rankings for k in ranking.passages])
        similarities = _similarities(state.get("found", []))
        tasks = [
            _task(queries[ranking.sub_query], ranking, bodies, similarities) for ranking in rankings
        ]
        verdicts, error = await self._verdicts(tasks)
        judgements = [
            _judgement(ranking, verdict, run)
            for ranking, verdict in zip(rankings, verdicts, strict=True)
        ]
        cuts = [
            _cut(ranking, verdict, judgement)
            for ranking, verdict, judgement in zip(rankings, verdicts, judgements, strict=True)
        ]
        elapsed_ms = (self.clock() - started) * 1_000
        return {
            "judgements": judgements,
            "cuts": [cut for cut in cuts if cut.passages],
            "activity": [
                ActivityRecord(
                    step="classify",
                    round=round_,
                    started=started,
                    elapsed_ms=elapsed_ms,
                    sub_query=judgement.sub_query,
                    count=len(ranking.passages),
                    model=self.classifier.name,
                    device=self.classifier.device,
                    detail=_reason(judgement),
                    warning=UNKNOWN if error and verdict is None else None,
                    error=error if verdict is None else None,
                )
                for ranking, verdict, judgement in zip(rankings, verdicts, judgements, strict=True)
            ],
        }

    async def _verdicts(self, tasks: list[JudgeTask]) -> tuple[list[Verdict | None], str | None]:
        filled = [place for place, task in enumerate(tasks) if task.passages]
        try:
            judged = await self.classifier.judge([tasks[i] for i in filled]) if filled else []
            verdicts = {i: _checked(v) for i, v in zip(filled, judged, strict=True)}
        except (ModelError, ScoreRangeError) as exc:
            return [None if task.passages else NOTHING for task in tasks], str(exc)
        return [verdicts.get(i, NOTHING) for i in range(len(tasks))], None


def _checked(verdict: Verdict) -> Verdict:
    """Refuse a verdict whose numbers are outside their ranges, NaN among them."""
    Probability(verdict.sufficient)
    for distribution in verdict.grades:
        for share in distribution:
            Probability(round(share, 6))
        Grade(round(_mean(distribution), 6))
    return verdict


def _top(ranking: Ranking, depth: int) -> Ranking:
    return Ranking(
        sub_query=ranking.sub_query,
        passages=ranking.passages[:depth],
        scores=ranking.scores[:depth],
        captions=ranking.captions[:depth],
    )


def _similarities(found: list[Found]) -> dict[tuple[str, str], float | None]:
    """Map (sub-query, passage key) to the cosine that the source reported."""
    return {
        (column.sub_query, passage_key(column.source, passage_id)): similarity
        for column in found
        for passage_id, similarity in zip(column.ids, column.similarities, strict=True)
    }


def _task(
    query: SubQuery,
    ranking: Ranking,
    bodies: dict[str, Passage],
    similarities: dict[tuple[str, str], float | None],
) -> JudgeTask:
    passages = [bodies[key] for key in ranking.passages]
    return JudgeTask(
        query=query.text,
        passages=[Scorable.of(p, similarities.get((query.id, p.key))) for p in passages],
        captions=[
            Span(*span).of(p.text) for p, span in zip(passages, ranking.captions, strict=True)
        ],
        scores=ranking.scores,
    )


def _judgement(ranking: Ranking, verdict: Verdict | None, run: Run) -> Judgement:
    graded = [] if verdict is None else zip(ranking.passages, verdict.grades, strict=True)
    rows = [(key, _mean(grades), grades) for key, grades in graded]
    kept = [row for row in rows if row[1] >= run.classifier_threshold]
    kept.sort(key=lambda row: -row[1])
    probability = None if verdict is None else round(verdict.sufficient, 4)
    satisfied = probability is not None and probability >= run.exit_threshold
    return Judgement(
        sub_query=ranking.sub_query,
        passages=[key for key, _, _ in kept],
        grades=[round(grade, 4) for _, grade, _ in kept],
        distributions=[[round(p, 4) for p in grades] for _, _, grades in kept],
        probability=probability,
        threshold=run.exit_threshold,
        decision="exit" if satisfied else "reflect",
    )


def _mean(distribution: list[float]) -> float:
    return sum(grade * p for grade, p in enumerate(distribution))


def _cut(ranking: Ranking, verdict: Verdict | None, judgement: Judgement) -> Cut:
    """Name the passages that were graded and not kept, each with its grade."""
    kept = set(judgement.passages)
    graded = [] if verdict is None else zip(ranking.passages, verdict.grades, strict=True)
    weak = [(key, f"{_mean(grades):.2f}") for key, grades in graded if key not in kept]
    return Cut(
        sub_query=ranking.sub_query,
        reason="classifier_threshold",
        passages=[key for key, _ in weak],
        details=[grade for _, grade in weak],
    )


def _reason(judgement: Judgement) -> str:
    if judgement.probability is None:
        return f"{judgement.decision}: P unknown"
    if judgement.threshold > 1:
        return f"{judgement.decision}: P {judgement.probability:.2f}, no threshold is safe enough"
    sign = "≥" if judgement.decision == "exit" else "<"
    return f"{judgement.decision}: P {judgement.probability:.2f} {sign} {judgement.threshold:.2f}"
