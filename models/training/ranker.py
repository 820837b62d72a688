"""Train the ranker and write its adapter, head and model card into a folder.

    python -m headwater.models.training.ranker --data FOLDER --out FOLDER --minutes 100

Learns from `train`, chooses on `dev`, never sees `test`. The folder also gets `train.jsonl`, the
log, and a checkpoint every three minutes; `--resume` goes on from there, `--export-only` writes
the adapter of the checkpoint. With `--steps` in place of `--minutes` a run can be repeated to
the same weights on the same machine.
"""

import argparse
import asyncio
import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from ...domain.errors import HeadwaterError
from ..cache import cache_folder
from ..device import chosen_device
from ..embedder import open_embedder
from ..ranker.network import CrossEncoder
from ..ranker.reading import PairLayout, open_reader
from ..weights import MINILM, find_weights
from .ranking.loop import FULL_RATE, Schedule
from .ranking.lora import LOW_RANK_RATE
from .ranking.losses import LOSSES
from .ranking.session import DEV_SETS, Bench, Plan, encoder_of, finish, gather, learn, stored

LAYOUT = PairLayout(max_query=128)
"""Room for a question that comes with its circumstances: a query is cut at its end."""

RATES = {"full": FULL_RATE, "lora": LOW_RANK_RATE}
"""Highest rate of the encoder by method."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Train as the command line says."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser().parse_args(given)
    try:
        train(plan_of(options, given), open_bench(options.device), options)
    except HeadwaterError as error:
        sys.exit(str(error))


def train(plan: Plan, bench: Bench, options: argparse.Namespace) -> None:
    """Train with what the bench holds; prints the log, then the figures on dev."""
    plan.out.mkdir(parents=True, exist_ok=True)
    base = encoder_of(bench.model)
    material = asyncio.run(gather(plan, bench))
    if options.export_only:
        progress = stored(plan, bench)
    else:
        progress = learn(plan, bench, material, resume=options.resume)
    figures = finish(plan, bench, material, base=base, progress=progress)
    print(json.dumps(figures, indent=1))


def open_bench(device: str) -> Bench:
    """Open the pinned English base, its tokenizer, and the built-in embedder for the mining."""
    cache = cache_folder()
    model = CrossEncoder.pretrained(cache)
    model.to(chosen_device(device))
    return Bench(
        model=model,
        reader=open_reader(find_weights(MINILM).parent, LAYOUT),
        embedder=open_embedder(device=device),
        cache=cache,
        origin=MINILM,
    )


def plan_of(options: argparse.Namespace, given: Sequence[str]) -> Plan:
    """Make the plan that the options ask for; `given` is the command line as it was typed."""
    return Plan(
        data=options.data,
        out=options.out,
        schedule=Schedule(
            steps=options.steps,
            seconds=None if options.minutes is None else 60.0 * options.minutes,
            rate=options.rate or RATES[options.method],
            head_rate=options.head_rate,
            lists=options.lists,
            loss=options.loss,
            measure_every=options.measure_every,
        ),
        method=options.method,
        rank=options.rank,
        seed=options.seed,
        limit=options.limit,
        dev_queries=options.dev_queries,
        dev_sets=options.dev_sets,
        topic_share=options.topic_share,
        command=_command(given, options),
    )


def parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    plan, schedule = Plan.__dataclass_fields__, Schedule.__dataclass_fields__
    made = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = made.add_argument
    add("--data", type=Path, required=True, help="folder of sets in the evaluation schema")
    add("--out", type=Path, required=True, help="folder for adapter, log and checkpoint")
    length = made.add_mutually_exclusive_group(required=True)
    length.add_argument("--minutes", type=float)
    length.add_argument("--steps", type=int)
    add("--method", choices=list(RATES), default=plan["method"].default)
    add("--rank", type=int, default=plan["rank"].default, help="of the adapter")
    add("--seed", type=int, default=plan["seed"].default)
    add("--loss", choices=list(LOSSES), default=schedule["loss"].default)
    add("--rate", type=float, help="highest, of the encoder; default by method")
    add("--head-rate", type=float, default=schedule["head_rate"].default)
    add("--lists", type=int, default=schedule["lists"].default, help="lists a step")
    add("--topic-share", type=float, default=plan["topic_share"].default, help="of all lists")
    add("--limit", type=int, help="queries of each set in train")
    add("--dev-queries", type=int, default=plan["dev_queries"].default, help="of each set")
    add("--dev-sets", nargs="+", default=list(DEV_SETS))
    add("--measure-every", type=int, default=schedule["measure_every"].default, help="steps")
    add("--device", default="auto")
    again = made.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true")
    again.add_argument("--export-only", action="store_true")
    return made


def _command(given: Sequence[str], options: argparse.Namespace) -> str:
    """Give the command without the folders of this machine."""
    named = {str(options.data): "DATA", str(options.out): "OUT"}
    typed = [named.get(part, part) for part in given]
    return f"python -m headwater.models.training.ranker {shlex.join(typed)}"


if __name__ == "__main__":
    main()
