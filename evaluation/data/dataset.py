"""A data set: a folder with a corpus, questions, and what is known about both."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..errors import DataError
from .reading import find, read_rows
from .rows import SPLITS, CorpusRow, PairRow, QrelRow, QueryRow, Row, SufficiencyRow

VARIABLE = "HEADWATER_DATA"


def pass_over(problem: str) -> None:
    """Take a problem and keep silent: for readers whose caller reported it already."""


def data_folder(named: str | Path | None = None) -> Path:
    """Give the folder of evaluation data: the one named, else that of `HEADWATER_DATA`.

    Raises:
        DataError: none is named, or it is not there.
    """
    chosen = named or os.environ.get(VARIABLE)
    if not chosen:
        raise DataError(
            "No folder of evaluation data is named.",
            fix=f"Give it with --data, or set {VARIABLE}; docs/evaluation-data.md has its layout.",
        )
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        said = "--data" if named else VARIABLE
        raise DataError(
            "There is no such folder of evaluation data.",
            place=str(folder),
            fix=f"Correct {said}; docs/evaluation-data.md has its layout.",
        )
    return folder


@dataclass(frozen=True, slots=True)
class Dataset:
    """The files of one data set; nothing is read before it is asked for, and then streamed.

    A broken line goes to `on_problem` and is left out, or is an error when `strict`.
    """

    folder: Path
    strict: bool = False
    on_problem: Callable[[str], None] = pass_over

    def __post_init__(self) -> None:
        if not self.folder.is_dir():
            near = self.folder.parent
            known = sorted(p.name for p in near.iterdir() if p.is_dir()) if near.is_dir() else []
            raise DataError(
                "There is no such data set.",
                place=str(self.folder),
                fix=f"Known are {', '.join(known)}." if known else "Check --data.",
            )

    @property
    def name(self) -> str:
        return self.folder.name

    @property
    def splits(self) -> list[str]:
        """The splits that have questions, in the order train, dev, test."""
        return [split for split in SPLITS if self.has("queries", split)]

    def corpus(self) -> Iterator[CorpusRow]:
        """Give all passages. Raises DataError, as all of these, at once where nothing is there."""
        return self._rows("corpus", CorpusRow)

    def queries(self, split: str) -> Iterator[QueryRow]:
        """Give the questions of a split, each with the name of this set."""
        rows = self._rows(self._stem("queries", split), QueryRow)
        named = (replace(row, dataset=self.name, split=row.split or split) for row in rows)
        return (row for row in named if row.split == split)

    def qrels(self, split: str) -> Iterator[QrelRow]:
        """Give the gold passages of a split."""
        return self._rows(self._stem("qrels", split), QrelRow)

    def pairs(self, split: str) -> Iterator[PairRow]:
        """Give the graded pairs of a split."""
        return self._rows(self._stem("pairs", split), PairRow)

    def sufficiency(self, split: str) -> Iterator[SufficiencyRow]:
        """Give the exit decisions of a split."""
        return self._rows(self._stem("sufficiency", split), SufficiencyRow)

    def has(self, kind: str, split: str) -> bool:
        """Tell whether there is a file of this kind (`qrels`, `pairs`, …) for a split."""
        return find(self.folder, self._stem(kind, split)) is not None

    def has_own(self, kind: str, split: str) -> bool:
        """Tell whether there is a file of this kind for this split and no other."""
        return find(self.folder, f"{kind}.{split}") is not None

    def _stem(self, kind: str, split: str) -> str:
        """A file without a split, such as `queries.jsonl`, serves where there is none of it."""
        named = f"{kind}.{split}"
        return named if find(self.folder, named) or not find(self.folder, kind) else kind

    def _rows(self, stem: str, row_type: type[Row]) -> Iterator[Row]:
        path = find(self.folder, stem)
        if path is None:
            having = ", ".join(self.splits) or "none"
            raise DataError(
                f"The data set {self.name!r} has no {stem}.jsonl or {stem}.jsonl.gz.",
                place=str(self.folder),
                fix=f"Its splits with questions: {having}.",
            )
        return self._read(path, row_type)

    def _read(self, path: Path, row_type: type[Row]) -> Iterator[Row]:
        empty = True
        for row in read_rows(path, row_type, strict=self.strict, on_problem=self.on_problem):
            empty = False
            yield row
        if empty:
            raise DataError("There is not one row in it.", place=str(path), fix="Fill the file.")
