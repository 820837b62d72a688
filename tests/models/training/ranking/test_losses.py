import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headwater.models.training.ranking.losses import LOSSES, chance, listwise, margin


def test_the_listwise_loss_of_one_answer_is_the_log_of_its_share() -> None:
    found = listwise(torch.tensor([2.0, 0.0]), torch.tensor([4, 1]), [2])

    assert found.item() == pytest.approx(math.log(1 + math.exp(-2.0)))


def test_the_listwise_targets_follow_the_grades() -> None:
    logits = torch.tensor([1.0, 0.0, -1.0])
    total = sum(math.exp(x) for x in (1.0, 0.0, -1.0))

    found = listwise(logits, torch.tensor([4, 3, 2]), [3])

    shares = [1.0 / 1.8, 0.7 / 1.8, 0.1 / 1.8]
    expected = -sum(
        share * (x - math.log(total)) for share, x in zip(shares, (1.0, 0.0, -1.0), strict=True)
    )
    assert found.item() == pytest.approx(expected)


def test_lists_count_the_same_whatever_their_length() -> None:
    logits, grades = torch.tensor([2.0, 0.0, 0.0, 0.0, 0.0]), torch.tensor([4, 1, 4, 0, 0])

    found = listwise(logits, grades, [2, 3])

    assert found.item() == pytest.approx((math.log(1 + math.exp(-2.0)) + math.log(3)) / 2)


def test_a_list_without_anything_on_topic_does_not_count() -> None:
    logits = torch.tensor([2.0, 0.0, 5.0], requires_grad=True)

    found = listwise(logits, torch.tensor([4, 1, 0]), [2, 1])
    torch.autograd.backward(found)

    assert found.item() == pytest.approx(math.log(1 + math.exp(-2.0)))
    assert logits.grad is not None
    assert logits.grad[2] == 0.0


@pytest.mark.parametrize("loss", [listwise, margin])
def test_nothing_to_tell_apart_is_no_loss_and_no_error(loss: object) -> None:
    assert callable(loss)
    logits = torch.tensor([1.0, 2.0], requires_grad=True)

    found = loss(logits, torch.tensor([0, 0]), [2])
    found.backward()

    assert found.item() == 0.0


def test_the_margin_grows_with_the_distance_of_the_grades() -> None:
    grades = torch.tensor([4, 2, 1])

    assert margin(torch.zeros(3), grades, [3]).item() == pytest.approx((2 + 3 + 1) / 3)
    assert margin(torch.tensor([3.0, 1.0, 0.0]), grades, [3]).item() == 0.0
    assert margin(torch.tensor([3.0, 2.0, 0.0]), grades, [3]).item() == pytest.approx(1 / 3)


def test_the_chance_of_each_grade_is_its_own() -> None:
    for grade, wanted in enumerate((0.0, 0.05, 0.15, 0.8, 1.0)):
        found = chance(torch.tensor([1.5]), torch.tensor([grade]), [1])
        p = 1 / (1 + math.exp(-1.5))
        expected = -(wanted * math.log(p) + (1 - wanted) * math.log(1 - p))
        assert found.item() == pytest.approx(expected, rel=1e-5)


def test_the_losses_on_lists_hold_three_tenths_of_that_on_pairs() -> None:
    logits, grades = torch.tensor([0.3, -1.0]), torch.tensor([4, 2])

    for name, loss in (("listwise", listwise), ("margin", margin)):
        both = LOSSES[name](logits, grades, [2]).item()
        alone = loss(logits, grades, [2]).item()
        assert both == pytest.approx(alone + 0.3 * chance(logits, grades, [2]).item())
    assert LOSSES["bce"](logits, grades, [2]) == chance(logits, grades, [2])


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.integers(0, 4)), min_size=2, max_size=8),
    st.floats(-5, 5),
)
def test_losses_on_lists_only_see_differences(pairs: list[tuple[float, int]], shift: float) -> None:
    logits = torch.tensor([logit for logit, _ in pairs], dtype=torch.float64)
    grades = torch.tensor([grade for _, grade in pairs])

    for loss in (listwise, margin):
        before = loss(logits, grades, [len(pairs)]).item()
        assert loss(logits + shift, grades, [len(pairs)]).item() == pytest.approx(before, abs=1e-9)
        assert before >= 0.0
