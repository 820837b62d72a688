"""Embedders of any supported architecture in torch: other models, and accelerators."""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..domain.errors import ConfigurationError, ModelOutputError
from ..domain.ports import Vector
from .embedder_folder import Layout
from .oom import BatchBudget
from .tokenizer import TextTokenizer, open_tokenizer
from .torch_scorer import inference, mask_of, padded

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_TOKENS = {"cpu": 2_048, "cuda": 32_768, "mps": 8_192}
"""Tokens of a batch. Few on the processor, where padding costs more than a batch gains."""


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
        self._budget = BatchBudget(layout.name, _TOKENS[device])

    @property
    def dimensions(self) -> int:
        return int(self._model.config.hidden_size)

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Give a unit vector for each text, in order; blocks until all are there."""
        ids = self._tokenize(texts)
        with inference(self.name):
            return self._budget.run(
                [len(tokens) for tokens in ids],
                lambda batch: self._vectors([ids[place] for place in batch]),
            )

    def _vectors(self, ids: list[list[int]]) -> list[Vector]:
        import torch

        width, pad = max(map(len, ids)), int(self._model.config.pad_token_id or 0)
        with torch.inference_mode():
            tokens = torch.tensor(padded(ids, width, filler=pad), device=self.device)
            mask = torch.tensor(mask_of(ids, width), device=self.device)
            hidden = self._model(input_ids=tokens, attention_mask=mask).last_hidden_state.float()
            if self._pooling == "cls":
                pooled = hidden[:, 0]
            else:  # the sum over real tokens has the direction of their mean
                pooled = (hidden * mask.unsqueeze(-1)).sum(dim=1)
            rows = torch.nn.functional.normalize(pooled, dim=1).cpu()
        if not bool(torch.isfinite(rows).all()):
            raise ModelOutputError(self.name, "a vector holds numbers that are not finite.")
        return [array("f", row.numpy().tobytes()) for row in rows]


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
