from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.errors import ModelUnavailableError
from headwater.models.oom import BatchBudget, is_out_of_memory

LENGTHS = st.lists(st.integers(1, 50), max_size=40)


def device(lengths: list[int], room: int) -> Callable[[list[int]], list[int]]:
    """A forward pass that gives each text's length, and has room for so many padded tokens."""

    def forward(places: list[int]) -> list[int]:
        if len(places) * max(lengths[place] for place in places) > room:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return [lengths[place] for place in places]

    return forward


@given(LENGTHS, st.integers(1, 2_000), st.integers(50, 2_000))
def test_gives_each_text_its_value_whatever_fits(
    lengths: list[int], tokens: int, room: int
) -> None:
    budget = BatchBudget("m", tokens)

    assert budget.run(lengths, device(lengths, room)) == lengths


@given(LENGTHS, st.integers(1, 2_000), st.integers(64, 2_000), st.sampled_from([1, 16, 64]))
def test_batches_of_like_shape_give_the_same_values(
    lengths: list[int], tokens: int, room: int, step: int
) -> None:
    shapes: dict[int, set[int]] = {}
    budget = BatchBudget("m", tokens)

    def forward(places: list[int], width: int) -> list[int]:
        assert width % step == 0
        assert width - step < max(lengths[place] for place in places) <= width
        if len(places) * width > room:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        if not budget.notes:
            shapes.setdefault(width, set()).add(len(places))
        return [lengths[place] for place in places]

    assert budget.run_alike(lengths, forward, step=step) == lengths
    assert all(len(rows) == 1 for rows in shapes.values())


def test_what_did_not_fit_is_noted_and_not_tried_again() -> None:
    lengths = [50] * 16
    budget = BatchBudget("m", 800)
    tried: list[int] = []

    def forward(places: list[int]) -> list[int]:
        tried.append(len(places))
        return device(lengths, 210)(places)

    budget.run(lengths, forward)
    budget.run(lengths, forward)

    assert tried == [16, 8, 4, 4, 4, 4, 4, 4, 4, 4]
    assert budget.tokens == 200
    assert len(budget.notes) == 2
    assert "16 texts of up to 50 tokens" in budget.notes[0]


def test_values_found_before_the_lack_are_not_computed_again() -> None:
    lengths = [40, 30, 20, 10]
    seen: list[int] = []

    def forward(places: list[int]) -> list[int]:
        if len(places) > 1:
            raise MemoryError
        seen.extend(places)
        return places

    budget = BatchBudget("m", 60)

    assert budget.run(lengths, forward) == [0, 1, 2, 3]
    assert seen == [0, 1, 2, 3]
    assert budget.notes


def test_one_text_that_does_not_fit_alone_is_an_error_that_may_pass() -> None:
    lengths = [90, 10]

    with pytest.raises(ModelUnavailableError, match="one text of 90 tokens") as caught:
        BatchBudget("m", 1_000).run(lengths, device(lengths, 60))

    assert caught.value.retryable


def test_other_failures_pass_through() -> None:
    def forward(places: list[int]) -> list[int]:
        raise RuntimeError(f"shape mismatch in {places}")

    with pytest.raises(RuntimeError, match="shape mismatch"):
        BatchBudget("m", 100).run([5, 5], forward)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (torch.OutOfMemoryError("full"), True),
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 9 GB)"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED"), True),
        (RuntimeError("index out of range"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_knows_a_lack_of_memory_from_other_failures(error: Exception, *, expected: bool) -> None:
    assert is_out_of_memory(error) is expected
