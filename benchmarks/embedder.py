"""How fast is the built-in embedder, and what do its 8 bits cost in retrieval?

Run `python -m benchmarks.embedder --data FOLDER [--json]`; the folder is `HEADWATER_DATA` where
not given. Quality: `dev` questions of three sets, 1,000 passages each (gold, the rest drawn
evenly), exact search, nDCG@10 with the grade as gain and recall@10. Speed: 200 passages and 200
questions, 3 interleaved rounds, best round; one question alone, median of 30. All forms run in
this process on all cores; `sentence-transformers` is as its own defaults have it. `--languages`
compares the two built-in embedders instead, by language: see `benchmarks/embedder_languages.py`.
"""

import argparse
import gzip
import json
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from onnxruntime import InferenceSession, SessionOptions  # type: ignore[import-untyped]  # ships no types
from safetensors.numpy import load_file
from sentence_transformers import SentenceTransformer

from benchmarks import embedder_languages
from headwater.models.bert_graph import BertShape, bert_graph
from headwater.models.embedder import BUILTIN_TOKENS
from headwater.models.embedder_folder import Layout
from headwater.models.embedder_onnx import OnnxEncoder, open_onnx_encoder
from headwater.models.embedder_torch import open_torch_encoder
from headwater.models.onnx_session import cores
from headwater.models.tokenizer import open_tokenizer
from headwater.models.weights import MINILM, find_weights

SETS = ("covidqa", "techdocs_faq", "mtrag")
PASSAGES, TIMED, ROUNDS, ALONE = 1_000, 200, 3, 30
REFERENCE = "sentence-transformers, 32-bit"
JUDGED = (REFERENCE, "torch, bfloat16", "built-in, 8-bit")
"""The other forms compute what the reference does, to the last digits."""

Encode = Callable[[Sequence[str]], "np.ndarray[Any, Any]"]


@dataclass(slots=True)
class Collection:
    """Passages, questions, and the grades of each question's gold passages by place."""

    passages: list[str]
    questions: list[str]
    grades: list[dict[int, float]]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Read JSON lines, compressed."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def load(folder: Path) -> Collection:
    """Read one set, cut down to its gold passages and as many others as fit."""
    grades: dict[str, dict[str, float]] = {}
    for row in read(folder / "qrels.dev.jsonl.gz"):
        grades.setdefault(row["qid"], {})[row["docid"]] = float(row["grade"])
    texts = {row["id"]: row["text"] for row in read(folder / "corpus.jsonl.gz")}
    gold = {docid for one in grades.values() for docid in one}
    others = [docid for docid in texts if docid not in gold]
    step = max(1.0, len(others) / max(1, PASSAGES - len(gold)))
    kept = [*sorted(gold), *(others[int(i * step)] for i in range(int(len(others) / step)))]
    place = {docid: i for i, docid in enumerate(kept)}
    asked = [row for row in read(folder / "queries.dev.jsonl.gz") if row["id"] in grades]
    return Collection(
        [texts[docid] for docid in kept],
        [row["question"] for row in asked],
        [{place[d]: g for d, g in grades[row["id"]].items()} for row in asked],
    )


def forms(cache: Path) -> dict[str, Encode]:
    """Open the same weights in every form."""
    folder = find_weights(MINILM).parent
    layout = Layout(name=MINILM.name, folder=folder, max_tokens=BUILTIN_TOKENS)
    reference = SentenceTransformer(str(folder), device="cpu")
    full, half = open_torch_encoder(layout, "cpu"), open_torch_encoder(layout, "cpu")
    torch.nn.Module.to(half._model, torch.bfloat16)
    graph = bert_graph(load_file(folder / MINILM.file), BertShape(6, 12, 1e-12))
    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(graph.SerializeToString(), options)
    tokenizer = open_tokenizer(folder, BUILTIN_TOKENS)
    exact = OnnxEncoder(session, tokenizer, name="exact", workers=cores())
    return {
        REFERENCE: lambda texts: reference.encode(
            list(texts), normalize_embeddings=True, show_progress_bar=False
        ),
        "torch, 32-bit, sorted batches of 8": lambda texts: np.array(full.encode(texts)),
        "torch, bfloat16": lambda texts: np.array(half.encode(texts)),
        "ONNX, 32-bit": lambda texts: np.array(exact.encode(texts)),
        "built-in, 8-bit": _encode(open_onnx_encoder(MINILM, layout, cache)),
    }


def _encode(encoder: OnnxEncoder) -> Encode:
    return lambda texts: np.array(encoder.encode(texts))


