"""Do captions show what readers marked as the answer, more often than simpler ways would?

Run `python -m benchmarks.captions --data FOLDER --split dev`. FOLDER (or HEADWATER_DATA) holds the
sets; those whose `qrels` have spans are measured, every question that has a gold passage with one.
A window hits when it shares a character with a gold span of its passage, and is whole when it holds
one; a question counts as the share of its gold passages. Term weights come from the labelled
passages of the question, its gold ones among them. Sets weigh the same in the mean; the intervals
(95 %) are bootstrapped over the questions of each set. No model is used; half a minute.

`--fit` prints instead what the weights of captions would be, fitted on the train splits.
"""

import argparse
import gzip
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from benchmarks.fitting import logistic
from headwater.domain.caption import CAPTION_CHARS, TermWeights, caption, coverage, signs_of
from headwater.domain.sentences import Span, sentences

SHORT = 150
"""Characters; the mean best sentence has as many."""
FITTED = 600
"""Questions of a set that captions are fitted on; more change nothing."""
RESAMPLES = 2_000
SEED = 7

Floats: TypeAlias = NDArray[np.float64]
Way: TypeAlias = Callable[[str, str, TermWeights], Span]


def best_sentence(query: str, text: str, weights: TermWeights) -> Span:
    """Give the sentence that holds most of the query's term weight, the first of equal ones."""
    return max(
        sentences(text),
        key=lambda s: (round(coverage(query, s.of(text), weights), 9), -s.start),
        default=Span(0, 0),
    )


def beginning(chars: int) -> Way:
    """Make the way that shows the first characters."""
    return lambda _query, text, _weights: Span(0, min(chars, len(text)))


def short_caption(query: str, text: str, weights: TermWeights) -> Span:
    """Give a caption no longer than a sentence usually is, so that length alone wins nothing."""
    return caption(query, text, weights, limit=SHORT)


