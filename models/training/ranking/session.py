"""A training from data to adapter: gather, train, cut, measure, write."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import torch

from ....domain.errors import ConfigurationError
from ....domain.ports import Embedder
from ...ranker.network import CrossEncoder
from ...ranker.reading import PairReader
from ...weights import Pinned
from .card import Facts, write_card
from .evaluate import Dev, Figures, held_out, measure, topic_pairs
from .export import cut, export
from .lists import (
    IN_CONTEXT,
    AnswerLists,
    Recipe,
    TopicLists,
    TrainingList,
    draws,
    weights_of,
)
from .loop import Progress, Schedule, Training, restore
from .lora import LowRank
from .negatives import candidates, negatives
from .sets import LabelledSet, read_sets

DEV_SETS = (
    "2wikimultihopqa",
    "clapnq",
    "conditionalqa",
    "covidqa",
    "debian_docs_i18n",
    "droit_travail_fr",
    "mtrag",
    "squad2",
    "techdocs_faq",
)
"""What models are chosen on: like what is searched in use, and two sets of topics."""


LEARNED = {
    "full": "All of the encoder is trained but its tables of words, positions and token types.",
    "lora": "Of the encoder, LoRA factors, biases and layer norms are trained.",
}
"""By method, for the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is wanted of one training."""

    data: Path
    out: Path
    schedule: Schedule
    method: str = "full"
    """`full`: learn whole matrices and cut them to the rank at the end; `lora`: learn factors."""
    rank: int = 32
    seed: int = 7
    limit: int | None = None
    """Queries of each set in `train`; `None` for all."""
    dev_queries: int = 10
    """Queries of each set of `dev` while training; at the end three times as many."""
    dev_sets: Sequence[str] = DEV_SETS
    topic_share: float = 0.15
    """Of the lists, those of topics."""
    command: str = ""
    """For the card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What a training works with. The model must still be as the base is."""

    model: CrossEncoder
    reader: PairReader
    embedder: Embedder
    cache: Path
    origin: Pinned


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What is learned from, and what is measured on: a little while training, more at the end."""

    recipes: list[Recipe]
    weights: list[float]
    datasets: list[str]
    dev: Dev
    final_dev: Dev


async def gather(plan: Plan, bench: Bench) -> Material:
    """Read the sets and mine their candidates.

    Raises:
        ConfigurationError: no data to learn from, or data that may not be used.
    """
    recipes: list[Recipe] = []
    for labelled in read_sets(plan.data, "train", seed=plan.seed, limit=plan.limit):
        print(f"{labelled.name}: {len(labelled.queries)} queries", flush=True)
        recipes += [AnswerLists(labelled, await _hard(labelled, bench)), TopicLists(labelled)]
    recipes = [recipe for recipe in recipes if recipe.size]
    if not recipes:
        raise ConfigurationError(f"There is nothing to learn from in {str(plan.data)!r}.")
    return Material(
        recipes=recipes,
        weights=weights_of(recipes, plan.topic_share),
        datasets=sorted({recipe.dataset for recipe in recipes}),
        dev=await _dev(plan, bench, plan.dev_queries),
        final_dev=await _dev(plan, bench, 3 * plan.dev_queries),
    )


def stream(material: Material, seed: int) -> Iterator[TrainingList]:
    """Give training lists without end; the same for the same material and seed."""
    for number, (recipe, place) in enumerate(draws(material.recipes, material.weights, seed)):
        yield material.recipes[recipe].make(place, random.Random(f"{seed} {number}"))


def learn(plan: Plan, bench: Bench, material: Material, *, resume: bool) -> Progress:
    """Train the bench's model; its checkpoint is then in the plan's folder."""
    torch.manual_seed(plan.seed)
    low_rank = _low_rank(plan, bench)
    training = Training(bench.model, bench.reader, plan.out, schedule=plan.schedule)
    if resume:
        training.resume()
    training.run(
        stream(material, plan.seed), lambda model: measure(model, bench.reader, material.dev)
    )
    if low_rank:
        low_rank.merge()
    return training.progress


def stored(plan: Plan, bench: Bench) -> Progress:
    """Put the checkpoint in the plan's folder into the bench's model."""
    low_rank = _low_rank(plan, bench)
    progress = restore(bench.model, plan.out)
    if low_rank:
        low_rank.merge()
    return progress


def finish(
    plan: Plan,
    bench: Bench,
    material: Material,
    *,
    base: dict[str, torch.Tensor],
    progress: Progress,
) -> dict[str, Figures]:
    """Write the adapter of a trained model, and measure what the cut to its rank costs.

    `base` is the encoder before training, see `encoder_of`. The bench's model is cut.
    """
    figures = {"full": measure(bench.model, bench.reader, material.final_dev)}
    export(
        bench.model,
        base,
        plan.out,
        rank=plan.rank,
        origin=bench.origin,
        layout=bench.reader.layout,
    )
    cut(bench.model, base, plan.rank)
    figures["cut"] = measure(bench.model, bench.reader, material.final_dev)
    write_card(
        plan.out,
        Facts(
            base=bench.origin,
            command=plan.command,
            date=datetime.now(UTC).date().isoformat(),
            seed=plan.seed,
            learned=LEARNED[plan.method],
            rank=plan.rank,
            steps=progress.step,
            pairs=progress.pairs,
            minutes=progress.seconds / 60,
            datasets=material.datasets,
            figures=figures,
        ),
    )
    return figures


def encoder_of(model: CrossEncoder) -> dict[str, torch.Tensor]:
    """Give a copy of the encoder's weights on the processor."""
    return {
        name: value.detach().cpu().clone() for name, value in model.encoder.state_dict().items()
    }


def _low_rank(plan: Plan, bench: Bench) -> LowRank | None:
    return LowRank(bench.model, plan.rank) if plan.method == "lora" else None


async def _hard(labelled: LabelledSet, bench: Bench) -> list[list[str]]:
    if labelled.name in IN_CONTEXT:
        return [[] for _ in labelled.queries]
    found = await candidates(labelled, bench.embedder, bench.cache)
    pairs = zip(labelled.queries, found, strict=True)
    return [negatives(query, row, labelled.passages) for query, row in pairs]


async def _dev(plan: Plan, bench: Bench, queries: int) -> Dev:
    dev = Dev()
    for labelled in read_sets(plan.data, "dev", seed=plan.seed, names=plan.dev_sets):
        answered = [query for query in labelled.queries if query.gold][:queries]
        drawn = replace(labelled, queries=answered)
        found = await candidates(drawn, bench.embedder, bench.cache)
        dev.lists.extend(held_out(drawn, found))
        dev.topics.extend(topic_pairs(labelled, plan.seed))
    return dev
