"""Labelled data in the schema of the evaluation sets: pairs with grades, and exit rows.

A folder holds one folder a set, with `corpus.jsonl.gz` and, for each split, `queries`, `pairs`
and `sufficiency` as `<kind>.<split>.jsonl.gz`.
"""

import gzip
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ...domain.errors import ConfigurationError
from ...domain.ports import Scorable

Split = Literal["train", "dev", "test"]
Row = dict[str, Any]
"""A line of JSON: each set has fields of its own."""

NEVER_TRAIN = frozenset({"financebench", "financebench_composed"})
"""Their licence allows evaluation only."""


@dataclass(frozen=True, slots=True)
class GradedList:
    """One query with its labelled passages; grades in 0 to 4."""

    dataset: str
    query: str
    passages: list[Scorable]
    grades: list[int]
    kinds: list[str]


@dataclass(frozen=True, slots=True)
class ExitRow:
    """One query with passages that suffice for it (label 1) or do not (0)."""

    dataset: str
    query: str
    passages: list[Scorable]
    label: int
    kind: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """One split of all sets, a number of queries of each drawn by a seed.

    Raises ConfigurationError where a row of `train` names a passage that is kept for evaluation.
    """

    folder: Path
    split: Split
    queries_per_set: int
    seed: int

    def graded_lists(self) -> list[GradedList]:
        """Give the labelled pairs, a list for each drawn query."""
        return [
            GradedList(name, query, found, [row["grade"] for row in rows], _kinds(rows))
            for name, query, rows, passages in self._drawn("pairs")
            for found in [[passages[row["docid"]] for row in rows]]
        ]

    def exit_rows(self) -> list[ExitRow]:
        """Give the exit rows of each drawn query."""
        return [
            ExitRow(name, query, [passages[i] for i in row["docids"]], row["label"], row["kind"])
            for name, query, rows, passages in self._drawn("sufficiency")
            for row in rows
        ]

    def sets(self, kind: str) -> list[str]:
        """Name the sets that have rows of this kind and may be used for this split."""
        if not self.folder.is_dir():
            raise ConfigurationError(f"There is no folder {str(self.folder)!r}.")
        found = sorted(f.parent.name for f in self.folder.glob(f"*/{kind}.{self.split}.jsonl.gz"))
        return [name for name in found if self.split != "train" or name not in NEVER_TRAIN]

    def _drawn(self, kind: str) -> Iterator[tuple[str, str, list[Row], dict[str, Scorable]]]:
        for name in self.sets(kind):
            passages = self._corpus(name)
            questions = {row["id"]: _question(row) for row in self._rows(name, "queries")}
            groups: dict[str, list[Row]] = {}
            for row in self._rows(name, kind):
                groups.setdefault(row["qid"], []).append(row)
            drawn = sorted(groups)
            random.Random(f"{self.seed} {name}").shuffle(drawn)
            for qid in drawn[: self.queries_per_set]:
                self._guard(name, groups[qid], passages)
                yield name, questions[qid], groups[qid], passages

    def _rows(self, name: str, kind: str) -> Iterator[Row]:
        return read_rows(self.folder / name / f"{kind}.{self.split}.jsonl.gz")

    def _corpus(self, name: str) -> dict[str, Scorable]:
        """Read the passages this split may use: in training none that is kept for evaluation."""
        rows = read_rows(self.folder / name / "corpus.jsonl.gz")
        return {
            row["id"]: Scorable(row["text"], title=row.get("title") or "", language=row["lang"])
            for row in rows
            if self.split != "train" or row["split"] != "eval"
        }

    def _guard(self, name: str, rows: list[Row], passages: dict[str, Scorable]) -> None:
        named = [docid for row in rows for docid in row.get("docids") or [row["docid"]]]
        lost = [docid for docid in named if docid not in passages]
        if lost:
            raise ConfigurationError(
                f"{name}: a row of {self.split} names the passage {lost[0]!r}, which is missing "
                "or kept for evaluation."
            )


def read_rows(path: Path) -> Iterator[Row]:
    """Read the objects of a compressed file, one a line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def _question(row: Row) -> str:
    return f"{row.get('scenario') or ''} {row['question']}".strip()


def _kinds(rows: Sequence[Row]) -> list[str]:
    return [row["kind"] for row in rows]
