"""Which questions are asked, and what has to be found for each."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...domain.request import Turn
from ..errors import DataError
from ..record import Gold
from .bases import BaseSpec, QuerySet, SourceSpec
from .corpora import OpenBase
from .dataset import Dataset, pass_over
from .guard import Purpose, allow
from .rows import QrelRow, QueryRow

TRANSLATED = "parallel_translation"
"""Basis of a gold passage that says the same in another language: it helps, nothing needs it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which questions of a knowledge base are asked."""

    split: str = "dev"
    sample: int | None = None
    """At most so many in all, spread evenly over the sets, drawn by chance; `None` for all."""
    seed: int = 0
    sets: Sequence[str] | None = None
    """Only those of these data sets."""
    purpose: Purpose = "report"
    strict: bool = False
    on_problem: Callable[[str], None] = pass_over


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the passages that its data set names for it."""

    row: QueryRow
    gold: list[QrelRow] = field(default_factory=list)
    """Needed, all of them; none where nothing answers it or nobody knows."""
    translations: list[QrelRow] = field(default_factory=list)
    """The same evidence in other languages."""

    @property
    def docs(self) -> list[str]:
        """Ids of all these passages."""
        return [qrel.docid for qrel in (*self.gold, *self.translations)]


@dataclass(frozen=True, slots=True)
class Placed:
    """A question that can be asked of an open knowledge base, and where its evidence is."""

    row: QueryRow
    text: str
    """What is asked."""
    gold: list[Gold]
    translations: list[Gold]

    @property
    def history(self) -> list[Turn]:
        """Earlier turns, oldest first; given to the run beside the text."""
        return self.row.history

    @property
    def gold_sources(self) -> list[str]:
        """The sources that hold what is needed, each once, in order of the passages."""
        return list(dict.fromkeys(gold.source for gold in self.gold))


@dataclass(frozen=True, slots=True)
class Excluded:
    """A question that is not asked, and why."""

    dataset: str
    qid: str
    reason: str
    at_fault: bool = False
    """Whether the data is wrong, and not merely of no use here."""

    def __str__(self) -> str:
        return f"question {self.qid!r} is left out: {self.reason}"


def question_text(query: QueryRow) -> str:
    """Give what is asked: the scenario, where there is one, and the question."""
    return "\n\n".join(filter(None, (query.scenario.strip(), query.question.strip())))


def select(
    spec: BaseSpec,
    data: Path,
    choice: Choice,
    *,
    where: Callable[[Question], bool] = lambda _: True,
) -> list[Question]:
    """Give the questions of a knowledge base, in order of its sets and their files.

    Only those that `where` tells; a sample is drawn among them. Sets without the split are told to
    `on_problem` and passed over.

    Raises:
        DataError: there is not one question, a set is missing, or the split must not be used so.
    """
    allow(choice.split, choice.purpose)
    found = []
    for queries in spec.queries:
        if choice.sets is not None and queries.set not in choice.sets:
            continue
        dataset = Dataset(data / queries.set, choice.strict, choice.on_problem)
        if dataset.has("queries", choice.split):
            found.append([q for q in _questions(dataset, queries, choice) if where(q)])
        else:
            choice.on_problem(f"{dataset.folder}: it has no questions for {choice.split!r}.")
    return _chosen(found, choice, spec.name)


def select_own(folder: Path, choice: Choice) -> list[Question]:
    """Give the questions in a folder of a user's own; see `select`."""
    allow(choice.split, choice.purpose)
    dataset = Dataset(folder, choice.strict, choice.on_problem)
    questions = _questions(dataset, QuerySet(dataset.name), choice)
    return _chosen([questions], choice, dataset.name)


def homes(sources: Iterable[SourceSpec], data: Path) -> dict[str, str]:
    """Give the name of the source of each passage, by its id; each set is read once.

    Raises DataError.
    """
    takers = [(part, source.name) for source in sources for part in source.parts]
    return {
        row.id: name
        for dataset in dict.fromkeys(part.set for part, _ in takers)
        for row in Dataset(data / dataset).corpus()
        for part, name in takers
        if part.set == dataset and part.holds(row.source)
    }


