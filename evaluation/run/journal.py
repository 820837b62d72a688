"""`results.jsonl` while it grows: a row is on disk as soon as it is known."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from ..errors import DataError
from ..record import ResultRow, to_line
from .task import Key

RESULTS = "results.jsonl"


@dataclass(slots=True)
class Journal:
    """The rows of a folder; opened by one process at a time.

    A question that failed is asked again, so that it may have several rows: the last one counts.
    """

    path: Path
    done: set[Key]
    """Keys whose last row is the one of a run that came to its end."""
    failed: set[Key]
    """Keys whose last row has an error."""
    _file: IO[bytes]
    repaired: bool = False
    """Whether the last line was torn, as a killed run leaves it, and was taken off."""
    _end: int = field(init=False)

    def __post_init__(self) -> None:
        self._end = self._file.tell()

    @classmethod
    def open(cls, folder: Path) -> Self:
        """Open the rows of a folder, both made if need be; a torn last line is taken off.

        Raises:
            DataError: another process has it open, a line before the last is no row, or the
                folder cannot be written.
        """
        path = folder / RESULTS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
        except OSError as error:
            raise _unwritable(path, error, 0) from error
        try:
            _lock(file, path)
            whole = _whole_length(file)
            file.seek(0, os.SEEK_END)
            torn = file.tell() > whole
            if torn:
                file.truncate(whole)
            last = {_key(row): row.get("error") for row in _rows(file, path)}
            file.seek(0, os.SEEK_END)
        except BaseException:
            file.close()
            raise
        failed = {key for key, error in last.items() if error is not None}
        return cls(path, last.keys() - failed, failed, file, torn)

    def append(self, row: ResultRow) -> None:
        """Put one row at the end. Raises DataError, then with all rows before it still whole."""
        written = to_line(row)
        try:
            self._file.write(written)
            self._file.flush()
        except OSError as error:
            self._give_up()
            raise _unwritable(self.path, error, len(self)) from error
        self._end += len(written)
        key = (row.base, row.setting, row.dataset, row.qid)
        self.failed.discard(key)
        (self.done if row.error is None else self.failed).add(key)

    def __len__(self) -> int:
        """Count the questions that have a row, each once a setting."""
        return len(self.done) + len(self.failed)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _give_up(self) -> None:
        """Take off the part of a line that could be written; it may hang in the buffer as well."""
        raw = getattr(self._file, "raw", None)
        os.truncate(self.path, self._end)
        if raw is not None:
            raw.close()  # the buffer could never be emptied: closing it would raise again


def rows_in(path: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of a file as they were written; a torn last line is passed over.

    Raises:
        DataError: a line before the last is no row; says which.
    """
    with path.open("rb") as file:
        yield from _rows(file, path)


def _rows(file: IO[bytes], path: Path) -> Iterator[dict[str, Any]]:
    file.seek(0)
    for number, line in enumerate(file, start=1):
        if not line.endswith(b"\n"):
            return
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            _key(row)
        except (ValueError, KeyError, TypeError) as error:
            raise DataError(
                "This line is no row of results.",
                place=f"{path}:{number}",
                fix="Delete the line, or name another folder with --out.",
            ) from error
        yield row


def _key(row: dict[str, Any]) -> Key:
    return row["base"], row["setting"], row["dataset"], row["qid"]


def _whole_length(file: IO[bytes]) -> int:
    """Give the length up to the last line end, in bytes."""
    file.seek(0, os.SEEK_END)
    end = file.tell()
    step = 1 << 16
    while end > 0:
        start = max(0, end - step)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0


def _lock(file: IO[bytes], path: Path) -> None:
    """Let no second process write the same rows; the system lets go when this one ends."""
    try:
        import fcntl
    except ImportError:  # Windows has no such locks
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise DataError(
            "Another evaluation is writing here.",
            place=str(path),
            fix="Wait for it, or name another folder with --out.",
        ) from error


def _unwritable(path: Path, error: OSError, kept: int) -> DataError:
    held = f" {kept} rows are kept; the same command goes on after them." if kept else ""
    return DataError(
        f"Cannot be written: {error.strerror}.{held}",
        place=str(path),
        fix="Make room, or name another folder with --out.",
    )
