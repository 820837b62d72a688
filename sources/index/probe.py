"""Try a vector index in a process of its own: a damaged one can end the process that opens it.

Run as `python -m headwater.sources.index.probe FOLDER`; exit status 0 says that it can be used.
"""

import subprocess
import sys
from pathlib import Path

from ...domain.errors import IndexDamagedError
from .sqlite import REBUILD

_TIMEOUT_S = 120


def check_vectors(folder: Path) -> None:
    """Open the index in `folder` elsewhere and search it once; nobody may have it open.

    Raises:
        IndexDamagedError: the other process failed, died or hung.
    """
    command = [sys.executable, "-m", __name__, str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as exc:
        raise IndexDamagedError(str(folder), "the vector index hangs.", fix=REBUILD) from exc
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        cause = f"a trial search ended with status {done.returncode} {last}."
        raise IndexDamagedError(str(folder), cause, fix=REBUILD)


def _main(folder: Path) -> None:
    from .vectors import VectorIndex

    index = VectorIndex(folder)
    for vector in index.vectors(index.ids()[:1]).values():
        index.search(vector, limit=50)
    index.close()


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
