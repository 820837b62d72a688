"""A network of torch over sequences of tokens: batches of like length, one number for each."""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ..domain.errors import ModelError, ModelOutputError
from .oom import BatchBudget

if TYPE_CHECKING:
    from torch import Tensor


class Tokens(Protocol):
    """A sequence as a network reads it; what else it holds is the network's affair."""

    @property
    def ids(self) -> list[int]: ...


Sequenced = TypeVar("Sequenced", bound=Tokens)


class TorchScorer(Generic[Sequenced]):
    """Gives the logit of each sequence.

    `network` gets some sequences and the width to pad them to, and gives their logits, (n,).

    One call computes at a time: two would share the same cores, or the same memory. With a `step`
    the shape of a batch does not depend on what else is scored, see `BatchBudget.run_alike`: a
    network of 16 bits needs it, or its logits would depend on it too.
    """

    def __init__(
        self,
        network: "Callable[[Sequence[Sequenced], int], Tensor]",
        *,
        name: str,
        device: str,
        tokens: int,
        step: int | None = None,
    ) -> None:
        """`tokens` are those of a batch, padding included."""
        self.name = name
        self.device = device
        self._network = network
        self._budget = BatchBudget(name, tokens)
        self._step = step
        self._lock = threading.Lock()

    @property
    def notes(self) -> tuple[str, ...]:
        """When a batch did not fit into memory and was halved, one sentence each."""
        return self._budget.notes

    def logits(self, sequences: Sequence[Sequenced]) -> list[float]:
        """Give one finite number for each sequence, in order; blocks until all are there.

        Raises:
            ModelOutputError: a logit is no finite number.
            ModelUnavailableError: one sequence alone does not fit into the device's memory.
            ModelError: the network failed.
        """
        lengths = [len(sequence.ids) for sequence in sequences]

        def forward(places: list[int], width: int = 0) -> list[float]:
            batch = [sequences[place] for place in places]
            return self._forward(batch, width or max(lengths[place] for place in places))

        with self._lock, inference(self.name):
            if self._step:
                return self._budget.run_alike(lengths, forward, step=self._step)
            return self._budget.run(lengths, forward)

    def _forward(self, batch: Sequence[Sequenced], width: int) -> list[float]:
        import torch

        with torch.inference_mode():
            logits = self._network(batch, width).float().cpu()
        if not bool(torch.isfinite(logits).all()):
            raise ModelOutputError(self.name, "a logit is no finite number.")
        found: list[float] = logits.tolist()
        return found


@contextlib.contextmanager
def inference(name: str) -> Iterator[None]:
    """Turn what torch raises inside a network into our error. Raises ModelError."""
    try:
        yield
    except (IndexError, RuntimeError, ValueError) as error:
        raise ModelError(name, f"inference failed: {error}.") from error


def padded(
    rows: Sequence[list[int]], width: int, *, filler: int = 0, left: bool = False
) -> list[list[int]]:
    """Fill rows up to one width, behind their numbers or, on the `left`, before them."""
    if left:
        return [[filler] * (width - len(row)) + row for row in rows]
    return [row + [filler] * (width - len(row)) for row in rows]


def mask_of(rows: Sequence[list[int]], width: int, *, left: bool = False) -> list[list[int]]:
    """Give 1 for each number of the rows and 0 for what fills them up."""
    return padded([[1] * len(row) for row in rows], width, left=left)
