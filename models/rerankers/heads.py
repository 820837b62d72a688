"""The heads of rerankers in torch: from padded tokens to one logit a sequence."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from ..torch_scorer import TorchScorer, mask_of, padded
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


def scorer_of(
    head: Head, *, name: str, device: str, pad: int, alike: bool = False
) -> TorchScorer[Encoded]:
    """Make the scorer of a network; `pad` is the id that fills sequences up.

    `alike` keeps logits apart from what else is scored, see `TorchScorer`: for 16 bits.
    """

    def logits(batch: Sequence[Encoded], width: int) -> "torch.Tensor":
        import torch

        ids, left = [each.ids for each in batch], head.left
        rows = (
            padded(ids, width, filler=pad, left=left),
            padded([each.types for each in batch], width, left=left),
            mask_of(ids, width, left=left),
        )
        return head(*(torch.tensor(each, device=device) for each in rows))

    step = STEP if alike else None
    return TorchScorer(logits, name=name, device=device, tokens=TOKENS[device], step=step)
