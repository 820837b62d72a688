import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from headwater.domain.errors import IndexDamagedError, IndexVersionError
from headwater.sources.document import Chunk
from headwater.sources.index.changes import Batch, ChunkChange, FileRecord, Kind, kind_of
from headwater.sources.index.stamp import Stamp, analysis_version
from headwater.sources.index.store import IndexStore, embedding_text
from tests.sources.stand_ins import hashed_vector

STAMP = Stamp("hashing", 64, "fts5", analysis_version())


def open_store(folder: Path, stamp: Stamp = STAMP) -> IndexStore:
    return IndexStore(folder, stamp, title_boost=1.0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[IndexStore]:
    store = open_store(tmp_path / "g1")
    yield store
    store.close()


def chunk(name: str, text: str, path: str = "a.md", access: list[str] | None = None) -> Chunk:
    return Chunk(id=name, path=path, text=text, title="Title", access=access)


def change(chunk: Chunk, run: int, kind: Kind = "add") -> ChunkChange:
    vector = hashed_vector(embedding_text(chunk)) if kind in ("add", "replace") else None
    return ChunkChange(kind, chunk, run, vector)


def record(path: str = "a.md") -> FileRecord:
    return FileRecord(path, 10, 20, None, "digest", "1", 30)


def put(store: IndexStore, *chunks: Chunk, path: str = "a.md") -> int:
    """Bring a file with these chunks in, as an ingestion of its own."""
    run = store.next_run()
    known = store.catalog.known([c.id for c in chunks])
    changes = [change(c, run, kind_of(c, known.get(c.id))) for c in chunks]
    store.apply(Batch(changes, [record(path)], run=run))
    return run


def test_a_batch_is_in_all_three_parts(store: IndexStore) -> None:
    put(store, chunk("1", "pump seal"), chunk("2", "oil filter"))
    assert store.counts() == {"chunks": 2, "keyword": 2, "vectors": 2}
    assert store.keyword.search(["seal"], limit=5) == ["1"]
    assert store.vectors.search(hashed_vector("Title\noil filter"), limit=1)[0].id == "2"
    assert store.catalog.files() == {"a.md": replace(record(), done=True)}


def test_chunks_are_counted_by_language(store: IndexStore) -> None:
    languages = ["fr", "en", "fr", None]
    put(store, *(replace(chunk(str(i), "x"), language=lang) for i, lang in enumerate(languages)))
    assert store.catalog.languages() == {"en": 1, "fr": 2}


def test_chunks_that_a_file_no_longer_has_go(store: IndexStore) -> None:
    put(store, chunk("1", "pump seal"), chunk("2", "oil filter"))
    put(store, chunk("1", "pump seal"))
    assert store.counts() == {"chunks": 1, "keyword": 1, "vectors": 1}
    assert store.keyword.search(["oil"], limit=5) == []


def test_a_file_that_is_gone_takes_its_chunks_along_and_no_others(store: IndexStore) -> None:
    put(store, chunk("1", "pump seal"))
    put(store, chunk("2", "oil filter", "b.md"), path="b.md")
    store.apply(Batch(gone=["a.md"], run=store.next_run()))
    assert sorted(store.keyword.ids()) == store.vectors.ids() == ["2"]
    assert list(store.catalog.files()) == ["b.md"]


def test_a_changed_chunk_is_found_by_its_new_words_only(store: IndexStore) -> None:
    put(store, chunk("1", "pump seal"))
    put(store, chunk("1", "gear box"))
    assert store.keyword.search(["seal"], limit=5) == []
    assert store.keyword.search(["gear"], limit=5) == ["1"]
    assert store.vectors.vectors(["1"])["1"] == hashed_vector("Title\ngear box")


def test_a_new_access_list_reaches_both_indexes_without_a_vector(store: IndexStore) -> None:
    put(store, chunk("1", "pump seal"))
    put(store, chunk("1", "pump seal", access=["group:hr"]))
    [label] = [n for n, (access, _) in store.catalog.labels().items() if access == ["group:hr"]]
    assert store.keyword.search(["pump"], limit=5, labels=[label]) == ["1"]
    assert store.vectors.search(hashed_vector("pump"), limit=5, labels=[label])[0].id == "1"
    assert store.catalog.passages(["1"], source="s")["1"].access == ["group:hr"]


def test_term_counts_follow_every_kind_of_change(store: IndexStore) -> None:
    put(store, chunk("1", "pump pump seal"), chunk("2", "pump"))
    assert store.catalog.frequencies(9) == {"pump": 2, "title": 2, "seal": 1}
    put(store, chunk("1", "gear"), chunk("2", "pump", access=[]))
    assert store.catalog.frequencies(9) == {"title": 2, "gear": 1, "pump": 1}
    store.apply(Batch(gone=["a.md"], run=store.next_run()))
    assert store.catalog.frequencies(9) == {}


def test_what_was_begun_is_completed_when_opened_again(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    put(store, chunk("1", "pump seal"), chunk("2", "oil filter"))
    run = store.next_run()
    changes = [change(chunk("1", "gear box"), run, "replace"), change(chunk("3", "valve"), run)]
    store.catalog.begin(Batch(changes, [record()], run=run))
    assert not store.catalog.files()["a.md"].done
    store.close()

    again = open_store(tmp_path)
    assert again.counts() == {"chunks": 2, "keyword": 2, "vectors": 2}
    assert again.keyword.search(["gear"], limit=5) == ["1"]
    assert again.keyword.search(["seal"], limit=5) == again.keyword.search(["oil"], limit=5) == []
    assert again.vectors.search(hashed_vector("Title\nvalve"), limit=1)[0].id == "3"
    assert again.catalog.files()["a.md"].done
    again.close()


def test_completing_twice_changes_nothing(store: IndexStore) -> None:
    run = store.next_run()
    pending = store.catalog.begin(Batch([change(chunk("1", "pump"), run)], [record()], run=run))
    store.vectors.write(pending.vectors)
    store.keyword.write(add=pending.entries)
    store.recover()
    store.recover()
    assert store.counts() == {"chunks": 1, "keyword": 1, "vectors": 1}


@pytest.mark.parametrize(
    "other",
    [
        replace(STAMP, embedder="another"),
        replace(STAMP, dimensions=3),
        replace(STAMP, keyword="whoosh"),
        replace(STAMP, analysis="former"),
        replace(STAMP, format=STAMP.format + 1),
    ],
    ids=lambda stamp: str(stamp)[:60],
)
def test_an_index_made_with_something_else_is_refused(tmp_path: Path, other: Stamp) -> None:
    open_store(tmp_path).close()
    with pytest.raises(IndexVersionError, match="--rebuild"):
        open_store(tmp_path, other)
    open_store(tmp_path).close()


def test_parts_that_contradict_each_other_are_noticed(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    put(store, chunk("1", "pump"), chunk("2", "seal"))
    store.vectors.delete(["1"])
    store.close()
    with pytest.raises(IndexDamagedError, match=r"'vectors': 1.*--rebuild"):
        open_store(tmp_path)


def test_after_a_crash_a_damaged_vector_index_is_tried_elsewhere_first(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    put(store, chunk("1", "pump"))
    store.close()
    (tmp_path / "open").touch()
    open_store(tmp_path).close()
    (tmp_path / "open").touch()
    (tmp_path / "vectors" / "chroma.sqlite3").write_bytes(b"broken" * 1_000)
    with pytest.raises(IndexDamagedError, match="trial search"):
        open_store(tmp_path)


def test_a_catalogue_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "chunks.sqlite").write_bytes(b"broken" * 1_000)
    with pytest.raises(IndexDamagedError, match=r"chunks\.sqlite"):
        open_store(tmp_path)


def test_ids_are_drawn_at_even_distances(store: IndexStore) -> None:
    put(store, *(chunk(f"{i:03}", f"word{i}") for i in range(100)))
    drawn = [int(i) for i in store.catalog.evenly(10)]
    assert len(drawn) == 10
    assert {b - a for a, b in pairwise(drawn)} <= {9, 10, 11}
    assert len(store.catalog.evenly(256)) == 100


def test_the_catalogue_stays_readable_to_others_meanwhile(store: IndexStore) -> None:
    put(store, chunk("1", "pump"))
    with sqlite3.connect(store.folder / "chunks.sqlite") as other:
        assert other.execute("SELECT count(*) FROM chunks").fetchone() == (1,)
    other.close()


def test_what_is_embedded_names_title_and_headings_once() -> None:
    text = embedding_text(replace(chunk("1", "Body."), heading=["Title", "Part"]))
    assert text == "Title\nPart\nBody."
    assert embedding_text(replace(chunk("1", "Body."), title="")) == "Body."
