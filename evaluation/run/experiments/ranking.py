"""What do the ranker (L2) and the classifier (L3) make of candidates, and of graded passages?"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from ....domain.request import Overrides
from ....graph.builder import Models
from ....graph.wiring import open_models
from ....nodes.plan import planned_by_rules
from ...data.bases import BaseSpec, QuerySet, one_set
from ...data.dataset import Dataset
from ...data.questions import Choice, Placed
from ...errors import DataError
from ...measures.orders import GRADED, GRADED_DEV, RETRIEVED, REWRITTEN
from ...measures.sets import MAIN_SETS, REGRESSION_SETS
from ..experiment import Experiment, Request
from ..graded import PairScene
from ..retrieved import RetrievedScene
from ..rows import RowMaker
from ..scenes import opener
from ..task import Asking, Scene, Setting

NAME = "ranking"
REGRESSION_QUESTIONS = 100
"""Most questions of a set that is near the ceiling: it is there to show that nothing breaks."""
DEV_QUESTIONS = 100
"""Most questions of a set on `dev`, where a threshold is chosen."""


def _rewritten(placed: Placed, overrides: Overrides) -> Asking:
    """Carry into the question what it takes from the turns before it, as a run without a model."""
    [text] = planned_by_rules(placed.text, placed.row.history, most=1)
    return Asking(replace(placed, text=text), overrides)


_GRADED = Setting(name=GRADED, effort="medium")
_GRADED_DEV = Setting(name=GRADED_DEV, effort="medium")
_RETRIEVED = Setting(name=RETRIEVED, effort="medium")
_REWRITTEN = Setting(
    name=REWRITTEN,
    effort="medium",
    adapt=_rewritten,
    concerns=lambda question: bool(question.row.history),
)


def scenes(request: Request) -> Sequence[Scene]:
    """Retrieval and graded pairs of every data set that has them; the sample is taken of each.

    Raises:
        DataError: none has either for the split.
    """
    found: list[Scene] = [*_retrieved(request), *_graded(request)]
    if not found:
        split, place = request.choice.split, str(request.folder)
        raise DataError(f"No data set has qrels or graded pairs for {split!r}.", place=place)
    return found


def _retrieved(request: Request) -> list[Scene]:
    known = [n for n in (*MAIN_SETS, *REGRESSION_SETS) if (request.folder / n).is_dir()]
    names = request.bases or known
    return [_retrieved_from(name, request) for name in names if _retrievable(name, request)]


def _retrieved_from(name: str, request: Request) -> Scene:
    spec = one_set(name)
    # Another name than the graded pairs of the set have: their questions are not to be compared.
    named = replace(spec, name=f"{name}-retrieved")
    choice = request.choice
    if name in REGRESSION_SETS:
        choice = _fewer(choice, most=REGRESSION_QUESTIONS)
    narrowed = replace(request, choice=choice)
    questions = narrowed.questions(
        named, where=lambda q: bool(q.gold) and q.row.answerable is not False
    )
    return RetrievedScene(
        named.name,
        [_RETRIEVED, _REWRITTEN],
        questions,
        rows=request.rows(NAME),
        opened=opener(spec, request.place(questions)),
    )


def _retrievable(name: str, request: Request) -> bool:
    dataset, split = Dataset(request.folder / name), request.choice.split
    return dataset.has("queries", split) and dataset.has("qrels", split)


def _fewer(choice: Choice, *, most: int) -> Choice:
    """Give a quarter of a sample, and never more than `most` questions."""
    sample = most if choice.sample is None else max(1, choice.sample // 4)
    return replace(choice, sample=min(sample, most))


def _graded(request: Request) -> list[Scene]:
    """Graded pairs of the split, then those of `dev`, where thresholds are chosen."""

    @cache
    def models() -> Models:
        return open_models(request.opening.models, request.opening.chat)[0]

    def scene(name: str, setting: Setting, choice: Choice) -> Scene:
        dataset = Dataset(request.folder / name, choice.strict, choice.on_problem)
        graded = {pair.qid for pair in dataset.pairs(choice.split)}
        spec = BaseSpec(name=name, sources=(), queries=(QuerySet(name),))
        questions = replace(request, choice=choice).questions(
            spec, where=lambda question: question.row.id in graded
        )
        rows = RowMaker(NAME, choice.split, request.witness)
        return PairScene(dataset, setting, questions, rows=rows, models=models)

    choice = request.choice
    found = [scene(name, _GRADED, choice) for name in _with_pairs(request, choice.split)]
    if found and choice.split != "dev":
        dev = replace(_fewer(choice, most=DEV_QUESTIONS), split="dev")
        found += [scene(name, _GRADED_DEV, dev) for name in _with_pairs(request, "dev")]
    return found


def _with_pairs(request: Request, split: str) -> list[str]:
    folders: Sequence[Path] = sorted(path for path in request.folder.iterdir() if path.is_dir())
    names = request.bases or [path.name for path in folders]
    return [name for name in names if Dataset(request.folder / name).has("pairs", split)]


EXPERIMENT = Experiment(
    name=NAME,
    question="How do the ranker and the classifier order the candidates of a question, against "
    "the orders of the first stage, and what do their scores mean?",
    settings=[RETRIEVED, REWRITTEN, GRADED, GRADED_DEV],
    scenes=scenes,
)
