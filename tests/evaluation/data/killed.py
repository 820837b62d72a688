"""Opens a base over one data set in a process that dies once so many passages are embedded.

Run as `python -m tests.evaluation.data.killed DATA SET CACHE NUMBER`.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path

from headwater.evaluation.data.bases import one_set
from headwater.evaluation.data.corpora import Building, Opening, open_base
from headwater.sources.index import intake


async def main(data: Path, name: str, cache: Path, number: int) -> None:
    intake.BATCH = 100

    def watch(progress: Building) -> None:
        if progress.chunks >= number:
            os.kill(os.getpid(), signal.SIGKILL)

    base = await open_base(one_set(name), data, cache=cache, opening=Opening(on_progress=watch))
    await base.close()


if __name__ == "__main__":
    data, name, cache, number = sys.argv[1:]
    asyncio.run(main(Path(data), name, Path(cache), int(number)))
