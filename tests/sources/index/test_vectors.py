import math
import os
import subprocess
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from headwater.domain.errors import IndexDamagedError, ModelOutputError
from headwater.sources.index.vectors import VectorEntry, VectorIndex


def unit(*values: float) -> "array[float]":
    length = math.sqrt(sum(v * v for v in values))
    return array("f", [v / length for v in values])


ENTRIES = [
    VectorEntry("east", unit(1, 0, 0), 1),
    VectorEntry("north", unit(0, 1, 0), 1),
    VectorEntry("northeast", unit(1, 1, 0), 2),
]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    index = VectorIndex(tmp_path / "vectors")
    yield index
    index.close()


def test_gives_the_nearest_first_with_their_cosine(index: VectorIndex) -> None:
    index.write(ENTRIES)
    found = index.search(unit(1, 0, 0), limit=2)
    assert [n.id for n in found] == ["east", "northeast"]
    assert [n.similarity for n in found] == pytest.approx([1.0, math.sqrt(0.5)], abs=1e-5)


def test_finds_fewer_than_asked_for_where_there_are_fewer(index: VectorIndex) -> None:
    assert index.search(unit(1, 0, 0), limit=50) == []
    index.write(ENTRIES)
    assert len(index.search(unit(1, 0, 0), limit=50)) == 3
    assert index.search(unit(1, 0, 0), limit=0) == []


def test_labels_restrict_and_no_label_admits_nothing(index: VectorIndex) -> None:
    index.write(ENTRIES)
    assert [n.id for n in index.search(unit(1, 0, 0), limit=9, labels=[2])] == ["northeast"]
    assert index.search(unit(1, 0, 0), limit=9, labels=[]) == []


def test_a_new_label_leaves_the_vector_as_it_was(index: VectorIndex) -> None:
    index.write(ENTRIES)
    index.relabel([("east", 2)])
    assert [n.id for n in index.search(unit(1, 0, 0), limit=9, labels=[2])] == ["east", "northeast"]


def test_writing_an_id_again_replaces_it(index: VectorIndex) -> None:
    index.write(ENTRIES)
    index.write([VectorEntry("east", unit(0, 0, 1), 1)])
    assert index.count() == 3
    assert index.search(unit(0, 0, 1), limit=1)[0].id == "east"


def test_deletes_what_it_knows_and_passes_over_the_rest(index: VectorIndex) -> None:
    index.write(ENTRIES)
    index.delete(["east", "nowhere"])
    assert sorted(index.ids()) == ["north", "northeast"]


def test_gives_stored_vectors_and_their_cosines_by_id(index: VectorIndex) -> None:
    index.write(ENTRIES)
    assert index.vectors(["north", "nowhere"]) == {"north": unit(0, 1, 0)}
    assert index.similarities(unit(0, 2, 0), ["north", "east"]) == pytest.approx(
        {"north": 1.0, "east": 0.0}, abs=1e-6
    )


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_refuses_vectors_that_are_no_numbers(index: VectorIndex, bad: float) -> None:
    with pytest.raises(ModelOutputError):
        index.write([VectorEntry("bad", array("f", [bad, 0, 0]), 1)])
    assert index.count() == 0


def test_a_search_for_fifty_misses_none_of_the_nearest(index: VectorIndex) -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(1_500, 64)).astype("f4")
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    index.write([VectorEntry(str(i), array("f", row.tobytes()), 1) for i, row in enumerate(rows)])
    found = {n.id for n in index.search(array("f", rows[0].tobytes()), limit=50)}
    nearest = {str(i) for i in np.argsort(-(rows @ rows[0]))[:50]}
    assert len(found & nearest) >= 48


def test_is_found_again_after_reopening(tmp_path: Path) -> None:
    first = VectorIndex(tmp_path)
    first.write(ENTRIES)
    first.close()
    first.close()
    again = VectorIndex(tmp_path)
    assert again.search(unit(0, 1, 0), limit=1)[0].id == "north"
    again.close()


def test_a_damaged_database_is_named_with_the_fix(tmp_path: Path) -> None:
    (tmp_path / "chroma.sqlite3").write_bytes(b"this is no database" * 1_000)
    with pytest.raises(IndexDamagedError, match="--rebuild"):
        VectorIndex(tmp_path)


OFFLINE = """
import pathlib, socket, sys
from array import array
def refuse(*arguments, **named):
    raise AssertionError(f"a connection was tried: {arguments}")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from headwater.sources.index.vectors import VectorEntry, VectorIndex
index = VectorIndex(pathlib.Path(sys.argv[1]))
index.write([VectorEntry("a", array("f", [1.0, 0.0]), 1)])
assert [n.id for n in index.search(array("f", [1.0, 0.0]), limit=5)] == ["a"]
index.close()
"""


def test_nothing_is_downloaded_and_nobody_is_called(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    surroundings = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(tmp_path / "vectors")],
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("*")) == []
