import json
from pathlib import Path
from typing import Any

import pytest

from headwater.domain.errors import ConfigurationError
from headwater.models.embedder_folder import read_layout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model folder without weights: mean pooling, 256 tokens."""
    write(tmp_path / "config.json", {"max_position_embeddings": 512})
    write(tmp_path / "tokenizer.json", {})
    write(tmp_path / "sentence_bert_config.json", {"max_seq_length": 256})
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [
        {"path": path, "type": f"sentence_transformers.models.{kind}"}
        for path, kind in kinds.items()
    ]
    write(tmp_path / "modules.json", modules)
    write(tmp_path / "1_Pooling" / "config.json", {"pooling_mode_mean_tokens": True})
    return tmp_path


def write(path: Path, value: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(value))


def test_reads_pooling_and_length(folder: Path) -> None:
    layout = read_layout(folder, "some-model")

    assert (layout.pooling, layout.max_tokens) == ("mean", 256)
    assert (layout.query_prefix, layout.passage_prefix) == ("", "")


@pytest.mark.parametrize(
    "config", [{"pooling_mode_cls_token": True}, {"pooling_mode": "cls", "embedding_dimension": 4}]
)
def test_reads_pooling_in_the_old_and_the_new_form(folder: Path, config: dict[str, Any]) -> None:
    write(folder / "1_Pooling" / "config.json", config)

    assert read_layout(folder, "m").pooling == "cls"


def test_a_folder_without_modules_pools_by_the_mean(folder: Path) -> None:
    (folder / "modules.json").unlink()

    assert read_layout(folder, "m").pooling == "mean"


@pytest.mark.parametrize(
    ("name", "query", "passage"),
    [
        ("intfloat/multilingual-e5-small", "query: ", "passage: "),
        ("e5-base-v2", "query: ", "passage: "),
        ("BAAI/bge-m3", "", ""),
        ("bge-small-en-v1.5", "Represent this sentence for searching relevant passages: ", ""),
        ("BAAI/bge-base-zh", "为这个句子生成表示以用于检索相关文章：", ""),
        ("thenlper/gte-small", "", ""),
    ],
)
def test_knows_the_prefixes_of_common_models(
    folder: Path, name: str, query: str, passage: str
) -> None:
    layout = read_layout(folder, name)

    assert (layout.query_prefix, layout.passage_prefix) == (query, passage)


def test_prompts_of_the_folder_go_before_the_table(folder: Path) -> None:
    prompts = {"query": "find: ", "document": "text: "}
    write(folder / "config_sentence_transformers.json", {"prompts": prompts})

    layout = read_layout(folder, "e5-base")

    assert (layout.query_prefix, layout.passage_prefix) == ("find: ", "text: ")


def test_empty_prompts_leave_it_to_the_table(folder: Path) -> None:
    prompts = {"query": "", "document": ""}
    write(folder / "config_sentence_transformers.json", {"prompts": prompts})

    assert read_layout(folder, "e5-base").query_prefix == "query: "


@pytest.mark.parametrize(
    ("file", "value", "problem"),
    [
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "pooling_mode_max_tokens"),
        ("1_Pooling/config.json", {}, "nothing"),
        ("modules.json", [{"type": "x.Dense", "path": "2"}], "'Dense'"),
    ],
)
def test_what_cannot_be_computed_is_refused(
    folder: Path, file: str, value: Any, problem: str
) -> None:
    write(folder / file, value)

    with pytest.raises(ConfigurationError, match=problem):
        read_layout(folder, "m")


def test_a_broken_file_is_named(folder: Path) -> None:
    (folder / "modules.json").write_text("{half")

    with pytest.raises(ConfigurationError, match=r"modules\.json"):
        read_layout(folder, "m")


@pytest.mark.parametrize("missing", ["config.json", "tokenizer.json"])
def test_a_missing_file_is_named(folder: Path, missing: str) -> None:
    (folder / missing).unlink()

    with pytest.raises(ConfigurationError, match=missing):
        read_layout(folder, "m")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        read_layout(tmp_path / "gone", "m")
