import json
from pathlib import Path

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models.rerankers.folder import describe

BERT = {
    "architectures": ["BertForSequenceClassification"],
    "model_type": "bert",
    "id2label": {"0": "LABEL_0"},
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "type_vocab_size": 2,
}


def folder_with(folder: Path, config: object, **tokenizer_config: object) -> Path:
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text(json.dumps(tokenizer_config))
    return folder


def test_reads_what_the_network_needs(tmp_path: Path) -> None:
    found = describe(folder_with(tmp_path, BERT), "m")

    assert (found.name, found.head, found.max_tokens) == ("m", "one label", 512)
    assert (found.pad, found.types) == (0, True)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"id2label": {"0": "no", "1": "yes"}}, "two labels"),
        ({"id2label": None}, "two labels"),  # what transformers takes where nothing is said
        ({"architectures": ["Qwen3ForCausalLM"]}, "yes or no"),
    ],
)
def test_tells_heads_apart(tmp_path: Path, changes: dict[str, object], expected: str) -> None:
    assert describe(folder_with(tmp_path, BERT | changes), "m").head == expected


def test_names_the_size_of_a_head_it_cannot_use(tmp_path: Path) -> None:
    labels = {str(i): f"LABEL_{i}" for i in range(3)}

    with pytest.raises(ConfigurationError, match=r"has 3 labels\. Accepted are heads with 1"):
        describe(folder_with(tmp_path, BERT | {"id2label": labels}), "m")


@pytest.mark.parametrize("architectures", [["BertModel"], [], None])
def test_a_model_without_a_head_is_no_reranker(tmp_path: Path, architectures: object) -> None:
    with pytest.raises(ConfigurationError, match="no reranker"):
        describe(folder_with(tmp_path, BERT | {"architectures": architectures}), "m")


@pytest.mark.parametrize(
    ("config", "tokenizer", "expected"),
    [
        ({"max_position_embeddings": 8_192}, {}, 512),
        ({"max_position_embeddings": 128}, {}, 128),
        ({}, {"model_max_length": 256}, 256),
        ({}, {"model_max_length": 1e30}, 512),
        (
            {"model_type": "xlm-roberta", "max_position_embeddings": 258, "pad_token_id": 1},
            {},
            256,
        ),
    ],
)
def test_reads_no_more_than_the_model_can(
    tmp_path: Path, config: dict[str, object], tokenizer: dict[str, object], expected: int
) -> None:
    found = describe(folder_with(tmp_path, BERT | config, **tokenizer), "m")

    assert found.max_tokens == expected


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json"])
def test_a_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    (folder_with(tmp_path, BERT) / missing).unlink()

    with pytest.raises(ConfigurationError, match=f"has no {missing}"):
        describe(tmp_path, "m")


def test_a_broken_configuration_is_named(tmp_path: Path) -> None:
    (folder_with(tmp_path, BERT) / "config.json").write_text("{")

    with pytest.raises(ConfigurationError, match=r"config\.json' cannot be read"):
        describe(tmp_path, "m")
