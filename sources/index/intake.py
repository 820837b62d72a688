"""From a folder and the manifest to batches of changes: what is new, what went."""

import hashlib
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Protocol, TypeAlias

from ...domain.errors import FileRejectedError
from ...domain.ports import TokenCounter
from ..document import Chunk, Document, FileEntry, FileProblem
from ..parse.field_rules import FieldRules
from ..parse.limits import ParseLimits
from ..walk import WalkRules, walk
from .catalog import Catalog
from .changes import Batch, ChunkChange, FileRecord, kind_of

BATCH = 1_000
"""Chunks that reach the index together: what a kill costs, and what memory holds."""
PARSER = "2"
"""Raise it when parsing or chunking changes: every file is then read again, and only what really
came out differently is embedded again."""
_SLICE = 250
_TICK_NS = 2_000_000_000
"""Clocks of file systems are as coarse as this; a file that changed just before it was looked at
may have changed again without a trace, so its bytes are compared the next time."""


class Parse(Protocol):
    """`parse.registry.parse`."""

    def __call__(
        self, entry: FileEntry, limits: ParseLimits, rules: FieldRules | None = None
    ) -> Iterable[Document]: ...


class Split(Protocol):
    """`chunk.chunk`."""

    def __call__(self, document: Document, count: TokenCounter) -> Iterable[Chunk]: ...


@dataclass(frozen=True, slots=True)
class Reading:
    """How the files of one source are found and read."""

    root: Path
    rules: WalkRules
    limits: ParseLimits
    parse: Parse
    split: Split
    counter: TokenCounter
    language: str | None = None
    """Set for every chunk in place of what was detected."""
    fields: FieldRules = field(default_factory=FieldRules)

    @property
    def parser(self) -> str:
        """Version of what comes out for the same bytes."""
        # Without rules for fields, as before there were any: no file has to be read again.
        fields = repr(self.fields) if self.fields != FieldRules() else ""
        settings = hashlib.sha256(f"{self.limits!r}{fields}".encode()).hexdigest()[:8]
        return f"{PARSER}/{self.counter.name}/{self.language or ''}/{settings}"


@dataclass(slots=True)
class Plan:
    """What one ingestion has to look at."""

    work: list[FileEntry] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    problems: list[FileProblem] = field(default_factory=list)
    unchanged: int = 0
    total: int = 0
    """Files found, readable or not."""


@dataclass(slots=True)
class Tally:
    """What one ingestion met, filled while batches are read."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    problems: list[FileProblem] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A file that cannot be read: what came of it goes, also what came earlier."""

    record: FileRecord


@dataclass(frozen=True, slots=True)
class Gone:
    """A file that is no longer there."""

    path: str


Event: TypeAlias = ChunkChange | FileRecord | Rejected | Gone
"""A record comes after the last chunk of its file."""


