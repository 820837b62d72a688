"""Which statistics find the sources that hold the answer?

Run `python -m benchmarks.selection --data FOLDER`. FOLDER (or HEADWATER_DATA) holds
`knowledge_bases/*.json` and the corpora they name. Weights are chosen on `dev` (`--tune`), the
table is of `test`. Gold sources are those of the gold passages. Precision and recall at k, mean
over the questions, with no source asked: only names, descriptions and statistics are used.
"""

import argparse
import asyncio
import gzip
import itertools
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headwater.domain.ports import Embedder, SourceProfile
from headwater.domain.selection import Candidate, Query, Signs, Weights
from headwater.domain.words import terms

KNOWLEDGE_BASES = ("enterprise_10_en", "finance_sectors_9", "service_public_10_fr")
TOP = 3
TERMS_KEPT = 20_000
PASSAGE_CHARS = 1_000
STEPS = (0.0, 0.25, 0.5, 1.0, 2.0)

VARIANTS = {
    "names and descriptions, words": Weights(cori=0, sample=0, words=1, description=0),
    "names and descriptions, vectors": Weights(cori=0, sample=0, words=0, description=1),
    "CORI": Weights(cori=1, sample=0, words=0, description=0),
    "sampled passages": Weights(cori=0, sample=1, words=0, description=0),
    "CORI + names, no embedder": Weights(sample=0, description=0),
    "all, equal weights": Weights(cori=1, sample=1, words=1, description=1),
    "all, chosen weights": Weights(),
}


