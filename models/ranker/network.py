"""The cross-encoder in torch: for training, and for serving on an accelerator.

A query and a passage are read together. The logit is the sum of two judgements of that reading:
a head on its first token, and the cosine between the mean of the query's tokens and the mean of
the passage's. The cosine makes a network that was trained to compare sentences a usable ranker
before its first step; the head learns the rest.

Origin: Nogueira and Cho 2019, arXiv:1901.04085 (a transformer over query and passage together).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Self

import torch
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity
from transformers import BertConfig, BertModel

from ...domain.errors import ConfigurationError
from ..weights import MINILM, verified_weights
from .adapter import HEAD

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

COSINE_SCALE = 10.0
"""What the cosine is multiplied by before training."""

OUT_BIAS = -5.0
"""Before training: a cosine of one half then means that a passage may or may not answer."""


class CrossEncoder(nn.Module):
    """Gives one logit a pair; a higher one means that the passage answers the query better.

    The tables of words, positions and token types are frozen: they stay the base's own. In
    training, dropout acts on what the tables give and nowhere else.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        config._attn_implementation = "sdpa"
        config.attention_probs_dropout_prob = 0.0
        self.encoder = BertModel(config, add_pooling_layer=False)
        # Dropout inside the layers takes 40 % of a training step on the processor.
        for module in self.encoder.encoder.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        self.dense = nn.Linear(config.hidden_size, config.hidden_size)
        self.out = nn.Linear(config.hidden_size, 1)
        self.cosine_scale = nn.Parameter(torch.tensor(COSINE_SCALE))
        nn.init.normal_(self.dense.weight, std=config.initializer_range)
        nn.init.zeros_(self.dense.bias)
        nn.init.zeros_(self.out.weight)
        nn.init.constant_(self.out.bias, OUT_BIAS)
        self.freeze_tables()

    @classmethod
    def pretrained(cls, cache: Path) -> Self:
        """Open the pinned English base with a new head; `cache` as for `verified_weights`.

        Raises:
            ConfigurationError: the weights are missing, or are others than those pinned.
        """
        from safetensors.numpy import load_file

        path = verified_weights(MINILM, cache)
        model = cls(BertConfig.from_pretrained(path.parent))
        model.load_encoder(load_file(path))
        return model

    @classmethod
    def tiny(cls, *, words: int = 200, width: int = 32, seed: int = 0) -> Self:
        """Make a small network of random weights, the same for the same seed."""
        config = BertConfig(
            vocab_size=words,
            hidden_size=width,
            num_hidden_layers=2,
            num_attention_heads=4,
            intermediate_size=2 * width,
            max_position_embeddings=512,
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return cls(config)

    def freeze_tables(self) -> None:
        """Let everything be learned but the tables."""
        for name, parameter in self.encoder.named_parameters():
            is_table = name.startswith("embeddings.") and "_embeddings." in name
            parameter.requires_grad_(not is_table)

    def load_encoder(self, weights: "Mapping[str, NDArray[np.float32]]") -> None:
        """Take over the encoder's weights; those of a pooler and of position numbers are left.

        Raises:
            ConfigurationError: a weight is missing, unknown, or of another shape.
        """
        known = {
            name: torch.tensor(array)
            for name, array in weights.items()
            if not name.startswith("pooler.") and not name.endswith("position_ids")
        }
        _load(self.encoder, known)

    def load_head(self, head: "Mapping[str, NDArray[np.float32]]") -> None:
        """Take over the head's weights: those named in `HEAD`, others are not looked at.

        Raises:
            ConfigurationError: a weight is missing or of another shape.
        """
        held = {name: torch.tensor(head[name]) for name in HEAD if name in head}
        held |= {f"encoder.{name}": value for name, value in self.encoder.state_dict().items()}
        _load(self, held)

    def forward(self, input_ids: Tensor, attention_mask: Tensor, query_lengths: Tensor) -> Tensor:
        """Score pairs padded to one length.

        `input_ids` and `attention_mask` are (n, longest); `query_lengths` (n,) counts each
        pair's ids up to and with the first end. Gives logits (n,) in 32-bit floats.
        """
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        place = torch.arange(input_ids.shape[1], device=input_ids.device).unsqueeze(0)
        query_end = query_lengths.unsqueeze(1)
        end = attention_mask.sum(dim=1, keepdim=True)
        in_query = (place > 0) & (place < query_end - 1)
        in_passage = (place >= query_end) & (place < end - 1)
        first = states[:, 0].to(self.dense.weight.dtype)  # the head may have more bits
        judged = self.out(torch.tanh(self.dense(first))).squeeze(1).float()
        cosine = cosine_similarity(_mean(states, in_query), _mean(states, in_passage), dim=1)
        logits: Tensor = judged + self.cosine_scale * cosine
        return logits


def _mean(states: Tensor, chosen: Tensor) -> Tensor:
    """Average the states (n, m, d) of the chosen (n, m) tokens; zero where none is chosen."""
    weights = chosen.unsqueeze(2).float()
    total = (states.float() * weights).sum(dim=1)
    return total / weights.sum(dim=1).clamp(min=1.0)


def _load(module: nn.Module, weights: dict[str, Tensor]) -> None:
    try:
        module.load_state_dict(weights)
    except RuntimeError as error:  # torch lists what is missing, unknown or of another shape
        raise ConfigurationError(
            f"The weights do not fit the ranker's network: {error}.",
            fix="Get the model again, or train the adapter anew on this base.",
        ) from error
