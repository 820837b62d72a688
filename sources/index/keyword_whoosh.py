"""Keyword engine: Whoosh 2.7.4, BM25F."""

import pickle
import struct
import threading
import warnings
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...domain.errors import ConfigurationError, IndexDamagedError, IndexLockedError
from .keyword import KeywordEntry
from .sqlite import REBUILD

with warnings.catch_warnings():
    # Its source compiles with warnings on newer Pythons. The codec and the analysers are named
    # here because Whoosh imports them late, when this block would be over. It ships no types.
    warnings.simplefilter("ignore")
    import whoosh  # type: ignore[import-untyped]
    import whoosh.analysis  # type: ignore[import-untyped]
    import whoosh.codec.whoosh3  # type: ignore[import-untyped]
    import whoosh.fields  # type: ignore[import-untyped]
    import whoosh.index  # type: ignore[import-untyped]
    import whoosh.qparser  # type: ignore[import-untyped]
    import whoosh.query  # type: ignore[import-untyped]

_VERSION = (2, 7, 4)
_READ_ERRORS = (
    *(OSError, EOFError, LookupError, ValueError, struct.error, zlib.error),
    *(pickle.UnpicklingError, whoosh.index.IndexError),
)
"""What Whoosh lets through when its files are damaged."""


class WhooshKeyword:
    """A `KeywordIndex` on Whoosh.

    One searcher behind a lock: a Whoosh searcher shared by threads gives wrong hits, and one
    searcher a thread would not be faster, as Whoosh holds the interpreter's lock.
    """

    def __init__(self, folder: Path, *, title_boost: float) -> None:
        _check_version()
        self._folder = folder
        self._title_boost = title_boost
        self._lock = threading.Lock()
        self._closed = False
        with self._readable():
            self._index = _open(folder)
            self._searcher = self._index.searcher()

    def write(self, *, delete: Collection[str] = (), add: Sequence[KeywordEntry] = ()) -> None:
        with self._writing() as writer:
            if delete:
                with writer.searcher() as searcher:
                    for passage_id in delete:
                        writer.delete_by_query(whoosh.query.Term("id", passage_id), searcher)
            for entry in add:
                writer.add_document(
                    id=entry.id, label=str(entry.label), title=entry.title, text=entry.text
                )
        with self._lock:
            # Not `refresh`: it leaves the files of merged segments open for the garbage collector.
            former, self._searcher = self._searcher, self._index.searcher()
            former.close()

    def search(
        self, terms: Sequence[str], *, limit: int, labels: Collection[int] | None = None
    ) -> list[str]:
        if not terms or limit < 1 or (labels is not None and not labels):
            return []
        query = whoosh.query.Or([*self._terms(terms)])
        allowed = None if labels is None else _labelled(labels)
        with self._lock, self._readable():
            results = self._searcher.search(query, limit=limit, filter=allowed)
            return [hit["id"] for hit in results]

    def document_frequency(self, term: str) -> int:
        with self._lock, self._readable():
            reader = self._searcher.reader()
            return max(int(reader.doc_frequency(field, term)) for field in ("title", "text"))

    def count(self) -> int:
        with self._lock, self._readable():
            return int(self._searcher.doc_count())

    def ids(self) -> Iterable[str]:
        with self._lock, self._readable():
            return [fields["id"] for fields in self._searcher.reader().all_stored_fields()]

    def close(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._searcher.close()
                self._index.close()

    def _terms(self, terms: Sequence[str]) -> Iterator[Any]:
        for term in dict.fromkeys(terms):
            yield whoosh.query.Term("text", term)
            yield whoosh.query.Term("title", term, boost=self._title_boost)

    @contextmanager
    def _writing(self) -> Iterator[Any]:
        try:
            # One file a field (`compound=False`): a compound one is copied into memory by every
            # reader. A process pool (`procs`) was slower.
            writer = self._index.writer(timeout=30, limitmb=128, procs=1, compound=False)
        except whoosh.index.LockError as exc:
            raise IndexLockedError(
                str(self._folder), "its writer is busy.", fix="Try again."
            ) from exc
        try:
            yield writer
        except BaseException:
            writer.cancel()
            raise
        writer.commit()

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except _READ_ERRORS as exc:
            cause = f"the keyword index cannot be read ({exc!r})."
            raise IndexDamagedError(str(self._folder), cause, fix=REBUILD) from exc


def _check_version() -> None:
    if whoosh.__version__ != _VERSION:
        raise ConfigurationError(
            f"Whoosh {whoosh.__version__!r} is installed, {_VERSION} is needed: its forks share"
            " its import name.",
            fix="Uninstall the fork, then: pip install --force-reinstall whoosh==2.7.4",
        )


def _open(folder: Path) -> "whoosh.index.Index":
    if whoosh.index.exists_in(str(folder)):
        return whoosh.index.open_dir(str(folder))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return whoosh.index.create_in(str(folder), _schema())


def _schema() -> "whoosh.fields.Schema":
    # Entries come analysed; the tokenizer only has to be one that Whoosh itself can unpickle.
    words = whoosh.analysis.SpaceSeparatedTokenizer()
    return whoosh.fields.Schema(
        id=whoosh.fields.ID(unique=True, stored=True),
        label=whoosh.fields.ID,
        title=whoosh.fields.TEXT(analyzer=words, phrase=False),
        text=whoosh.fields.TEXT(analyzer=words, phrase=False),
    )


def _labelled(labels: Collection[int]) -> "whoosh.query.Query":
    return whoosh.query.Or([whoosh.query.Term("label", str(label)) for label in labels])
