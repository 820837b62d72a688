import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from headwater.domain.ports import Scorable
from headwater.models.ranker.adapter import merged, read_adapter
from headwater.models.ranker.network import CrossEncoder
from headwater.models.ranker.reading import PairLayout
from headwater.models.training.ranking.evaluate import score
from headwater.models.training.ranking.export import cut, export, low_rank
from headwater.models.training.ranking.session import encoder_of
from tests.models.training.ranking.made import ORIGIN, WORDS, reader

LAYOUT = PairLayout(max_query=99)
PAIRS = [("What is the pump ?", Scorable(f"The {word} was made")) for word in ("pump", "valve")]


@pytest.fixture
def changed() -> CrossEncoder:
    """A tiny network whose trained parameters are all a little away from the base's."""
    model = CrossEncoder.tiny(words=WORDS)
    random = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.requires_grad:
                parameter.add_(0.05 * torch.randn(parameter.shape, generator=random))
    return model


BASE = CrossEncoder.tiny(words=WORDS)


def test_the_adapter_read_back_makes_the_network_that_was_cut(
    changed: CrossEncoder, tmp_path: Path
) -> None:
    export(changed, encoder_of(BASE), tmp_path, rank=4, origin=ORIGIN, layout=LAYOUT)
    cut(changed, encoder_of(BASE), 4)

    adapter = read_adapter(tmp_path)
    served = CrossEncoder.tiny(words=WORDS, seed=5)
    weights = {name: value.numpy() for name, value in encoder_of(BASE).items()}
    served.load_encoder(merged(weights, adapter))
    served.load_head(adapter.head)

    assert (adapter.base_name, adapter.base_sha256) == (ORIGIN.name, ORIGIN.sha256)
    assert adapter.layout == LAYOUT
    np.testing.assert_allclose(
        score(served, reader(), PAIRS), score(changed, reader(), PAIRS), atol=1e-2
    )
    for name, value in served.state_dict().items():
        torch.testing.assert_close(value, changed.state_dict()[name], atol=1e-5, rtol=0)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # peft asks for it
def test_peft_loads_the_factors_to_the_same_encoder(changed: CrossEncoder, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    export(changed, encoder_of(BASE), tmp_path, rank=4, origin=ORIGIN, layout=LAYOUT)
    weights = {name: value.numpy() for name, value in encoder_of(BASE).items()}
    expected = merged(weights, read_adapter(tmp_path))

    loaded = peft.PeftModel.from_pretrained(CrossEncoder.tiny(words=WORDS).encoder, tmp_path)

    held = loaded.merge_and_unload().state_dict()
    for name in (name for name in held if held[name].ndim == 2):
        np.testing.assert_allclose(held[name].numpy(), expected[name], atol=1e-5)


def test_a_full_rank_loses_nothing_but_rounding(changed: CrossEncoder) -> None:
    before = {name: value.clone() for name, value in changed.state_dict().items()}

    cut(changed, encoder_of(BASE), 64)

    for name, value in changed.state_dict().items():
        torch.testing.assert_close(value, before[name], atol=1e-3, rtol=0)


@given(st.integers(1, 6), st.integers(0, 100))
def test_no_other_product_of_this_rank_is_nearer(rank: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    change = random.normal(size=(8, 6)).astype(np.float32)

    a, b = low_rank(change, rank)

    values = np.linalg.svd(change, compute_uv=False)
    lost = np.linalg.norm(change - b.astype(np.float32) @ a.astype(np.float32))
    assert lost == pytest.approx(np.linalg.norm(values[rank:]), abs=2e-2)


def test_a_rank_above_the_matrix_is_filled_with_zeros() -> None:
    change = np.eye(3, dtype=np.float32)

    a, b = low_rank(change, 5)

    assert (a.shape, b.shape) == ((5, 3), (3, 5))
    np.testing.assert_allclose(b @ a, change, atol=1e-3)


def test_others_may_read_the_files(changed: CrossEncoder, tmp_path: Path) -> None:
    export(changed, encoder_of(BASE), tmp_path, rank=2, origin=ORIGIN, layout=LAYOUT)

    assert all(file.stat().st_mode & 0o044 for file in tmp_path.iterdir())
    assert json.loads((tmp_path / "adapter_config.json").read_text())["r"] == 2
