"""How good are the answers that quote, without a language model, and do they know when to abstain?

Run `python -m benchmarks.answers --data FOLDER --split dev`. FOLDER (or HEADWATER_DATA) holds the
sets in SETS. The content of a question is its gold passages among the labelled distractors of its
`pairs`, as the built-in ranker scores them, in its order, those under the threshold of a run left
out. The `Answer` node runs on it without a chat model. Every question that has an answer is asked
twice: with its gold passages, and without (nothing answers then, unless a distractor does, which
the labels cannot tell). Questions that people judged unanswerable are asked once.

Questions that need an earlier turn are excluded. Sampled evenly, at most N a set of either kind.
"""

import argparse
import asyncio
import gzip
import json
import os
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.domain.markers import claims_of
from headwater.domain.passage import Passage
from headwater.domain.ports import Ranker, RankTask, Scorable
from headwater.domain.result import Reference, Scores
from headwater.domain.state import Ranking, RunState, SubQuery
from headwater.domain.words import fold, stem, terms
from headwater.nodes.answer import Answer
from tests.fakes import MemoryPassages, Recorder, WordCounter, run_with

SETS = ("squad2", "hotpotqa", "clapnq", "mtrag", "piaf", "cmrc2018", "techdocs_faq")
SHORT = 80
"""Characters up to which a reference answer has to be in the quotes whole; of a longer one the
share of its words counts."""

