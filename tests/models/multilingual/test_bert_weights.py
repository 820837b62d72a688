from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel

from headwater.models.multilingual.bert_weights import WORDS_IN_FILE, bert_weights
from headwater.models.multilingual.container import Container, open_container
from tests.models.multilingual import written
from tests.models.multilingual.written import write_container

CONFIG = BertConfig(
    vocab_size=len(written.PIECES),
    hidden_size=written.HIDDEN,
    num_hidden_layers=written.LAYERS,
    num_attention_heads=written.HEADS,
    intermediate_size=written.WIDE,
    max_position_embeddings=written.POSITIONS,
)


@pytest.fixture
def container(tmp_path: Path) -> Container:
    return open_container(write_container(tmp_path / "small.bin"))


def test_every_weight_of_the_reference_is_there_and_no_other(container: Container) -> None:
    model = BertModel(CONFIG, add_pooling_layer=False)

    found = bert_weights(container, words=True)

    expected = {name: tuple(value.shape) for name, value in model.state_dict().items()}
    assert {name: value.shape for name, value in found.items()} == expected


def test_the_table_of_words_comes_only_when_asked_for(container: Container) -> None:
    without, whole = bert_weights(container), bert_weights(container, words=True)

    assert whole.keys() - without.keys() == {"embeddings.word_embeddings.weight"}
    assert len(whole["embeddings.word_embeddings.weight"]) == len(written.PIECES) < written.ROWS


def test_rows_of_the_table_are_those_of_the_weights(container: Container) -> None:
    table = container.matrix(WORDS_IN_FILE, written.HIDDEN)

    whole = bert_weights(container, words=True)["embeddings.word_embeddings.weight"]

    assert table.rows([6, 1]).tolist() == whole[[6, 1]].tolist()


def test_weights_are_of_their_own_and_can_be_changed(container: Container) -> None:
    found = bert_weights(container, words=True)

    for value in found.values():
        value += 1.0
    torch.from_numpy(found["embeddings.position_embeddings.weight"]).zero_()

    again = bert_weights(container)
    assert np.any(again["embeddings.position_embeddings.weight"] != 0)
