import json
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertModel

from headwater.domain.errors import ConfigurationError, ModelError, ModelOutputError
from headwater.models.embedder import open_embedder
from headwater.models.embedder_folder import Layout
from headwater.models.embedder_torch import open_torch_encoder

WORDS = {word: place for place, word in enumerate(["[PAD]", "[UNK]", "pump", "seal", "query", ":"])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A tiny BERT of its own words, in the layout of sentence-transformers."""
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=6,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        max_position_embeddings=16,
    )
    BertModel(config).save_pretrained(tmp_path)
    tokenizer = Tokenizer(models.WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


async def test_padding_changes_nothing(folder: Path) -> None:
    embedder = open_embedder(str(folder), device="cpu")

    together = await embedder.embed_passages(["pump", "pump seal pump seal", "seal"])
    alone = [(await embedder.embed_passages([t]))[0] for t in ("pump", "pump seal pump seal")]

    assert [list(v) for v in together[:2]] == [pytest.approx(list(v), abs=1e-6) for v in alone]
    assert embedder.dimensions == 8


@pytest.fixture
def prompted(folder: Path) -> Path:
    """The same model, whose questions begin with `query :`."""
    prompts = {"prompts": {"query": "query : "}}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts))
    return folder


async def test_questions_get_their_prefix_and_passages_none(prompted: Path) -> None:
    embedder = open_embedder(str(prompted), device="cpu")

    asked = await embedder.embed_queries(["seal"])

    assert asked == await embedder.embed_passages(["query : seal"])
    assert asked != await embedder.embed_passages(["seal"])


@pytest.mark.parametrize("pooling", ["mean", "cls"])
def test_pools_as_the_layout_says(folder: Path, pooling: str) -> None:
    layout = Layout(name="m", folder=folder, pooling=pooling, max_tokens=8)  # type: ignore[arg-type]
    encoder = open_torch_encoder(layout, "cpu")
    hidden = encoder._model(input_ids=torch.tensor([[2, 3, 3]])).last_hidden_state
    pooled = hidden[:, 0] if pooling == "cls" else hidden.mean(dim=1)

    (found,) = encoder.encode(["pump seal seal"])

    expected = torch.nn.functional.normalize(pooled)[0].tolist()
    assert list(found) == pytest.approx(expected, abs=1e-6)


def test_numbers_that_are_not_finite_are_an_error(folder: Path) -> None:
    encoder = open_torch_encoder(Layout(name="m", folder=folder), "cpu")
    with torch.no_grad():
        next(encoder._model.parameters()).fill_(float("nan"))

    with pytest.raises(ModelOutputError, match="not finite"):
        encoder.encode(["pump"])


def test_a_failure_inside_the_model_is_our_error(folder: Path) -> None:
    encoder = open_torch_encoder(Layout(name="m", folder=folder, max_tokens=99), "cpu")

    with pytest.raises(ModelError, match="inference failed"):
        encoder.encode(["pump " * 40])


def test_files_that_make_no_model_are_an_error(folder: Path) -> None:
    (folder / "model.safetensors").write_bytes(b"nothing")

    with pytest.raises(ConfigurationError, match="cannot be loaded"):
        open_torch_encoder(Layout(name="m", folder=folder), "cpu")


def test_a_batch_that_does_not_fit_is_halved(folder: Path) -> None:
    encoder = open_torch_encoder(Layout(name="m", folder=folder), "cpu")
    texts, whole = ["pump seal " * n for n in range(1, 8)], encoder._model.forward

    def crowded(input_ids: torch.Tensor, **more: object) -> object:
        if input_ids.numel() > 40:
            raise torch.OutOfMemoryError("CUDA out of memory.")
        return whole(input_ids=input_ids, **more)

    expected = encoder.encode(texts)
    encoder._model.forward = crowded

    assert [list(v) for v in encoder.encode(texts)] == [
        pytest.approx(list(v), abs=1e-6) for v in expected
    ]
