"""The corpora that an opening reads: each data set once, whatever sources share it."""

import json
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from sys import intern
from types import TracebackType
from typing import IO, Self

from ...sources.parse.reading import clean
from ..errors import DataError
from .bases import Part
from .dataset import Dataset, pass_over
from .rows import CorpusRow


@dataclass(frozen=True, slots=True)
class CorpusCopy:
    """The passages of one data set as the lines that are indexed; only their ids are in memory."""

    file: IO[bytes]
    ids: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    """The part of the corpus that each passage belongs to."""
    starts: "array[int]" = field(default_factory=lambda: array("Q", [0]))
    """Where each line starts, in bytes, and where the last one ends."""
    altered: set[int] = field(default_factory=set)
    """Numbers of the passages whose text reading changes, so that places in it move."""

    def add(self, row: CorpusRow) -> None:
        """Put a passage at the end. Raises OSError."""
        number, line = len(self.ids), line_of(row)
        self.file.write(line)
        self.ids.append(row.id)
        self.parts.append(intern(row.source))
        self.starts.append(self.starts[-1] + len(line))
        if clean(row.text).lstrip() != row.text:
            self.altered.add(number)

    def line(self, number: int) -> bytes:
        """Give the line of a passage, its end included."""
        self.file.seek(self.starts[number])
        return self.file.read(self.starts[number + 1] - self.starts[number])


Passage = tuple[CorpusCopy, int]
"""A copy and the number of a passage in it."""


class Corpora:
    """The corpora of a folder of evaluation data, each copied when it is first asked for.

    The copies are temporary files: a source of a cut knowledge base needs to know how many
    passages there are before it can choose any, and parsing a large set takes seconds.
    """

    def __init__(
        self,
        data: Path,
        folder: Path,
        *,
        strict: bool = False,
        on_problem: Callable[[str], None] = pass_over,
    ) -> None:
        """Copy what lies in `data` into files in `folder` that nobody else sees."""
        self.data = data
        self.folder = folder
        self._strict = strict
        self._on_problem = on_problem
        self._copies: dict[str, CorpusCopy] = {}

    def passages(self, parts: Sequence[Part]) -> Iterator[Passage]:
        """Give the passages of some parts, in their order.

        Raises:
            DataError: a set is missing or wrong, or there is no room for its copy.
        """
        for part in parts:
            copy = self._copy(part.set)
            for number, source in enumerate(copy.parts):
                if part.holds(source):
                    yield copy, number

    def close(self) -> None:
        """Delete the copies."""
        for copy in self._copies.values():
            copy.file.close()
        self._copies.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _copy(self, name: str) -> CorpusCopy:
        known = self._copies.get(name)
        if known is not None:
            return known
        rows = Dataset(self.data / name, self._strict, self._on_problem).corpus()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with ExitStack() as undo:
                made = CorpusCopy(undo.enter_context(tempfile.TemporaryFile(dir=self.folder)))
                for row in rows:
                    made.add(row)
                made.file.flush()
                undo.pop_all()
        except OSError as error:
            cause = f"It cannot be written ({error})."
            fix = "Name another folder, or make room."
            raise DataError(cause, place=str(self.folder), fix=fix) from error
        self._copies[name] = made
        return made


def line_of(row: CorpusRow) -> bytes:
    """Write a passage as it is indexed, without its id."""
    record = {"title": row.title, "text": row.text, "language": row.lang}
    known = {name: value for name, value in record.items() if value}
    return json.dumps(known, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"
