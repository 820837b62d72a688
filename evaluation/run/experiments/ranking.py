"""What do the ranker (L2) and the classifier (L3) make of passages whose grades are known?"""

from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ....domain.caption import TermWeights, caption
from ....domain.content import rendered
from ....domain.ports import JudgeTask, RankTask, Scorable
from ....graph.builder import Models
from ....graph.wiring import open_models
from ...data.bases import BaseSpec, QuerySet
from ...data.corpora import Building, Opening
from ...data.dataset import Dataset
from ...data.questions import Excluded, Question, question_text
from ...data.rows import CorpusRow, PairRow
from ...errors import DataError
from ...record import ContentPiece, Gold, ResultRow
from ..experiment import Experiment, Request
from ..rows import RowMaker
from ..task import Ask, Scene, Setting, Task, alternating

NAME = "ranking"
_SETTING = Setting(name="graded-pairs", effort="medium")
_SOURCE = "pairs"


class PairScene:
    """The graded passages of each question, ordered by similarity alone, by L2 and by L3.

    Nothing is searched: a question comes with its passages. They are the content of the row, in
    the order of L3; `federate` is the order by similarity.
    """

    def __init__(
        self,
        dataset: Dataset,
        questions: Sequence[Question],
        *,
        rows: RowMaker,
        opening: Opening,
    ) -> None:
        self.name = dataset.name
        self.tasks = alternating(dataset.name, [_SETTING], questions)
        self.excluded: list[Excluded] = []
        self._dataset = dataset
        self._rows = rows
        self._opening = opening

    @asynccontextmanager
    async def open(
        self,
        on_progress: Callable[[Building], None],  # noqa: ARG002 - there is nothing to build
    ) -> AsyncGenerator[Ask, None]:
        """Open the models, and read the passages of the questions that are asked."""
        models, _ = open_models(self._opening.models, self._opening.chat)
        pairs = _pairs(self._dataset, self._rows.split, {task.key[3] for task in self.tasks})
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
                source=_SOURCE,
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
            scores={layer: ranked.sorted_scores(layer) for layer in ("rank", "classify")},
            content=ranked.content(models),
        )


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Passages of one question with what each step gave them."""

    query: str
    passages: list[CorpusRow]
    scores: dict[str, list[float]]
    """By layer, parallel to `passages`."""
    captions: list[tuple[int, int]]

    @classmethod
    async def by(cls, models: Models, question: Question, passages: list[CorpusRow]) -> "_Ranked":
        """Let every step score them."""
        query = question_text(question.row)
        similarities = await _similarities(models, query, passages)
        shown = [
            Scorable(row.text, title=row.title, language=row.lang, similarity=similarity)
            for row, similarity in zip(passages, similarities, strict=True)
        ]
        [scored] = await models.ranker.score([RankTask(query, shown)])
        weights = TermWeights(row.text for row in passages)
        spans = [caption(query, row.text, weights) for row in passages]
        best_first = sorted(range(len(passages)), key=lambda place: -scored[place])
        task = JudgeTask(
            query=query,
            passages=[shown[place] for place in best_first],
            captions=[spans[place].of(passages[place].text) for place in best_first],
            scores=[scored[place] for place in best_first],
        )
        [verdict] = await models.classifier.judge([task])
        means = [sum(g * share for g, share in enumerate(d)) for d in verdict.grades]
        grades = dict(zip(best_first, means, strict=True))
        scores = {
            "federate": similarities,
            "rank": scored,
            "classify": [grades[place] for place in range(len(passages))],
        }
        return cls(query, passages, scores, [(span.start, span.end) for span in spans])

    def order(self, layer: str) -> list[str]:
        """Give the ids of the passages, best first."""
        return [self.passages[place].id for place in self._places(layer)]

    def sorted_scores(self, layer: str) -> list[float]:
        """Give the scores in that order."""
        return [self.scores[layer][place] for place in self._places(layer)]

    def content(self, models: Models) -> list[ContentPiece]:
        """Give all passages in the order of the last step."""
        pieces = []
        for number, place in enumerate(self._places("classify"), start=1):
            row = self.passages[place]
            pieces.append(
                ContentPiece(
                    doc=row.id,
                    source=_SOURCE,
                    start=0,
                    end=len(row.text),
                    tokens=models.counter(rendered(row.title, row.text)),
                    ref_id=number,
                    sub_query="q1",
                    score=self.scores["rank"][place],
                    grade=self.scores["classify"][place],
                    caption=list(self.captions[place]),
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


def _pairs(dataset: Dataset, split: str, qids: set[str]) -> dict[str, list[PairRow]]:
    """Give the graded passages of these questions; one graded twice counts once, its best."""
    pairs: dict[str, dict[str, PairRow]] = defaultdict(dict)
    for pair in dataset.pairs(split):
        held = pairs[pair.qid].get(pair.docid) if pair.qid in qids else None
        if pair.qid in qids and (held is None or pair.grade > held.grade):
            pairs[pair.qid][pair.docid] = pair
    return {qid: list(graded.values()) for qid, graded in pairs.items()}


def scenes(request: Request) -> Sequence[Scene]:
    """Every data set that has graded pairs for the split; the sample is taken of each."""
    split, rows = request.choice.split, request.rows(NAME)
    names = request.bases or _with_pairs(request.folder, split)
    if not names:
        raise DataError(f"No data set has graded pairs for {split!r}.", place=str(request.folder))
    found = []
    for name in names:
        choice = request.choice
        dataset = Dataset(request.folder / name, choice.strict, choice.on_problem)
        spec = BaseSpec(name=name, sources=(), queries=(QuerySet(name),))
        graded = {pair.qid for pair in dataset.pairs(split)}
        questions = [q for q in request.questions(spec) if q.row.id in graded]
        found.append(PairScene(dataset, questions, rows=rows, opening=request.opening))
    return found


def _with_pairs(data: Path, split: str) -> list[str]:
    folders = sorted(path for path in data.iterdir() if path.is_dir())
    return [path.name for path in folders if Dataset(path).has("pairs", split)]


EXPERIMENT = Experiment(
    name=NAME,
    question="How do similarity alone, the ranker and the classifier order passages whose grades "
    "are known, and what do their scores mean?",
    settings=[_SETTING.name],
    scenes=scenes,
)
