import sys
from pathlib import Path

import pytest

from headwater.domain.errors import IndexDamagedError
from headwater.sources.index.probe import check_vectors
from headwater.sources.index.vectors import VectorEntry, VectorIndex
from tests.sources.stand_ins import hashed_vector


def interpreter(folder: Path, script: str) -> str:
    path = folder / "interpreter"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_a_sound_index_passes(tmp_path: Path) -> None:
    index = VectorIndex(tmp_path)
    index.write([VectorEntry("a", hashed_vector("pump"), 1)])
    index.close()
    check_vectors(tmp_path)


def test_an_index_that_was_never_filled_passes(tmp_path: Path) -> None:
    check_vectors(tmp_path / "vectors")


def test_an_index_that_ends_the_process_is_damaged_and_this_process_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", interpreter(tmp_path, "kill -SEGV $$"))
    with pytest.raises(IndexDamagedError, match=r"status -11.*--rebuild"):
        check_vectors(tmp_path)


def test_an_index_that_hangs_is_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", interpreter(tmp_path, "exec sleep 20"))
    monkeypatch.setattr("headwater.sources.index.probe._TIMEOUT_S", 0.2)
    with pytest.raises(IndexDamagedError, match="hangs"):
        check_vectors(tmp_path)