async def place(
    base: OpenBase, questions: Sequence[Question], *, absent: Mapping[str, str] | None = None
) -> tuple[list[Placed], list[Excluded]]:
    """Find the source of every gold passage; leave out questions whose evidence nobody has.

    `absent` names the source of passages that were taken away on purpose: what needs them is
    asked all the same.
    """
    placed, excluded = [], []
    for question in questions:
        gold, missing = await _located(base, question.gold, absent or {})
        if missing:
            reason = f"its gold passage {missing[0]!r} is not in the corpus"
            excluded.append(Excluded(question.row.dataset, question.row.id, reason, at_fault=True))
            continue
        translations, _ = await _located(base, question.translations, {})
        text = question_text(question.row)
        placed.append(Placed(question.row, text, gold, translations))
    return placed, excluded


async def _located(
    base: OpenBase, qrels: Sequence[QrelRow], absent: Mapping[str, str]
) -> tuple[list[Gold], list[str]]:
    found, missing = [], []
    for qrel in qrels:
        holding = await base.sources_of(qrel.docid)
        named = [name for name in holding if qrel.source in ("", name)]
        source = named[0] if named else absent.get(qrel.docid)
        if source is None:
            missing.append(qrel.docid)
        else:
            spans = [list(span) for span in qrel.spans]
            found.append(Gold(source=source, doc=qrel.docid, grade=qrel.grade, spans=spans))
    return found, missing


def _questions(dataset: Dataset, queries: QuerySet, choice: Choice) -> list[Question]:
    gold: dict[str, list[QrelRow]] = {}
    if dataset.has("qrels", choice.split):
        for qrel in dataset.qrels(choice.split):
            gold.setdefault(qrel.qid, []).append(qrel)
    rows = _each_once(dataset, choice)
    if unknown := gold.keys() - rows.keys() - _ids_of_other_splits(dataset, choice):
        several = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
        _tell(f"qrels name no question: {min(unknown)!r}{several}", dataset, choice)
    asked = [row for row in rows.values() if queries.langs is None or row.lang in queries.langs]
    return [_question(row, gold.get(row.id, [])) for row in asked]


def _each_once(dataset: Dataset, choice: Choice) -> dict[str, QueryRow]:
    """Give the questions of the split by id; of two with one id the first, the other told."""
    rows: dict[str, QueryRow] = {}
    for row in dataset.queries(choice.split):
        if rows.setdefault(row.id, row) is not row:
            _tell(f"two questions have the id {row.id!r}, the first is asked", dataset, choice)
    return rows


def _ids_of_other_splits(dataset: Dataset, choice: Choice) -> set[str]:
    """Give the questions that a file without a split in its name may have gold passages for."""
    if dataset.has_own("qrels", choice.split):
        return set()
    quiet = Dataset(dataset.folder)
    return {row.id for split in quiet.splits for row in quiet.queries(split)}


def _tell(problem: str, dataset: Dataset, choice: Choice) -> None:
    """Pass a problem on, or stop at it where the choice is strict."""
    if choice.strict:
        fix = "Correct the file, or leave out --strict to go on without it."
        raise DataError(f"{problem}.", place=str(dataset.folder), fix=fix)
    choice.on_problem(f"{dataset.folder}: {problem}.")


def _question(row: QueryRow, qrels: list[QrelRow]) -> Question:
    return Question(
        row,
        [qrel for qrel in qrels if qrel.basis != TRANSLATED],
        [qrel for qrel in qrels if qrel.basis == TRANSLATED],
    )


def _chosen(found: list[list[Question]], choice: Choice, name: str) -> list[Question]:
    if not any(found):
        raise DataError(
            f"The knowledge base {name!r} has no questions for the split {choice.split!r}.",
            fix="Name another with --split, or check the names of the data sets.",
        )
    if choice.sample is None:
        return [question for questions in found for question in questions]
    counts = shares([len(questions) for questions in found], choice.sample)
    drawn = []
    for questions, count in zip(found, counts, strict=True):
        # Each set has a chance of its own: another set beside it does not change what is drawn.
        chance = random.Random(f"{choice.seed}/{questions[0].row.dataset if questions else ''}")
        order = sorted(chance.sample(range(len(questions)), count))
        drawn += [questions[number] for number in order]
    return drawn


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """Share `total` out over sets of these sizes, as evenly as they allow, in [0, size] each."""
    given = [0] * len(sizes)
    for _ in range(min(total, sum(sizes))):
        smallest = min(
            (number for number, size in enumerate(sizes) if given[number] < size),
            key=lambda number: given[number],
        )
        given[smallest] += 1
    return given
