"""A scene of graded pairs: the passages whose grades a data set knows, put in order by each step.

Nothing is searched: a question comes with its passages.
"""

from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from ...domain.content import rendered
from ...domain.ports import Scorable
from ...graph.builder import Models
from ..data.corpora import Building
from ..data.dataset import Dataset
from ..data.questions import Excluded, Question, question_text
from ..data.rows import CorpusRow, PairRow
from ..errors import DataError
from ..record import ContentPiece, Gold, ResultRow
from .rows import RowMaker
from .scoring import Windows, grades_of, scores_of, threshold_of, windows
from .task import Ask, Setting, Task, alternating

SOURCE = "pairs"


class PairScene:
    """The graded passages of each question, ordered by similarity alone, by L2 and by L3.

    They are the content of the row, in the order of L3; `federate` is the order by similarity.
    """

    def __init__(
        self,
        dataset: Dataset,
        setting: Setting,
        questions: Sequence[Question],
        *,
        rows: RowMaker,
        models: Callable[[], Models],
    ) -> None:
        """`models` opens the models, once for all scenes that share it."""
        self.name = dataset.name
        self.tasks = alternating(dataset.name, [setting], questions)
        self.excluded: list[Excluded] = []
        self._dataset = dataset
        self._rows = rows
        self._models = models

    @asynccontextmanager
    async def open(
        self,
        on_progress: Callable[[Building], None],  # noqa: ARG002 - there is nothing to build
    ) -> AsyncGenerator[Ask, None]:
        """Open the models, and read the passages of the questions that are asked."""
        models = self._models()
        pairs = pairs_of(self._dataset, self._rows.split, {task.key[3] for task in self.tasks})
        wanted = {pair.docid for graded in pairs.values() for pair in graded}
        bodies = {row.id: row for row in self._dataset.corpus() if row.id in wanted}

        async def ask(task: Task) -> ResultRow | None:
            graded = [pair for pair in pairs.get(task.key[3], []) if pair.docid in bodies]
            if not graded:
                reason = "none of its graded passages is in the corpus"
                self.excluded.append(Excluded(task.key[2], task.key[3], reason))
                return None
            ranked = await _Ranked.by(models, task.question, [bodies[p.docid] for p in graded])
            return self._row(task, graded, ranked, models=models)

        yield ask

    def _row(
        self, task: Task, graded: Sequence[PairRow], ranked: "_Ranked", *, models: Models
    ) -> ResultRow:
        spans = {qrel.docid: qrel.spans for qrel in task.question.gold}
        gold = [
            Gold(
                source=SOURCE,
                doc=pair.docid,
                grade=pair.grade,
                spans=[list(span) for span in spans.get(pair.docid, [])],
            )
            for pair in graded
        ]
        return replace(
            self._rows.failed(task, ""),
            status="ok",
            rounds=1,
            error=None,
            gold=gold,
            gold_sources=[],
            layers={layer: ranked.order(layer) for layer in ("federate", "rank", "classify")},
            scores=ranked.sorted_scores(),
            ranker_threshold=threshold_of(models.ranker),
            content=ranked.content(models),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ranked:
    """Passages of one question with what each step gave them."""

    passages: list[CorpusRow]
    scores: dict[str, list[float]]
    """By layer, parallel to `passages`."""
    probabilities: list[float] | None
    windows: list[Windows]

    @classmethod
    async def by(cls, models: Models, question: Question, passages: list[CorpusRow]) -> "_Ranked":
        """Let every step score them."""
        query = question_text(question.row)
        similarities = await _similarities(models, query, passages)
        shown = [
            Scorable(row.text, title=row.title, language=row.lang, similarity=similarity)
            for row, similarity in zip(passages, similarities, strict=True)
        ]
        scored = await scores_of(models.ranker, query, shown)
        seen = windows(query, [row.text for row in passages])
        captions = [w.caption.of(row.text) for w, row in zip(seen, passages, strict=True)]
        grades = await grades_of(
            models.classifier, query, shown, captions=captions, scores=scored.scores
        )
        return cls(
            passages=passages,
            scores={"federate": similarities, "rank": scored.scores, "classify": grades},
            probabilities=scored.likely,
            windows=seen,
        )

    def order(self, layer: str) -> list[str]:
        """Give the ids of the passages, best first."""
        return [self.passages[place].id for place in self._places(layer)]

    def sorted_scores(self) -> dict[str, list[float]]:
        """Give the scores of ranker and classifier in the order of each."""
        found = {
            layer: [self.scores[layer][place] for place in self._places(layer)]
            for layer in ("rank", "classify")
        }
        if self.probabilities is not None:
            found["probability"] = [self.probabilities[place] for place in self._places("rank")]
        return found

    def content(self, models: Models) -> list[ContentPiece]:
        """Give all passages in the order of the last step."""
        pieces = []
        for number, place in enumerate(self._places("classify"), start=1):
            row, seen = self.passages[place], self.windows[place]
            pieces.append(
                ContentPiece(
                    doc=row.id,
                    source=SOURCE,
                    start=0,
                    end=len(row.text),
                    tokens=models.counter(rendered(row.title, row.text)),
                    ref_id=number,
                    sub_query="q1",
                    score=self.scores["rank"][place],
                    grade=self.scores["classify"][place],
                    caption=[seen.caption.start, seen.caption.end],
                    sentence=[seen.sentence.start, seen.sentence.end],
                )
            )
        return pieces

    def _places(self, layer: str) -> list[int]:
        """Ties go by id: the files list the right passage first."""
        scores = self.scores[layer]
        places = range(len(self.passages))
        return sorted(places, key=lambda place: (-scores[place], self.passages[place].id))


async def _similarities(models: Models, query: str, passages: Sequence[CorpusRow]) -> list[float]:
    if models.embedder is None:
        raise DataError("Similarity needs an embedder.", fix="Name one in [models].")
    [asked] = await models.embedder.embed_queries([query])
    found = await models.embedder.embed_passages([rendered(r.title, r.text) for r in passages])
    return [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in found]


def pairs_of(dataset: Dataset, split: str, qids: set[str]) -> dict[str, list[PairRow]]:
    """Give the graded passages of these questions; one graded twice counts once, its best."""
    pairs: dict[str, dict[str, PairRow]] = defaultdict(dict)
    for pair in dataset.pairs(split):
        held = pairs[pair.qid].get(pair.docid) if pair.qid in qids else None
        if pair.qid in qids and (held is None or pair.grade > held.grade):
            pairs[pair.qid][pair.docid] = pair
    return {qid: list(graded.values()) for qid, graded in pairs.items()}
