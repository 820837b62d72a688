"""How often is the sentence that is shown as the answer right, and how many questions get one?

Run `python -m benchmarks.semantic_answers --data FOLDER --split dev`. FOLDER (or HEADWATER_DATA)
holds the sets in SETS. The passages of a question are those of its `pairs`, as the ranker scores
them, those under its threshold left out. A question that has an answer is asked twice: with its
gold passages and without; one that people judged unanswerable is asked once. A sentence is right
when it shares a character with a gold span of its passage or holds a short reference answer whole;
for an unanswerable question it never is. Sets weigh the same.

`as asked` leaves the second asking out; `and without` counts it, so that more than half of the
questions have no answer in the content. `--fit` prints weights fitted on all of these cases.
"""

import argparse
import asyncio
import gzip
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.fitting import logistic
from headwater.domain.caption import TermWeights, caption
from headwater.domain.decompose import is_question
from headwater.domain.ports import Ranker, RankTask, Scorable
from headwater.domain.semantic_answer import CONVINCING, Captioned, Signs, best_answer
from headwater.domain.sentences import Span
from headwater.domain.words import fold
from headwater.graph.config import ModelsSection
from headwater.graph.wiring import open_models

SETS = (
    "2wikimultihopqa",
    "clapnq",
    "cmrc2018",
    "covidqa",
    "hotpotqa",
    "piaf",
    "squad2",
    "xquad",
)
SHORT = 80
"""Characters up to which a reference answer has to be in the sentence whole; of longer ones only
spans tell."""
THRESHOLDS = (0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8)

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A passage with its grade, its gold spans and its score."""

    passage: Scorable
    grade: int
    spans: list[list[int]]
    score: float


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one asking came to; `signs` is `None` where there was no sentence to show."""

    name: str
    kind: str
    """`gold`, `removed` or `unanswerable`."""
    signs: Signs | None
    right: bool

    @property
    def confidence(self) -> float:
        return self.signs.confidence if self.signs else 0.0


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of one compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


async def outcomes_of(
    folder: Path, split: str, *, sample: int, ranker: Ranker, threshold: float
) -> list[Outcome]:
    """Ask at most `sample` questions of either kind of one set."""
    corpus = {row["id"]: row for row in read(folder / "corpus.jsonl.gz")}
    grades: dict[str, dict[str, int]] = {}
    for row in read(folder / f"pairs.{split}.jsonl.gz"):
        grades.setdefault(row["qid"], {})[row["docid"]] = row["grade"]
    spans: dict[str, dict[str, list[list[int]]]] = {}
    for row in read(folder / f"qrels.{split}.jsonl.gz"):
        if row.get("spans"):
            spans.setdefault(row["qid"], {})[row["docid"]] = row["spans"]
    outcomes: list[Outcome] = []
    for query in _drawn(folder, split, set(grades), set(spans), sample):
        labelled, marked = grades[query["id"]], spans.get(query["id"], {})
        found = [Scorable(corpus[d]["text"], corpus[d].get("title") or "") for d in labelled]
        [scores] = await ranker.score([RankTask(query["question"], found)])
        rows = [
            Labelled(passage, labelled[docid], marked.get(docid, []), score)
            for docid, passage, score in zip(labelled, found, scores, strict=True)
            if score >= threshold
        ]
        outcomes += _asked(folder.name, query, sorted(rows, key=lambda row: -row.score))
    return outcomes