@dataclass(frozen=True, slots=True)
class Case:
    """One question with its gold sources."""

    split: str
    question: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the cases of one knowledge base and variant; all in [0, 1]."""

    recall_1: float
    precision: float
    recall: float


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of one compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def passages_of(data: Path, source: dict[str, Any]) -> list[str]:
    """Give the texts of one source, title first."""
    texts = []
    for part in source["from"]:
        wanted = part.get("sources")
        for row in read(data / part["set"] / "corpus.jsonl.gz"):
            if wanted is None or row["source"] in wanted:
                texts.append(f"{row.get('title') or ''} {row['text']}".strip())
    return texts


async def profile_of(texts: list[str], embedder: Embedder | None, sample: int) -> SourceProfile:
    """Give the statistics a source would give, with at most `sample` vectors."""
    frequency: Counter[str] = Counter()
    words = 0
    for text in texts:
        found = terms(text)
        words += len(found)
        frequency.update(set(found))
    step = max(1, len(texts) // sample)
    drawn = [text[:PASSAGE_CHARS] for text in texts[::step][:sample]]
    vectors = await embedder.embed_passages(drawn) if embedder else []
    common = dict(frequency.most_common(TERMS_KEPT))
    return SourceProfile(len(texts), words / max(1, len(texts)), common, vectors)


def cases_of(data: Path, base: dict[str, Any]) -> list[Case]:
    """Give the questions of dev and test that need no earlier turn and have gold sources."""
    owner = {
        (part["set"], name): source["name"]
        for source in base["sources"]
        for part in source["from"]
        for name in part.get("sources") or [None]
    }
    cases = []
    for entry, split in itertools.product(base["queries"], ("dev", "test")):
        rows = read(data / entry["set"] / f"queries.{split}.jsonl.gz")
        for row in rows:
            gold = _gold(entry["set"], row, owner)
            if gold and not row.get("history"):
                question = f"{row.get('scenario') or ''} {row['question']}".strip()
                cases.append(Case(split, question, gold))
    return cases


def _gold(
    name: str, row: dict[str, Any], owner: dict[tuple[str, str | None], str]
) -> frozenset[str]:
    origin = "financebench" if name == "financebench_composed" else name
    whole = owner.get((origin, None))
    found = (owner.get((origin, source), whole) for source in row.get("sources") or [None])
    return frozenset(source for source in found if source)


async def signs_of(
    cases: Sequence[Case], candidates: Sequence[Candidate], embedder: Embedder | None
) -> list[Signs]:
    """Give the signs of every case."""
    questions = [case.question for case in cases]
    vectors = await embedder.embed_queries(questions) if embedder else [None] * len(cases)
    pairs = zip(questions, vectors, strict=True)
    return [Signs.of(Query.of(text, vector), candidates) for text, vector in pairs]


def measure(
    cases: Sequence[Case], signs: Sequence[Signs], names: Sequence[str], weights: Weights
) -> Row:
    """Give the means over the cases."""
    first, precision, recall = [], [], []
    for case, sign in zip(cases, signs, strict=True):
        order = [names[place] for place in sign.order(weights)]
        hits = len(case.gold.intersection(order[:TOP]))
        first.append(len(case.gold.intersection(order[:1])) / len(case.gold))
        precision.append(hits / TOP)
        recall.append(hits / len(case.gold))
    return Row(*map(statistics.fmean, (first, precision, recall)))


@dataclass(frozen=True, slots=True)
class Base:
    """A knowledge base with everything that was computed once."""

    name: str
    names: list[str]
    cases: list[Case]
    signs: list[Signs]

    def row(self, split: str, weights: Weights) -> Row:
        kept = [place for place, case in enumerate(self.cases) if case.split == split]
        cases = [self.cases[place] for place in kept]
        return measure(cases, [self.signs[place] for place in kept], self.names, weights)


async def prepare(data: Path, name: str, embedder: Embedder | None, sample: int) -> list[Base]:
    """Give the base, and with it, where names are given for it, the same with opaque names."""
    base = json.loads((data / "knowledge_bases" / f"{name}.json").read_text(encoding="utf-8"))
    cases = cases_of(data, base)
    profiles = [
        await profile_of(passages_of(data, source), embedder, sample) for source in base["sources"]
    ]
    labelled = {name: [(s["name"], s["description"]) for s in base["sources"]]}
    if all("opaque" in source for source in base["sources"]):
        labelled[f"{name}, opaque names"] = [(s["opaque"], "") for s in base["sources"]]
    bases = []
    names = [source["name"] for source in base["sources"]]
    for title, labels in labelled.items():
        seen = [Candidate(n, d, p) for (n, d), p in zip(labels, profiles, strict=True)]
        texts = [candidate.label for candidate in seen]
        vectors = await embedder.embed_passages(texts) if embedder else [None] * len(texts)
        described = [
            Candidate(c.name, c.description, c.profile, vector)
            for c, vector in zip(seen, vectors, strict=True)
        ]
        bases.append(Base(title, names, cases, await signs_of(cases, described, embedder)))
    return bases


def tune(bases: Sequence[Base]) -> None:
    """Print the ten best weights by mean recall at 1 and at 3 on dev, bases weighing the same."""
    scored = []
    for values in itertools.product(STEPS, repeat=4):
        weights = Weights(*values)
        rows = [base.row("dev", weights) for base in bases]
        scored.append((statistics.fmean((r.recall_1 + r.recall) / 2 for r in rows), values))
    for score, values in sorted(scored, reverse=True)[:10]:
        print(f"{score:.4f}  cori {values[0]}  sample {values[1]}  words {values[2]}", end="")
        print(f"  description {values[3]}")


def report(bases: Sequence[Base], split: str) -> dict[str, dict[str, dict[str, float]]]:
    """Give the measures by base and variant."""
    table: dict[str, dict[str, dict[str, float]]] = {}
    for base, (variant, weights) in itertools.product(bases, VARIANTS.items()):
        row = base.row(split, weights)
        table.setdefault(base.name, {})[variant] = {
            "ratio_recall_at_1": row.recall_1,
            f"ratio_precision_at_{TOP}": row.precision,
            f"ratio_recall_at_{TOP}": row.recall,
        }
    return table


def show(table: dict[str, dict[str, dict[str, float]]], bases: Sequence[Base], split: str) -> None:
    """Print one table a base."""
    for base in bases:
        count = sum(case.split == split for case in base.cases)
        print(f"\n{base.name}: {count} questions of {split}")
        print(f"{'':34} {'R@1':>6} {f'P@{TOP}':>6} {f'R@{TOP}':>6}")
        for variant, row in table[base.name].items():
            print(f"{variant:34} " + " ".join(f"{value:6.3f}" for value in row.values()))


async def main() -> None:
    """Measure, or tune, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("HEADWATER_DATA"))
    parser.add_argument("--sample", type=int, default=64, help="Passages embedded per source.")
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--tune", action="store_true", help="Choose the weights on dev.")
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data:
        sys.exit("Say where the data is: --data FOLDER, or HEADWATER_DATA.")
    started = time.perf_counter()
    embedder = None if options.no_embedder else _embedder()
    bases: list[Base] = []
    for name in KNOWLEDGE_BASES:
        bases += await prepare(Path(options.data), name, embedder, options.sample)
    if options.tune:
        tune(bases)
        return
    table = report(bases, options.split)
    seconds = round(time.perf_counter() - started, 1)
    if options.json:
        print(json.dumps({"split": options.split, "seconds": seconds, "bases": table}))
    else:
        show(table, bases, options.split)
        print(f"\n{options.sample} sampled passages a source; {seconds} s")


def _embedder() -> Embedder:
    from headwater.models.embedder import open_embedder

    return open_embedder("builtin")


if __name__ == "__main__":
    asyncio.run(main())
