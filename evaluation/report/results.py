"""Reading what an evaluation wrote, also when it was stopped in the middle of a line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..record import ResultRow, from_json

RESULTS, RUN = "results.jsonl", "run.json"


@dataclass(slots=True)
class Results:
    """The rows of a results folder, read line by line; `notices` grows while they are read."""

    folder: Path
    notices: list[str]

    def rows(self) -> Iterator[ResultRow]:
        """Yield the rows in file order, each question and setting once: its last row.

        A question that failed is asked again, so that a row with an error may be followed by
        another. A line that cannot be read is left out and noticed. The file is read twice, since
        only the keys of rows are kept in memory.

        Raises:
            DataError: there is no file, or no row in it.
        """
        last = {_key(row): number for number, row in self._all()}
        if not last:
            raise DataError("No results in it.", place=str(self._path), fix="Run the evaluation.")
        earlier = 0
        for number, row in self._all():
            if last.get(_key(row)) == number:
                yield row
            else:
                earlier += 1
        if earlier:
            self._notice(f"{earlier} earlier row(s) of questions asked again were left out.")

    def _all(self) -> Iterator[tuple[int, ResultRow]]:
        """Yield every row that can be read, with the number of its line."""
        for number, line, whole in self._lines():
            row = self._row(number, line, whole=whole)
            if row is not None:
                yield number, row

    @property
    def _path(self) -> Path:
        return self.folder / RESULTS

    def _lines(self) -> Iterator[tuple[int, bytes, bool]]:
        """Yield number, text, and whether the line was written to its end."""
        try:
            with self._path.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    if line.strip():
                        yield number, line, line.endswith(b"\n")
        except OSError as error:
            raise DataError(
                f"Cannot be read: {error.strerror}.",
                place=str(self._path),
                fix="Name the folder that an evaluation wrote.",
            ) from error

    def _row(self, number: int, line: bytes, *, whole: bool) -> ResultRow | None:
        try:
            return from_json(json.loads(line))
        except (ValueError, TypeError, AttributeError, DataError) as error:
            torn = "was not written to its end" if not whole else f"is broken ({error})"
            self._notice(f"Line {number} of {RESULTS} {torn}; it was left out.")
            return None

    def _notice(self, text: str) -> None:
        """Keep a notice once, however often the file is read."""
        if text not in self.notices:
            self.notices.append(text)


def _key(row: ResultRow) -> tuple[str, str, str, str]:
    return row.base, row.setting, row.dataset, row.qid


def read_run(folder: Path, notices: list[str]) -> dict[str, Any]:
    """Return the conditions of the run; empty, and noticed, where they are not known."""
    path = folder / RUN
    try:
        value = json.loads(path.read_bytes())
    except FileNotFoundError:
        notices.append(f"There is no {RUN}: under which conditions this was run is not known.")
        return {}
    except (OSError, ValueError) as error:
        notices.append(f"{RUN} cannot be read ({error}): the conditions are not known.")
        return {}
    if isinstance(value, dict):
        return value
    notices.append(f"{RUN} holds no object: the conditions are not known.")
    return {}
