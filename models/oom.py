"""Working on when a device runs out of memory: the batch is halved, and that is noted."""

import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ..domain.errors import ModelUnavailableError
from .batching import token_batches

Value = TypeVar("Value")

_SIGNS = ("out of memory", "can't allocate memory", "not enough memory", "ALLOC_FAILED")
"""In what torch says; only its CUDA allocator has a class of errors for it."""


class BatchBudget:
    """How many tokens one batch of a model may hold on its device.

    It starts at `tokens` and shrinks where a batch did not fit, for good: what did not fit once
    would fail, and cost its time, at every call. One instance may serve several threads.
    """

    def __init__(self, model: str, tokens: int) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._notes: list[str] = []
        self.tokens = tokens

    @property
    def notes(self) -> tuple[str, ...]:
        """What did not fit so far, one sentence each, oldest first; empty when all did."""
        return tuple(self._notes)

    def run(
        self, lengths: Sequence[int], forward: Callable[[list[int]], Sequence[Value]]
    ) -> list[Value]:
        """Give one value for each text, in order, computed batch by batch, longest texts first.

        `lengths` are the texts' tokens. `forward` gets the places of one batch and returns their
        values in the order of the places. What it raises passes through, except a lack of memory.

        Raises:
            ModelUnavailableError: one text alone does not fit.
        """
        values: dict[int, Value] = {}
        left = self._split(range(len(lengths)), lengths)
        while left:
            batch = left[0]
            found = _attempt(forward, batch)
            if found is None:
                self._shrink(len(batch), lengths[batch[0]])
                left = self._split([place for each in left for place in each], lengths)
                continue
            values.update(zip(batch, found, strict=True))
            left.pop(0)
        return [values[place] for place in range(len(lengths))]

    def run_alike(
        self,
        lengths: Sequence[int],
        forward: Callable[[list[int], int], Sequence[Value]],
        *,
        step: int,
    ) -> list[Value]:
        """Do as `run` in batches whose shape tells nothing about what else is computed.

        A product of matrices may round otherwise in another shape, which shows in 16 bits. Texts
        are therefore padded to the next multiple of `step` tokens, and all batches of one width
        have the same number of rows: `forward` gets the places, some of them repeated, and the
        width. The shapes change only where memory ran out.
        """
        of_width: dict[int, list[int]] = {}
        for place, length in enumerate(lengths):
            of_width.setdefault(-(-length // step) * step, []).append(place)
        values: dict[int, Value] = {}
        for width in sorted(of_width, reverse=True):  # the largest first: it needs most memory
            places = of_width[width]
            rows = max(1, self.tokens // max(1, width))
            filled = places + places[:1] * (-len(places) % rows)
            found = self.run([width] * len(filled), partial(_chosen, forward, filled, width))
            values.update(zip(places, found, strict=False))  # what was filled in comes last
        return [values[place] for place in range(len(lengths))]

    def _split(self, places: Sequence[int], lengths: Sequence[int]) -> list[list[int]]:
        groups = token_batches([lengths[place] for place in places], tokens=self.tokens)
        return [[places[i] for i in group] for group in groups]

    def _shrink(self, texts: int, longest: int) -> None:
        if texts == 1:
            raise ModelUnavailableError(
                self._model,
                f"out of memory: one text of {longest} tokens does not fit on the device.",
                fix="Free memory, or choose a smaller model or another `device`.",
            )
        with self._lock:
            self.tokens = min(self.tokens, texts * longest // 2)
            self._notes.append(
                f"out of memory at {texts} texts of up to {longest} tokens: "
                f"batches hold at most {self.tokens} tokens from now on"
            )


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether this is a lack of memory, on whatever device."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(sign in str(error) for sign in _SIGNS)


def _chosen(
    forward: Callable[[list[int], int], Sequence[Value]],
    filled: Sequence[int],
    width: int,
    batch: list[int],
) -> Sequence[Value]:
    return forward([filled[i] for i in batch], width)


def _attempt(
    forward: Callable[[list[int]], Sequence[Value]], batch: list[int]
) -> Sequence[Value] | None:
    """Give the values, or `None` where memory ran out; what was held is free again by then."""
    try:
        return forward(batch)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
    _release()  # only here: inside the handler, the traceback still holds the tensors
    return None


def _release() -> None:
    """Give the device's freed blocks back, where torch is in use at all."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    elif torch.backends.mps.is_available():
        torch.mps.empty_cache()
