import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from headwater.domain.errors import IndexLockedError, IndexStoreError
from headwater.sources.index.lock import IndexLock

HOLD = """
import sys, pathlib
from headwater.sources.index.lock import IndexLock
lock = IndexLock(pathlib.Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(IndexLockedError, match=f"process {holder.pid} "):
            IndexLock(path)
        holder.kill()
    IndexLock(path).release()


def test_it_can_be_taken_again_after_release_only(tmp_path: Path) -> None:
    first = IndexLock(tmp_path / "lock")
    with pytest.raises(IndexLockedError, match=str(os.getpid())):
        IndexLock(tmp_path / "lock")
    first.release()
    first.release()
    IndexLock(tmp_path / "lock").release()


def test_a_lock_file_left_behind_means_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text("1")
    lock = IndexLock(tmp_path / "lock")
    assert (tmp_path / "lock").read_text() == str(os.getpid())
    lock.release()


def test_a_holder_is_waited_for_as_long_as_patience_lasts(tmp_path: Path) -> None:
    holder = IndexLock(tmp_path / "lock")
    leaving = threading.Timer(0.2, holder.release)
    leaving.start()
    started = time.monotonic()
    IndexLock(tmp_path / "lock", patience_s=10.0).release()
    assert 0.1 < time.monotonic() - started < 5.0
    leaving.join()

    again = IndexLock(tmp_path / "lock")
    with pytest.raises(IndexLockedError):
        IndexLock(tmp_path / "lock", patience_s=0.1)
    again.release()


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file is in its place")
    with pytest.raises(IndexStoreError, match="cannot be written") as caught:
        IndexLock(tmp_path / "state" / "lock")
    assert "`state`" in caught.value.fix
