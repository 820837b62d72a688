"""One process per index: a lock file that the operating system drops when its holder dies."""

import errno
import os
import sys
import time
from pathlib import Path
from typing import IO

from ...domain.errors import IndexLockedError, IndexStoreError

if sys.platform == "win32":
    import msvcrt

    # The byte that is locked lies behind the text, which others must be able to read.
    _LOCKED_BYTE = 1_000

    def _acquire(file: IO[bytes]) -> None:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _acquire(file: IO[bytes]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


_HELD = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})
"""How systems say that another one holds it; anything else is a fault of the disk."""
_POLL_S = 0.05
_HELD_FIX = "Wait until it is done, stop it, or let this one index somewhere else (`state`)."
_DISK_FIX = "Name a folder that can be written to, on a local disk, in `state`."


class IndexLock:
    """Held from construction until `release`; another holder is waited for `patience_s` seconds.

    The file keeps the process id of its last holder, for the message of the next one; its
    presence means nothing, and it is never deleted (a deleted lock file can be held twice).

    Raises:
        IndexLockedError: another process, or another lock in this one, still holds it.
        IndexStoreError: the file cannot be made, or its disk knows no locks.
    """

    def __init__(self, path: Path, *, patience_s: float = 0.0) -> None:
        folder = str(path.parent)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._file = path.open("a+b", buffering=0)
        except OSError as exc:
            raise IndexStoreError(folder, f"it cannot be written ({exc}).", fix=_DISK_FIX) from exc
        try:
            holder = _hold(self._file, patience_s)
        except OSError as exc:
            self._file.close()
            raise IndexStoreError(folder, f"it cannot be locked ({exc}).", fix=_DISK_FIX) from exc
        if holder:
            self._file.close()
            raise IndexLockedError(folder, f"process {holder} has it open.", fix=_HELD_FIX)

    def release(self) -> None:
        """Let others have it; a second call does nothing."""
        self._file.close()


def _hold(file: IO[bytes], patience_s: float) -> str:
    """Lock the file and write our name into it; gives the name of who has it still, if any."""
    deadline = time.monotonic() + patience_s
    while not _acquired(file):
        if time.monotonic() >= deadline:
            return _holder(file)
        time.sleep(_POLL_S)
    file.truncate(0)
    file.write(str(os.getpid()).encode())
    return ""


def _acquired(file: IO[bytes]) -> bool:
    try:
        _acquire(file)
    except OSError as exc:
        if exc.errno not in _HELD:
            raise
        return False
    return True


def _holder(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(32).decode("ascii", "replace").strip() or "(unknown)"
