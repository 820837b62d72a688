"""The same encoder and head in every form that the benchmark of the ranker times.

Nothing here loads torch before a form needs it: the memory of the built-in one is measured.
"""

import asyncio
import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from tokenizers import Tokenizer

from benchmarks.ranker_pairs import Job
from headwater.domain.ports import Ranker, RankTask
from headwater.models.embedder import open_embedder
from headwater.models.embedder_onnx import MINILM_SHAPE
from headwater.models.onnx_session import cores
from headwater.models.ranker.adapter import HEAD, Adapter, merged, read_adapter
from headwater.models.ranker.onnx_scorer import OnnxScorer
from headwater.models.ranker.opening import open_adapter_ranker, open_scorer
from headwater.models.ranker.reading import Pair, PairLayout, PairReader
from headwater.models.scorer import Scorer
from headwater.models.tokenizer import load_tokenizer
from headwater.models.weights import MINILM, find_weights

if TYPE_CHECKING:
    from headwater.models.rerankers.opening import Precision

Score: TypeAlias = Callable[[Sequence[Job]], list[float]]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is measured, and where derived files go. `folder` is `None` without an adapter."""

    folder: Path | None
    cache: Path
    data: Path | None = None

    def adapter(self) -> Adapter:
        return read_adapter(self.folder) if self.folder else untrained()

    def parts(self, device: str = "cpu") -> tuple[PairReader, Scorer[Pair]]:
        return open_scorer(self.adapter(), name="benchmark", device=device, cache=self.cache)

    def ranker(self) -> Ranker | None:
        """Open the whole ranker; `None` without an adapter that is calibrated."""
        if self.folder is None or self.adapter().scores is None:
            return None
        return open_adapter_ranker(
            self.folder, open_embedder(device="cpu"), device="cpu", cache=self.cache
        )


def base_folder() -> Path:
    """Give the folder of the base weights."""
    return find_weights(MINILM).parent


def base_tokenizer() -> Tokenizer:
    """Open the base's tokenizer; it neither cuts nor pads."""
    tokenizer = load_tokenizer(base_folder())
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def untrained() -> Adapter:
    """Make an adapter that changes nothing, with a random head."""
    rng, width = np.random.default_rng(3), 384
    shapes = [(width, width), (width,), (1, width), (1,), ()]
    arrays = [np.asarray(rng.normal(0, 0.05, shape), dtype=np.float32) for shape in shapes]
    return Adapter(
        folder=Path("untrained"),
        base_name=MINILM.name,
        base_sha256=MINILM.sha256,
        layout=PairLayout(),
        scale=1.0,
        lora={},
        vectors={},
        head=dict(zip(HEAD, arrays, strict=True)),
        scores=None,
        weights_digest="untrained-head",
        digest="untrained-head",
    )


def of_network(reader: PairReader, scorer: Scorer[Pair]) -> Score:
    """Score with the network of the built-in ranker: reading and logits, best window."""

    def score(given: Sequence[Job]) -> list[float]:
        read = [windows for job in given for windows in reader.pairs(job.query, job.passages)]
        logits = iter(scorer.logits([pair for windows in read for pair in windows]))
        return [max((next(logits) for _ in windows), default=-math.inf) for windows in read]

    return score


def of_ranker(ranker: Ranker, similarity: float | None = None) -> Score:
    """Score through the port; `similarity` is what the index is taken to have said of each."""

    def score(given: Sequence[Job]) -> list[float]:
        tasks = [
            RankTask(job.query, [replace(one, similarity=similarity) for one in job.passages])
            for job in given
        ]
        return [one for row in asyncio.run(ranker.score(tasks)) for one in row]

    return score


def exact(adapter: Adapter) -> OnnxScorer:
    """Open the same graph without rounding."""
    from onnxruntime import (  # type: ignore[import-untyped]  # ships no types
        InferenceSession,
        SessionOptions,
    )
    from safetensors.numpy import load_file

    from headwater.models.ranker.graph import pair_graph

    graph = pair_graph(
        merged(load_file(base_folder() / MINILM.file), adapter), adapter.head, MINILM_SHAPE
    )
    options = SessionOptions()
    options.intra_op_num_threads = 1
    session = InferenceSession(graph.SerializeToString(), options)
    return OnnxScorer(session, name="exact", workers=cores())


def save_reference(adapter: Adapter, folder: Path) -> None:
    """Write encoder and head as a model that CrossEncoder loads; it has no cosine in its logit."""
    import torch
    from safetensors.numpy import load_file
    from transformers import BertConfig, BertForSequenceClassification

    base = base_folder()
    whole = merged(load_file(base / MINILM.file), adapter)
    config = BertConfig.from_pretrained(base)
    config.id2label, config.label2id = {0: "LABEL_0"}, {"LABEL_0": 0}
    model = BertForSequenceClassification(config)
    state = {f"bert.{name}": value for name, value in whole.items()}
    for ours, theirs in (("dense", "bert.pooler.dense"), ("out", "classifier")):
        for part in ("weight", "bias"):
            state[f"{theirs}.{part}"] = adapter.head[f"{ours}.{part}"]
    model.load_state_dict(
        {name: torch.from_numpy(state[name].copy()) for name in model.state_dict()}
    )
    model.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
        shutil.copy(base / name, folder)


def of_cross_encoder(folder: Path, device: str, model: dict[str, Any] | None = None) -> Score:
    """Score with sentence-transformers, its own defaults for everything that is not given."""
    from sentence_transformers import CrossEncoder

    encoder = CrossEncoder(str(folder), device=device, model_kwargs=model)

    def score(given: Sequence[Job]) -> list[float]:
        asked = [(job.query, passage.text) for job in given for passage in job.passages]
        found: list[float] = encoder.predict(asked, show_progress_bar=False).tolist()
        return found

    return score


def of_reranker(folder: Path, device: str, precision: "Precision") -> Score:
    """Score as any reranker of the hub is served, on the reference's own folder."""
    from headwater.models.rerankers.opening import open_reranker

    return of_ranker(open_reranker(str(folder), device=device, precision=precision))