def _drawn(
    folder: Path, split: str, known: set[str], marked: set[str], sample: int
) -> list[dict[str, Any]]:
    """Draw evenly among the questions that stand alone and have labelled passages."""
    queries = [
        row
        for row in read(folder / f"queries.{split}.jsonl.gz")
        if not row.get("history") and row["id"] in known
    ]
    kinds = (
        [row for row in queries if row["answerable"] is True and row["id"] in marked],
        [row for row in queries if row["answerable"] is False],
    )
    return [row for kind in kinds for row in kind[:: max(1, -(-len(kind) // sample))]]


def _asked(name: str, query: dict[str, Any], rows: list[Labelled]) -> Iterator[Outcome]:
    if query["answerable"]:
        yield _outcome(name, "gold", query, rows)
        yield _outcome(name, "removed", query, [row for row in rows if row.grade < 3])
    else:
        yield _outcome(name, "unanswerable", query, rows)


def _outcome(name: str, kind: str, query: dict[str, Any], rows: Sequence[Labelled]) -> Outcome:
    question = query["question"]
    weights = TermWeights(row.passage.text for row in rows)
    shown = [
        Captioned(
            row.passage.text,
            caption(question, row.passage.text, weights),
            row.passage.title,
            row.score,
        )
        for row in rows
    ]
    answer = best_answer(question, shown) if is_question(question) else None
    if answer is None:
        return Outcome(name, kind, None, right=False)
    right = kind != "unanswerable" and _right(rows[answer.passage], answer.span, query["answers"])
    return Outcome(name, kind, answer.signs, right)


def _right(row: Labelled, span: Span, answers: Sequence[str]) -> bool:
    if any(min(span.end, end) > max(span.start, start) for start, end in row.spans):
        return True
    said = _flat(span.of(row.passage.text))
    short = [_flat(a) for a in answers if len(a) <= SHORT and fold(a) not in {"yes", "no"}]
    return any(answer in said for answer in short if answer)


def _flat(text: str) -> str:
    return " ".join(fold(text).split())


def weights_of(outcomes: Sequence[Outcome]) -> Floats:
    """Give each outcome the weight that lets every set count the same; they sum to 1."""
    counts = Counter(outcome.name for outcome in outcomes)
    return np.array([1.0 / counts[o.name] / len(counts) for o in outcomes])


def row_of(outcomes: Sequence[Outcome], threshold: float) -> dict[str, float]:
    """Give what a threshold leads to: the shares shown, right among the shown, and answered."""
    weights = weights_of(outcomes)
    shown = np.array([outcome.confidence >= threshold for outcome in outcomes])
    right = np.array([outcome.right for outcome in outcomes])
    gold = np.array([outcome.kind == "gold" for outcome in outcomes])
    all_shown = float(weights[shown].sum())
    return {
        "threshold": threshold,
        "ratio_shown": all_shown,
        "ratio_precision": float(weights[shown & right].sum()) / all_shown if all_shown else 0.0,
        "ratio_answered": float(weights[shown & right & gold].sum() / weights[gold].sum()),
    }


def fitted(outcomes: Sequence[Outcome]) -> list[float]:
    """Fit the weights of the signs; bias first."""
    seen = [outcome for outcome in outcomes if outcome.signs]
    rows = [(s.score, s.coverage, s.margin) for o in seen if (s := o.signs)]
    return logistic(rows, [outcome.right for outcome in seen], weights_of(seen))


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("HEADWATER_DATA"))
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--sample", type=int, default=80, help="Questions a set, of either kind.")
    parser.add_argument("--ranker", default="builtin", help="As `ranker` of a knowledge base.")
    parser.add_argument("--fit", action="store_true", help="Print weights fitted on these cases.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data:
        sys.exit("Say where the data is: --data FOLDER, or HEADWATER_DATA.")
    models, thresholds = open_models(ModelsSection(ranker=options.ranker))
    outcomes: list[Outcome] = []
    for name in SETS:
        outcomes += await outcomes_of(
            Path(options.data) / name,
            options.split,
            sample=options.sample,
            ranker=models.ranker,
            threshold=thresholds.ranker,
        )
    report(outcomes, models.ranker.name, as_json=options.json, fit=options.fit)


def report(outcomes: Sequence[Outcome], ranker: str, *, as_json: bool, fit: bool) -> None:
    """Print what each threshold leads to, under both mixes of questions."""
    mixes = {
        "as asked": [outcome for outcome in outcomes if outcome.kind != "removed"],
        "and without": list(outcomes),
    }
    table = {
        name: [row_of(mixed, threshold) for threshold in THRESHOLDS]
        for name, mixed in mixes.items()
    }
    if as_json:
        sets = dict(Counter(outcome.name for outcome in outcomes))
        print(json.dumps({"ranker": ranker, "askings": sets, "mixes": table}))
        return
    print("| mix | threshold | shown | right among the shown | answered rightly |")
    print("| --- | --- | --- | --- | --- |")
    for name, rows in table.items():
        for row in rows:
            chosen = "**" if row["threshold"] == CONVINCING else ""
            cells = (f"{value:.2f}" for value in row.values())
            print(f"| {chosen}{name}{chosen} | {' | '.join(cells)} |")
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(o.kind for o in outcomes).items())
    print(f"\n{ranker}; {len(outcomes)} askings: {kinds}")
    if fit:
        print(f"bias, score, coverage, margin: {fitted(outcomes)}")


if __name__ == "__main__":
    asyncio.run(main())
