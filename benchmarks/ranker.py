"""How fast is the built-in ranker, and what do its 8 bits cost in retrieval?

Run `python -m benchmarks.ranker [--data FOLDER] [--adapter FOLDER] [--pairs 50 150] [--json]`.
Seconds from texts to scores for pairs of 155 tokens in the mean, medians of 5 interleaved rounds
after a first one that does not count, all forms in this process on all cores, against
`sentence_transformers.CrossEncoder.predict` as its own defaults have it, on the same encoder and
head. `floor` is the time of the products alone at the rate that this machine reaches in one of
them. Memory is that of a process of its own that has opened the ranker and scored 50 pairs.

Without an adapter the head is random, which changes no time. With one that is calibrated, the
whole ranker is timed too: with the similarities that an index gives, and where it has to embed
the passages itself. With `--data` the pairs are real text, and nDCG@10 of 8 and of 32 bits is
compared on `dev` questions. With a CUDA device also: 750 pairs of 256 tokens.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.ranker_floor import flop, rates
from benchmarks.ranker_forms import (
    Score,
    Setting,
    base_tokenizer,
    exact,
    of_cross_encoder,
    of_network,
    of_ranker,
    of_reranker,
    save_reference,
)
from benchmarks.ranker_pairs import Job, jobs
from headwater.models.onnx_session import cores
from headwater.models.ranker.adapter import is_adapter

BUILTIN = Path(__file__).parents[1] / "models" / "adapters" / "ranker-english"
ROUNDS, QUESTIONS, TOGETHER = 5, 30, 20
REFERENCE, OURS = "CrossEncoder.predict, 32-bit", "built-in network, 8-bit"
SIXTEEN = "CrossEncoder.predict, float16"

Found: TypeAlias = dict[str, Any]


def forms(setting: Setting, folder: Path) -> dict[str, Score]:
    """Open every form on the processor."""
    reader, scorer = setting.parts()
    found = {
        REFERENCE: of_cross_encoder(folder, "cpu"),
        OURS: of_network(reader, scorer),
        "same graph, 32-bit": of_network(reader, exact(setting.adapter())),
        "as a reranker of the hub, 32-bit": of_reranker(folder, "cpu", "float32"),
        "as a reranker of the hub, bfloat16": of_reranker(folder, "cpu", "bfloat16"),
    }
    if ranker := setting.ranker():
        found["whole ranker, similarities known"] = of_ranker(ranker, 0.5)
        found["whole ranker, similarities embedded"] = of_ranker(ranker)
    return found


def speed(forms: dict[str, Score], given: Sequence[Job], rounds: int) -> dict[str, float]:
    """Give the median seconds of every form, taken in turn: other load then hits all alike."""
    taken: dict[str, list[float]] = {name: [] for name in forms}
    for _ in range(rounds + 1):
        for name, score in forms.items():
            started = time.perf_counter()
            score(given)
            taken[name].append(time.perf_counter() - started)
    return {name: statistics.median(seconds[1:]) for name, seconds in taken.items()}


def processor(setting: Setting, folder: Path, sizes: Iterable[int], rounds: int) -> Found:
    """Measure times on the processor."""
    (reader, _), opened, rate, rows = setting.parts(), forms(setting, folder), rates(), []
    for pairs in sizes:
        given = jobs(pairs, base_tokenizer(), setting.data)
        read = [windows for job in given for windows in reader.pairs(job.query, job.passages)]
        lengths = [len(pair.ids) for windows in read for pair in windows]
        seconds, products = speed(opened, given, rounds), flop(lengths)
        rows.append(
            {
                "pairs": pairs,
                "mean_tokens": statistics.mean(lengths),
                "gflop": products / 1e9,
                "floor_seconds": {name: products / each for name, each in rate.items()},
                "ratio_cross_encoder_to_headwater": seconds[REFERENCE] / seconds[OURS],
                **compared(seconds, REFERENCE, pairs),
            }
        )
    return {"gflop_per_second": {n: r / 1e9 for n, r in rate.items()}, "times": rows}


def compared(seconds: dict[str, float], reference: str, pairs: int) -> Found:
    """Give the seconds of every form in three ways."""
    return {
        "seconds": seconds,
        "pairs_per_second": {name: pairs / each for name, each in seconds.items()},
        "ratio_to_cross_encoder": {n: seconds[reference] / s for n, s in seconds.items()},
    }


def alone(setting: Setting) -> float:
    """Give the largest difference of a pair's logit alone and beside 19 others."""
    score = of_network(*setting.parts())
    (job,) = jobs(TOGETHER, base_tokenizer(), None)
    single = [score([Job(job.query, [passage])])[0] for passage in job.passages]
    return max(abs(a - b) for a, b in zip(score([job]), single, strict=True))


