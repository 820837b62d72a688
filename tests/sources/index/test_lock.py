import os
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.domain.errors import IndexLockedError
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
