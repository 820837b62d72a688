"""An experiment: a question about the system, and the scenes that answer it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domain.request import Effort
from ..data.bases import BaseSpec, base_names, one_set, read_base
from ..data.corpora import Opening
from ..data.dataset import Dataset
from ..data.passages import Cut
from ..data.questions import Choice, Question, select, select_own
from ..errors import DataError
from .rows import RowMaker, Witness
from .scenes import BaseScene, Place, over_data, over_own
from .task import Scene, Setting

EFFORTS: tuple[Effort, ...] = ("minimal", "low", "medium", "auto")

MULTI_HOP = ("2wikimultihopqa", "hotpotqa")
"""Data sets that serve as knowledge bases of one source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What whoever starts an experiment decides."""

    choice: Choice
    cache: Path
    data: Path | None = None
    """Folder of evaluation data; `None` where only the user's own is asked."""
    bases: Sequence[str] = ()
    """Names of knowledge bases or data sets; empty for those of the experiment."""
    own: Path | None = None
    """Folder of a user's own knowledge base file."""
    queries: Path | None = None
    """Folder of the user's questions; `None` for that of the knowledge base."""
    efforts: Sequence[Effort] = ()
    """Only these; empty for those of the experiment."""
    passages: int | None = None
    """Most passages of one source, gold ones and an even sample; `None` for all."""
    opening: Opening = field(default_factory=Opening)
    witness: Witness | None = None

    @property
    def folder(self) -> Path:
        """The folder of evaluation data. Raises DataError where there is none."""
        if self.data is None:
            raise DataError(
                "This experiment needs evaluation data.",
                fix="Name its folder with --data and a knowledge base in it with --kb.",
            )
        return self.data

    def rows(self, experiment: str) -> RowMaker:
        """Give the writer of an experiment's rows."""
        return RowMaker(experiment, self.choice.split, self.witness)

    def spec(self, name: str) -> BaseSpec:
        """Read a knowledge base, or make one of a data set of that name. Raises DataError."""
        known = base_names(self.folder)
        if name in known:
            return read_base(self.folder, name)
        if (self.folder / name).is_dir():
            return one_set(name)
        raise DataError(
            f"There is no knowledge base {name!r}, and no data set of that name.",
            place=str(self.folder),
            fix=f"Known knowledge bases are {', '.join(known) or 'none'}; "
            f"data sets are {', '.join(self._askable()) or 'none'}.",
        )

    def _askable(self) -> list[str]:
        """Give the names of the data sets that have questions, sorted."""
        folders = sorted(path for path in self.folder.iterdir() if path.is_dir())
        return [path.name for path in folders if Dataset(path).splits]

    def questions(
        self, spec: BaseSpec, *, where: Callable[[Question], bool] = lambda _: True
    ) -> list[Question]:
        """Choose the questions of a knowledge base, of those that `where` tells. Raises DataError.

        A sample is drawn among those.
        """
        return select(spec, self.folder, self.choice, where=where)

    def place(self, questions: Sequence[Question]) -> Place:
        """Say where data and indexes lie; a cut corpus keeps the evidence of these questions."""
        keep = frozenset(doc for question in questions for doc in question.docs)
        cut = None if self.passages is None else Cut(self.passages, keep)
        return Place(data=self.folder, cache=self.cache, cut=cut, opening=self.opening)

    def wanted(self, efforts: Sequence[Effort]) -> list[Effort]:
        """Give those of the efforts that are wanted. Raises DataError where none is."""
        chosen = [effort for effort in efforts if not self.efforts or effort in self.efforts]
        if not chosen:
            fix = f"It knows {', '.join(efforts)}."
            raise DataError("The experiment has none of these efforts.", fix=fix)
        return chosen


Scenes = Callable[[Request], Sequence[Scene]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One question about the system."""

    name: str
    question: str
    """What it is to answer; stands above the report."""
    settings: Sequence[str]
    """In the order of the report; the others are compared with the first."""
    scenes: Scenes
    own: bool = False
    """Whether it can be made with a user's own knowledge base."""
    finish: Callable[[Path, Request], None] | None = None
    """Adds what is special to this experiment to the folder of its results."""

    @property
    def varies_effort(self) -> bool:
        """Whether its settings are efforts, of which some may be chosen."""
        return {*self.settings} <= {*EFFORTS}

    def asked(self, request: Request) -> list[str]:
        """Give the settings that a request asks for: some may be chosen where they are efforts."""
        chosen = request.efforts if self.varies_effort else ()
        return [setting for setting in self.settings if not chosen or setting in chosen]

    def plan(self, request: Request) -> Sequence[Scene]:
        """Give the scenes. Raises DataError."""
        if request.own is not None and not self.own:
            raise DataError(
                f"The experiment {self.name!r} needs data of its own kind.",
                fix="Name one of its knowledge bases with --kb, or none; docs/evaluation.md.",
            )
        return self.scenes(request)


def by_effort(request: Request, efforts: Sequence[Effort]) -> list[Setting]:
    """Give one setting an effort, called like it."""
    return [Setting(name=effort, effort=effort) for effort in request.wanted(efforts)]


def bases_under(
    request: Request, settings: Sequence[Setting], *, experiment: str, bases: Sequence[str]
) -> list[BaseScene]:
    """Give a scene for the user's own knowledge base, or for each of those named."""
    rows = request.rows(experiment)
    if request.own is not None:
        questions = select_own(request.queries or request.own, request.choice)
        opening = request.opening
        return [over_own(request.own, settings, questions, opening=opening, rows=rows)]
    scenes = []
    for name in request.bases or bases:
        spec = request.spec(name)
        questions = request.questions(spec)
        scenes.append(
            over_data(spec, settings, questions, place=request.place(questions), rows=rows)
        )
    return scenes


def every_base(request: Request) -> list[str]:
    """Give the knowledge bases of the data, and the data sets with several hops."""
    if request.own is not None:
        return []
    hops = [name for name in MULTI_HOP if (request.folder / name).is_dir()]
    names = [*base_names(request.folder), *hops]
    return [name for name in names if _asks(request, name)]


def _asks(request: Request, name: str) -> bool:
    """Tell whether a knowledge base has questions of the split; data may come in part."""
    quiet = replace(request.choice, on_problem=lambda _: None)
    return any(
        Dataset(request.folder / queries.set).has("queries", quiet.split)
        for queries in request.spec(name).queries
        if (request.folder / queries.set).is_dir()
    )
