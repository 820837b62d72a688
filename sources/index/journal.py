"""A redo log, so that a kill at any point loses nothing.

`begin` brings a batch into the catalogue together with a note of what both indexes have to do,
vectors included, in one transaction. Then the indexes do it, each in its own way, and `finish`
strikes the note out. Whoever opens the index after a kill finds the note and does it again: all
it asks for may be done twice.
"""

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ...domain.ports import Vector
from ...domain.words import terms
from ..document import Chunk
from .changes import Batch, ChunkChange, FileRecord, Pending, digest_of
from .keyword import KeywordEntry
from .vectors import VectorEntry

PARTIAL, CLOSING, DONE = 0, 1, 2
"""A file's chunks are still coming; are all in the catalogue; are in both indexes too."""

_CHUNK = """
INSERT INTO chunks (id, path, run, text, title, heading, page, start, url, language, label,
                    metadata, words, digest)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET path = excluded.path, run = excluded.run, text = excluded.text,
    title = excluded.title, heading = excluded.heading, page = excluded.page,
    start = excluded.start, url = excluded.url, language = excluded.language,
    label = excluded.label, metadata = excluded.metadata, words = excluded.words,
    digest = excluded.digest
"""
_COUNT = """
INSERT INTO terms VALUES (?, ?)
ON CONFLICT (term) DO UPDATE SET passages = passages + excluded.passages
"""
_PENDING = """
SELECT journal.id, action, vector, title, heading, text, label
FROM journal LEFT JOIN chunks USING (id)
"""


def begin(connection: sqlite3.Connection, batch: Batch) -> Pending:
    """Write a batch and its note; must run inside a transaction."""
    labels = _labels(connection, batch.chunks)
    counts: Counter[str] = Counter()
    pending = Pending()
    for change in batch.chunks:
        label = labels[_principals(change.chunk)]
        entry = _entry(change.chunk, label)
        if change.kind == "replace":
            counts.subtract(_terms_of(connection, change.chunk.id))
        if change.kind in ("add", "replace"):
            counts.update({*entry.title, *entry.text})
        connection.execute(_CHUNK, _row(change, entry))
        if change.kind != "keep":
            _collect(pending, change.kind, entry, change.vector)
            _note(connection, change)
    for path in batch.gone:
        _drop(connection, pending, counts, _stale(connection, path, run=None))
        connection.execute("DELETE FROM files WHERE path = ?", (path,))
    for record in batch.records:
        _drop(connection, pending, counts, _stale(connection, record.path, run=batch.run))
        connection.execute(*_file(record))
    _count(connection, counts)
    connection.execute("DELETE FROM meta WHERE key = 'profile'")
    return pending


def pending(connection: sqlite3.Connection) -> Pending:
    """Read the note back; empty where nothing was interrupted."""
    found = Pending()
    for passage_id, action, vector, title, heading, text, label in connection.execute(_PENDING):
        if action == "delete":
            found.delete.append(passage_id)
            continue
        entry = _analysed(passage_id, title, json.loads(heading), text, label)
        _collect(found, action, entry, None if vector is None else array("f", vector))
    # Nobody knows how far it went: each of these may be there already.
    found.renew = [entry.id for entry in found.entries]
    return found


def finish(connection: sqlite3.Connection) -> None:
    """Strike the note out; must run inside a transaction."""
    connection.execute("DELETE FROM journal")
    connection.execute("UPDATE files SET done = ? WHERE done = ?", (DONE, CLOSING))
    connection.execute("DELETE FROM terms WHERE passages <= 0")


def _collect(pending: Pending, kind: str, entry: KeywordEntry, vector: "Vector | None") -> None:
    pending.entries.append(entry)
    if kind != "add":
        pending.renew.append(entry.id)
    if vector is None:
        pending.relabel.append((entry.id, entry.label))
    else:
        pending.vectors.append(VectorEntry(entry.id, vector, entry.label))


def _drop(
    connection: sqlite3.Connection, pending: Pending, counts: Counter[str], ids: Sequence[str]
) -> None:
    for passage_id in ids:
        counts.subtract(_terms_of(connection, passage_id))
        connection.execute("DELETE FROM chunks WHERE id = ?", (passage_id,))
        connection.execute(
            "INSERT OR REPLACE INTO journal VALUES (?, 'delete', NULL)", (passage_id,)
        )
    pending.delete.extend(ids)


def _stale(connection: sqlite3.Connection, path: str, *, run: int | None) -> list[str]:
    statement = "SELECT id FROM chunks WHERE path = ? AND run IS NOT ?"
    return [row[0] for row in connection.execute(statement, (path, run))]


def _note(connection: sqlite3.Connection, change: ChunkChange) -> None:
    vector = None if change.vector is None else change.vector.tobytes()
    row = (change.chunk.id, change.kind, vector)
    connection.execute("INSERT OR REPLACE INTO journal VALUES (?, ?, ?)", row)


def _count(connection: sqlite3.Connection, counts: Counter[str]) -> None:
    changed = sorted((term, count) for term, count in counts.items() if count)
    connection.executemany(_COUNT, changed)


def _terms_of(connection: sqlite3.Connection, passage_id: str) -> set[str]:
    statement = "SELECT title, heading, text FROM chunks WHERE id = ?"
    title, heading, text = connection.execute(statement, (passage_id,)).fetchone()
    entry = _analysed(passage_id, title, json.loads(heading), text, 0)
    return {*entry.title, *entry.text}


def _entry(chunk: Chunk, label: int) -> KeywordEntry:
    return _analysed(chunk.id, chunk.title, chunk.heading, chunk.text, label)


def _analysed(
    passage_id: str, title: str, heading: Sequence[str], text: str, label: int
) -> KeywordEntry:
    above = " \n ".join(dict.fromkeys([title, *heading]))
    return KeywordEntry(passage_id, terms(above), terms(text), label)


def _principals(chunk: Chunk) -> str:
    return json.dumps(chunk.access if chunk.access is None else sorted(set(chunk.access)))


def _labels(connection: sqlite3.Connection, changes: Iterable[ChunkChange]) -> dict[str, int]:
    wanted = {_principals(change.chunk) for change in changes}
    rows = [(principals,) for principals in sorted(wanted)]
    connection.executemany("INSERT OR IGNORE INTO labels (principals) VALUES (?)", rows)
    statement = "SELECT label FROM labels WHERE principals = ?"
    return {p: connection.execute(statement, (p,)).fetchone()[0] for p in wanted}


def _row(change: ChunkChange, entry: KeywordEntry) -> tuple[Any, ...]:
    chunk = change.chunk
    return (
        *(chunk.id, chunk.path, change.run, chunk.text, chunk.title, json.dumps(chunk.heading)),
        *(chunk.page, chunk.start, chunk.url, chunk.language, entry.label),
        *(json.dumps(chunk.metadata), len(entry.text), digest_of(chunk)),
    )


def _file(record: FileRecord) -> tuple[str, tuple[Any, ...]]:
    row = (
        *(record.path, record.size, record.modified_ns, json.dumps(record.access)),
        *(record.digest, record.parser, record.seen_ns, record.problem),
        *(json.dumps(record.warnings), CLOSING),
    )
    return f"INSERT OR REPLACE INTO files VALUES ({','.join('?' * len(row))})", row
