"""The parent's side of the worker process: start, ask, bound in time, start again."""

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache

from ...domain.errors import FileRejectedError, LimitExceededError
from ..document import Section
from .extracted import Extracted
from .limits import ParseLimits

WORKER = (sys.executable, "-P", "-m", f"{__package__}.worker")
"""`-P`: modules in the working folder must not be imported; they may be the user's data."""


class ParserProcess:
    """One worker process, started at the first request and used by one thread at a time.

    It is started as a program of its own, not forked: so it costs the host nothing but a pipe and
    does not care which threads, locks or models the host holds.
    """

    def __init__(self, command: Sequence[str] = WORKER) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._worker: subprocess.Popen[bytes] | None = None
        self._owner = 0
        self._counting = threading.Lock()
        self._users = 0

    def parse(
        self, path: str, kind: str, limits: ParseLimits, *, location: str = "", text: str = ""
    ) -> Extracted:
        """Parse the file at `location`, or `text` for HTML, in the worker.

        Raises:
            FileRejectedError: the worker rejects it, crashes on it, or takes longer than
                `timeout_seconds`; the next request starts a new worker.
            LimitExceededError: it is larger than a limit.
        """
        request = {
            "path": path,
            "kind": kind,
            "limits": json.dumps(asdict(limits)),
            "location": location,
            "text": text,
        }
        with self._lock:
            line, timed_out = self._ask(json.dumps(request).encode() + b"\n", limits)
        if not line.endswith(b"\n"):
            raise _lost(path, limits, timed_out=timed_out)
        return _understood(path, json.loads(line))

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Keep the worker from request to request; the last one to leave ends it.

        An idle worker holds tens of megabytes, a new one is there in a fraction of a second.
        """
        with self._counting:
            self._users += 1
        try:
            yield
        finally:
            with self._counting:
                self._users -= 1
                last = self._users == 0
            if last:
                self.close()

    def close(self) -> None:
        """End the worker; a later request starts another."""
        with self._lock:
            self._stop()

    def _ask(self, request: bytes, limits: ParseLimits) -> tuple[bytes, bool]:
        """Send and wait; an answer that is cut off means that the worker is gone."""
        worker = self._running()
        late = threading.Event()

        def end() -> None:
            late.set()
            worker.kill()

        timer = threading.Timer(limits.timeout_seconds, end)
        timer.start()
        line = b""
        try:
            line = _exchange(worker, request)
        finally:
            timer.cancel()
            if not line.endswith(b"\n"):
                self._stop()
        return line, late.is_set()

    def _running(self) -> "subprocess.Popen[bytes]":
        """Give the worker of this very process: after a fork the child starts its own."""
        if self._worker is not None and self._owner != os.getpid():
            self._worker = None
        if self._worker is not None and self._worker.poll() is not None:
            self._stop()
        if self._worker is None:
            self._owner = os.getpid()
            self._worker = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        return self._worker

    def _stop(self) -> None:
        worker, self._worker = self._worker, None
        if worker is None or self._owner != os.getpid():
            return
        worker.kill()
        worker.wait()
        for pipe in (worker.stdin, worker.stdout):
            if pipe is not None:
                with suppress(OSError):  # what the worker never took cannot be written any more
                    pipe.close()


@cache
def shared_process() -> ParserProcess:
    """Give the worker that all sources of this process share; it ends with the process."""
    process = ParserProcess()
    atexit.register(process.close)
    return process


def _exchange(worker: "subprocess.Popen[bytes]", request: bytes) -> bytes:
    if worker.stdin is None or worker.stdout is None:
        return b""
    try:
        worker.stdin.write(request)
        worker.stdin.flush()
        return worker.stdout.readline()
    except OSError:  # the pipe broke: the worker is gone
        return b""


def _lost(path: str, limits: ParseLimits, *, timed_out: bool) -> FileRejectedError:
    if timed_out:
        return FileRejectedError(
            path,
            f"Reading it took longer than {limits.timeout_seconds:g} seconds.",
            fix="Raise `timeout_seconds` for this source if the file can be trusted.",
        )
    return FileRejectedError(
        path, "The parser crashed on it.", fix="Convert the file to another format."
    )


def _understood(path: str, answer: dict[str, dict[str, object]]) -> Extracted:
    if limit := answer.get("limit"):
        raise LimitExceededError(
            path,
            limit=str(limit["limit"]),
            allowed=int(str(limit["allowed"])),
            used=int(str(limit["used"])),
        )
    if rejected := answer.get("rejected"):
        raise FileRejectedError(path, str(rejected["cause"]), fix=str(rejected["fix"]))
    fields = dict(answer["extracted"])
    sections = fields.pop("sections")
    rows: list[dict[str, object]] = sections if isinstance(sections, list) else []
    return Extracted([Section(**row) for row in rows], **fields)  # type: ignore[arg-type]