def accelerator(
    setting: Setting, folder: Path, device: str, *, pairs: int = 750, rounds: int = ROUNDS
) -> Found:
    """Measure pairs of 256 tokens on a device, all in 16 bits."""
    import torch

    given = jobs(pairs, base_tokenizer(), setting.data, lambda _: 256)
    opened = {
        SIXTEEN: of_cross_encoder(folder, device, {"dtype": torch.float16}),
        "built-in network, bfloat16": of_network(*setting.parts(device)),
        "as a reranker of the hub, bfloat16": of_reranker(folder, device, "bfloat16"),
    }
    seconds, products = speed(opened, given, rounds), flop([256] * pairs)
    peak = rates(device)["bfloat16"]
    return {
        "device": torch.cuda.get_device_name() if device == "cuda" else device,
        "tflop_per_second": peak / 1e12,
        **compared(seconds, SIXTEEN, pairs),
        "share_of_peak": {name: products / each / peak for name, each in seconds.items()},
    }


def memory(setting: Setting) -> float | None:
    """Give the resident MB of a process of its own; `None` where the system does not tell."""
    adapter = ["--adapter", str(setting.folder)] if setting.folder else []
    asked = [sys.executable, "-m", "benchmarks.ranker", "--resident", str(setting.cache), *adapter]
    setting.parts()  # makes the graph, so that the other process finds it as every later start does
    said = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: float | None = json.loads(said)
    return found


def resident(setting: Setting) -> float | None:
    """Score 50 pairs, then give what this process holds in memory, in MB."""
    ranker = setting.ranker()
    score = of_ranker(ranker) if ranker else of_network(*setting.parts())
    score(jobs(50, base_tokenizer(), None))
    status = Path("/proc/self/status")
    if not status.is_file():
        return None
    held = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(held.split()[1]) / 1_000


def measure(setting: Setting, options: argparse.Namespace) -> Found:
    """Run everything that can be measured here."""
    import torch

    found: Found = {
        "cores": cores(),
        "adapter": str(setting.folder) if setting.folder else "none: the head is random",
        "text": "data folder" if setting.data else "generated",
        "resident_mb": memory(setting),
        "logit_alone_and_beside_others": alone(setting),
    }
    folder = setting.cache / "reference"
    save_reference(setting.adapter(), folder)
    found |= processor(setting, folder, options.pairs, options.rounds)
    if setting.data and setting.folder:
        from benchmarks.ranker_loss import loss

        found["ndcg_at_10"] = loss(setting, setting.data, options.questions)
    if torch.cuda.is_available():
        found["cuda"] = accelerator(setting, folder, "cuda")
    return found


def show(found: Found) -> None:
    """Print a table for the times of each size, then a line for every other figure."""
    for row in found.pop("times"):
        floors = ", ".join(f"{name} {each:.2f}" for name, each in row["floor_seconds"].items())
        print(f"\n{row['pairs']} pairs, {row['mean_tokens']:.0f} tokens in the mean, ", end="")
        print(f"{row['gflop']:.0f} GFLOP; floor in seconds: {floors}")
        print("| form | seconds | pairs/s | ratio |\n| --- | --- | --- | --- |")
        for name, each in row["seconds"].items():
            rate, ratio = row["pairs_per_second"][name], row["ratio_to_cross_encoder"][name]
            print(f"| {name} | {each:.3f} | {rate:.1f} | {ratio:.2f} |")
        print(f"ratio_cross_encoder_to_headwater {row['ratio_cross_encoder_to_headwater']:.2f}")
    print()
    for name, value in found.items():
        print(f"{name}: {json.dumps(value)}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    named = os.environ.get("HEADWATER_DATA")
    parser.add_argument("--data", type=Path, default=named and Path(named))
    parser.add_argument("--adapter", type=Path, default=BUILTIN if is_adapter(BUILTIN) else None)
    parser.add_argument("--pairs", type=int, nargs="+", default=[50, 150])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each set, for nDCG")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--resident", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.resident:
        print(json.dumps(resident(Setting(options.adapter, options.resident))))
        return
    with tempfile.TemporaryDirectory() as cache:
        found = measure(Setting(options.adapter, Path(cache), options.data), options)
    print(json.dumps(found, indent=1)) if options.json else show(found)


if __name__ == "__main__":
    main()
