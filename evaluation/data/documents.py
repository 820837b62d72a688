"""The passages of a source as one file, and the way back from a reference to the passage."""

import hashlib
import json
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ...domain.errors import ConfigurationError
from ...models.cache import write_once
from ...sources.parse.reading import clean
from ..errors import DataError
from .bases import SourceSpec
from .copies import Corpora, Passage
from .passages import Cut

FILE = "passages.jsonl"


class Documents(Protocol):
    """What a source holds, by the ids that gold passages are named with."""

    def doc_of(self, url: str) -> str:
        """Give the id of the document that a reference's `url` points to. Raises DataError."""
        ...

    async def holds(self, doc: str) -> bool:
        """Tell whether there is a document of that id."""
        ...

    def text(self, doc: str) -> str | None:
        """Give the text that gold spans count in; `None` where only the source has it."""
        ...

    def span(self, doc: str, start: int, end: int) -> tuple[int, int]:
        """Turn a place in the indexed document into one in that text, in characters."""
        ...


@dataclass(frozen=True, slots=True)
class PassageFile:
    """Passages as JSON Lines for a files source, one a line; their ids are kept beside it.

    In the lines they would be indexed as text, and an id that says which filing a page is from
    would be evidence that no user has.
    """

    path: Path
    lines: dict[str, int]
    """Number of the line of each id, from 0, in order."""
    starts: "array[int]"
    """Where each line starts, in bytes."""
    ids: list[str]
    altered: frozenset[str]
    """Ids of the passages whose text is indexed otherwise than it is written; hardly any."""

    def doc_of(self, url: str) -> str:
        """Give the id of the passage that `passages.jsonl##17` points to, on its 17th line."""
        name, _, number = url.partition("##")
        if name != FILE or not number.isdecimal() or not 0 < int(number) <= len(self.ids):
            raise DataError(f"The reference {url!r} is none into {FILE}.", place=str(self.path))
        return self.ids[int(number) - 1]

    async def holds(self, doc: str) -> bool:
        return doc in self.lines

    def text(self, doc: str) -> str:
        """Give the text of a passage exactly as its data set has it. Raises DataError."""
        if doc not in self.lines:
            raise DataError(f"There is no passage {doc!r}.", place=str(self.path))
        with self.path.open("rb") as file:
            file.seek(self.starts[self.lines[doc]])
            return str(json.loads(file.readline()).get("text", ""))

    def span(self, doc: str, start: int, end: int) -> tuple[int, int]:
        """Undo what reading does to a text: it strips it and unifies letters and line ends."""
        if doc not in self.altered:
            return start, end
        text = self.text(doc)
        if clean(text) == text:
            lead = len(text) - len(text.lstrip())
            return start + lead, end + lead
        lead = len(clean(text)) - len(clean(text).lstrip())
        return _written(text, start + lead), _written(text, end + lead)


@dataclass(frozen=True, slots=True)
class Inventory:
    """What a file of passages will hold, before it is written."""

    passages: Sequence[Passage]
    digest: str
    """Of the bytes of the file."""
    file: PassageFile

    @classmethod
    def of(cls, spec: SourceSpec, corpora: Corpora, cut: Cut | None = None) -> "Inventory":
        """Choose the passages of a source.

        Raises:
            DataError: there are none, or two have the same id; and as `Corpora.passages`.
        """
        passages = list(corpora.passages(spec.parts))
        if not passages:
            raise DataError(
                f"The source {spec.name!r} has no passages in {_sets(spec)}.",
                place=str(corpora.data),
                fix="Check the names of its parts.",
            )
        if cut is not None:
            passages = [passages[n] for n in cut.of([copy.ids[n] for copy, n in passages])]
        ids = [copy.ids[number] for copy, number in passages]
        lines = {identity: number for number, identity in enumerate(ids)}
        if len(lines) < len(ids):
            twice = next(identity for n, identity in enumerate(ids) if lines[identity] != n)
            raise DataError(
                f"Two passages of the source {spec.name!r} have the id {twice!r}.",
                place=str(corpora.data),
                fix=f"Ids must differ within {_sets(spec)}.",
            )
        starts, total, digest = array("Q"), 0, hashlib.sha256()
        for copy, number in passages:
            line = copy.line(number)
            digest.update(line)
            starts.append(total)
            total += len(line)
        altered = frozenset(copy.ids[n] for copy, n in passages if n in copy.altered)
        return cls(
            passages, digest.hexdigest(), PassageFile(Path(FILE), lines, starts, ids, altered)
        )

    def write(self, folder: Path) -> PassageFile:
        """Put the file in a folder, unless it is there; nobody ever sees half of it.

        The corpora must still be open. Raises DataError where it cannot be written.
        """
        path = folder / FILE
        if not path.exists():
            try:
                folder.mkdir(parents=True, exist_ok=True)
                write_once(path, self._fill)
            except (OSError, ConfigurationError) as exc:
                cause = f"It cannot be written ({exc})."
                fix = "Name another folder, or make room."
                raise DataError(cause, place=str(path), fix=fix) from exc
        return replace(self.file, path=path)

    def _fill(self, fresh: Path) -> None:
        with fresh.open("wb") as file:
            for copy, number in self.passages:
                file.write(copy.line(number))


def _sets(spec: SourceSpec) -> str:
    return ", ".join(part.set for part in spec.parts)


def _written(text: str, offset: int) -> int:
    """Give the place in `text` of a place in `clean(text)`: after the longest beginning so long."""
    beginnings = range(len(text) + 1)
    return bisect_right(beginnings, offset, key=lambda end: len(clean(text[:end]))) - 1
