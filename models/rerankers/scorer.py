"""Rerankers in torch: sequences of tokens to one logit each."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from ...domain.errors import ModelError, ModelOutputError
from ..oom import BatchBudget
from .forms import Encoded

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

TOKENS = {"cpu": 1_280, "cuda": 16_384, "mps": 8_192}
"""Tokens of one batch. Small on the processor, where padding costs more than a batch gains."""

STEP = 64
"""In 16 bits, sequences are padded to the next multiple of this many tokens; with the rows that
are filled up it costs 50 usual pairs 6 % on the processor."""


class Head(Protocol):
    """Runs a network on one batch; all tensors are (sequences, longest)."""

    left: bool
    """Whether shorter sequences are padded on their left."""

    def __call__(
        self, ids: "torch.Tensor", types: "torch.Tensor", mask: "torch.Tensor"
    ) -> "torch.Tensor":
        """Give one logit for each sequence: the log of the odds that the passage is relevant."""
        ...


class LabelHead:
    """A sequence classifier with one label, or with two: then the difference of their logits."""

    left = False

    def __init__(self, model: "PreTrainedModel", *, types: bool) -> None:
        self._model = model
        self._types = types

    def __call__(
        self, ids: "torch.Tensor", types: "torch.Tensor", mask: "torch.Tensor"
    ) -> "torch.Tensor":
        more = {"token_type_ids": types} if self._types else {}
        logits: torch.Tensor = self._model(input_ids=ids, attention_mask=mask, **more).logits
        if logits.shape[1] == 1:
            return logits[:, 0]
        return logits[:, 1].float() - logits[:, 0].float()


class YesNoHead:
    """A causal model: logit of the token yes minus that of the token no, as the next token.

    Its sigmoid is the softmax over the two. Sequences are padded on the left, so that all end at
    the last place, and their positions count real tokens only.
    """

    left = True

    def __init__(self, model: "PreTrainedModel", *, yes: int, no: int) -> None:
        self._model = model
        self._yes = yes
        self._no = no

    def __call__(
        self,
        ids: "torch.Tensor",
        types: "torch.Tensor",  # noqa: ARG002  # a causal model knows no types
        mask: "torch.Tensor",
    ) -> "torch.Tensor":
        positions = (mask.cumsum(dim=1) - 1).clamp(min=0)
        found = self._model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            use_cache=False,
            logits_to_keep=1,  # one place times the vocabulary, not all of them
        )
        logits: torch.Tensor = found.logits[:, -1].float()
        return logits[:, self._yes] - logits[:, self._no]


class TorchScorer:
    """Gives the logit of each sequence; batches hold sequences of like length.

    One call computes at a time: two would share the same cores, or the same memory. With `alike`
    the shape of a batch does not depend on what else is scored, see `BatchBudget.run_alike`: a
    network of 16 bits needs it, or its logits would depend on it too.
    """

    def __init__(
        self, head: Head, *, name: str, device: str, pad: int, alike: bool = False
    ) -> None:
        self.name = name
        self.device = device
        self.budget = BatchBudget(name, TOKENS[device])
        self._head = head
        self._pad = pad
        self._alike = alike
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """When a batch did not fit into memory and was halved, one sentence each."""
        return self.budget.notes

    def logits(self, sequences: Sequence[Encoded]) -> list[float]:
        """Give one finite number for each sequence, in order; blocks until all are there.

        Raises:
            ModelOutputError: a logit is no finite number.
            ModelUnavailableError: one sequence alone does not fit into the device's memory.
            ModelError: the network failed.
        """
        lengths = [len(sequence.ids) for sequence in sequences]

        def forward(places: list[int], width: int = 0) -> list[float]:
            return self._forward([sequences[place] for place in places], width)

        with self._lock, self._translated():
            if self._alike:
                return self.budget.run_alike(lengths, forward, step=STEP)
            return self.budget.run(lengths, forward)

    def _forward(self, batch: list[Encoded], width: int) -> list[float]:
        import torch

        width = width or max(len(each.ids) for each in batch)
        ids = self._padded([each.ids for each in batch], width, self._pad)
        types = self._padded([each.types for each in batch], width, 0)
        mask = self._padded([[1] * len(each.ids) for each in batch], width, 0)
        with torch.inference_mode():
            logits = self._head(ids, types, mask).float().cpu()
        if not bool(torch.isfinite(logits).all()):
            raise ModelOutputError(self.name, "a logit is no finite number.")
        found: list[float] = logits.tolist()
        return found

    def _padded(self, rows: list[list[int]], width: int, filler: int) -> "torch.Tensor":
        import torch

        if self._head.left:
            full = [[filler] * (width - len(row)) + row for row in rows]
        else:
            full = [row + [filler] * (width - len(row)) for row in rows]
        return torch.tensor(full, device=self.device)

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (IndexError, RuntimeError, ValueError) as error:
            raise ModelError(self.name, f"inference failed: {error}.") from error
