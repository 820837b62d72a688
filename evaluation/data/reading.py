"""Read rows from JSON Lines, plain or compressed, one at a time."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from pydantic import TypeAdapter, ValidationError

from ..errors import DataError
from .rows import Row

_SHOWN = 3
"""Complaints about one row that are quoted; they mostly repeat one cause."""


def read_rows(
    path: Path, row_type: type[Row], *, strict: bool, on_problem: Callable[[str], None]
) -> Iterator[Row]:
    """Give the rows of a `.jsonl` or `.jsonl.gz` file in order, streaming; blank lines are none.

    A line that is no such row is told to `on_problem` as `file:line: what is wrong` and left out.

    Raises:
        DataError: the file is missing or damaged, or a line is wrong and `strict` is set.
    """
    adapter = TypeAdapter(row_type)
    with _opened(path) as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = adapter.validate_json(line)
            except ValidationError as exc:
                complaint, place = _complaint(exc), f"{path}:{number}"
                if strict:
                    fix = "Correct the line, or leave out --strict to go on without it."
                    raise DataError(complaint, place=place, fix=fix) from exc
                on_problem(f"{place}: {complaint}")
                continue
            yield row


def find(folder: Path, stem: str) -> Path | None:
    """Give `stem.jsonl` or `stem.jsonl.gz` in a folder, whichever is there; the plain one first."""
    names = (f"{stem}.jsonl", f"{stem}.jsonl.gz")
    return next((path for name in names if (path := folder / name).is_file()), None)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            yield cast("BinaryIO", file)
    except FileNotFoundError as exc:
        raise DataError("There is no such file.", place=str(path)) from exc
    except (OSError, EOFError, zlib.error) as exc:
        cause = f"It cannot be read to its end ({exc})."
        raise DataError(cause, place=str(path), fix="Get the file again.") from exc


def _complaint(error: ValidationError) -> str:
    told = []
    for detail in error.errors(include_url=False, include_input=False)[:_SHOWN]:
        where = ".".join(str(part) for part in detail["loc"])
        told.append(f"{where}: {detail['msg']}" if where else detail["msg"])
    return "; ".join(told) + "."
