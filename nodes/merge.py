"""Merge: fill the token budget, one passage after the other, and close the books."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from typing_extensions import TypedDict

from ..domain.activity import ActivityRecord
from ..domain.caption import highlights
from ..domain.content import Fingerprint, rendered, repeated_by
from ..domain.fate import Cut, FateLedger, Reason
from ..domain.passage import Passage
from ..domain.ports import Clock, PassageStore, TokenCounter
from ..domain.request import Run
from ..domain.result import Gap, Reference, Scores, Status
from ..domain.semantic_answer import Captioned, semantic_answer
from ..domain.sentences import Span
from ..domain.state import Ranking, RunState, SubQuery
from ..domain.status import status_of
from ..domain.turns import Candidate, in_turn

SMALLEST_TOKENS = 12
"""Below so many tokens left the budget counts as spent; a caption is hardly ever shorter."""


class MergeUpdate(TypedDict):
    """The part of the state this step writes."""

    references: list[Reference]
    cuts: list[Cut]
    ledger: FateLedger
    gaps: list[Gap]
    status: Status
    activity: list[ActivityRecord]


_Fate: TypeAlias = tuple[Candidate, Reason, str]


@dataclass(slots=True)
class _Content:
    """The content while it is being filled."""

    left: int
    counter: TokenCounter
    queries: dict[str, SubQuery]
    references: list[Reference] = field(default_factory=list)
    captioned: list[Captioned] = field(default_factory=list)
    """The passage of each reference."""
    kept: dict[str, Fingerprint] = field(default_factory=dict)
    """What was kept of each passage, by its key."""
    cut: list[_Fate] = field(default_factory=list)
    shortened: int = 0

    def offer(self, candidate: Candidate, passage: Passage) -> None:
        """Keep the candidate, shortened if need be, or note why not."""
        if passage.key in self.kept:
            self.cut.append((candidate, "duplicate", passage.key))
            return
        if self.left < SMALLEST_TOKENS:
            self.cut.append((candidate, "turn", ""))
            return
        for span in (Span(0, len(passage.text)), Span(*candidate.caption)):
            tokens = self.counter(rendered(passage.title, span.of(passage.text)))
            if tokens <= self.left:
                self._offer_part(candidate, passage, span, tokens)
                return
        self.cut.append((candidate, "budget", f"{tokens} tokens, {self.left} left"))

    def _offer_part(self, candidate: Candidate, passage: Passage, span: Span, tokens: int) -> None:
        """Keep the part that fits, unless what is kept already says as much."""
        fingerprint = Fingerprint.of(passage.title, span.of(passage.text))
        twin = repeated_by(fingerprint, self.kept.items())
        if twin is not None:
            self.cut.append((candidate, "duplicate", twin))
            return
        self.kept[passage.key] = fingerprint
        self.shortened += span != Span(0, len(passage.text))
        self._keep(candidate, passage, span, tokens)

    def _keep(self, candidate: Candidate, passage: Passage, span: Span, tokens: int) -> None:
        self.left -= tokens
        caption = Span(*candidate.caption)
        above = " > ".join([passage.title, *passage.heading])
        self.captioned.append(Captioned(passage.text, caption, above, candidate.score))
        marks = highlights(self.queries[candidate.sub_query].text, passage.text, caption)
        self.references.append(
            Reference(
                ref_id=len(self.references) + 1,
                source=passage.source,
                id=passage.id,
                sub_query=candidate.sub_query,
                round=candidate.round,
                title=passage.title,
                url=passage.url,
                page=passage.page,
                heading=passage.heading,
                language=passage.language,
                caption=caption.of(passage.text),
                highlights=[[m.start - caption.start, m.end - caption.start] for m in marks],
                scores=Scores(ranker=candidate.score, classifier=candidate.grade),
                span=[span.start, span.end],
                tokens=tokens,
            )
        )

    def answered(self) -> list[Reference]:
        """Give the references, with the sentence that answers a sub-query where one convinces."""
        references = list(self.references)
        for query in self.queries.values():
            own = [i for i, reference in enumerate(references) if reference.sub_query == query.id]
            own.sort(key=lambda i: -(self.captioned[i].score or 0.0))
            found = semantic_answer(query.text, [self.captioned[i] for i in own])
            if found is not None:
                place, start = own[found.passage], self.captioned[own[found.passage]].caption.start
                span = [found.span.start - start, found.span.end - start]
                references[place] = replace(references[place], answer=span)
        return references


@dataclass(frozen=True, slots=True)
class Merge:
    """Choose the content: pinned passages first, then turn by turn, under the token budget.

    Reads `run`, `sub_queries`, `rankings`, `judgements`, `reflections`, `found`, `cuts`,
    `activity`. Writes `references` in reading order, their tokens summing to at most
    `run.content_budget`, one of each sub-query with the sentence that answers it where one
    convinces; `cuts` for duplicates, budget and turn; the balanced `ledger`; `gaps` for dead
    sources and for sub-queries without evidence; `status`; one activity record.

    The order of turns is a pure function of the scores: see `domain.turns`.
    """

    passages: PassageStore
    counter: TokenCounter
    clock: Clock

    async def __call__(self, state: RunState) -> MergeUpdate:
        started, run = self.clock(), state["run"]
        candidates = in_order(state)
        bodies = await self.passages.get(run, [c.passage for c in candidates])
        queries = {query.id: query for query in state.get("sub_queries", [])}
        content = _Content(run.content_budget, self.counter, queries)
        for candidate in candidates:
            content.offer(candidate, bodies[candidate.passage])
        cuts = _cuts(content.cut)
        return {
            "references": content.answered(),
            "cuts": cuts,
            "ledger": _ledger(state, cuts, len(content.references)),
            "gaps": _gaps(state, content),
            "status": status_of(state.get("activity", [])),
            "activity": [self._record(state, content, started, run)],
        }

    def _record(
        self, state: RunState, content: _Content, started: float, run: Run
    ) -> ActivityRecord:
        spent = run.content_budget - content.left
        detail = f"{spent:,} of {run.content_budget:,} tokens ({self.counter.name})"
        if content.shortened:
            detail += f", {content.shortened} shortened to their captions"
        return ActivityRecord(
            step="merge",
            round=state["round"],
            started=started,
            elapsed_ms=(self.clock() - started) * 1_000,
            count=len(content.references),
            detail=detail,
        )


def in_order(state: RunState) -> list[Candidate]:
    """Put pinned passages first, the others in turn; each candidate once."""
    by_query = {ranking.sub_query: ranking for ranking in state.get("rankings", [])}
    candidates = [
        candidate
        for query in state.get("sub_queries", [])
        if query.id in by_query
        for candidate in _candidates(query, by_query[query.id], state)
    ]
    places = {(c.sub_query, c.passage): c for c in candidates}
    pinned = [
        places[name]
        for reflection in state.get("reflections", [])
        for key in reflection.pinned
        if (name := (reflection.sub_query, key)) in places
    ]
    first = list(dict.fromkeys((c.sub_query, c.passage) for c in pinned))
    others = [c for c in candidates if (c.sub_query, c.passage) not in set(first)]
    return [*(places[name] for name in first), *in_turn(others)]


def _candidates(query: SubQuery, ranking: Ranking, state: RunState) -> list[Candidate]:
    """List what is left of one sub-query's ranking, best first by score and grade together."""
    judged = {j.sub_query: j for j in state.get("judgements", [])}.get(query.id)
    grades = dict(zip(judged.passages, judged.grades, strict=True)) if judged else {}
    dropped = {
        key
        for cut in state.get("cuts", [])
        if cut.sub_query == query.id and cut.reason == "classifier_threshold"
        for key in cut.passages
    }
    rows = zip(ranking.passages, ranking.scores, ranking.captions, strict=True)
    candidates = [
        Candidate(
            sub_query=query.id,
            round=query.round,
            passage=key,
            value=_value(score, grades.get(key)),
            caption=caption,
            score=score,
            grade=grades.get(key),
        )
        for key, score, caption in rows
        if key not in dropped
    ]
    return sorted(candidates, key=lambda c: -(c.value or 0.0))


