import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from headwater.domain.errors import ConfigurationError
from headwater.models.ranker.adapter import merged, read_adapter
from headwater.models.training import ranker
from headwater.models.training.ranking.session import encoder_of
from headwater.models.training.ranking.sets import read_sets
from tests.models.training.ranking.made import tiny_bench, write_parts, write_rows

SMALL = "--lists 2 --dev-queries 2 --dev-sets parts --measure-every 10 --rank 4".split()


def run(tmp_path: Path, out: str, *more: str) -> Path:
    """Train a tiny network as the command does."""
    data = tmp_path / "data"
    if not data.exists():
        write_parts(data)
    given = ["--data", str(data), "--out", str(tmp_path / out), *SMALL, *more]
    options = ranker.parser().parse_args(given)
    ranker.train(ranker.plan_of(options, given), tiny_bench(tmp_path / "cache"), options)
    return tmp_path / out


def log_of(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / "train.jsonl").read_text().splitlines()]


def test_a_small_sample_is_trained_to_an_adapter_that_serving_accepts(tmp_path: Path) -> None:
    out = run(tmp_path, "out", "--limit", "50", "--steps", "20")

    adapter = read_adapter(out)
    base = encoder_of(tiny_bench(tmp_path / "cache").model)
    whole = merged({name: value.numpy() for name, value in base.items()}, adapter)
    changed = [name for name, value in whole.items() if (value != base[name].numpy()).any()]
    assert any(name.endswith("query.weight") for name in changed)
    assert not any("_embeddings." in name for name in changed)
    log = log_of(out)
    assert [row["step"] for row in log if "ndcg" in row] == [0, 10, 20]
    assert log[-2]["loss"] > 0
    assert {"lr", "pairs_per_s", "tokens_per_s"} <= set(log[-2])


def test_the_card_says_how_the_adapter_came_about(tmp_path: Path) -> None:
    card = (run(tmp_path, "out", "--steps", "2", "--seed", "11") / "README.md").read_text()

    assert "--data DATA --out OUT" in card
    assert str(tmp_path) not in card
    assert "with seed 11: 2 steps" in card
    assert "| parts | not recorded |" in card
    assert "| ndcg.parts |" in card


def test_the_same_command_gives_the_same_adapter(tmp_path: Path) -> None:
    one, two = (run(tmp_path, out, "--steps", "4") for out in ("one", "two"))
    other = run(tmp_path, "three", "--steps", "4", "--seed", "8")

    weights = [(out / "adapter_model.safetensors").read_bytes() for out in (one, two, other)]
    assert weights[0] == weights[1] != weights[2]


def test_the_adapter_of_a_checkpoint_is_that_of_its_training(tmp_path: Path) -> None:
    out = run(tmp_path, "out", "--steps", "3")
    first = (out / "adapter_model.safetensors").read_bytes()
    (out / "adapter_model.safetensors").unlink()

    run(tmp_path, "out", "--steps", "3", "--export-only")

    assert (out / "adapter_model.safetensors").read_bytes() == first


def test_a_training_that_is_over_resumes_to_the_same_adapter(tmp_path: Path) -> None:
    out = run(tmp_path, "out", "--steps", "3")
    first = (out / "adapter_model.safetensors").read_bytes()

    run(tmp_path, "out", "--steps", "3", "--resume")

    assert (out / "adapter_model.safetensors").read_bytes() == first


def test_no_evaluation_row_is_learned_from(tmp_path: Path) -> None:
    data = write_parts(tmp_path / "data")
    row = {"qid": "q0", "docid": "6a", "grade": 1, "kind": "k"}
    write_rows(data / "parts", "pairs.train", [row])

    with pytest.raises(ConfigurationError, match="'6a'"):
        run(tmp_path, "out", "--steps", "1")


def test_without_peft_the_extra_that_brings_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "peft", None)

    with pytest.raises(ConfigurationError, match=r"headwater\[train\]"):
        run(tmp_path, "out", "--steps", "1", "--method", "lora")


def test_without_data_nothing_is_trained(tmp_path: Path) -> None:
    write_parts(tmp_path / "data")
    (tmp_path / "data" / "parts" / "pairs.train.jsonl.gz").unlink()

    with pytest.raises(ConfigurationError, match="nothing to learn from"):
        run(tmp_path, "out", "--steps", "1")


def test_a_folder_without_data_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="nowhere"):
        ranker.main(["--data", str(tmp_path / "nowhere"), "--out", str(tmp_path), "--steps", "1"])


def test_the_length_of_a_training_has_to_be_said() -> None:
    with pytest.raises(SystemExit):
        ranker.main(["--data", "d", "--out", "o"])


def test_the_networks_first_order_is_that_of_the_base(tmp_path: Path) -> None:
    bench = tiny_bench(tmp_path / "cache")

    assert torch.count_nonzero(bench.model.out.weight) == 0
    assert [one.name for one in read_sets(write_parts(tmp_path), "train", seed=1)] == ["parts"]


def test_factors_alone_are_trained_to_an_adapter_of_their_rank(tmp_path: Path) -> None:
    pytest.importorskip("peft")
    out = run(tmp_path, "out", "--steps", "12", "--method", "lora")

    adapter = read_adapter(out)
    base = encoder_of(tiny_bench(tmp_path / "cache").model)
    whole = merged({name: value.numpy() for name, value in base.items()}, adapter)
    name = "encoder.layer.1.attention.self.value.weight"
    assert (whole[name] != base[name].numpy()).any()
    figures = (out / "README.md").read_text()
    assert "LoRA factors, biases and layer norms are trained" in figures
    run(tmp_path, "out", "--steps", "12", "--method", "lora", "--export-only")
    np.testing.assert_array_equal(
        read_adapter(out).lora[name.replace("weight", "lora_A.weight")],
        adapter.lora[name.replace("weight", "lora_A.weight")],
    )
