from collections.abc import Sequence

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from headwater.domain.errors import ModelError, ModelOutputError, ModelUnavailableError
from headwater.models.ranker.network import CrossEncoder
from headwater.models.ranker.reading import Pair
from headwater.models.ranker.torch_scorer import pair_scorer
from headwater.models.torch_scorer import TorchScorer


def pairs_of(lengths: Sequence[int]) -> list[Pair]:
    """Pairs of random tokens, a query of four of them."""
    random = np.random.default_rng(7)
    return [Pair([1, *random.integers(3, 200, n - 2).tolist(), 2], 6) for n in lengths]


def trained() -> CrossEncoder:
    network = CrossEncoder.tiny(seed=4)
    with torch.no_grad():
        torch.manual_seed(4)
        network.out.weight.normal_()
    return network.eval()


NETWORK = trained()
PAIRS = pairs_of([20, 300, 64, 65, 8, 128, 20, 90, 250, 7])


class Device(nn.Module):
    """A network on a device with room for few tokens, or with another fault."""

    def __init__(self, room: int = 10_000_000, fault: Exception | None = None) -> None:
        super().__init__()
        self.seen: list[tuple[int, ...]] = []
        self._room = room
        self._fault = fault

    def forward(self, ids: Tensor, mask: Tensor, queries: Tensor) -> Tensor:
        self.seen.append(tuple(ids.shape))
        if self._fault:
            raise self._fault
        if ids.numel() > self._room:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB.")
        found: Tensor = NETWORK(ids, mask, queries)
        return found


def scorer_of(network: nn.Module) -> TorchScorer[Pair]:
    return pair_scorer(network, name="tiny", device="cpu")  # type: ignore[arg-type]  # duck-typed


def alone(pair: Pair) -> float:
    ids = torch.tensor([pair.ids])
    with torch.inference_mode():
        return float(NETWORK(ids, torch.ones_like(ids), torch.tensor([pair.query])).item())


def test_gives_the_logits_of_the_network_in_the_order_of_the_pairs() -> None:
    found = scorer_of(NETWORK).logits(PAIRS)

    assert found == pytest.approx([alone(pair) for pair in PAIRS], abs=1e-4)


def test_a_pair_scores_the_same_whatever_its_neighbours() -> None:
    scorer = scorer_of(NETWORK)

    together = scorer.logits(PAIRS)

    assert [scorer.logits([pair])[0] for pair in PAIRS] == pytest.approx(together, abs=1e-6)
    assert scorer.logits(PAIRS[::-1]) == pytest.approx(together[::-1], abs=1e-6)


def test_batches_of_a_width_have_one_shape_and_few_tokens() -> None:
    device = Device()

    scorer_of(device).logits(PAIRS * 8)

    shapes = set(device.seen)
    assert {width for _, width in shapes} == {64, 128, 256, 320}
    assert len(shapes) == 4
    assert max(rows * width for rows, width in shapes) <= 2_048


def test_no_pairs_need_no_network() -> None:
    device = Device()

    assert scorer_of(device).logits([]) == []
    assert device.seen == []


def test_a_batch_that_does_not_fit_is_halved_for_good_and_noted() -> None:
    device = Device(room=700)
    scorer = scorer_of(device)
    expected = [alone(pair) for pair in PAIRS]

    assert scorer.logits(PAIRS) == pytest.approx(expected, abs=1e-4)
    failed = [shape for shape in device.seen if shape[0] * shape[1] > 700]
    assert failed
    assert len(scorer.notes) == len(failed)
    assert "out of memory" in scorer.notes[0]

    device.seen.clear()
    assert scorer.logits(PAIRS) == pytest.approx(expected, abs=1e-4)
    assert all(rows * width <= 700 for rows, width in device.seen)


def test_a_pair_that_does_not_fit_alone_is_told() -> None:
    with pytest.raises(ModelUnavailableError, match="one text of 320 tokens does not fit"):
        scorer_of(Device(room=100)).logits(PAIRS)


def test_another_fault_of_the_device_is_a_model_error() -> None:
    with pytest.raises(ModelError, match="device lost"):
        scorer_of(Device(fault=RuntimeError("device lost"))).logits(PAIRS)


def test_a_logit_that_is_not_finite_is_refused() -> None:
    broken = CrossEncoder.tiny()
    with torch.no_grad():
        broken.cosine_scale.fill_(float("nan"))

    with pytest.raises(ModelOutputError, match="no finite number"):
        scorer_of(broken).logits(PAIRS)


def test_sixteen_bits_in_the_encoder_stay_near() -> None:
    coarse = trained()
    nn.Module.to(coarse.encoder, torch.bfloat16)  # as on an accelerator; the head keeps 32 bits

    found = scorer_of(coarse).logits(PAIRS)

    exact = np.array([alone(pair) for pair in PAIRS])
    assert np.abs(np.array(found) - exact).max() < 0.1 * (exact.max() - exact.min())
    assert np.corrcoef(found, exact)[0, 1] > 0.99