@dataclass(slots=True)
class Filling:
    """A batch that is being filled; `ends[i]` is its number of chunks when record i came."""

    batch: Batch
    ends: list[int] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Chunks, or files where those are more: files without chunks count too."""
        return max(len(self.batch.chunks), len(self.batch.records) + len(self.batch.gone))

    def take(self, event: Event) -> None:
        """Add one event."""
        batch = self.batch
        if isinstance(event, ChunkChange):
            batch.chunks.append(event)
        elif isinstance(event, Gone):
            batch.gone.append(event.path)
        elif isinstance(event, Rejected):
            batch.chunks = [c for c in batch.chunks if c.chunk.path != event.record.path]
            batch.gone.append(event.record.path)
            self._end(event.record)
        else:
            self._end(event)

    def _end(self, record: FileRecord) -> None:
        self.batch.records.append(record)
        self.ends.append(len(self.batch.chunks))


def make_plan(reading: Reading, manifest: dict[str, FileRecord]) -> Plan:
    """Compare the folder with the manifest; nothing is opened.

    Raises:
        ConfigurationError: there is no such folder or file. Nothing is taken for deleted then.
    """
    plan = Plan()
    seen: set[str] = set()
    for found in _entries(reading):
        plan.total += 1
        if isinstance(found, FileProblem):
            plan.problems.append(found)
            continue
        seen.add(found.path)
        record = manifest.get(found.path)
        if record is None or not _trusted(found, record, reading.parser):
            plan.work.append(found)
        elif record.problem is not None:
            plan.problems.append(FileProblem(record.path, record.problem))
        else:
            plan.unchanged += 1
    plan.gone = sorted(manifest.keys() - seen)
    return plan


class Intake:
    """Reads the files of a plan into batches, for one ingestion."""

    def __init__(self, reading: Reading, catalog: Catalog, *, run: int) -> None:
        self._reading = reading
        self._catalog = catalog
        self._run = run
        self._manifest = catalog.files()
        self.plan = make_plan(reading, self._manifest)
        self.tally = Tally(unchanged=self.plan.unchanged, problems=list(self.plan.problems))

    def batches(self) -> Iterator[Filling]:
        """Give batches of at most `BATCH` chunks or files, streaming."""
        filling = Filling(Batch(run=self._run))
        for event in self._events():
            filling.take(event)
            if filling.size >= BATCH:
                yield filling
                filling = Filling(Batch(run=self._run))
        if filling.size:
            yield filling

    def _events(self) -> Iterator[Event]:
        for path in self.plan.gone:
            yield Gone(path)
        for entry in self.plan.work:
            yield from self._file(entry)

    def _file(self, entry: FileEntry) -> Iterator[Event]:
        former = self._manifest.get(entry.path)
        record, earlier = self._record(entry), len(self.tally.warnings)
        try:
            record = replace(record, digest=_sha256(entry.location))
            if former is not None and _same(record, former):
                self._pass_over(record, former)
                return
            yield from self._changes(entry)
        except OSError as exc:
            yield self._reject(record, f"It cannot be read: {exc}.")
        except FileRejectedError as exc:
            yield self._reject(record, f"{exc.cause} {exc.fix}".strip())
        else:
            self.tally.added += former is None
            self.tally.changed += former is not None
            yield replace(record, warnings=self.tally.warnings[earlier:])

    def _changes(self, entry: FileEntry) -> Iterator[ChunkChange]:
        chunks = _distinct(self._chunks(entry))
        while part := list(islice(chunks, _SLICE)):
            known = self._catalog.known([chunk.id for chunk in part])
            for chunk in part:
                yield ChunkChange(kind_of(chunk, known.get(chunk.id)), chunk, self._run)

    def _chunks(self, entry: FileEntry) -> Iterator[Chunk]:
        reading = self._reading
        for document in reading.parse(entry, reading.limits, reading.fields):
            self.tally.warnings.extend(f"{entry.path}: {text}" for text in document.warnings)
            for chunk in reading.split(document, reading.counter):
                yield _storable(chunk, reading.language)

    def _record(self, entry: FileEntry) -> FileRecord:
        return FileRecord(
            path=entry.path,
            size=entry.size,
            modified_ns=entry.modified_ns,
            access=entry.access,
            digest="",
            parser=self._reading.parser,
            seen_ns=time.time_ns(),
        )

    def _pass_over(self, record: FileRecord, former: FileRecord) -> None:
        self._catalog.touch([record])
        if former.problem is None:
            self.tally.unchanged += 1
        else:
            self.tally.problems.append(FileProblem(former.path, former.problem))

    def _reject(self, record: FileRecord, cause: str) -> Rejected:
        self.tally.problems.append(FileProblem(record.path, cause))
        return Rejected(replace(record, problem=cause))


def _entries(reading: Reading) -> Iterator[FileEntry | FileProblem]:
    if not reading.root.is_file():
        yield from walk(reading.root, reading.rules)
        return
    # One file: its folder is walked without its sub-folders, so that sidecars count here too.
    folder, name = reading.root.parent, reading.root.name
    aside = [_literal(item.name) for item in folder.iterdir() if item.is_dir()]
    found = list(walk(folder, replace(reading.rules, include=[_literal(name)], exclude=aside)))
    yield from (item for item in found if item.path == name or isinstance(item, FileProblem))
    if not found:
        yield FileProblem(name, "Files of this kind cannot be read, or it is hidden.")


def _literal(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def _trusted(entry: FileEntry, record: FileRecord, parser: str) -> bool:
    """Tell whether size and time are enough to know that nothing changed."""
    return (
        record.done
        and record.digest != ""  # a file that was closed to us may be open now, at the same time
        and (entry.size, entry.modified_ns) == (record.size, record.modified_ns)
        and (entry.access, parser) == (record.access, record.parser)
        and entry.modified_ns + _TICK_NS < record.seen_ns
    )


def _same(now: FileRecord, former: FileRecord) -> bool:
    return former.done and (now.digest, now.access, now.parser) == (
        *(former.digest, former.access, former.parser),
    )


def _sha256(location: Path) -> str:
    with location.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _distinct(chunks: Iterable[Chunk]) -> Iterator[Chunk]:
    """Two records of a file may bear one name; the second is kept apart, not lost."""
    seen: dict[str, int] = {}
    for chunk in chunks:
        times = seen[chunk.id] = seen.get(chunk.id, 0) + 1
        yield chunk if times == 1 else replace(chunk, id=f"{chunk.id}~{times}")


def _storable(chunk: Chunk, language: str | None) -> Chunk:
    """Replace lone surrogates, which no database takes; places in the text stay the same."""
    return replace(
        chunk,
        text=_clean(chunk.text),
        title=_clean(chunk.title),
        heading=[_clean(part) for part in chunk.heading],
        url=None if chunk.url is None else _clean(chunk.url),
        language=language or chunk.language,
        metadata={_clean(k): _clean(v) for k, v in chunk.metadata.items()},
    )


def _clean(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
