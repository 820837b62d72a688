"""Fit the similarity models and write their coefficients into the package.

    python -m headwater.models.training.similarity ranker --data FOLDER
    python -m headwater.models.training.similarity classifier --data FOLDER

Fits on `train`, calibrates and chooses the exit threshold on `dev`, reports `test`. The same data
and seed give the same file. `--out FOLDER` writes elsewhere than into the package.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from ..cache import cache_folder
from ..embedder import open_embedder
from ..registry import coefficients_digest
from ..similarity_classifier import FITTED as CLASSIFIER_FILE
from ..similarity_ranker import FITTED as RANKER_FILE
from .exits import fit_classifier
from .labelled import Split
from .pairs import fit_ranker
from .vectors import KeptVectors

SEED = 7
_PACKAGE = Path(__file__).parent.parent / "fitted"


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit one of the two models."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", choices=["ranker", "classifier"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=_PACKAGE)
    parser.add_argument("--queries", type=int, default=100, help="queries of each set in train")
    parser.add_argument("--held-out", type=int, default=60, help="the same in dev and in test")
    asyncio.run(_run(parser.parse_args(arguments)))


async def _run(options: argparse.Namespace) -> None:
    embedder = KeptVectors(open_embedder(device="cpu"), cache_folder())
    fit = fit_ranker if options.model == "ranker" else fit_classifier
    sizes: dict[Split, int] = {
        "train": options.queries,
        "dev": options.held_out,
        "test": options.held_out,
    }
    try:
        fitted = await fit(options.data, embedder, sizes, seed=SEED)
    finally:
        embedder.keep()
    fitted["origin"] = {
        "command": f"python -m headwater.models.training.similarity {options.model} --data DATA "
        f"--queries {options.queries} --held-out {options.held_out}",
        "date": datetime.now(UTC).date().isoformat(),
        "seed": SEED,
        "embedder": embedder.name,
        **_object(fitted.pop("origin")),
    }
    fitted["digest"] = coefficients_digest(fitted)
    name = RANKER_FILE if options.model == "ranker" else CLASSIFIER_FILE
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / name).write_text(
        json.dumps(fitted, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    print(json.dumps(fitted["measured"], indent=1), file=sys.stdout)


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


if __name__ == "__main__":
    main()
