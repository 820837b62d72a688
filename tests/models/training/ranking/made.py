"""A small set in the data's schema, and what a training of a tiny network needs."""

import gzip
import json
import math
import zlib
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, models, pre_tokenizers

from headwater.domain.ports import Scorable, Vector
from headwater.domain.words import terms
from headwater.models.ranker.network import CrossEncoder
from headwater.models.ranker.reading import PairLayout, PairReader
from headwater.models.training.ranking.session import Bench
from headwater.models.training.ranking.sets import Asked, LabelledSet
from headwater.models.weights import Pinned

PARTS = ("pump", "valve", "seal", "filter", "motor", "hose", "gauge", "clamp", "fan", "belt")
ASPECTS = ("weight", "price", "colour", "supplier")
WORDS = 300
ORIGIN = Pinned(name="tiny", distribution="none", version="1", sha256="0" * 64, licence="none")


class WordEmbedder:
    """Vectors of hashed terms; counts the texts it was given."""

    name = "words"
    dimensions = 64

    def __init__(self) -> None:
        self.embedded = 0

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += len(texts)
        return [_vector(text) for text in texts]

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self.embed_queries(texts)


def _vector(text: str) -> Vector:
    places = [0.0] * 64
    for term in ["the", *terms(text)]:
        places[zlib.crc32(term.encode()) % 64] += 1.0
    length = math.sqrt(sum(value * value for value in places))
    return array("f", [value / length for value in places])


def reader() -> PairReader:
    """A reader whose tokens are words, by a hash of each."""
    words = {f"[{i}]": i for i in range(WORDS)}
    tokenizer = Tokenizer(models.WordLevel(words | _vocabulary(), unk_token="[3]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PairReader(tokenizer, PairLayout(), start=1, end=2)


def _vocabulary() -> dict[str, int]:
    known = [*PARTS, *ASPECTS, "What", "is", "the", "of", "a", "The", "?", ".", "was", "made"]
    return {word: 10 + place for place, word in enumerate(known)}


def tiny_bench(cache: Path) -> Bench:
    """A bench with a tiny network; no two share anything."""
    cache.mkdir(parents=True, exist_ok=True)
    return Bench(
        model=CrossEncoder.tiny(words=WORDS),
        reader=reader(),
        embedder=WordEmbedder(),
        cache=cache,
        origin=ORIGIN,
    )


def write_parts(folder: Path) -> Path:
    """Write a set `parts`: two passages a part, of which each is about some of the aspects.

    Of each part one query is answered by the first passage, which holds its answer in a
    sentence of its own, and one on the same part has no answer there (grade 2). Parts 0 to 4 are
    `train`, 5 to 7 `dev`, the rest are in no split's labels.
    """
    target = folder / "parts"
    write_rows(target, "corpus", [row for n in range(10) for row in _corpus(n)])
    for split, numbers in (("train", range(5)), ("dev", range(5, 8))):
        queries = [row for n in numbers for row in _queries(n)]
        write_rows(target, f"queries.{split}", queries)
        write_rows(target, f"pairs.{split}", [row for n in numbers for row in _pairs(n, numbers)])
        write_rows(target, f"qrels.{split}", [_gold(n) for n in numbers])
    return folder


def write_rows(folder: Path, kind: str, rows: list[dict[str, Any]]) -> None:
    """Write one file of a set."""
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / f"{kind}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def _text(n: int) -> str:
    return f"The {PARTS[n]} was made. The weight of the {PARTS[n]} is w{n}kg. A {PARTS[n]} lasts."


def _corpus(n: int) -> list[dict[str, Any]]:
    split = "train" if n < 5 else "eval" if n < 8 else "both"
    shared = {"title": PARTS[n], "lang": "en", "source": "s", "split": split}
    other = f"The price of the {PARTS[n]} is p{n}eur. The colour was made."
    return [{"id": f"{n}a", "text": _text(n), **shared}, {"id": f"{n}b", "text": other, **shared}]


def _queries(n: int) -> list[dict[str, Any]]:
    shared = {"lang": "en", "answers": [f"w{n}kg"]}
    return [
        {"id": f"q{n}", "question": f"What is the weight of the {PARTS[n]}?", **shared},
        {"id": f"u{n}", "question": f"What is the supplier of the {PARTS[n]}?", "lang": "en"},
    ]


def _pairs(n: int, numbers: range) -> list[dict[str, Any]]:
    other = numbers[(n - numbers[0] + 1) % len(numbers)]
    return [
        {"qid": f"q{n}", "docid": f"{n}a", "grade": 4, "kind": "k"},
        {"qid": f"q{n}", "docid": f"{other}b", "grade": 0, "kind": "k"},
        {"qid": f"u{n}", "docid": f"{n}a", "grade": 2, "kind": "k"},
    ]


def _gold(n: int) -> dict[str, Any]:
    start = _text(n).index(f"w{n}kg")
    return {"qid": f"q{n}", "docid": f"{n}a", "grade": 4, "spans": [[start, start + 4]]}


def asked(question: str, grades: dict[str, int], **changes: Any) -> Asked:
    """A query with labels."""
    return Asked(
        **{"id": question, "question": question, "language": "en"} | changes, grades=grades
    )


def labelled(texts: dict[str, str], *queries: Asked, name: str = "set") -> LabelledSet:
    """A set of English passages."""
    passages = {i: Scorable(text, language="en") for i, text in texts.items()}
    return LabelledSet(name, passages, list(queries))
