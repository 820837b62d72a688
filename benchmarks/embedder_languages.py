"""How well do the two built-in embedders find passages, by language and across languages?

Run `python -m benchmarks.embedder --languages --data FOLDER [--json]`. `dev` questions, at most 60
a row, over the passages of one language: at most 500 (gold, the rest drawn evenly). Exact search,
recall@10 and MRR@10. In a row such as `zh > en` Chinese questions look for the English translation
of their passage. `not centred` is the multilingual model as it comes. Speed: passages of the rows
within one language, all cores.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headwater.domain.ports import Embedder, Scorable
from headwater.models.cache import cache_folder
from headwater.models.embedder import (
    BUILTIN,
    BUILTIN_MULTILINGUAL,
    Encoder,
    LocalEmbedder,
    open_embedder,
)
from headwater.models.multilingual.centre import CentredEncoder, read_centre
from headwater.models.multilingual.embedder import PASSAGE, QUERY, open_onnx
from headwater.models.similarities import embedded_text
from headwater.models.training.centre import Remembering
from headwater.models.training.labelled import Row, read_rows
from headwater.models.training.vectors import KeptVectors

ROWS = (
    ("debian_docs_i18n", "en", "en"),
    ("debian_docs_i18n", "fr", "fr"),
    ("debian_docs_i18n", "zh", "zh"),
    ("cmrc2018", "zh", "zh"),
    ("droit_travail_fr", "fr", "fr"),
    ("xquad", "en", "en"),
    ("xquad", "zh", "en"),
    ("xquad", "en", "zh"),
    ("xquad", "de", "en"),
    ("debian_docs_i18n", "fr", "en"),
    ("debian_docs_i18n", "en", "fr"),
    ("debian_docs_i18n", "zh", "fr"),
)
"""Set, language of the questions, language of the passages."""

NOT_CENTRED = "not centred"
QUESTIONS, PASSAGES, TOP = 60, 500, 10


@dataclass(frozen=True, slots=True)
class Task:
    """Questions and passages of one row of the table; gold passages by place."""

    questions: list[str]
    passages: list[str]
    gold: list[set[int]]


def load(folder: Path, asked: str, held: str) -> Task:
    """Read one row; a gold passage in another language has the same id but for its language."""
    corpus = [row for row in read_rows(folder / "corpus.jsonl.gz") if row["lang"] == held]
    gold: dict[str, set[str]] = {}
    for row in read_rows(folder / "qrels.dev.jsonl.gz"):
        docid = row["docid"] if asked == held else f"{held}:{row['docid'].partition(':')[2]}"
        gold.setdefault(row["qid"], set()).add(docid)
    known = {row["id"] for row in corpus}
    questions = [
        row
        for row in read_rows(folder / "queries.dev.jsonl.gz")
        if row["lang"] == asked and gold.get(row["id"], set()) & known
    ]
    questions = _evenly(questions, QUESTIONS)
    wanted = {docid for row in questions for docid in gold[row["id"]]}
    kept = [row for row in corpus if row["id"] in wanted]
    kept += _evenly([row for row in corpus if row["id"] not in wanted], PASSAGES - len(kept))
    place = {row["id"]: i for i, row in enumerate(kept)}
    return Task(
        [row["question"] for row in questions],
        [embedded_text(Scorable(row["text"], title=row.get("title") or "")) for row in kept],
        [{place[docid] for docid in gold[row["id"]] & known} for row in questions],
    )


def _evenly(rows: Sequence[Row], most: int) -> list[Row]:
    count = max(0, min(most, len(rows)))
    return [rows[i * len(rows) // count] for i in range(count)]


async def quality(embedder: Embedder, task: Task) -> dict[str, float]:
    """Give mean recall@10 and MRR@10, and the seconds it took to embed the passages."""
    started = time.perf_counter()
    passages = np.array(await embedder.embed_passages(task.passages))
    seconds = time.perf_counter() - started
    questions = np.array(await embedder.embed_queries(task.questions))
    return {**_found(questions @ passages.T, task.gold), "seconds": seconds}


def _found(cosines: NDArray[np.float32], gold: Sequence[set[int]]) -> dict[str, float]:
    recalls, ranks = [], []
    for row, wanted in zip(cosines, gold, strict=True):
        top = [int(i) in wanted for i in np.argsort(-row, kind="stable")[:TOP]]
        recalls.append(sum(top) / len(wanted))
        ranks.append(1 / (top.index(True) + 1) if True in top else 0.0)
    return {"recall_at_10": float(np.mean(recalls)), "mrr_at_10": float(np.mean(ranks))}


def measure(folder: Path) -> dict[str, Any]:
    """Run all rows with all embedders."""
    cache = cache_folder()
    raw = Remembering(open_onnx(cache))
    forms: dict[str, Encoder] = {
        BUILTIN_MULTILINGUAL: CentredEncoder(raw, read_centre()),
        NOT_CENTRED: raw,
    }
    embedders: dict[str, Embedder] = {
        BUILTIN: KeptVectors(open_embedder(BUILTIN, device="cpu"), cache / "nothing-kept"),
        **{
            name: LocalEmbedder(encoder, query_prefix=QUERY, passage_prefix=PASSAGE)
            for name, encoder in forms.items()
        },
    }
    rows = {}
    for name, asked, held in ROWS:
        task = load(folder / name, asked, held)
        found = {each: asyncio.run(quality(one, task)) for each, one in embedders.items()}
        label = f"{name} {asked}" if asked == held else f"{name} {asked} > {held}"
        sizes = {"questions": len(task.questions), "passages": len(task.passages)}
        rows[label] = {**sizes, "embedders": found}
    return {"names": {each: one.name for each, one in embedders.items()}, "rows": rows}


def show(found: dict[str, Any]) -> None:
    """Print recall and MRR, one line a row, one column an embedder."""
    names = list(found["names"])
    print("| set, languages (passages, questions) | " + " | ".join(names) + " |")
    print("| --- |" + " --- |" * len(names))
    for label, row in found["rows"].items():
        cells = [
            f"{one['recall_at_10']:.2f} / {one['mrr_at_10']:.2f}"
            for one in (row["embedders"][name] for name in names)
        ]
        print(f"| {label} ({row['passages']}, {row['questions']}) | " + " | ".join(cells) + " |")
    within = [row for label, row in found["rows"].items() if ">" not in label]
    passages = sum(row["passages"] for row in within)
    for name in (BUILTIN, BUILTIN_MULTILINGUAL):
        seconds = sum(row["embedders"][name]["seconds"] for row in within)
        print(f"{name}: {passages / seconds:.1f} passages a second")
