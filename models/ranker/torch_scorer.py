"""The cross-encoder in torch, for accelerators: batches of pairs, in 16 bits.

Batches of one width have one shape, see `BatchBudget.run_alike`, so that a logit does not depend
on what else is scored at the same time.
"""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ...domain.errors import ModelError, ModelOutputError
from ..oom import BatchBudget
from .adapter import Adapter, merged
from .reading import Pair

if TYPE_CHECKING:
    from torch import Tensor

    from .network import CrossEncoder

TOKENS = {"cpu": 2_048, "cuda": 16_384, "mps": 8_192}
"""Tokens of a batch. Larger ones use a device better, and cost more where few pairs are scored:
every width that occurs costs at least one batch."""

_STEP = 64
"""Pairs are padded to the next multiple of this many tokens. Smaller steps waste less on padding
and more on rows."""


class TorchScorer:
    """Scores pairs in batches of like length.

    One call computes at a time: two would share the same device and its memory.
    """

    def __init__(self, network: "CrossEncoder", *, name: str, device: str) -> None:
        """Takes a network that is on the device already."""
        self.name = name
        self.device = device
        self.budget = BatchBudget(name, TOKENS[device])
        self._network = network.eval()
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """When a batch did not fit into memory and was halved, one sentence each."""
        return self.budget.notes

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        """Give a finite logit for each pair, in order; blocks until all are there.

        Raises:
            ModelOutputError: a logit is no finite number.
            ModelUnavailableError: one pair alone does not fit into the device's memory.
            ModelError: the network failed.
        """
        lengths = [len(pair.ids) for pair in pairs]

        def forward(places: list[int], width: int) -> list[float]:
            return self._forward([pairs[place] for place in places], width)

        with self._lock, self._translated():
            return self.budget.run_alike(lengths, forward, step=_STEP)

    def _forward(self, pairs: Sequence[Pair], width: int) -> list[float]:
        import torch

        ids = [pair.ids + [0] * (width - len(pair.ids)) for pair in pairs]
        mask = [[1] * len(pair.ids) + [0] * (width - len(pair.ids)) for pair in pairs]
        with torch.inference_mode():
            logits = self._network(
                self._tensor(ids), self._tensor(mask), self._tensor([pair.query for pair in pairs])
            )
            numbers = logits.float().cpu()
        if not bool(torch.isfinite(numbers).all()):
            raise ModelOutputError(self.name, "a logit is no finite number.")
        found: list[float] = numbers.tolist()
        return found

    def _tensor(self, rows: Sequence[object]) -> "Tensor":
        import torch

        return torch.tensor(rows, device=self.device)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (IndexError, RuntimeError, ValueError) as error:
            raise ModelError(self.name, f"inference failed: {error}.") from error


def open_torch_scorer(adapter: Adapter, weights: Path, *, device: str, name: str) -> TorchScorer:
    """Open the scorer over the base in the file `weights`, which must be the adapter's own.

    Raises:
        ConfigurationError: the adapter does not fit its base.
    """
    from safetensors.numpy import load_file
    from transformers import BertConfig

    from .network import CrossEncoder

    network = CrossEncoder(BertConfig.from_pretrained(weights.parent))
    network.load_encoder(merged(load_file(weights), adapter))
    network.load_head(adapter.head)
    return TorchScorer(_placed(network, device), name=name, device=device)


def _placed(network: "CrossEncoder", device: str) -> "CrossEncoder":
    """Put the network on its device: the encoder in 16 bits, the head, which is small, in 32."""
    import torch
    from torch import nn

    if device != "cpu":
        nn.Module.to(network.encoder, torch.bfloat16)
    return network.to(device)
