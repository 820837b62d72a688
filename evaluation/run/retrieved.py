"""A scene of retrieval: the candidates of each question, put in order in every way.

Each question is searched once and each candidate scored once by each model; the row keeps every
order as a layer of its own.
"""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import cast

from ...domain.content import rendered
from ...domain.effort import PRESETS
from ...domain.passage import Hit
from ...domain.ports import Embedder, Ranker, Scorable
from ...models.similarity_ranker import SimilarityRanker, open_similarity_ranker
from ...sources.files import FilesSource
from ...sources.fusion import fuse
from ..data.corpora import Building, OpenBase
from ..data.questions import Excluded, Placed, Question, place
from ..errors import DataError
from ..measures.orders import CANDIDATES, EQUAL_K
from ..record import ContentPiece, ResultRow
from .rows import RowMaker
from .scoring import Scores, Windows, grades_of, scores_of, threshold_of, windows
from .task import Ask, Setting, Task, alternating

CONTENT_TOKENS = PRESETS["medium"].content_budget
"""Content of a row: passages in the order of L3, as many as medium effort has tokens for."""


class RetrievedScene:
    """What every order makes of the candidates that the corpus of one data set has."""

    def __init__(
        self,
        name: str,
        settings: Sequence[Setting],
        questions: Sequence[Question],
        *,
        rows: RowMaker,
        opened: Callable[[Callable[[Building], None]], AbstractAsyncContextManager[OpenBase]],
    ) -> None:
        self.name = name
        self.tasks = alternating(name, settings, questions)
        self.excluded: list[Excluded] = []
        self._questions = questions
        self._rows = rows
        self._opened = opened

    @asynccontextmanager
    async def open(self, on_progress: Callable[[Building], None]) -> AsyncGenerator[Ask, None]:
        """Open the corpus and find the evidence of each question."""
        async with self._opened(on_progress) as base:
            placed, excluded = await place(base, self._questions)
            self.excluded += excluded
            found = {(one.row.dataset, one.row.id): one for one in placed}
            search = CandidateSearch.over(base)

            async def ask(task: Task) -> ResultRow | None:
                one = found.get(task.key[2:])
                asking = task.setting.adapt(one, task.setting.overrides) if one else None
                return await self._row(task, asking.placed, search) if asking else None

            yield ask

    async def _row(self, task: Task, placed: Placed, search: "CandidateSearch") -> ResultRow:
        started = perf_counter()
        found = await search(placed)
        return replace(
            self._rows.failed(task, ""),
            question=placed.text,
            status="ok",
            rounds=1,
            error=None,
            gold=placed.gold,
            gold_sources=placed.gold_sources,
            layers=found.layers,
            scores=found.scores,
            ranker_threshold=threshold_of(search.base.kb.models.ranker),
            content=found.content,
            step_ms=found.step_ms,
            elapsed_ms=(perf_counter() - started) * 1_000,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a row keeps of one question."""

    layers: dict[str, list[str]]
    scores: dict[str, list[float]]
    content: list[ContentPiece]
    step_ms: dict[str, float]


@dataclass(frozen=True, slots=True)
class CandidateSearch:
    """Finds the candidates of a question and puts them in every order."""

    base: OpenBase
    source: FilesSource
    similarity: Ranker

    @classmethod
    def over(cls, base: OpenBase) -> "CandidateSearch":
        """Take the one source of a base over a data set."""
        [source] = base.kb.sources
        models = base.kb.models
        ranker = models.ranker
        if not isinstance(ranker, SimilarityRanker):
            ranker = open_similarity_ranker(_embedder(models.embedder))
        # A base over data sets has files sources only.
        return cls(base, cast("FilesSource", source), ranker)

    async def __call__(self, placed: Placed) -> Found:
        models, watch = self.base.kb.models, _Watch()
        sides = await self.source.sides(placed.text, top=CANDIDATES, principals=frozenset())
        equal = fuse((sides.vector, sides.keyword), (1.0, 1.0), EQUAL_K)
        hits = sides.hits[:CANDIDATES]
        watch.lap("federate")
        shown = [Scorable.of(hit.passage, hit.similarity) for hit in hits]
        scored = await scores_of(models.ranker, placed.text, shown)
        scores = scored.scores
        watch.lap("rank")
        seen = windows(placed.text, [hit.passage.text for hit in hits])
        graded = await self._graded(placed.text, shown, seen, scores=scores)
        watch.lap("classify")
        similar = scored
        if self.similarity is not models.ranker:
            similar = await scores_of(self.similarity, placed.text, shown)
        together = _together(scores, graded)
        ids = [hit.passage.id for hit in hits]
        docs = _Docs.of(self.base, sides.hits, placed)
        layers = {
            "keyword": docs.first(sides.keyword),
            "vector": docs.first(sides.vector),
            "equal": docs.first([one.id for one in equal][:CANDIDATES]),
            "federate": docs.first(ids),
            "similarity": docs.first(_sorted(ids, similar.scores)),
            "rank": docs.first(_sorted(ids, scores)),
            "classify": docs.first(_sorted(ids, together)),
        }
        return Found(
            layers=layers,
            scores=_scores(docs, layers, ids, scored, together=together),
            content=self._content(hits, seen, scores=scores, together=together, graded=graded),
            step_ms=watch.laps,
        )

    async def _graded(
        self, query: str, shown: list[Scorable], seen: list[Windows], *, scores: list[float]
    ) -> dict[int, float]:
        """Let the classifier grade the best, as deep as in a run; give grades by place."""
        depth = PRESETS["medium"].classify_depth
        best = sorted(range(len(shown)), key=lambda i: -scores[i])[:depth]
        if not best:
            return {}
        grades = await grades_of(
            self.base.kb.models.classifier,
            query,
            [shown[i] for i in best],
            captions=[seen[i].caption.of(shown[i].text) for i in best],
            scores=[scores[i] for i in best],
        )
        return dict(zip(best, grades, strict=True))

    def _content(
        self,
        hits: list[Hit],
        seen: list[Windows],
        *,
        scores: list[float],
        together: list[float],
        graded: dict[int, float],
    ) -> list[ContentPiece]:
        pieces: list[ContentPiece] = []
        left = CONTENT_TOKENS
        for i in sorted(range(len(hits)), key=lambda i: -together[i]):
            passage = hits[i].passage
            tokens = self.base.kb.models.counter(rendered(passage.title, passage.text))
            left -= tokens
            if left < 0:
                break
            doc = self.base.doc_of(passage.source, passage.url)
            offset = passage.start or 0
            caption = (offset + seen[i].caption.start, offset + seen[i].caption.end)
            start, end = self.base.span(passage.source, doc, (offset, offset + len(passage.text)))
            pieces.append(
                ContentPiece(
                    doc=doc,
                    source=passage.source,
                    start=start,
                    end=end,
                    tokens=tokens,
                    ref_id=len(pieces) + 1,
                    sub_query="q1",
                    score=scores[i],
                    grade=graded.get(i),
                    caption=list(self.base.span(passage.source, doc, caption)),
                )
            )
        return pieces


@dataclass(frozen=True, slots=True)
class _Docs:
    """Passages as documents of the data set, of which a long one is several passages.

    Translations of gold passages are left out: they answer as well, but nothing needs them, so
    that they are neither right nor wrong.
    """

    by_id: dict[str, str]

    @classmethod
    def of(cls, base: OpenBase, hits: Iterable[Hit], placed: Placed) -> "_Docs":
        passed_over = {gold.doc for gold in placed.translations}
        named = {h.passage.id: base.doc_of(h.passage.source, h.passage.url) for h in hits}
        return cls({i: doc for i, doc in named.items() if doc not in passed_over})

    def first(self, ids: Iterable[str]) -> list[str]:
        """Give the documents in this order, each once, at the place of its first passage."""
        return list(dict.fromkeys(self.by_id[i] for i in ids if i in self.by_id))

    def best(self, docs: Sequence[str], ids: Sequence[str], values: Sequence[float]) -> list[float]:
        """Give the largest value that a passage of each of these documents has."""
        found: dict[str, float] = {}
        for i, value in zip(ids, values, strict=True):
            if i in self.by_id:
                doc = self.by_id[i]
                found[doc] = max(value, found.get(doc, value))
        return [found[doc] for doc in docs]


def _scores(
    docs: _Docs,
    layers: dict[str, list[str]],
    ids: Sequence[str],
    scored: Scores,
    *,
    together: Sequence[float],
) -> dict[str, list[float]]:
    found = {
        "rank": docs.best(layers["rank"], ids, scored.scores),
        "classify": docs.best(layers["classify"], ids, together),
    }
    if scored.likely is not None:
        found["probability"] = docs.best(layers["rank"], ids, scored.likely)
    return found


class _Watch:
    """Milliseconds of each step."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = perf_counter()

    def lap(self, step: str) -> None:
        """End a step, and begin the next."""
        now = perf_counter()
        self.laps[step] = (now - self._last) * 1_000
        self._last = now


def _sorted(ids: Sequence[str], scores: Sequence[float]) -> list[str]:
    """Put the best first; equal ones stay in the order of the first stage."""
    return [ids[i] for i in sorted(range(len(ids)), key=lambda i: -scores[i])]


def _together(scores: Sequence[float], graded: dict[int, float]) -> list[float]:
    """Average score and grade where there are both, as a run orders its content."""
    return [(s + graded[i]) / 2 if i in graded else s for i, s in enumerate(scores)]


def _embedder(embedder: Embedder | None) -> Embedder:
    if embedder is None:
        raise DataError("Similarity needs an embedder.", fix="Name one in [models].")
    return embedder
