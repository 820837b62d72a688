"""Fit what the ranker's scores mean, and write it beside the weights it belongs to.

    python -m headwater.models.training.scores --data FOLDER --adapter FOLDER

Collects candidates of `dev` questions as a search finds them, together with the labelled pairs,
computes all features as serving does, and writes `scores.json` into the adapter's folder. The
weights learn from `train`; so few numbers are fitted here that `dev`, which the weights have not
seen, is the place for them. The same data and adapter give the same file.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ...domain.errors import ConfigurationError, HeadwaterError
from ...domain.ports import Embedder
from ..cache import cache_folder
from ..embedder import open_embedder
from ..ranker.adapter import read_adapter
from ..ranker.scores import FEATURES, SCORES_FILE, read_combination
from .candidate_table import Logits, Wanted, candidates_of, sets_of, table_of
from .combining import fit_combination, learnable
from .labelled import NEVER_TRAIN
from .licences import licences_of
from .linear import Table
from .logits import open_logits
from .score_figures import measure
from .vectors import KeptVectors

CHOSEN = ("logit", "similarity", "lexical", "together", "phrases")
"""The features that are combined unless the command names others. The rest of the lexical
evidence was tried on `dev` and made the order of sets that the fit had not seen worse."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit as the command line says."""
    options = _parser().parse_args(arguments)
    try:
        fitted = fit(options)
        write(fitted, options.adapter)
    except HeadwaterError as error:
        sys.exit(str(error))
    print(json.dumps(fitted["measured"], indent=1))


async def collect(wanted: Wanted, embedder: Embedder, logits: Logits | None, cache: Path) -> Table:
    """Find the candidates of all sets and compute their features. Raises ConfigurationError."""
    found = []
    for labelled in sets_of(wanted):
        print(f"{labelled.name}: {len(labelled.queries)} questions", file=sys.stderr, flush=True)
        some = await candidates_of(labelled, embedder, cache, depth=wanted.depth)
        found.append((labelled.name, some))
    if not any(some for _, some in found):
        raise ConfigurationError(f"There are no labelled pairs in {str(wanted.data)!r}.")
    return await table_of(found, embedder, logits)


def fitted_scores(
    table: Table, names: Sequence[str], origin: dict[str, object]
) -> dict[str, object]:
    """Give the object of `scores.json`: the combination, what was measured, where it is from."""
    combination = fit_combination(table, names)
    used = sorted(set(table.datasets[learnable(table)].tolist()))
    return {
        **combination.as_data(),
        "measured": measure(table, combination),
        "origin": {
            **origin,
            "datasets": licences_of(used),
            "measured_only": sorted(NEVER_TRAIN & set(table.datasets.tolist())),
        },
    }


def fit(options: argparse.Namespace) -> dict[str, object]:
    """Collect, fit and measure as the options say."""
    cache = cache_folder()
    logits = open_logits(read_adapter(options.adapter), cache) if _needs_logits(options) else None
    embedder = KeptVectors(open_embedder(device="cpu"), cache)
    wanted = Wanted(
        data=options.data,
        queries=options.queries,
        passages=options.passages,
        depth=options.depth,
    )
    try:
        table = asyncio.run(collect(wanted, embedder, logits, cache))
    finally:
        embedder.keep()
        if logits is not None:
            logits.keep()
    origin: dict[str, object] = {
        "command": "python -m headwater.models.training.scores --data DATA --adapter ADAPTER "
        f"--queries {wanted.queries} --passages {wanted.passages} --depth {wanted.depth} "
        f"--features {' '.join(options.features)}",
        "date": datetime.now(UTC).date().isoformat(),
        "seed": wanted.seed,
        "split": wanted.split,
        "embedder": embedder.name,
    }
    return fitted_scores(table, options.features, origin)


def write(fitted: dict[str, object], folder: Path) -> None:
    """Write `scores.json`; what could not be read back is refused. Raises ConfigurationError."""
    read_combination(fitted)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(fitted, indent=1, ensure_ascii=False) + "\n"
    (folder / SCORES_FILE).write_text(text, "utf-8")


def _needs_logits(options: argparse.Namespace) -> bool:
    return "logit" in options.features


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder of sets in the evaluation schema")
    add("--adapter", type=Path, required=True, help="folder of the adapter; scores.json goes there")
    add("--queries", type=int, default=50, help="of each set")
    add("--passages", type=int, default=4_000, help="most of each set's corpus")
    add("--depth", type=int, default=25, help="candidates of each question")
    add("--features", nargs="+", choices=FEATURES, default=list(CHOSEN))
    return parser


if __name__ == "__main__":
    main()