WAYS: dict[str, Way] = {
    "caption": caption,
    f"caption of {SHORT}": short_caption,
    "best sentence": best_sentence,
    "first 200": beginning(200),
    f"first {CAPTION_CHARS}": beginning(CAPTION_CHARS),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its gold passages (text, spans) and all its labelled passages."""

    question: str
    gold: list[tuple[str, list[list[int]]]]
    labelled: list[str]


@dataclass(slots=True)
class Tally:
    """What one way gave in one set, question by question; `characters` and `ms` by passage."""

    hit: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of one compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def sets_of(data: Path, split: str) -> list[str]:
    """Give the names of the sets whose gold passages have spans."""
    files = sorted(data.glob(f"*/qrels.{split}.jsonl.gz"))
    return [path.parent.name for path in files if any(row.get("spans") for row in read(path))]


def cases_of(folder: Path, split: str) -> list[Case]:
    """Give the questions of one set that have a gold passage with spans."""
    corpus = {row["id"]: row["text"] for row in read(folder / "corpus.jsonl.gz")}
    gold: dict[str, dict[str, list[list[int]]]] = {}
    for row in read(folder / f"qrels.{split}.jsonl.gz"):
        if row.get("spans"):
            gold.setdefault(row["qid"], {})[row["docid"]] = row["spans"]
    labelled: dict[str, list[str]] = {qid: list(found) for qid, found in gold.items()}
    for row in read(folder / f"pairs.{split}.jsonl.gz"):
        if row["qid"] in gold and row["docid"] not in labelled[row["qid"]]:
            labelled[row["qid"]].append(row["docid"])
    return [
        Case(
            row["question"],
            [(corpus[docid], spans) for docid, spans in gold[row["id"]].items()],
            [corpus[docid] for docid in labelled[row["id"]]],
        )
        for row in read(folder / f"queries.{split}.jsonl.gz")
        if row["id"] in gold
    ]


def tallies_of(cases: Sequence[Case]) -> dict[str, Tally]:
    """Try every way on every case."""
    tallies = {name: Tally() for name in WAYS}
    for case in cases:
        weights = TermWeights(case.labelled)
        for name, way in WAYS.items():
            count(tallies[name], case, way, weights)
    return tallies


def count(tally: Tally, case: Case, way: Way, weights: TermWeights) -> None:
    """Add one case to a tally."""
    hit: list[bool] = []
    whole: list[bool] = []
    for text, spans in case.gold:
        started = time.perf_counter()
        shown = way(case.question, text, weights)
        tally.ms.append((time.perf_counter() - started) * 1_000)
        tally.characters.append(shown.end - shown.start)
        hit.append(any(min(shown.end, end) > max(shown.start, start) for start, end in spans))
        whole.append(any(shown.start <= start and end <= shown.end for start, end in spans))
    tally.hit.append(statistics.fmean(hit))
    tally.whole.append(statistics.fmean(whole))


def resampled(values: Sequence[Sequence[float]]) -> Floats:
    """Give resampled means over sets; the same questions are drawn whatever the values."""
    rng = np.random.default_rng(SEED)
    means = []
    for found in values:
        drawn = rng.integers(0, len(found), (RESAMPLES, len(found)))
        means.append(np.asarray(found, float)[drawn].mean(axis=1))
    return np.asarray(np.mean(means, axis=0), dtype=float)


def row_of(name: str, by_set: dict[str, dict[str, Tally]]) -> dict[str, float | list[float]]:
    """Give the means over sets of one way, and how much the caption hits more often."""
    tallies = [tallies[name] for tallies in by_set.values()]
    captions = [tallies["caption"].hit for tallies in by_set.values()]
    hits = [tally.hit for tally in tallies]
    more = resampled(captions) - resampled(hits)
    hit = statistics.fmean(map(statistics.fmean, hits))
    characters = statistics.fmean(statistics.fmean(tally.characters) for tally in tallies)
    return {
        "ratio_hit": hit,
        "ratio_hit_interval": interval(resampled(hits)),
        "ratio_whole": statistics.fmean(statistics.fmean(tally.whole) for tally in tallies),
        "characters": characters,
        "ratio_hit_per_100_characters": 100 * hit / characters,
        "ratio_caption_more": statistics.fmean(map(statistics.fmean, captions)) - hit,
        "ratio_caption_more_interval": interval(more),
        "ms": statistics.fmean(ms for tally in tallies for ms in tally.ms),
    }


def fitted(data: Path) -> list[float]:
    """Fit the weights of captions to the sentences that hold a gold span; bias first."""
    rows: list[list[float]] = []
    right: list[bool] = []
    weights: list[float] = []
    for name in sets_of(data, "train"):
        cases = cases_of(data / name, "train")
        cases = cases[:: max(1, len(cases) // FITTED)]
        for case in cases:
            known = TermWeights(case.labelled)
            for text, spans in case.gold:
                for found in signs_of(case.question, text, known):
                    low, high = found.span.start, found.span.end
                    best = float(found.behind == 0.0)
                    rows.append([found.behind, found.before, 1 / found.place, best])
                    right.append(any(min(high, end) > max(low, start) for start, end in spans))
                    weights.append(1 / len(cases))
    return logistic(rows, right, np.array(weights))


def interval(means: Floats) -> list[float]:
    """Give the middle 95 %."""
    return [float(edge) for edge in np.quantile(means, (0.025, 0.975))]


def show(by_set: dict[str, dict[str, Tally]], rows: dict[str, dict[str, Any]]) -> None:
    """Print a row a set, then a row a way."""
    print(f"| set | questions | {' | '.join(WAYS)} |\n| --- | --- {'| --- ' * len(WAYS)}|")
    for name, tallies in by_set.items():
        cells = [f"{statistics.fmean(tally.hit):.3f}" for tally in tallies.values()]
        print(f"| {name} | {len(tallies['caption'].hit)} | {' | '.join(cells)} |")
    print("\n| way | hit | whole | characters | hit per 100 characters | caption hits more | ms |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, row in rows.items():
        low, high = row["ratio_hit_interval"]
        cells = [
            f"{row['ratio_hit']:.3f} [{low:.3f}, {high:.3f}]",
            f"{row['ratio_whole']:.3f}",
            f"{row['characters']:.0f}",
            f"{row['ratio_hit_per_100_characters']:.3f}",
            "{:+.3f} [{:+.3f}, {:+.3f}]".format(
                row["ratio_caption_more"], *row["ratio_caption_more_interval"]
            ),
            f"{row['ms']:.3f}",
        ]
        print(f"| {name} | {' | '.join(cells)} |")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("HEADWATER_DATA"))
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data:
        sys.exit("Say where the data is: --data FOLDER, or HEADWATER_DATA.")
    data = Path(options.data)
    if options.fit:
        print(f"bias, behind, before, early, best: {fitted(data)}")
        return
    by_set = {
        name: tallies_of(cases_of(data / name, options.split))
        for name in sets_of(data, options.split)
    }
    rows = {name: row_of(name, by_set) for name in WAYS}
    if options.json:
        hits = {
            name: {way: statistics.fmean(tally.hit) for way, tally in tallies.items()}
            for name, tallies in by_set.items()
        }
        print(json.dumps({"split": options.split, "ways": rows, "ratio_hit_by_set": hits}))
    else:
        show(by_set, rows)


if __name__ == "__main__":
    main()
