import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError, IndexLockedError
from headwater.sources.index.shared import SharedIndex
from tests.sources.index.test_store import STAMP, chunk, put


def open_index(state: Path) -> SharedIndex:
    return SharedIndex.open(state, STAMP, title_boost=1.0)


def test_opening_twice_in_one_process_shares_the_index(tmp_path: Path) -> None:
    one, other = open_index(tmp_path), open_index(tmp_path / "." / "x" / "..")
    assert one is other
    put(one.store(), chunk("1", "pump"))
    one.close()
    assert other.store().counts()["keyword"] == 1
    other.close()


def test_other_settings_for_an_open_index_are_refused(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    with pytest.raises(ConfigurationError, match="`state`"):
        SharedIndex.open(tmp_path, replace(STAMP, embedder="other"), title_boost=1.0)
    index.close()
    SharedIndex.open(tmp_path, replace(STAMP, embedder="other"), title_boost=1.0).close()


def test_another_process_cannot_open_it_until_the_last_user_left(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib\n"
        "from headwater.domain.errors import IndexLockedError\n"
        "from headwater.sources.index.lock import IndexLock\n"
        "try: IndexLock(pathlib.Path(sys.argv[1]) / 'lock').release()\n"
        "except IndexLockedError: print('locked')\n"
    )

    def elsewhere() -> str:
        command = [sys.executable, "-c", program, str(tmp_path)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    one, two = open_index(tmp_path), open_index(tmp_path)
    one.close()
    assert elsewhere() == "locked"
    two.close()
    assert elsewhere() == ""


def test_nothing_exists_before_the_first_use_and_something_after(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    assert not index.exists()
    index.store()
    assert index.exists()
    index.close()


def test_a_rebuilt_generation_takes_the_place_of_the_former(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    put(index.store(), chunk("1", "pump"))
    fresh = index.begin_rebuild()
    assert index.store().counts()["chunks"] == 1
    put(fresh, chunk("2", "seal"), chunk("3", "oil"))
    index.switch(fresh)
    assert index.store().counts()["chunks"] == 2
    assert [f.name for f in tmp_path.glob("g*")] == [fresh.folder.name]
    index.close()


def test_a_search_in_progress_keeps_the_former_generation_open(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    put(index.store(), chunk("1", "pump"))
    leased = index.lease()
    fresh = index.begin_rebuild()
    switching = threading.Thread(target=index.switch, args=(fresh,))
    switching.start()
    switching.join(0.1)
    assert switching.is_alive()
    assert leased.keyword.search(["pump"], limit=1) == ["1"]
    index.give_back(leased)
    switching.join(10)
    assert index.store() is fresh
    index.close()


def test_an_unfinished_rebuild_is_swept_away(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    put(index.store(), chunk("1", "pump"))
    index.abandon(index.begin_rebuild())
    index.close()
    again = open_index(tmp_path)
    assert again.store().counts()["chunks"] == 1
    assert len(list(tmp_path.glob("g*"))) == 1
    again.close()


def test_the_rebuild_of_an_unusable_index_is_in_use_at_once(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    put(index.store(), chunk("1", "pump"))
    index.close()
    other = SharedIndex.open(tmp_path, replace(STAMP, embedder="other"), title_boost=1.0)
    fresh = other.begin_rebuild()
    assert other.store() is fresh
    assert fresh.counts()["chunks"] == 0
    other.close()


def test_a_failed_opening_leaves_no_lock_behind(tmp_path: Path) -> None:
    index = open_index(tmp_path)
    SharedIndex._all.clear()
    with pytest.raises(IndexLockedError):
        open_index(tmp_path)
    SharedIndex._all[index.state] = index
    index.close()
    open_index(tmp_path).close()
