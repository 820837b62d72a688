"""How many gold passages would a threshold drop, and how many others?

Run `python -m benchmarks.thresholds --data FOLDER --split dev|test [--sample N] [--json]`; the
folder is `HEADWATER_DATA` where not given. N questions a set and language, drawn by a seed; those
that need an earlier turn are left out. Each question's labelled passages are scored together, as
one candidate list; the classifier then grades the ten best, as at medium effort. What it does not
grade it cannot drop. Gold are the grades 3 and 4, others the grades 0 and 1. Where a set names
translations of a gold passage, these take its place in a second list: rows such as `en>zh`, a
question in English and a passage in Chinese, which count in no other row. Shares are of pairs.
"""

import argparse
import asyncio
import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from headwater.domain.effort import PRESETS
from headwater.domain.ports import JudgeTask, RankTask, Scorable
from headwater.models.embedder import open_embedder
from headwater.models.similarities import fill_similarities
from headwater.models.similarity_classifier import open_similarity_classifier
from headwater.models.similarity_ranker import open_similarity_ranker
from headwater.models.training.labelled import Row, read_rows

SEED = 7
STEPS = [round(0.2 * step, 1) for step in range(16)]
GOLD, OTHER = "gold", "others"
GOLD_GRADES, CLEAR = frozenset({3, 4}), frozenset({0, 1, 3, 4})
DEPTH = PRESETS["medium"].classify_depth


@dataclass(frozen=True, slots=True)
class Candidates:
    """One question with passages that are ranked together; `grades` one a passage."""

    dataset: str
    query: str
    language: str
    passages: list[Scorable]
    grades: list[int]
    counted: frozenset[int]
    """Grades that are counted: with translations only the gold ones, or negatives count twice."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One question and passage: the ranker's score, and the grade where it was graded."""

    dataset: str
    languages: str
    """`en`, or `en>zh` where question and passage differ."""
    label: str
    ranker: float
    classifier: float | None


def load(data: Path, split: str, sample: int) -> list[Candidates]:
    """Read the drawn questions of every set that has graded pairs in this split."""
    names = sorted(path.parent.name for path in data.glob(f"*/pairs.{split}.jsonl.gz"))
    return [found for name in names for found in load_set(data / name, split, sample)]


def load_set(folder: Path, split: str, sample: int) -> Iterator[Candidates]:
    """Read one set: a list for each question, and one with translations where there are any."""
    corpus = {
        row["id"]: Scorable(row["text"], row.get("title") or "", language=row["lang"])
        for row in read_rows(folder / "corpus.jsonl.gz")
    }
    pairs: dict[str, dict[str, int]] = {}
    for row in read_rows(folder / f"pairs.{split}.jsonl.gz"):
        pairs.setdefault(row["qid"], {})[row["docid"]] = row["grade"]
    translations: dict[str, dict[str, int]] = {}
    for row in read_rows(folder / f"qrels.{split}.jsonl.gz"):
        if row["basis"] == "parallel_translation":
            translations.setdefault(row["qid"], {})[row["docid"]] = row["grade"]
    questions = [
        row
        for row in read_rows(folder / f"queries.{split}.jsonl.gz")
        if row["id"] in pairs and not row.get("history")
    ]
    for row in drawn(questions, sample):
        text = f"{row.get('scenario') or ''} {row['question']}".strip()
        graded, translated = pairs[row["id"]], translations.get(row["id"])
        lists = [(graded, CLEAR)]
        if translated:
            lists.append(({i: g for i, g in graded.items() if g < 3} | translated, GOLD_GRADES))
        for found, counted in lists:
            passages = [corpus[i] for i in found]
            grades = list(found.values())
            yield Candidates(folder.name, text, row["lang"], passages, grades, counted)


def drawn(questions: Sequence[Row], sample: int) -> Iterator[Row]:
    """Draw at most `sample` questions of each language."""
    for language in sorted({row["lang"] for row in questions}):
        spoken = [row for row in questions if row["lang"] == language]
        random.Random(f"{SEED} {language}").shuffle(spoken)
        yield from spoken[:sample]


