from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from headwater.domain.errors import ConfigurationError
from headwater.models.ranker.adapter import HEAD
from headwater.models.ranker.network import COSINE_SCALE, OUT_BIAS, CrossEncoder
from headwater.models.weights import MINILM, find_weights

MODEL = CrossEncoder.tiny().eval()
IDS = [[1, 50, 51, 2, 60, 61, 62, 2], [1, 50, 2, 70, 2]]
QUERIES = [4, 3]


def logits(model: CrossEncoder, rows: list[list[int]], queries: list[int]) -> torch.Tensor:
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
    with torch.no_grad():
        found: torch.Tensor = model(ids, mask, torch.tensor(queries))
    return found


def test_the_logit_is_the_heads_judgement_and_the_scaled_cosine() -> None:
    model = CrossEncoder.tiny(seed=4).eval()
    torch.manual_seed(4)
    torch.nn.init.normal_(model.out.weight)
    with torch.no_grad():
        states = model.encoder(torch.tensor(IDS[:1])).last_hidden_state[0]
        judged = model.out(torch.tanh(model.dense(states[0]))).item()
        query, passage = states[1:3].mean(dim=0), states[4:7].mean(dim=0)
        cosine = (query @ passage / query.norm() / passage.norm()).item()

    found = logits(model, IDS[:1], QUERIES[:1])

    assert found.item() == pytest.approx(judged + COSINE_SCALE * cosine, abs=1e-4)


def test_an_untrained_network_ranks_by_the_cosine() -> None:
    assert logits(MODEL, IDS, QUERIES).min() >= OUT_BIAS - COSINE_SCALE
    assert logits(MODEL, [[1, 9, 2, 9, 2]], [3]).item() <= OUT_BIAS + COSINE_SCALE


def test_padding_changes_nothing() -> None:
    together = logits(MODEL, IDS, QUERIES)
    alone = [logits(MODEL, [row], [q]) for row, q in zip(IDS, QUERIES, strict=True)]

    torch.testing.assert_close(together, torch.cat(alone), atol=1e-5, rtol=0)


def test_a_query_without_tokens_has_the_cosine_nought() -> None:
    assert logits(MODEL, [[1, 2, 60, 61, 2]], [2]).item() == pytest.approx(OUT_BIAS)


def test_the_same_seed_makes_the_same_network_and_leaves_others_alone() -> None:
    torch.manual_seed(1)
    one = CrossEncoder.tiny(seed=3)
    drawn = torch.rand(1)
    torch.manual_seed(1)

    assert torch.equal(one.dense.weight, CrossEncoder.tiny(seed=3).dense.weight)
    assert not torch.equal(one.dense.weight, CrossEncoder.tiny(seed=4).dense.weight)
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.rand(1))


def test_tables_are_frozen_and_nothing_else() -> None:
    frozen = [name for name, p in MODEL.named_parameters() if not p.requires_grad]

    assert frozen == [
        f"encoder.embeddings.{table}_embeddings.weight"
        for table in ("word", "position", "token_type")
    ]


def test_the_pinned_base_is_the_encoder(tmp_path: Path) -> None:
    model = CrossEncoder.pretrained(tmp_path)

    base = load_file(find_weights(MINILM))
    name = "encoder.layer.5.output.dense.weight"
    np.testing.assert_array_equal(model.encoder.state_dict()[name].numpy(), base[name])
    assert model.encoder.config._attn_implementation == "sdpa"


def test_a_head_is_taken_over() -> None:
    head = {name: value.numpy() + np.float32(1.0) for name, value in _head(MODEL).items()}
    model = CrossEncoder.tiny()

    model.load_head(head)

    assert all((_head(model)[name].numpy() == value).all() for name, value in head.items())


def test_weights_that_do_not_fit_are_refused() -> None:
    head = {name: value.numpy() for name, value in _head(MODEL).items()}

    with pytest.raises(ConfigurationError, match="do not fit"):
        CrossEncoder.tiny(width=16).load_head(head)
    with pytest.raises(ConfigurationError, match=r"cosine_scale"):
        CrossEncoder.tiny().load_head({k: v for k, v in head.items() if k != "cosine_scale"})
    with pytest.raises(ConfigurationError, match="do not fit"):
        CrossEncoder.tiny().load_encoder({})


def test_dropout_acts_only_where_it_costs_little() -> None:
    kept = {
        name: module.p
        for name, module in CrossEncoder.tiny().named_modules()
        if isinstance(module, torch.nn.Dropout) and module.p
    }

    assert kept == {"encoder.embeddings.dropout": 0.1}


def _head(model: CrossEncoder) -> dict[str, torch.Tensor]:
    return {name: model.state_dict()[name] for name in HEAD}
