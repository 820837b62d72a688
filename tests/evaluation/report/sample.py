"""Made-up results that are valid rows: what a small run over two data sets could have left.

Whether a gold passage is found is drawn from a seed; a setting with more effort finds more. The
numbers mean nothing, but every part of a row fits the others, as in a real run.
"""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

from headwater.evaluation.record import (
    CitedSentence,
    ContentPiece,
    Gold,
    ResultRow,
    SubQueryRow,
    to_json,
)

SETTINGS = {"minimal": 0.45, "low": 0.6, "medium": 0.75}
"""Setting -> chance that a gold passage is found."""

DATASETS = {"manuals": 0.0, "tickets": -0.12, "contracts": -0.3}
"""Data set -> what it adds to that chance."""

RUN = {
    "experiment": "effort",
    "question": "What does more effort gain?",
    "commit": "0123abc",
    "machine": "a desk with two cores",
    "seed": 7,
    "command": "headwater eval effort --seed 7",
    "settings": list(SETTINGS),
}
STEP_MS = {
    "plan": 4.0,
    "federate": 60.0,
    "rank": 180.0,
    "classify": 90.0,
    "merge": 3.0,
    "answer": 9.0,
}
_STEPS = {
    "minimal": ["federate", "rank", "merge"],
    "low": ["plan", "federate", "rank", "merge", "answer"],
    "medium": list(STEP_MS),
}


def sample_rows(per_dataset: int = 12, *, seed: int = 5) -> list[ResultRow]:
    """Return `per_dataset` questions of each data set under every setting."""
    return [
        sample_row(dataset, number, setting, seed=seed)
        for dataset in DATASETS
        for number in range(per_dataset)
        for setting in SETTINGS
    ]


def sample_row(dataset: str, number: int, setting: str, *, seed: int = 5) -> ResultRow:
    """Return one question under one setting; the same arguments give the same row."""
    chance = SETTINGS[setting] + DATASETS[dataset]
    # A question has one luck under all settings, so that differences are paired ones.
    luck = Random(f"{seed} {dataset} {number}")
    gold = [f"{dataset}-{number}-gold-{part}" for part in range(1 + number % 2)]
    found = [doc for doc in gold if luck.random() < chance]
    docs = _ranked(luck, dataset, number, found)
    scores = sorted((_score(luck, doc in gold) for doc in docs), reverse=True)
    row = ResultRow(
        experiment="effort",
        base="field_service",
        setting=setting,
        dataset=dataset,
        split="test",
        qid=f"{dataset}-{number}",
        question=f"Which part does pump {number} need?",
        lang=("en", "fr", "zh")[number % 3],
        hops=len(gold),
        type="lookup" if len(gold) == 1 else "bridge",
        answerable=True,
        answers=[f"seal {number}"],
        gold=[_gold(dataset, doc, 4 if len(gold) == 1 else 3) for doc in gold],
        gold_sources=[dataset],
        run_id=f"run-{dataset}-{number}-{setting}",
        status="ok",
        effort=setting,
        rounds=1,
        sub_queries=[_sub_query(dataset, number)],
        contains_answer=len(found) == len(gold),
        layers={"federate": docs, "rank": docs},
        scores={"rank": scores},
        content=[_piece(doc, dataset, n, scores[n]) for n, doc in enumerate(docs)],
        step_ms={step: STEP_MS[step] * luck.uniform(0.7, 1.5) for step in _STEPS[setting]},
        elapsed_ms=350.0 + luck.uniform(-50, 90),
        calls={"ranker": 1},
        tokens={"ranker": [len(docs) * 200, 0]},
    )
    if setting == "minimal":
        return row
    row = _answered(row, number)
    return _classified(row, luck, complete=len(found) == len(gold)) if setting == "medium" else row


def failed_row(dataset: str, number: int, setting: str) -> ResultRow:
    """Return a question that could not be run: nothing but its error."""
    return replace(
        sample_row(dataset, number, setting),
        status="failed",
        error="SourceUnavailableError: the source did not answer",
        sub_queries=[],
        layers={},
        scores={},
        content=[],
        contains_answer=None,
        answer=None,
        cited=[],
        step_ms={},
        calls={},
        tokens={},
        elapsed_ms=None,
    )


def write_run(folder: Path, rows: list[ResultRow], *, run: object = RUN) -> Path:
    """Write a results folder as an evaluation leaves it, without its reports."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps(to_json(row), ensure_ascii=False) for row in rows)
    folder.joinpath("results.jsonl").write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if run is not None:
        folder.joinpath("run.json").write_text(json.dumps(run), "utf-8")
    return folder


def _ranked(luck: Random, dataset: str, number: int, found: list[str]) -> list[str]:
    docs = [f"{dataset}-{number}-other-{n}" for n in range(8)]
    for doc in found:
        docs.insert(luck.choice([0, 0, 1, 4]), doc)
    return docs


def _score(luck: Random, gold: bool) -> float:
    return round(4 * (luck.betavariate(5, 2) if gold else luck.betavariate(2, 5)), 4)


def _gold(dataset: str, doc: str, grade: int) -> Gold:
    return Gold(source=dataset, doc=doc, grade=grade, spans=[[10, 60]])


def _piece(doc: str, source: str, number: int, score: float) -> ContentPiece:
    return ContentPiece(
        doc=doc,
        source=source,
        start=0,
        end=1_800,
        tokens=450,
        score=score,
        caption=[0, 120],
        ref_id=number,
        sub_query="q1",
    )


def _sub_query(dataset: str, number: int) -> SubQueryRow:
    question = f"Which part does pump {number} need?"
    return SubQueryRow(id="q1", text=question, round=1, sources=[dataset])


def _classified(row: ResultRow, luck: Random, *, complete: bool) -> ResultRow:
    probability = round(luck.betavariate(6, 2) if complete else luck.betavariate(2, 4), 4)
    leaves = probability >= 0.6
    reflects = luck.random() < 0.5
    [sub_query] = row.sub_queries
    decided = replace(
        sub_query,
        probability=probability,
        threshold=0.6,
        decision="exit" if leaves else "reflect",
    )
    return replace(
        row,
        sub_queries=[decided],
        rounds=1 if leaves or reflects else 2,
        layers={**row.layers, "classify": row.layers["rank"][:6]},
        scores={**row.scores, "classify": row.scores["rank"][:6]},
        content=[replace(piece, grade=piece.score) for piece in row.content],
    )


def _answered(row: ResultRow, number: int) -> ResultRow:
    said = f"It needs seal {number}."
    refs = [piece.ref_id for piece in row.content[:2]]
    return replace(row, answer=said, cited=[CitedSentence(sentence=said, refs=refs)])
