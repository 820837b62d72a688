"""Labelled sets as the ranker's training reads them: every passage that may be used, with ids.

The schema is that of `labelled.py`; `qrels.<split>.jsonl.gz` adds where in a passage the answer
stands.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ....domain.errors import ConfigurationError
from ....domain.ports import Scorable
from ....domain.request import Turn
from ..grades import GOLD
from ..labelled import Labelled, Row, Split, read_rows

Spans = list[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A query with its labels: `grades` in 0 to 4 and `spans`, in characters, by passage id."""

    id: str
    question: str
    language: str
    grades: dict[str, int]
    history: list[Turn] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    spans: dict[str, Spans] = field(default_factory=dict)

    @property
    def gold(self) -> list[str]:
        """Ids of the passages that answer, in order."""
        return sorted(i for i, grade in self.grades.items() if grade >= GOLD)


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """One split of a set: its queries, and all passages that this split may use."""

    name: str
    passages: dict[str, Scorable]
    queries: list[Asked]


def read_sets(
    folder: Path,
    split: Split,
    *,
    seed: int,
    limit: int | None = None,
    names: Sequence[str] | None = None,
) -> list[LabelledSet]:
    """Read all sets that this split may use, or those of `names`, by name.

    `limit` is the number of queries a set, drawn by the seed. Sets whose licence allows
    evaluation only are never read for `train`, nor are passages kept for evaluation; for the
    other splits, passages of `train` are left out.

    Raises:
        ConfigurationError: no such folder, or a label names a passage that may not be used.
    """
    found = Labelled(folder, split, 0, seed).sets("pairs")
    chosen = [name for name in found if names is None or name in names]
    return [_read(folder / name, split, limit, seed) for name in chosen]


def _read(folder: Path, split: Split, limit: int | None, seed: int) -> LabelledSet:
    passages = _passages(folder, split)
    grades: dict[str, dict[str, int]] = {}
    spans: dict[str, dict[str, Spans]] = {}
    for row in _rows(folder, split, "pairs"):
        grades.setdefault(row["qid"], {})[row["docid"]] = row["grade"]
    for row in _rows(folder, split, "qrels"):
        if split == "train" or row["docid"] in passages:
            grades.setdefault(row["qid"], {})[row["docid"]] = row["grade"]
            placed = [(start, end) for start, end in row.get("spans") or []]
            spans.setdefault(row["qid"], {})[row["docid"]] = placed
    rows = [row for row in _rows(folder, split, "queries") if row["id"] in grades]
    rows.sort(key=lambda row: str(row["id"]))
    random.Random(f"{seed} {folder.name}").shuffle(rows)
    queries = [_asked(row, grades[row["id"]], spans.get(row["id"], {})) for row in rows[:limit]]
    for query in queries:
        _guard(folder.name, split, query, passages)
    return LabelledSet(folder.name, passages, queries)


def _passages(folder: Path, split: Split) -> dict[str, Scorable]:
    forbidden = "eval" if split == "train" else "train"
    return {
        row["id"]: Scorable(row["text"], title=row.get("title") or "", language=row["lang"])
        for row in read_rows(folder / "corpus.jsonl.gz")
        if row["split"] != forbidden
    }


def _rows(folder: Path, split: Split, kind: str) -> list[Row]:
    path = folder / f"{kind}.{split}.jsonl.gz"
    return list(read_rows(path)) if path.is_file() else []


def _asked(row: Row, grades: dict[str, int], spans: dict[str, Spans]) -> Asked:
    said = [Turn(role=turn["role"], content=turn["text"]) for turn in row.get("history") or []]
    return Asked(
        id=row["id"],
        question="\n\n".join(filter(None, [row.get("scenario") or "", row["question"]])),
        language=row.get("lang") or "en",
        grades=grades,
        history=said,
        answers=[str(answer) for answer in row.get("answers") or []],
        spans=spans,
    )


def _guard(name: str, split: Split, query: Asked, passages: dict[str, Scorable]) -> None:
    lost = [i for i in query.grades if i not in passages]
    if lost:
        raise ConfigurationError(
            f"{name}: a label of {split} names the passage {lost[0]!r}, which is missing or "
            "kept for another split."
        )
