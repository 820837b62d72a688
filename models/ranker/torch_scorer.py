"""The cross-encoder in torch, for accelerators: batches of pairs, in 16 bits.

Batches of one width have one shape, so that a logit does not depend on what else is scored at the
same time.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..torch_scorer import TorchScorer, mask_of, padded
from .adapter import Adapter, merged
from .reading import Pair

if TYPE_CHECKING:
    from torch import Tensor

    from .network import CrossEncoder

TOKENS = {"cpu": 2_048, "cuda": 16_384, "mps": 8_192}
"""Tokens of a batch. Larger ones use a device better, and cost more where few pairs are scored:
every width that occurs costs at least one batch."""

STEP = 64
"""Pairs are padded to the next multiple of this many tokens. Smaller steps waste less on padding
and more on rows."""


def pair_scorer(network: "CrossEncoder", *, name: str, device: str) -> TorchScorer[Pair]:
    """Make the scorer of a network that is on the device already."""
    network.eval()

    def logits(pairs: Sequence[Pair], width: int) -> "Tensor":
        import torch

        ids = [pair.ids for pair in pairs]
        rows = (padded(ids, width), mask_of(ids, width), [pair.query for pair in pairs])
        found: Tensor = network(*(torch.tensor(each, device=device) for each in rows))
        return found

    return TorchScorer(logits, name=name, device=device, tokens=TOKENS[device], step=STEP)


def open_torch_scorer(
    adapter: Adapter, weights: Path, *, device: str, name: str
) -> TorchScorer[Pair]:
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
    return pair_scorer(_placed(network, device), name=name, device=device)


def _placed(network: "CrossEncoder", device: str) -> "CrossEncoder":
    """Put the network on its device: the encoder in 16 bits, the head, which is small, in 32."""
    import torch
    from torch import nn

    if device != "cpu":
        nn.Module.to(network.encoder, torch.bfloat16)
    return network.to(device)