async def score(asked: Sequence[Candidates]) -> list[Scored]:
    """Rank every list, grade the best of each."""
    embedder = open_embedder("builtin", device="cpu")
    cosines = await fill_similarities(embedder, [(one.query, one.passages) for one in asked])
    tasks = [
        RankTask(
            one.query, [replace(p, similarity=s) for p, s in zip(one.passages, row, strict=True)]
        )
        for one, row in zip(asked, cosines, strict=True)
    ]
    scores = await open_similarity_ranker(embedder).score(tasks)
    best = [sorted(range(len(row)), key=lambda i: -row[i])[:DEPTH] for row in scores]
    # Captions decide on sufficiency, which is not looked at here; grades do not depend on them.
    verdicts = await open_similarity_classifier(embedder).judge(
        [
            JudgeTask(task.query, [task.passages[i] for i in top], [], [row[i] for i in top])
            for task, row, top in zip(tasks, scores, best, strict=True)
        ]
    )
    found: list[Scored] = []
    for one, row, top, verdict in zip(asked, scores, best, verdicts, strict=True):
        means = (sum(g * p for g, p in enumerate(shares)) for shares in verdict.grades)
        graded = dict(zip(top, means, strict=True))
        found += [
            scored(one, place, ranked, graded.get(place))
            for place, ranked in enumerate(row)
            if one.grades[place] in one.counted
        ]
    return found


def scored(one: Candidates, place: int, ranker: float, classifier: float | None) -> Scored:
    """Label one passage of a list."""
    language = one.passages[place].language
    languages = one.language if language == one.language else f"{one.language}>{language}"
    label = GOLD if one.grades[place] in GOLD_GRADES else OTHER
    return Scored(one.dataset, languages, label, ranker, classifier)


def groups(rows: Sequence[Scored]) -> dict[str, list[Scored]]:
    """Group by language, pair of languages and set; only pairs of one language are in sets."""
    same = [row for row in rows if ">" not in row.languages]
    cross = [row for row in rows if ">" in row.languages]
    found = {"all": same, "all across languages": cross}
    for name in sorted({row.languages for row in same}):
        found[name] = [row for row in same if row.languages == name]
    for name in sorted({row.languages for row in cross}):
        found[name] = [row for row in cross if row.languages == name]
    for name in sorted({row.dataset for row in same}):
        found[f"set {name}"] = [row for row in same if row.dataset == name]
    return found


def below(rows: Sequence[Scored], model: str) -> list[float] | None:
    """Give the share of pairs below each step; `None` without pairs."""
    if not rows:
        return None
    values = [getattr(row, model) for row in rows]
    return [round(sum(v is not None and v < t for v in values) / len(rows), 4) for t in STEPS]


def table(rows: Sequence[Scored]) -> dict[str, Any]:
    """Shares below each step by group, model and label."""
    result: dict[str, Any] = {}
    for name, members in groups(rows).items():
        labelled = {
            label: [row for row in members if row.label == label] for label in (GOLD, OTHER)
        }
        result[name] = {
            "pairs": {label: len(found) for label, found in labelled.items()},
            "share_below": {
                model: {label: below(found, model) for label, found in labelled.items()}
                for model in ("ranker", "classifier")
            },
        }
    return result


async def measure(data: Path, split: str, sample: int) -> dict[str, Any]:
    """Load, score, count."""
    asked = load(data, split, sample)
    return {
        "split": split,
        "sample": sample,
        "seed": SEED,
        "lists": len(asked),
        "thresholds": STEPS,
        "groups": table(await score(asked)),
    }


def show(result: dict[str, Any]) -> None:
    """Print one table a model and label, in percent."""
    for model, label in (
        ("ranker", GOLD),
        ("ranker", OTHER),
        ("classifier", GOLD),
        ("classifier", OTHER),
    ):
        print(f"\n{result['split']}: % of {label} below the threshold, {model}")
        print(f"{'':<24}{'pairs':>7}" + "".join(f"{t:>6}" for t in result["thresholds"]))
        for name, group in result["groups"].items():
            shares = group["share_below"][model][label]
            if shares:
                cells = "".join(f"{100 * share:>6.1f}" for share in shares)
                print(f"{name:<24}{group['pairs'][label]:>7}{cells}")


def main() -> None:
    """Parse arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, default=os.environ.get("HEADWATER_DATA"))
    parser.add_argument("--split", choices=["dev", "test"], default="dev")
    parser.add_argument("--sample", type=int, default=60, help="questions a set and language")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.data is None:
        parser.error("name the data folder with --data or HEADWATER_DATA")
    result = asyncio.run(measure(Path(arguments.data), arguments.split, arguments.sample))
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)


if __name__ == "__main__":
    main()