def quality(encode: Encode, collection: Collection) -> tuple[float, float, Any]:
    """Give mean nDCG@10, mean recall@10, and the passages' vectors."""
    passages, questions = encode(collection.passages), encode(collection.questions)
    gains, found = [], []
    for row, grades in zip(questions @ passages.T, collection.grades, strict=True):
        top = np.argsort(-row, kind="stable")[:10]
        ideal = _gain(sorted(grades.values(), reverse=True)[:10])
        gains.append(_gain([grades.get(int(i), 0.0) for i in top]) / ideal)
        found.append(len(grades.keys() & set(map(int, top))) / len(grades))
    return statistics.mean(gains), statistics.mean(found), passages


def _gain(grades: Sequence[float]) -> float:
    return sum(grade / math.log2(place + 2) for place, grade in enumerate(grades))


def speed(encoders: dict[str, Encode], collection: Collection) -> dict[str, dict[str, float]]:
    """Time every form in turn, so that what else the machine does hits all alike."""
    jobs = {
        "passages": collection.passages[:TIMED],
        "questions": (collection.questions * TIMED)[:TIMED],
    }
    best = {name: dict.fromkeys(jobs, math.inf) for name in encoders}
    for _ in range(ROUNDS):
        for name, encode in encoders.items():
            for job, texts in jobs.items():
                best[name][job] = min(best[name][job], _seconds(encode, texts))
    return {
        name: {
            **{f"{job}_per_second": TIMED / best[name][job] for job in jobs},
            "ratio_passages": best[REFERENCE]["passages"] / best[name]["passages"],
            "ratio_questions": best[REFERENCE]["questions"] / best[name]["questions"],
            "one_question_ms": 1_000 * _alone(encode, collection.questions),
        }
        for name, encode in encoders.items()
    }


def _seconds(encode: Encode, texts: Sequence[str]) -> float:
    started = time.perf_counter()
    encode(texts)
    return time.perf_counter() - started


def _alone(encode: Encode, questions: Sequence[str]) -> float:
    return statistics.median(_seconds(encode, [question]) for question in questions[:ALONE])


def neighbours(encode: Encode, texts: Sequence[str]) -> float:
    """Give the smallest cosine of a text's vector alone and beside the others."""
    together = encode(texts)
    alone = np.concatenate([encode([text]) for text in texts])
    return float((together * alone).sum(axis=1).min())


def measure(folder: Path, cache: Path) -> dict[str, Any]:
    """Run everything."""
    encoders = forms(cache)
    collections = {name: load(folder / name) for name in SETS}
    rows = speed(encoders, collections[SETS[0]])
    exact: dict[str, Any] = {}
    for name in JUDGED:
        near = []
        for each, collection in collections.items():
            gain, found, vectors = quality(encoders[name], collection)
            near.append((vectors * exact.setdefault(each, vectors)).sum(axis=1))
            rows[name] |= {f"{each}_ndcg_at_10": gain, f"{each}_recall_at_10": found}
        cosines = np.concatenate(near)
        rows[name] |= {"cosine_mean": float(cosines.mean()), "cosine_min": float(cosines.min())}
    texts = collections[SETS[0]].passages[:40]
    for name, encode in encoders.items():
        rows[name]["cosine_alone_and_beside_others"] = neighbours(encode, texts)
    questions = {name: len(collection.questions) for name, collection in collections.items()}
    return {"cores": cores(), "questions": questions, "forms": rows}


def show(found: dict[str, Any]) -> None:
    """Print one line a figure, one column a form."""
    names = list(found["forms"])
    print("| figure | " + " | ".join(names) + " |")
    print("| --- |" + " --- |" * len(names))
    figures = dict.fromkeys(figure for row in found["forms"].values() for figure in row)
    for figure in figures:
        cells = [found["forms"][name].get(figure) for name in names]
        print(f"| {figure} | " + " | ".join("" if c is None else f"{c:.4g}" for c in cells) + " |")
    print("questions:", ", ".join(f"{n} {count}" for n, count in found["questions"].items()))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    named = os.environ.get("HEADWATER_DATA")
    parser.add_argument("--data", type=Path, default=named and Path(named), required=not named)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--languages", action="store_true", help="compare the built-in embedders")
    options = parser.parse_args()
    if options.languages:
        by_language = embedder_languages.measure(options.data)
        if options.json:
            print(json.dumps(by_language, indent=1))
        else:
            embedder_languages.show(by_language)
        return
    with tempfile.TemporaryDirectory() as cache:
        found = measure(options.data, Path(cache))
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        show(found)


if __name__ == "__main__":
    main()
