"""One process per index: a lock file that the operating system drops when its holder dies."""

import os
import sys
from pathlib import Path
from typing import IO

from ...domain.errors import IndexLockedError

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


_FIX = "Wait until it is done, stop it, or let this one index somewhere else (`state`)."


class IndexLock:
    """Held from construction until `release`.

    The file keeps the process id of its last holder, for the message of the next one; its
    presence means nothing, and it is never deleted (a deleted lock file can be held twice).

    Raises:
        IndexLockedError: another process, or another lock in this one, holds it.
    """

    def __init__(self, path: Path) -> None:
        self._file = path.open("a+b", buffering=0)
        try:
            _acquire(self._file)
        except OSError as exc:
            holder = _holder(self._file)
            self._file.close()
            raise IndexLockedError(
                str(path.parent), f"process {holder} has it open.", fix=_FIX
            ) from exc
        self._file.truncate(0)
        self._file.write(str(os.getpid()).encode())

    def release(self) -> None:
        """Let others have it; a second call does nothing."""
        self._file.close()


def _holder(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read(32).decode("ascii", "replace").strip() or "(unknown)"
