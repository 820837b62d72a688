import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from headwater.domain.errors import ModelError, ModelOutputError, ModelUnavailableError
from headwater.models.rerankers.forms import Encoded
from headwater.models.rerankers.heads import scorer_of
from headwater.models.torch_scorer import TorchScorer


class LastId:
    """Gives the last real id of each sequence as its logit, after whatever `before` does."""

    def __init__(
        self, *, left: bool = False, before: Callable[[torch.Tensor], None] | None = None
    ) -> None:
        self.left = left
        self.shapes: list[tuple[int, ...]] = []
        self._before = before

    def __call__(self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        assert ids.shape == types.shape == mask.shape
        self.shapes.append(tuple(ids.shape))
        if self._before:
            self._before(ids)
        places = torch.full((len(ids),), -1) if self.left else mask.sum(dim=1) - 1
        return ids[torch.arange(len(ids)), places].to(torch.bfloat16)


def scorer(head: LastId) -> TorchScorer[Encoded]:
    return scorer_of(head, name="m", device="cpu", pad=0)


def sequences(*lengths: int) -> list[Encoded]:
    return [Encoded([9] * (n - 1) + [i], [0] * n, whole=True) for i, n in enumerate(lengths, 1)]


@pytest.mark.parametrize("left", [False, True])
def test_gives_logits_in_order_whatever_the_lengths(*, left: bool) -> None:
    found = scorer(LastId(left=left)).logits(sequences(5, 300, 1, 80, 300, 2))

    assert found == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


def test_no_sequences_need_no_computation() -> None:
    head = LastId()

    assert scorer(head).logits([]) == []
    assert head.shapes == []


def test_batches_hold_sequences_of_like_length() -> None:
    head = LastId()

    scorer(head).logits(sequences(*[10, 400] * 12))

    assert all(rows * width <= 1_280 for rows, width in head.shapes)
    assert sum(rows * width for rows, width in head.shapes) < 1.2 * 12 * 410


def test_shapes_do_not_depend_on_what_else_is_scored_where_that_is_asked() -> None:
    alone, beside = LastId(), LastId()

    for head, lengths in ((alone, [70]), (beside, [70, 128, 100, 65, 7, *[90] * 12])):
        found = scorer_of(head, name="m", device="cpu", pad=0, alike=True).logits(
            sequences(*lengths)
        )
        assert found == [float(i) for i in range(1, len(lengths) + 1)]

    assert set(alone.shapes) == {(10, 128)}
    assert set(beside.shapes) == {(10, 128), (20, 64)}


def test_a_batch_without_room_is_halved_and_noted() -> None:
    def room(ids: torch.Tensor) -> None:
        if ids.numel() > 500:
            raise torch.OutOfMemoryError("CUDA out of memory.")

    opened = scorer(LastId(before=room))

    assert opened.logits(sequences(*[100] * 12)) == [float(i) for i in range(1, 13)]
    assert len(opened.notes) == 2
    assert "texts of up to 100 tokens" in opened.notes[0]


def test_one_sequence_without_room_is_an_error() -> None:
    def room(_: torch.Tensor) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory.")

    with pytest.raises(ModelUnavailableError, match="out of memory"):
        scorer(LastId(before=room)).logits(sequences(100))


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_logit_that_is_no_finite_number_is_an_error(value: float) -> None:
    class Broken(LastId):
        def __call__(
            self, ids: torch.Tensor, types: torch.Tensor, mask: torch.Tensor
        ) -> torch.Tensor:
            return super().__call__(ids, types, mask) * value

    with pytest.raises(ModelOutputError, match="no finite number"):
        scorer(Broken()).logits(sequences(3))


def test_a_failure_of_the_network_is_our_error() -> None:
    def fail(_: torch.Tensor) -> None:
        raise IndexError("index out of range in self")

    with pytest.raises(ModelError, match="index out of range"):
        scorer(LastId(before=fail)).logits(sequences(3))


def test_one_call_computes_at_a_time() -> None:
    inside, most = threading.Semaphore(1), []

    def alone(_: torch.Tensor) -> None:
        most.append(inside.acquire(blocking=False))
        threading.Event().wait(0.002)
        inside.release()

    opened = scorer(LastId(before=alone))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: opened.logits(sequences(3, 700, 700)), range(8)))

    assert found == [[1.0, 2.0, 3.0]] * 8
    assert all(most)
