"""Pairs in batches of like length, as the network takes them."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
from torch import Tensor

from ....domain.ports import Scorable
from ...batching import token_batches
from ...ranker.network import CrossEncoder
from ...ranker.reading import Pair, PairReader
from ...torch_scorer import mask_of, padded

TOKENS = {"cpu": 2_048, "cuda": 32_768, "mps": 8_192}
"""Tokens in a batch, padding included."""


@dataclass(frozen=True, slots=True)
class Windows:
    """The pairs of several passages; `owner[i]` is the number of the passage of pair i."""

    pairs: list[Pair]
    owner: list[int]

    @property
    def tokens(self) -> int:
        return sum(len(pair.ids) for pair in self.pairs)


def windows(reader: PairReader, asked: Sequence[tuple[str, Scorable]]) -> Windows:
    """Read each query with its passage."""
    pairs: list[Pair] = []
    owner: list[int] = []
    for number, (query, passage) in enumerate(asked):
        (found,) = reader.pairs(query, [passage])
        pairs += found
        owner += [number] * len(found)
    return Windows(pairs, owner)


def logits_of(model: CrossEncoder, read: Windows, passages: int) -> Tensor:
    """Give the logit of each of so many passages: that of its best window.

    A passage without any window, which is one without text, gets the lowest finite number.
    """
    device = model.cosine_scale.device
    lowest = torch.full((passages,), torch.finfo(torch.float32).min, device=device)
    if not read.pairs:
        return lowest
    order: list[int] = []
    found: list[Tensor] = []
    for batch in token_batches([len(pair.ids) for pair in read.pairs], tokens=TOKENS[device.type]):
        order += batch
        found.append(model(*_padded([read.pairs[i] for i in batch], device)))
    owner = torch.tensor([read.owner[i] for i in order], device=device)
    return lowest.scatter_reduce(0, owner, torch.cat(found), "amax", include_self=True)


def low_precision(device: torch.device) -> AbstractContextManager[object]:
    """Let matrix products run in bfloat16, which the usual processors and accelerators have."""
    return torch.autocast(device.type, dtype=torch.bfloat16)


def _padded(pairs: Sequence[Pair], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Give ids and mask, both (pairs, longest), and the length of each query."""
    width = max(len(pair.ids) for pair in pairs)
    ids = [pair.ids for pair in pairs]
    return (
        torch.tensor(padded(ids, width), device=device),
        torch.tensor(mask_of(ids, width), device=device),
        torch.tensor([pair.query for pair in pairs], device=device),
    )
