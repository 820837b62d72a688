import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # ships no types
import pytest
import torch
from transformers import BertConfig, BertModel

from headwater.models.bert_graph import (
    INPUT,
    OUTPUT,
    ROWS,
    BertShape,
    bert_graph,
    bert_rows_graph,
)

CONFIG = BertConfig(
    vocab_size=50,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    intermediate_size=48,
    max_position_embeddings=40,
)


@pytest.fixture(scope="module")
def model() -> BertModel:
    torch.manual_seed(3)
    model = BertModel(CONFIG, add_pooling_layer=False)
    model.train(False)
    return model


def weights_of(model: BertModel) -> dict[str, np.ndarray]:
    return {name: value.numpy() for name, value in model.state_dict().items()}


@pytest.mark.parametrize("length", [1, 2, 17, 40])
def test_gives_the_normalised_mean_that_the_reference_gives(model: BertModel, length: int) -> None:
    tokens = np.random.default_rng(length).integers(0, 50, (1, length))
    with torch.inference_mode():
        hidden = model(input_ids=torch.from_numpy(tokens)).last_hidden_state
    expected = torch.nn.functional.normalize(hidden.mean(dim=1)).numpy()

    graph = bert_graph(weights_of(model), BertShape(2, 4, CONFIG.layer_norm_eps))
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    found = session.run([OUTPUT], {INPUT: tokens.astype(np.int32)})[0]

    assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("length", [1, 17, 40])
def test_rows_of_a_table_outside_give_what_the_tokens_give(model: BertModel, length: int) -> None:
    tokens = np.random.default_rng(length).integers(0, 50, (1, length))
    weights, shape = weights_of(model), BertShape(2, 4, CONFIG.layer_norm_eps)
    inside = onnxruntime.InferenceSession(bert_graph(weights, shape).SerializeToString())
    expected = inside.run([OUTPUT], {INPUT: tokens.astype(np.int32)})[0]

    table = weights.pop("embeddings.word_embeddings.weight")
    outside = onnxruntime.InferenceSession(bert_rows_graph(weights, shape).SerializeToString())
    found = outside.run([OUTPUT], {ROWS: table[tokens]})[0]

    assert found == pytest.approx(expected, abs=1e-6)


def test_the_same_weights_give_the_same_bytes(model: BertModel) -> None:
    shape = BertShape(2, 4, CONFIG.layer_norm_eps)

    first, second = (bert_graph(weights_of(model), shape) for _ in range(2))

    assert first.SerializeToString(deterministic=True) == second.SerializeToString(
        deterministic=True
    )
