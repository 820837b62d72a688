"""Keyword engine: SQLite FTS5, for folders that outgrow Whoosh."""

import threading
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from .keyword import KeywordEntry
from .sqlite import connect, translated

# The tokenizer only has to leave our terms whole: `ascii` splits at ASCII punctuation, save the
# characters that may join the parts of a term.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, label INTEGER NOT NULL,
    title TEXT NOT NULL, text TEXT NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5 (
    title, text, content = 'entries', content_rowid = 'number',
    tokenize = "ascii tokenchars '-._'''"
);
CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab ('words', 'row');
CREATE TRIGGER IF NOT EXISTS entry_added AFTER INSERT ON entries BEGIN
    INSERT INTO words (rowid, title, text) VALUES (new.number, new.title, new.text);
END;
CREATE TRIGGER IF NOT EXISTS entry_deleted AFTER DELETE ON entries BEGIN
    INSERT INTO words (words, rowid, title, text)
    VALUES ('delete', old.number, old.title, old.text);
END;
"""
_SEARCH = """
SELECT id FROM words JOIN entries ON number = words.rowid
WHERE words MATCH ? {allowed} ORDER BY bm25(words, ?, 1.0), number LIMIT ?
"""


class Fts5Keyword:
    """A `KeywordIndex` on SQLite FTS5; one connection for writing, one for reading."""

    def __init__(self, folder: Path, *, title_boost: float) -> None:
        self._path = folder / "keyword.sqlite"
        self._title_boost = title_boost
        self._reading, self._writing = threading.Lock(), threading.Lock()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with translated(self._path):
            self._writer = connect(self._path)
            self._writer.executescript(_SCHEMA)
            self._reader = connect(self._path)

    def write(self, *, delete: Collection[str] = (), add: Sequence[KeywordEntry] = ()) -> None:
        rows = [(e.id, e.label, " ".join(e.title), " ".join(e.text)) for e in add]
        with self._writing, translated(self._path), self._writer as connection:
            connection.executemany("DELETE FROM entries WHERE id = ?", [(i,) for i in delete])
            connection.executemany(
                "INSERT INTO entries (id, label, title, text) VALUES (?, ?, ?, ?)", rows
            )

    def search(
        self, terms: Sequence[str], *, limit: int, labels: Collection[int] | None = None
    ) -> list[str]:
        if not terms or limit < 1:
            return []
        match = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))
        marks = ",".join("?" * len(labels or ()))
        allowed = "" if labels is None else f"AND label IN ({marks})"
        arguments = (match, *(labels or ()), self._title_boost, limit)
        with self._reading, translated(self._path):
            rows = self._reader.execute(_SEARCH.format(allowed=allowed), arguments)
            return [row[0] for row in rows]

    def document_frequency(self, term: str) -> int:
        return self._number("SELECT doc FROM vocabulary WHERE term = ?", term)

    def count(self) -> int:
        return self._number("SELECT count(*) FROM entries")

    def ids(self) -> Iterable[str]:
        with self._reading, translated(self._path):
            return [row[0] for row in self._reader.execute("SELECT id FROM entries")]

    def close(self) -> None:
        with self._reading, self._writing:
            self._reader.close()
            self._writer.close()

    def _number(self, statement: str, *arguments: str) -> int:
        with self._reading, translated(self._path):
            row = self._reader.execute(statement, arguments).fetchone()
            return int(row[0]) if row else 0
