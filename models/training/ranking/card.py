"""The model card of a trained ranker."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ...weights import Pinned
from ..licences import licences_of
from .evaluate import Figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the card says about how the adapter came about."""

    base: Pinned
    command: str
    date: str
    seed: int
    learned: str
    """Which parameters."""
    rank: int
    steps: int
    pairs: int
    minutes: float
    datasets: list[str]
    figures: Mapping[str, Figures]
    """Figures on dev by the state of the model: `full` and `cut`."""


def write_card(folder: Path, facts: Facts) -> None:
    """Write README.md beside the adapter's files, with the size of those."""
    sizes = {file.name: file.stat().st_size for file in sorted(folder.glob("*.safetensors"))}
    (folder / "README.md").write_text(_card(facts, sizes), "utf-8")


def _card(facts: Facts, sizes: Mapping[str, int]) -> str:
    megabytes = sum(sizes.values()) / 1e6
    return f"""---
license: apache-2.0
base_model: sentence-transformers/{facts.base.name}
library_name: peft
---

# Headwater's English ranker

A cross-encoder that reads a query and a passage together and says how well the passage answers.
It belongs to the weights of {facts.base.name} ({facts.base.licence}; SHA-256
`{facts.base.sha256}`) and is of no use with others.

- Files: {megabytes:.1f} MB; LoRA factors of rank {facts.rank} for every matrix of the encoder,
  which `peft` loads, and `head.safetensors`: the head, and what is added to the encoder's
  biases and layer norms.
- Trained on {facts.date} with seed {facts.seed}: {facts.steps} steps, {facts.pairs} pairs,
  {facts.minutes:.0f} minutes.
- Command: `{facts.command}`
- {facts.learned} `cut` below against `full` shows what the cut
  to rank {facts.rank} and 16 bits costs.

## Measured on dev

nDCG and MRR at 10 on the first stage's 20 best candidates, means over the sets; `first_stage`
is their nDCG as they came. `answers_auc` is how well passages that answer are told from those
that are on topic and do not. The model was chosen by these figures; they are no test.

{_table(facts.figures)}

## Data

Splits for training only. Hard negatives are mined from the same passages.

{_licences(facts.datasets)}

## Limits

Trained on English, with some Chinese, French, German and Spanish; its vocabulary is English.
Labels come from question answering sets: what is useful to a reader beyond answering a question
was not labelled. A score is a judgement of relevance, not of truth.
"""


def _table(figures: Mapping[str, Figures]) -> str:
    states = list(figures)
    names = list(dict.fromkeys(name for found in figures.values() for name in found))
    lines = [f"| | {' | '.join(states)} |", f"|---|{'---|' * len(states)}"]
    for name in names:
        cells = [f"{found[name]:.3f}" if name in found else "" for found in figures.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _licences(datasets: list[str]) -> str:
    rows = [f"| {name} | {terms} |" for name, terms in licences_of(datasets).items()]
    return "\n".join(["| set | licence |", "|---|---|", *rows])
