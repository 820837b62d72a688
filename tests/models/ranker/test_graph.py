import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no types
import pytest
import torch

from headwater.models.bert_graph import INPUT, BertShape
from headwater.models.ranker.adapter import HEAD
from headwater.models.ranker.graph import LOGIT, QUERY, pair_graph
from headwater.models.ranker.network import CrossEncoder

Case = tuple[int, int]
"""Tokens of a pair, and those up to and with the first end."""


@pytest.fixture(scope="module")
def network() -> CrossEncoder:
    network = CrossEncoder.tiny(seed=4)
    with torch.no_grad():
        network.out.weight.normal_()
        network.cosine_scale.fill_(7.5)
    return network.eval()


@pytest.fixture(scope="module")
def session(network: CrossEncoder) -> onnxruntime.InferenceSession:
    encoder = {name: value.numpy() for name, value in network.encoder.state_dict().items()}
    head = {name: network.state_dict()[name].numpy() for name in HEAD}
    shape = BertShape(2, 4, network.encoder.config.layer_norm_eps)
    return onnxruntime.InferenceSession(pair_graph(encoder, head, shape).SerializeToString())


@pytest.mark.parametrize("case", [(5, 3), (17, 6), (320, 66), (9, 2), (4, 3), (3, 2)])
def test_gives_the_logit_that_the_network_gives(
    network: CrossEncoder, session: onnxruntime.InferenceSession, case: Case
) -> None:
    length, query = case
    tokens = np.random.default_rng(length).integers(0, 200, (1, length))
    with torch.inference_mode():
        ids = torch.from_numpy(tokens)
        expected = network(ids, torch.ones_like(ids), torch.tensor([query])).item()

    found = session.run(
        [LOGIT], {INPUT: tokens.astype(np.int32), QUERY: np.array([query], np.int64)}
    )[0]

    assert found.item() == pytest.approx(expected, abs=1e-4)
