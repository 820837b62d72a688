import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from transformers import BertConfig, BertModel

from headwater.domain.errors import ConfigurationError
from headwater.domain.ports import Scorable
from headwater.models.rerankers.opening import Precision, open_reranker
from tests.models.rerankers import tiny


def test_a_hub_that_cannot_be_reached_says_what_to_do(tmp_path: Path) -> None:
    code = (
        "from headwater.models.rerankers.opening import open_reranker;"
        "open_reranker('owner/unknown', device='cpu')"
    )
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}

    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )

    assert "ModelUnavailableError: Model 'owner/unknown'" in shown.stderr
    assert "then give its folder" in shown.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", ["no-such-model", "./no/such/folder", "a/b/c", ""])
def test_a_name_that_is_neither_folder_nor_hub_id_is_an_error(name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"neither a folder|has no config\.json"):
        open_reranker(name, device="cpu")


def test_an_unknown_device_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="'tpu'"):
        open_reranker(str(tiny.bert(tmp_path)), device="tpu")


def test_a_folder_without_a_tokenizer_is_an_error(tmp_path: Path) -> None:
    (tiny.bert(tmp_path) / "tokenizer.json").unlink()

    with pytest.raises(ConfigurationError, match=r"has no tokenizer\.json"):
        open_reranker(str(tmp_path), device="cpu")


@pytest.mark.parametrize(
    ("file", "message"),
    [("tokenizer.json", "cannot be read"), ("model.safetensors", "cannot be loaded")],
)
def test_a_damaged_file_is_an_error(tmp_path: Path, file: str, message: str) -> None:
    (tiny.bert(tmp_path) / file).write_bytes(b"nothing")

    with pytest.raises(ConfigurationError, match=message):
        open_reranker(str(tmp_path), device="cpu")


def test_pickled_weights_are_never_read(tmp_path: Path) -> None:
    (tiny.bert(tmp_path) / "model.safetensors").unlink()
    torch.save({}, tmp_path / "pytorch_model.bin")

    with pytest.raises(ConfigurationError, match=r"with model\.safetensors"):
        open_reranker(str(tmp_path), device="cpu")


def test_a_head_of_another_size_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="has 3 labels"):
        open_reranker(str(tiny.bert(tmp_path, labels=3)), device="cpu")


def test_an_encoder_whose_head_was_never_trained_is_refused(tmp_path: Path) -> None:
    folder = tiny.bert(tmp_path)
    config = BertConfig.from_pretrained(folder)
    BertModel(config).save_pretrained(folder)
    config.architectures = ["BertForSequenceClassification"]
    config.save_pretrained(folder)

    with pytest.raises(ConfigurationError, match=r"lack classifier\.bias"):
        open_reranker(str(folder), device="cpu")


@pytest.mark.parametrize(
    ("precision", "coarse"), [("auto", False), ("float32", False), ("bfloat16", True)]
)
def test_the_processor_computes_in_32_bits_unless_asked(
    tmp_path: Path, precision: Precision, *, coarse: bool
) -> None:
    ranker = open_reranker(str(tiny.bert(tmp_path)), device="cpu", precision=precision)
    windows = ranker._reader.pairs("worn seal", [Scorable(text) for text in tiny.TEXTS])

    logits = torch.tensor(ranker._scorer.logits([pair for (pair,) in windows]))

    assert bool((logits.bfloat16().float() == logits).all()) == coarse
