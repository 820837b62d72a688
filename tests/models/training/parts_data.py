"""A small set in the data's schema, written for the tests of training commands."""

import gzip
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows as the evaluation sets have them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def write_parts(folder: Path, *, name: str = "parts", questions: int = 15) -> Path:
    """Write a set of questions about parts, each with its answer and two other passages.

    A third of the passages may be learned from, one is blank, one is in French.
    """
    count = 3 * questions
    corpus = [
        {
            "id": str(n),
            "title": f"Part {n}",
            "text": f"Part number {n} weighs {n * 7} grams and is kept on shelf {n % 5}.",
            "lang": "en",
            "split": "train" if n < questions else "eval",
        }
        for n in range(count)
    ]
    corpus.append({"id": "blank", "title": "", "text": " \n", "lang": "en", "split": "both"})
    french = "La pièce numéro 20 pèse 140 grammes."
    corpus.append({"id": "fr", "title": "", "text": french, "lang": "fr", "split": "eval"})
    home = folder / name
    write(home / "corpus.jsonl.gz", corpus)
    for split, start in (("train", 0), ("dev", questions)):
        ids = [str(n) for n in range(start, start + questions)]
        others = random.Random(start)
        asked = [{"id": i, "question": f"How heavy is part {i}?", "lang": "en"} for i in ids]
        pairs = [
            {"qid": i, "docid": docid, "grade": grade, "kind": "k"}
            for i in ids
            for docid, grade in zip(
                [i, *others.sample([j for j in ids if j != i], 2)], (4, 1, 0), strict=True
            )
        ]
        write(home / f"queries.{split}.jsonl.gz", asked)
        write(home / f"pairs.{split}.jsonl.gz", pairs)
        write(home / f"qrels.{split}.jsonl.gz", [{"qid": i, "docid": i, "grade": 4} for i in ids])
    return folder