def _value(score: float | None, grade: float | None) -> float | None:
    """Average the two models where both spoke."""
    known = [number for number in (score, grade) if number is not None]
    return sum(known) / len(known) if known else None


def _cuts(fates: list[_Fate]) -> list[Cut]:
    grouped: dict[tuple[str, Reason], Cut] = {}
    for candidate, reason, detail in fates:
        empty = Cut(candidate.sub_query, reason, [], [])
        cut = grouped.setdefault((candidate.sub_query, reason), empty)
        cut.passages.append(candidate.passage)
        cut.details.append(detail)
    return list(grouped.values())


def _ledger(state: RunState, cuts: list[Cut], kept: int) -> FateLedger:
    found = state.get("found", [])
    denied = sum(column.denied for column in found)
    counts: Counter[Reason] = Counter({"access": denied} if denied else {})
    for cut in [*state.get("cuts", []), *cuts]:
        counts[cut.reason] += len(cut.passages)
    return FateLedger(
        found=sum(len(column.ids) for column in found) + denied, kept=kept, cut=dict(counts)
    )


def _gaps(state: RunState, content: _Content) -> list[Gap]:
    failed = dict.fromkeys(
        record.source
        for record in state.get("activity", [])
        if record.step == "federate" and record.error and record.source
    )
    gaps = [Gap(None, f"The source {name} could not be asked.", "source_failed") for name in failed]
    queries = state.get("sub_queries", [])
    # What a sub-query found may stand in the content under another one's name.
    served = {reference.sub_query for reference in content.references}
    served |= {candidate.sub_query for candidate, reason, _ in content.cut if reason == "duplicate"}
    crowded = {candidate.sub_query for candidate, _, _ in content.cut} - served
    for query in queries:
        family = {query.id, *(other.id for other in queries if other.parent == query.id)}
        if query.round > 1 or family & served:
            continue
        if family & crowded:
            text = f"The token budget leaves no room for what was found for: {query.text}"
            gaps.append(Gap(query.id, text, "partly_found"))
        else:
            gaps.append(Gap(query.id, f"Nothing was found for: {query.text}", "not_found"))
    return gaps