DEFAULTS = run_with()


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its passages, best first; `answers` is empty where nothing answers it."""

    kind: str
    """`gold`, `removed` or `unanswerable`."""
    question: str
    answers: list[str]
    passages: list[Passage]
    scores: list[float]


@dataclass(slots=True)
class Tally:
    """What the answers of one set were like."""

    held: list[float] = field(default_factory=list)
    """Share of the reference answer in the quotes, in [0, 1]."""
    quotes: list[int] = field(default_factory=list)
    characters: list[int] = field(default_factory=list)
    abstained: dict[str, list[bool]] = field(default_factory=dict)
    """By kind of case."""
    cited: int = 0
    verbatim: int = 0
    loose: int = 0
    """Sentences without a citation that are no heading."""
    elapsed_ms: list[float] = field(default_factory=list)

    def row(self) -> dict[str, float]:
        kept = [not a for a in self.abstained.get("gold", [])]
        empty = [a for kind, found in self.abstained.items() if kind != "gold" for a in found]
        silent = sum(empty) + len(kept) - sum(kept)
        return {
            "cases": len(kept) + len(empty),
            "ratio_held": _mean(self.held),
            "quotes": _mean(self.quotes),
            "characters": _mean(self.characters),
            "ratio_answered": _mean(kept),
            "ratio_abstained_removed": _mean(self.abstained.get("removed", [])),
            "ratio_abstained_unanswerable": _mean(self.abstained.get("unanswerable", [])),
            "ratio_abstention_precision": sum(empty) / silent if silent else float("nan"),
            "ratio_citations_verbatim": self.verbatim / self.cited if self.cited else float("nan"),
            "loose": self.loose,
            "median_ms": statistics.median(self.elapsed_ms),
        }


def _mean(values: Sequence[float]) -> float:
    return statistics.fmean(values) if values else float("nan")


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Give the rows of one compressed file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


async def cases_of(data: Path, name: str, split: str, sample: int, ranker: Ranker) -> list[Case]:
    """Give the cases of one set."""
    corpus = {row["id"]: row for row in read(data / name / "corpus.jsonl.gz")}
    labelled: dict[str, dict[str, int]] = {}
    for row in read(data / name / f"pairs.{split}.jsonl.gz"):
        labelled.setdefault(row["qid"], {})[row["docid"]] = row["grade"]
    queries = [
        row
        for row in read(data / name / f"queries.{split}.jsonl.gz")
        if not row.get("history") and row["id"] in labelled and row["answerable"] in (True, False)
    ]
    drawn = []
    for answerable in (True, False):
        kind = [row for row in queries if row["answerable"] is answerable]
        drawn += kind[:: max(1, -(-len(kind) // sample))]
    cases: list[Case] = []
    for row in drawn:
        cases += await _cases(row, labelled[row["id"]], corpus, ranker)
    return cases


async def _cases(
    row: dict[str, Any], grades: dict[str, int], corpus: dict[str, Any], ranker: Ranker
) -> list[Case]:
    rows = [corpus[docid] for docid in grades]
    found = [
        Passage(r["source"], r["id"], r["text"], title=r.get("title") or "", language=r["lang"])
        for r in rows
    ]
    task = RankTask(row["question"], [Scorable(p.text, p.title) for p in found])
    (scores,) = await ranker.score([task])
    ranked = sorted(zip(scores, found, strict=True), key=lambda pair: -pair[0])
    kept = [(s, p) for s, p in ranked if s >= DEFAULTS.ranker_threshold]

    def case(kind: str, pairs: list[tuple[float, Passage]], answers: list[str]) -> Case:
        return Case(kind, row["question"], answers, [p for _, p in pairs], [s for s, _ in pairs])

    if not row["answerable"]:
        return [case("unanswerable", kept, [])]
    without = [(s, p) for s, p in kept if grades[p.id] < 3]
    return [case("gold", kept, row["answers"]), case("removed", without, [])]


def state_of(case: Case) -> RunState:
    """Give the state in which a run of effort `low` reaches the answer."""
    keys = [passage.key for passage in case.passages]
    return {
        "question": case.question,
        "run": DEFAULTS,
        "round": 1,
        "sub_queries": [SubQuery("q1", case.question)],
        "references": [
            Reference(
                ref_id=n, source=p.source, id=p.id, sub_query="q1", round=1, scores=Scores(score)
            )
            for n, (p, score) in enumerate(zip(case.passages, case.scores, strict=True), 1)
        ],
        "rankings": [Ranking("q1", keys, list(case.scores), [[0, 0]] * len(keys))],
        "gaps": [],
        "activity": [],
    }


async def tally_of(cases: Sequence[Case]) -> Tally:
    """Answer every case."""
    tally = Tally()
    for case in cases:
        node = Answer(
            MemoryPassages(case.passages), WordCounter(), None, time.perf_counter, Recorder()
        )
        update = await node(state_of(case))
        count(tally, case, update["answer"])
        tally.elapsed_ms.append(update["activity"][0].elapsed_ms)
    return tally


def count(tally: Tally, case: Case, answer: str | None) -> None:
    """Add one answer to the tally."""
    tally.abstained.setdefault(case.kind, []).append(answer is None)
    claims = [claim for line in claims_of(answer or "") for claim in line if not claim.structure]
    quoted = [claim for claim in claims if claim.refs]
    tally.loose += sum(not claim.refs and not claim.text.startswith("|") for claim in claims)
    tally.cited += len(quoted)
    flat = {n: _flat(passage.text) for n, passage in enumerate(case.passages, 1)}
    tally.verbatim += sum(any(_verbatim(c.text, flat[r]) for r in c.refs) for c in quoted)
    text = "\n".join(claim.text for claim in claims)
    if case.kind == "gold":
        tally.quotes.append(len(quoted))
        tally.characters.append(len(text))
        scored = [a for a in case.answers if fold(a) not in {"yes", "no"}]
        if scored:
            tally.held.append(max(held(reference, text) for reference in scored))


def _verbatim(quote: str, passage: str) -> bool:
    """Tell whether a quote is in a passage; a list item may have the line that introduces it."""
    lead, _, item = _flat(quote).partition(": ")
    return _flat(quote) in passage or (bool(item) and lead in passage and item in passage)


def held(reference: str, text: str) -> float:
    """Give how much of a reference answer `text` holds, in [0, 1]; a short one whole or not."""
    if len(reference) <= SHORT:
        return float(_flat(reference) in _flat(text))
    wanted = set(map(stem, terms(reference)))
    return len(wanted & set(map(stem, terms(text)))) / len(wanted) if wanted else 0.0


def _flat(text: str) -> str:
    return " ".join(fold(text).split())


def show(table: dict[str, dict[str, float]]) -> None:
    """Print one row a set."""
    heads = (
        "cases held quotes chars answered abstained,removed abstained,unanswerable precision "
        "verbatim loose ms"
    ).split()
    print(f"| set | {' | '.join(h.replace(',', ', ') for h in heads)} |")
    print(f"| --- {'| --- ' * len(heads)}|")
    for name, row in table.items():
        cells = (f"{v:.3f}" if k.startswith("ratio") else f"{v:.3g}" for k, v in row.items())
        print(f"| {name} | {' | '.join(cells).replace('nan', '–')} |")


async def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=os.environ.get("HEADWATER_DATA"))
    parser.add_argument("--split", choices=("dev", "test"), default="test")
    parser.add_argument("--sample", type=int, default=80, help="Questions a set, of either kind.")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.data:
        sys.exit("Say where the data is: --data FOLDER, or HEADWATER_DATA.")
    started = time.perf_counter()
    ranker, table = _ranker(), {}
    for name in SETS:
        cases = await cases_of(Path(options.data), name, options.split, options.sample, ranker)
        table[name] = (await tally_of(cases)).row()
    seconds = round(time.perf_counter() - started, 1)
    if options.json:
        print(json.dumps({"split": options.split, "seconds": seconds, "sets": table}))
    else:
        show(table)
        print(f"\n{options.split}, at most {options.sample} questions of a kind; {seconds} s")


def _ranker() -> Ranker:
    from headwater.models.embedder import open_embedder
    from headwater.models.similarity_ranker import open_similarity_ranker

    return open_similarity_ranker(open_embedder("builtin"))


if __name__ == "__main__":
    asyncio.run(main())
