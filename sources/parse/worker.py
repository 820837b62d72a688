"""The worker process: parses what could hang or crash, so that only the worker does.

It reads one request a line on its standard input and answers one line on its standard output,
both JSON; so an answer from a worker that a file took over is still nothing but text.
"""

import contextlib
import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from ...domain.errors import FileRejectedError, LimitExceededError
from ..document import FileEntry
from .extracted import Extracted
from .limits import ParseLimits
from .office import parse_html, parse_office
from .pdf import parse_pdf
from .reading import open_binary

MAX_MEMORY = 4 << 30
"""Bytes of address space, where the system can bound it: a hostile file runs into it alone."""


def main() -> None:
    """Serve until the standard input ends, which it does when the parent does."""
    _bound_memory()
    # Native code may print: keep the channel for ourselves and let prints go to standard error.
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as channel:
        os.dup2(2, 1)
        serve(sys.stdin, channel)


def serve(requests: TextIO, answers: TextIO) -> None:
    """Answer every request in turn."""
    for line in requests:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


def answer(request: dict[str, str]) -> dict[str, object]:
    """Parse one file; the answer holds `extracted`, `rejected` or `limit`."""
    try:
        return {"extracted": asdict(_parse(request))}
    except LimitExceededError as exc:
        return {"limit": {"limit": exc.limit, "allowed": exc.allowed, "used": exc.used}}
    except FileRejectedError as exc:
        return {"rejected": {"cause": exc.cause, "fix": exc.fix}}
    except MemoryError:
        cause = f"It needs more than {MAX_MEMORY:,} bytes of memory to be read."
        return {"rejected": {"cause": cause, "fix": ""}}
    except Exception as exc:  # noqa: BLE001 - a parser's bug costs the file, not the ingestion
        cause = f"The parser failed: {type(exc).__name__}: {exc}."
        return {"rejected": {"cause": cause, "fix": "Convert the file to another format."}}


def _parse(request: dict[str, str]) -> Extracted:
    path, kind = request["path"], request["kind"]
    limits = ParseLimits(**json.loads(request["limits"]))
    if kind == "html":
        return parse_html(path, request["text"], limits)
    with open_binary(FileEntry(path, Path(request["location"]), 0, 0)) as file:
        raw = file.read()
    return parse_pdf(path, raw, limits) if kind == "pdf" else parse_office(path, raw, kind, limits)


def _bound_memory() -> None:
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))


if __name__ == "__main__":
    main()
