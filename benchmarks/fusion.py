"""Which weights and which k fuse keyword and vector search best?

Run `python -m benchmarks.fusion --data FOLDER [--terms N] [--json]`; the folder is `HEADWATER_DATA`
where not given, `--terms` how many terms of a question are looked up, by default as installed.
Up to 80 questions a set and split; corpora are cut to 1,500 passages (gold passages of all these
questions, the rest drawn evenly), `all` is the eight corpora in one. Real keyword engine, built-in
embedder, exact cosines, 50 candidates from each side. Constants are chosen by the mean nDCG@10 over
sets on `dev`; `test` is reported once, with the constants that the package has.
"""

import argparse
import asyncio
import gzip
import json
import math
import os
import tempfile
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from headwater.domain.ports import Embedder
from headwater.domain.words import terms
from headwater.models.embedder import open_embedder
from headwater.sources.fusion import FOREIGN_FACTOR, KEYWORD_WEIGHT, K, fuse
from headwater.sources.index.keyword import KeywordEntry, open_keyword
from headwater.sources.index.query import KEEP, query_terms, rarest
from headwater.sources.language import detect

SETS = (
    *("techdocs_faq", "covidqa", "conditionalqa", "2wikimultihopqa", "mtrag"),
    *("debian_docs_i18n", "droit_travail_fr", "service_public_fr"),
)
QUESTIONS, PASSAGES, DEPTH = 80, 1_500, 50
WEIGHTS = (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0)
KS = (1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0)
FACTORS = (0.0, 0.25, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Setting:
    """Weight of the keyword side, k, and the factor for a passage in another language."""

    weight: float
    k: float
    foreign: float


CHOSEN = Setting(KEYWORD_WEIGHT, K, FOREIGN_FACTOR)
EQUAL = Setting(1.0, 60.0, 1.0)


@dataclass(slots=True)
class Question:
    """One question with its graded passages, then the two rankings to be fused."""

    text: str
    language: str | None
    grades: dict[str, float]
    keyword: list[str] = field(default_factory=list)
    vector: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Collection:
    """One corpus with the questions of both splits; passages are (title, text, language)."""

    passages: dict[str, tuple[str, str, str]]
    questions: dict[str, list[Question]]

    def languages(self, question: Question) -> tuple[list[str | None], list[str | None]]:
        """Split the keyword ranking into passages in the question's language and in others."""
        same = [question.language in (None, self.passages[i][2]) for i in question.keyword]
        native = [i if s else None for i, s in zip(question.keyword, same, strict=True)]
        foreign = [None if s else i for i, s in zip(question.keyword, same, strict=True)]
        return native, foreign


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON lines, compressed."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def evenly(items: Sequence[Any], count: int) -> list[Any]:
    """Draw at most `count` items at even distances."""
    step = max(1.0, len(items) / count)
    return [items[int(i * step)] for i in range(min(count, len(items)))]


def load(folder: Path) -> Collection:
    """Read a set, cut down to the questions and passages of this benchmark."""
    corpus = {row["id"]: row for row in read(folder / "corpus.jsonl.gz")}
    questions = {split: list(_questions(folder, split, set(corpus))) for split in ("dev", "test")}
    gold = {i for asked in questions.values() for q in asked for i in q.grades}
    others = evenly([i for i in corpus if i not in gold], max(1, PASSAGES - len(gold)))
    kept = {i: corpus[i] for i in [*sorted(gold), *others]}
    passages = {i: (r.get("title") or "", r["text"], r["lang"]) for i, r in kept.items()}
    return Collection(passages, questions)


def _questions(folder: Path, split: str, known: set[str]) -> Iterator[Question]:
    grades: dict[str, dict[str, float]] = {}
    for row in read(folder / f"qrels.{split}.jsonl.gz"):
        if row["docid"] in known:
            grades.setdefault(row["qid"], {})[row["docid"]] = float(row["grade"])
    rows = [row for row in read(folder / f"queries.{split}.jsonl.gz") if row["id"] in grades]
    for row in evenly(rows, QUESTIONS):
        text = " ".join(part for part in (row.get("scenario"), row["question"]) if part)
        yield Question(text, detect(text), grades[row["id"]])


def joined(collections: dict[str, Collection]) -> Collection:
    """Put all corpora into one: most passages are then off the topic, many in another language."""
    passages: dict[str, tuple[str, str, str]] = {}
    questions: dict[str, list[Question]] = {"dev": [], "test": []}
    for name, collection in collections.items():
        passages |= {f"{name} {i}": p for i, p in collection.passages.items()}
        for split, asked in collection.questions.items():
            questions[split] += [
                Question(q.text, q.language, {f"{name} {i}": g for i, g in q.grades.items()})
                for q in evenly(asked, QUESTIONS // 2)
            ]
    return Collection(passages, questions)


Vectors = dict[str, "np.ndarray[Any, Any]"]


async def embed(collection: Collection, embedder: Embedder) -> Vectors:
    """Embed the passages as ingestion does: title, then text."""
    texts = ["\n".join(filter(None, p[:2])) for p in collection.passages.values()]
    vectors: list[array[float]] = []
    for first in range(0, len(texts), 256):
        vectors += await embedder.embed_passages(texts[first : first + 256])
    rows = (np.frombuffer(vector, "f4") for vector in vectors)
    return dict(zip(collection.passages, rows, strict=True))


async def rank(
    collection: Collection, vectors: Vectors, embedder: Embedder, *, most_terms: int
) -> None:
    """Fill in both rankings of every question."""
    ids = list(collection.passages)
    matrix = np.stack([vectors[i] for i in ids])
    with tempfile.TemporaryDirectory() as folder:
        index = open_keyword("fts5", Path(folder), title_boost=1.0)
        index.write(
            add=[
                KeywordEntry(i, terms(title), terms(text), 1)
                for i, (title, text, _) in collection.passages.items()
            ]
        )
        for question in (q for asked in collection.questions.values() for q in asked):
            every = query_terms(question.text)
            wanted = rarest(every, index.document_frequency, keep=most_terms)
            question.keyword = index.search(wanted, limit=DEPTH)
            [vector] = await embedder.embed_queries([question.text])
            order = np.argsort(-(matrix @ np.frombuffer(vector, "f4")), kind="stable")
            question.vector = [ids[i] for i in order[:DEPTH]]
        index.close()


def fused(collection: Collection, question: Question, setting: Setting) -> list[str]:
    """Fuse the two rankings of a question."""
    native, foreign = collection.languages(question)
    weights = (1.0, setting.weight, setting.weight * setting.foreign)
    ranked = fuse((question.vector, native, foreign), weights, setting.k)
    return [item.id for item in ranked[:DEPTH]]


def ndcg(ranked: Sequence[str], grades: dict[str, float]) -> float:
    """nDCG@10 with the grade as gain, in [0, 1]."""
    ideal = sorted(grades.values(), reverse=True)[:10]
    gains = [grades.get(i, 0.0) for i in ranked[:10]]
    best, got = (sum(g / math.log2(r + 2) for r, g in enumerate(row)) for row in (ideal, gains))
    return got / best


def recall(ranked: Sequence[str], grades: dict[str, float]) -> float:
    """Share of the gold passages among the first 50."""
    return len(grades.keys() & set(ranked[:50])) / len(grades)


Scores = dict[str, float]


def score(collection: Collection, split: str, setting: Setting | str) -> Scores:
    """Mean nDCG@10 and recall@50 of one way over the questions of a split."""
    asked = collection.questions[split]
    lists = [
        getattr(q, setting) if isinstance(setting, str) else fused(collection, q, setting)
        for q in asked
    ]
    return {
        "ndcg_at_10": float(
            np.mean([ndcg(r, q.grades) for r, q in zip(lists, asked, strict=True)])
        ),
        "recall_at_50": float(
            np.mean([recall(r, q.grades) for r, q in zip(lists, asked, strict=True)])
        ),
    }


def tune(collections: dict[str, Collection]) -> list[tuple[float, Setting]]:
    """Every setting with its mean nDCG@10 over sets on `dev`, best first."""
    settings = [Setting(w, k, f) for w, k, f in product(WEIGHTS, KS, FACTORS)]
    rated = [
        (float(np.mean([score(c, "dev", s)["ndcg_at_10"] for c in collections.values()])), s)
        for s in settings
    ]
    return sorted(rated, key=lambda pair: -pair[0])


WAYS: dict[str, Setting | str] = {
    "keyword": "keyword",
    "vector": "vector",
    "equal": EQUAL,
    "no_language_rule": Setting(CHOSEN.weight, CHOSEN.k, 1.0),
    "chosen": CHOSEN,
}


def table(collections: dict[str, Collection], split: str) -> dict[str, dict[str, Scores]]:
    """Scores by set and way."""
    return {
        name: {way: score(collection, split, setting) for way, setting in WAYS.items()}
        for name, collection in collections.items()
    }


async def measure(data: Path, most_terms: int) -> dict[str, Any]:
    """Load, rank, tune on dev, report both splits."""
    embedder = open_embedder("builtin", device="cpu")
    collections = {name: load(data / name) for name in SETS}
    everything: Vectors = {}
    for name, collection in collections.items():
        vectors = await embed(collection, embedder)
        await rank(collection, vectors, embedder, most_terms=most_terms)
        everything |= {f"{name} {i}": v for i, v in vectors.items()}
    collections["all"] = joined(collections)
    await rank(collections["all"], everything, embedder, most_terms=most_terms)
    best = tune(collections)
    return {
        "embedder": embedder.name,
        "terms": most_terms,
        "chosen": repr(CHOSEN),
        "best_on_dev": [{"mean_ndcg_at_10": m, "setting": repr(s)} for m, s in best[:12]],
        "chosen_on_dev": next((m for m, s in best if s == CHOSEN), None),
        "dev": table(collections, "dev"),
        "test": table(collections, "test"),
        "questions": {
            n: {s: len(q) for s, q in c.questions.items()} for n, c in collections.items()
        },
        "passages": {n: len(c.passages) for n, c in collections.items()},
    }


def show(result: dict[str, Any]) -> None:
    """Print one table a split."""
    for split in ("dev", "test"):
        print(f"\n{split}: nDCG@10 / recall@50")
        print(f"{'set':<20}{'n':>5}" + "".join(f"{way:>20}" for way in WAYS))
        for name, row in result[split].items():
            cells = (f"{s['ndcg_at_10']:.3f} / {s['recall_at_50']:.2f}" for s in row.values())
            count = result["questions"][name][split]
            print(f"{name:<20}{count:>5}" + "".join(f"{cell:>20}" for cell in cells))
        means = (
            f"{np.mean([row[way]['ndcg_at_10'] for row in result[split].values()]):.3f} / "
            f"{np.mean([row[way]['recall_at_50'] for row in result[split].values()]):.2f}"
            for way in WAYS
        )
        print(f"{'mean':<25}" + "".join(f"{cell:>20}" for cell in means))
    print("\nbest on dev, mean nDCG@10 over sets")
    for row in result["best_on_dev"]:
        print(f"{row['mean_ndcg_at_10']:.4f}  {row['setting']}")
    print(f"chosen: {result['chosen_on_dev']}  {result['chosen']}")


def main() -> None:
    """Parse arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("HEADWATER_DATA"))
    parser.add_argument("--terms", type=int, default=KEEP)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("name the data folder with --data or HEADWATER_DATA")
    result = asyncio.run(measure(Path(arguments.data), arguments.terms))
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)


if __name__ == "__main__":
    main()
