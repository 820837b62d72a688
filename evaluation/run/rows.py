"""From the end of a run to its row of results."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ...domain.markers import claims_of
from ...domain.passage import Passage, passage_key
from ...domain.request import Run
from ...domain.result import Reference, Result, SubQueryReport
from ...domain.state import Route, RunState, SubQuery
from ...domain.turns import round_robin
from ...nodes.merge import in_order
from ..data.corpora import OpenBase
from ..data.questions import Placed, Question
from ..data.rows import QueryRow
from ..measures.answers import contains_answer
from ..record import CitedSentence, ContentPiece, GapRow, Gold, ResultRow, SubQueryRow
from .task import Task

DEPTH = 100
"""Passages of a layer that a row keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A run that came to its end."""

    state: RunState
    result: Result
    bodies: Mapping[str, Passage]
    """By key: every passage that was found."""
    step_ms: dict[str, float] = field(default_factory=dict)


class Witness(Protocol):
    """Sees each finished run beside its row, with the texts that the row leaves out."""

    async def __call__(self, row: ResultRow, result: Result) -> None: ...


@dataclass(frozen=True, slots=True)
class RowMaker:
    """Writes rows of one experiment over one knowledge base."""

    experiment: str
    split: str
    witness: Witness | None = None

    def failed(self, task: Task, error: str) -> ResultRow:
        """Give the row of a question that has no result."""
        gold = [
            Gold(source=q.source, doc=q.docid, grade=q.grade, spans=[list(s) for s in q.spans])
            for q in task.question.gold
        ]
        return ResultRow(
            **self._asked(task, task.question),
            gold=gold,
            gold_sources=list(dict.fromkeys(g.source for g in gold if g.source)),
            run_id="",
            status="failed",
            effort=task.setting.effort,
            rounds=0,
            error=error,
        )

    def selected(
        self, task: Task, placed: Placed, state: RunState, *, step_ms: dict[str, float]
    ) -> ResultRow:
        """Give the row of a run that was left after select: what was asked for, and where.

        It names no gold passages: nobody looked for any.
        """
        run = state["run"]
        return ResultRow(
            **self._asked(task, placed),
            gold=[],
            gold_sources=placed.gold_sources,
            run_id=run.id,
            status="ok",
            effort=run.effort,
            rounds=1,
            max_rounds=run.max_rounds,
            sources_open=len(run.sources),
            sub_queries=_routed(state["sub_queries"], state["routes"]),
            step_ms=step_ms,
            elapsed_ms=_elapsed_ms(state, run),
        )

    def finished(self, task: Task, placed: Placed, done: Finished, base: OpenBase) -> ResultRow:
        """Give the row of a whole run."""
        result, run = done.result, done.state["run"]
        neutral = [gold.doc for gold in placed.translations]
        layers, scores = _layers(done, base, frozenset(neutral))
        return ResultRow(
            **self._asked(task, placed),
            gold=placed.gold,
            gold_sources=placed.gold_sources,
            run_id=result.run_id,
            status=result.status,
            effort=result.effort,
            rounds=result.rounds,
            max_rounds=run.max_rounds,
            sources_open=len(run.sources),
            sub_queries=[_reported(query) for query in result.sub_queries],
            layers=layers,
            scores=scores,
            neutral=neutral,
            content=_content(done, base),
            contains_answer=_holds_answer(result, placed.row),
            answer=result.answer,
            cited=_cited(result.answer),
            gaps=[GapRow(sub_query=g.sub_query, text=g.text, reason=g.reason) for g in result.gaps],
            warnings=result.warnings,
            step_ms=done.step_ms,
            tokens={
                use.model: [use.input_tokens, use.output_tokens or 0]
                for use in result.usage
                if use.input_tokens is not None
            },
            calls={use.model: use.calls for use in result.usage},
            elapsed_ms=result.elapsed_ms,
        )

    def _asked(self, task: Task, asked: Placed | Question) -> dict[str, Any]:
        base, setting, dataset, qid = task.key
        row = asked.row
        return {
            "experiment": self.experiment,
            "base": base,
            "setting": setting,
            "dataset": dataset,
            "split": self.split,
            "qid": qid,
            "question": row.question,
            "lang": row.lang or "",
            "hops": row.hops,
            "type": row.type,
            "answerable": row.answerable,
            "answers": row.answers,
        }


def _holds_answer(result: Result, asked: QueryRow) -> bool | None:
    if not asked.answers:
        return None
    text = "\n\n".join(f"{ref.title}\n{ref.text}" for ref in result.references)
    lang = asked.lang or ""
    return bool(contains_answer(text, asked.answers, lang=lang, dataset=asked.dataset))


def _layers(
    done: Finished, base: OpenBase, neutral: frozenset[str]
) -> tuple[dict[str, list[str]], dict[str, list[float]]]:
    docs = _Docs(done.bodies, base, neutral)
    state = done.state
    rounds = [[passage_key(f.source, i) for i in f.ids] for f in state.get("found", [])]
    layers = {"federate": [doc for doc, _ in docs.first((key, 0.0) for key in round_robin(rounds))]}
    scores: dict[str, list[float]] = {}
    ranked: dict[str, list[tuple[str, float]]] = {}
    if rankings := state.get("rankings"):
        scored = [
            (key, score)
            for ranking in rankings
            for key, score in zip(ranking.passages, ranking.scores, strict=True)
            if score is not None
        ]
        ranked["rank"] = docs.first(sorted(scored, key=lambda pair: -pair[1]))
    if state.get("judgements"):
        ranked["classify"] = docs.first((c.passage, c.value or 0.0) for c in in_order(state))
    for layer, pairs in ranked.items():
        layers[layer] = [doc for doc, _ in pairs]
        scores[layer] = [score for _, score in pairs]
    return layers, scores


@dataclass(frozen=True, slots=True)
class _Docs:
    """Passages of a run as passages of the data set, of which a long one is several."""

    bodies: Mapping[str, Passage]
    base: OpenBase
    neutral: frozenset[str]
    """Documents that are passed over."""

    def first(self, keys: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
        """Give the first `DEPTH` documents, each once, each with the score of its first passage."""
        found: dict[str, float] = {}
        for key, score in keys:
            if len(found) == DEPTH:
                break
            passage = self.bodies[key]
            doc = self.base.doc_of(passage.source, passage.url)
            if doc not in self.neutral:
                found.setdefault(doc, score)
        return list(found.items())


def _content(done: Finished, base: OpenBase) -> list[ContentPiece]:
    captions = {
        (ranking.sub_query, key): caption
        for ranking in done.state.get("rankings", [])
        for key, caption in zip(ranking.passages, ranking.captions, strict=True)
    }
    return [_piece(ref, done.bodies, captions, base=base) for ref in done.result.references]


def _piece(
    ref: Reference,
    bodies: Mapping[str, Passage],
    captions: Mapping[tuple[str, str], Sequence[int]],
    *,
    base: OpenBase,
) -> ContentPiece:
    key = passage_key(ref.source, ref.id)
    offset = bodies[key].start or 0
    doc = base.doc_of(ref.source, ref.url)

    def placed(place: Sequence[int]) -> list[int]:
        start, end = place
        return list(base.span(ref.source, doc, (offset + start, offset + end)))

    start, end = placed(ref.span)
    caption = captions.get((ref.sub_query, key))
    return ContentPiece(
        doc=doc,
        source=ref.source,
        start=start,
        end=end,
        tokens=ref.tokens,
        ref_id=ref.ref_id,
        sub_query=ref.sub_query,
        score=ref.scores.ranker,
        grade=ref.scores.classifier,
        caption=placed(caption) if caption else [],
    )


def _cited(answer: str | None) -> list[CitedSentence]:
    claims = [claim for line in claims_of(answer or "") for claim in line if not claim.structure]
    return [CitedSentence(sentence=claim.text, refs=claim.refs) for claim in claims]


def _reported(query: SubQueryReport) -> SubQueryRow:
    judged = query.exit
    return SubQueryRow(
        id=query.id,
        text=query.text,
        round=query.round,
        sources=query.sources,
        parent=query.parent,
        probability=judged.probability if judged else None,
        threshold=judged.threshold if judged else None,
        decision=judged.decision if judged else None,
    )


def _routed(queries: Sequence[SubQuery], routes: Sequence[Route]) -> list[SubQueryRow]:
    sources = {route.sub_query: route.sources for route in routes}
    return [
        SubQueryRow(id=q.id, text=q.text, round=q.round, sources=sources.get(q.id, []))
        for q in queries
    ]


def _elapsed_ms(state: RunState, run: Run) -> float:
    end = max(record.started * 1_000 + record.elapsed_ms for record in state["activity"])
    return end - run.started * 1_000
