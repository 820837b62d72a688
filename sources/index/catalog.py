"""The one place where chunks and the manifest of files live: a SQLite file."""

import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from ...domain.passage import Passage
from . import journal
from .changes import Batch, FileRecord, KnownChunk, Pending
from .sqlite import connect, translated

_SCHEMA = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS labels (
    label INTEGER PRIMARY KEY, principals TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS files (
    path TEXT PRIMARY KEY, size INTEGER NOT NULL, modified_ns INTEGER NOT NULL,
    access TEXT NOT NULL, digest TEXT NOT NULL, parser TEXT NOT NULL, seen_ns INTEGER NOT NULL,
    problem TEXT, warnings TEXT NOT NULL, done INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS chunks (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, run INTEGER NOT NULL,
    text TEXT NOT NULL, title TEXT NOT NULL, heading TEXT NOT NULL, page INTEGER,
    start INTEGER NOT NULL, url TEXT, language TEXT, label INTEGER NOT NULL,
    metadata TEXT NOT NULL, words INTEGER NOT NULL, digest BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS chunks_of_file ON chunks (path, run);
CREATE INDEX IF NOT EXISTS chunks_of_label ON chunks (label);
CREATE TABLE IF NOT EXISTS terms (term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS journal (id TEXT PRIMARY KEY, action TEXT NOT NULL, vector BLOB)
WITHOUT ROWID;
"""
_PASSAGE = """
SELECT id, text, title, heading, page, start, url, language, principals, metadata
FROM chunks JOIN labels USING (label) WHERE id IN ({marks})
"""
_FILE = "SELECT path, size, modified_ns, access, digest, parser, seen_ns, problem, warnings, done"
_VARIABLES = 900
"""Values in one statement; older builds of SQLite take 999."""

Row: TypeAlias = "tuple[Any, ...]"
"""As SQLite gives it; the schema above says what is in it."""
Result = TypeVar("Result")


class Catalog:
    """Chunks, files, access lists and term counts. Safe to call from any thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self.changes = 0
        """Batches taken in since it was opened."""
        with translated(path):
            self._writer = connect(path)
            self._writer.executescript(_SCHEMA)
            self._reader = connect(path)

    def begin(self, batch: Batch) -> Pending:
        """Take a batch in, and note what the indexes have to do; survives a kill from here on."""
        with self._transaction() as connection:
            self.changes += 1
            return journal.begin(connection, batch)

    def pending(self) -> Pending:
        """What a killed process left for the indexes to do."""
        return self._read(journal.pending)

    def finish(self) -> None:
        """The indexes have done what was pending: forget it, and call its files done."""
        with self._transaction() as connection:
            journal.finish(connection)

    def files(self) -> dict[str, FileRecord]:
        """Every file of the manifest by its path."""
        records = (_record(row) for row in self._rows(f"{_FILE} FROM files"))
        return {record.path: record for record in records}

    def touch(self, records: Sequence[FileRecord]) -> None:
        """Note the time of files whose bytes proved to be the same."""
        rows = [(r.modified_ns, r.seen_ns, r.path) for r in records]
        statement = "UPDATE files SET modified_ns = ?, seen_ns = ? WHERE path = ?"
        with self._transaction() as connection:
            connection.executemany(statement, rows)

    def known(self, ids: Sequence[str]) -> dict[str, KnownChunk]:
        """What is stored under those of `ids` that are there."""
        statement = "SELECT id, digest, principals FROM chunks JOIN labels USING (label)"
        rows = self._by_id(f"{statement} WHERE id IN ({{marks}})", ids)
        return {str(i): KnownChunk(bytes(d), json.loads(p)) for i, d, p in rows}

    def passages(self, ids: Sequence[str], *, source: str) -> dict[str, Passage]:
        """Those of `ids` that are there, as passages of the source of this name."""
        rows = self._by_id(_PASSAGE, ids)
        return {str(row[0]): _passage(row, source) for row in rows}

    def labels(self) -> dict[int, tuple[list[str] | None, int]]:
        """Every access list in use by its number, with the number of chunks it covers."""
        rows = self._rows(
            "SELECT label, principals, count(*) FROM chunks JOIN labels USING (label)"
            " GROUP BY label"
        )
        return {label: (json.loads(principals), count) for label, principals, count in rows}

    def frequencies(self, top: int) -> dict[str, int]:
        """The terms that most chunks hold, with the number of those chunks."""
        rows = self._rows(
            "SELECT term, passages FROM terms ORDER BY passages DESC, term LIMIT ?", top
        )
        return dict(rows)

    def evenly(self, count: int) -> list[str]:
        """Ids of at most `count` chunks at even distances in the order of their arrival."""
        rows = self._rows(
            "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY number) - 1 AS place,"
            " count(*) OVER () AS n FROM chunks)"
            " WHERE n <= ?1 OR place * ?1 / n > (place - 1) * ?1 / n OR place = 0",
            count,
        )
        return [str(row[0]) for row in rows][:count]

    def count(self) -> int:
        """Number of chunks."""
        return self._number("SELECT count(*) FROM chunks")

    def languages(self) -> dict[str, int]:
        """Number of chunks in each language, without those whose language is not known."""
        return dict(
            self._rows(
                "SELECT language, count(*) FROM chunks WHERE language IS NOT NULL"
                " GROUP BY language ORDER BY language"
            )
        )

    def mean_words(self) -> float:
        """Mean number of index terms of a chunk; 0 where there is none."""
        return float(self._rows("SELECT coalesce(avg(words), 0.0) FROM chunks")[0][0])

    def get(self, key: str) -> str | None:
        """One of the facts about the whole index."""
        rows = self._rows("SELECT value FROM meta WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def put(self, key: str, value: str, *, if_at: int | None = None) -> None:
        """Keep a fact about the whole index; with `if_at`, only if `changes` is still that."""
        with self._transaction() as connection:
            if if_at is None or if_at == self.changes:
                connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def close(self) -> None:
        """Release the file; a second call does nothing."""
        with self._reading, self._writing:
            self._reader.close()
            self._writer.close()

    def _by_id(self, statement: str, ids: Sequence[str]) -> Iterator[Row]:
        for first in range(0, len(ids), _VARIABLES):
            part = ids[first : first + _VARIABLES]
            yield from self._rows(statement.format(marks=",".join("?" * len(part))), *part)

    def _rows(self, statement: str, *arguments: object) -> list[Row]:
        return self._read(lambda c: c.execute(statement, arguments).fetchall())

    def _number(self, statement: str) -> int:
        return int(self._rows(statement)[0][0])

    def _read(self, function: Callable[[sqlite3.Connection], Result]) -> Result:
        with self._reading, translated(self._path):
            return function(self._reader)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._writing, translated(self._path), self._writer:
            yield self._writer


def readable(
    labels: Iterable[tuple[int, list[str] | None]], principals: Collection[str]
) -> list[int]:
    """Numbers of the access lists that admit one of `principals`."""
    return [
        label
        for label, access in labels
        if access is None or not set(access).isdisjoint(principals)
    ]


def _record(row: Row) -> FileRecord:
    path, size, modified_ns, access, digest, parser, seen_ns, problem, warnings, done = row
    return FileRecord(
        path=str(path),
        size=size,
        modified_ns=modified_ns,
        access=json.loads(access),
        digest=str(digest),
        parser=str(parser),
        seen_ns=seen_ns,
        problem=problem,
        warnings=json.loads(warnings),
        done=done == journal.DONE,
    )


def _passage(row: Row, source: str) -> Passage:
    passage_id, text, title, heading, page, start, url, language, principals, metadata = row
    return Passage(
        source=source,
        id=passage_id,
        text=text,
        title=title,
        heading=json.loads(heading),
        page=page,
        start=start,
        url=url,
        language=language,
        access=json.loads(principals),
        metadata=json.loads(metadata),
    )
