"""Embedders of any supported architecture in torch: other models, and accelerators."""

import contextlib
from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..domain.errors import ConfigurationError, ModelError, ModelOutputError, ModelUnavailableError
from ..domain.ports import Vector
from .embedder_folder import Layout
from .tokenizer import TextTokenizer, open_tokenizer

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

_BATCH = {"cpu": 8, "cuda": 128, "mps": 32}
"""Texts at a time. Small on the processor, where padding costs more than a batch gains."""


class TorchEncoder:
    """Gives the vector of each text in 32-bit floats; batches hold texts of like length."""

    def __init__(
        self, model: "PreTrainedModel", tokenizer: TextTokenizer, layout: Layout, *, device: str
    ) -> None:
        self.name = layout.name
        self.device = device
        self._model = model
        self._tokenize = tokenizer
        self._pooling = layout.pooling

    @property
    def dimensions(self) -> int:
        return int(self._model.config.hidden_size)

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Give a unit vector for each text, in order; blocks until all are there."""
        ids = self._tokenize(texts)
        vectors: dict[int, Vector] = {}
        for batch in batches([len(tokens) for tokens in ids], _BATCH[self.device]):
            found = self._vectors([ids[i] for i in batch])
            vectors.update(zip(batch, found, strict=True))
        return [vectors[i] for i in range(len(ids))]

    def _vectors(self, ids: list[list[int]]) -> list[Vector]:
        import torch

        with self._translated(), torch.inference_mode():
            tokens, mask = self._padded(ids)
            hidden = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
            if self._pooling == "cls":
                pooled = hidden[:, 0]
            else:  # the sum over real tokens has the direction of their mean
                pooled = (hidden * mask.unsqueeze(-1)).sum(dim=1)
            rows = torch.nn.functional.normalize(pooled, dim=1).cpu()
        if not bool(torch.isfinite(rows).all()):
            raise ModelOutputError(self.name, "a vector holds numbers that are not finite.")
        return [array("f", row.numpy().tobytes()) for row in rows]

    def _padded(self, ids: list[list[int]]) -> "tuple[torch.Tensor, torch.Tensor]":
        """Give token ids and mask, both (texts, longest)."""
        import torch

        width = max(map(len, ids))
        pad = int(self._model.config.pad_token_id or 0)
        tokens = [row + [pad] * (width - len(row)) for row in ids]
        mask = [[1] * len(row) + [0] * (width - len(row)) for row in ids]
        return torch.tensor(tokens, device=self.device), torch.tensor(mask, device=self.device)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except MemoryError as error:
            raise ModelUnavailableError(self.name, "out of memory.") from error
        except RuntimeError as error:
            raise ModelError(self.name, f"inference failed: {error}.") from error


def batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Group places by length, longest first, at most `size` in a group: little is padding."""
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    return [order[start : start + size] for start in range(0, len(order), size)]


def open_torch_encoder(layout: Layout, device: str) -> TorchEncoder:
    """Load the model in the layout's folder; only weights without code (safetensors) are read.

    Raises:
        ConfigurationError: the files do not make a model.
    """
    import torch
    from transformers import AutoModel

    try:
        model = AutoModel.from_pretrained(
            layout.folder, dtype=torch.float32, use_safetensors=True, local_files_only=True
        )
    except Exception as error:  # transformers and safetensors share no base class for bad files
        raise ConfigurationError(
            f"The embedder in {str(layout.folder)!r} cannot be loaded: {error}.",
            fix="It must be a model that transformers knows, with model.safetensors.",
        ) from error
    model.to(device).eval()
    return TorchEncoder(
        model, open_tokenizer(layout.folder, layout.max_tokens), layout, device=device
    )
