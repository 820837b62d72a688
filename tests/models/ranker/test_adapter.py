import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file

from headwater.domain.errors import ConfigurationError
from headwater.models.ranker.adapter import adapter_digest, is_adapter, merged, read_adapter
from headwater.models.ranker.network import CrossEncoder
from headwater.models.ranker.reading import PairLayout
from headwater.models.training.ranking.export import export
from headwater.models.weights import MINILM
from tests.models.ranker.made_adapter import base_weights, write_adapter

QUERY = "encoder.layer.1.attention.self.query.weight"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_adapter(tmp_path / "adapter")


def rewrite(path: Path, **changed: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


def test_reads_what_training_wrote(folder: Path) -> None:
    adapter = read_adapter(folder)

    assert adapter.base_sha256 == MINILM.sha256
    assert adapter.layout == PairLayout()
    assert set(adapter.vectors) == {"encoder.layer.0.output.dense.bias"}
    assert adapter.head["cosine_scale"].item() == 10.0
    assert adapter.scores is None
    assert is_adapter(folder)
    assert not is_adapter(folder.parent)


def test_the_layout_is_that_of_the_training(folder: Path) -> None:
    rewrite(folder / "base.json", layout={"max_passage": 128})

    assert read_adapter(folder).layout == PairLayout(max_passage=128)


def test_adds_the_product_of_the_factors_and_the_vectors(folder: Path) -> None:
    rewrite(folder / "adapter_config.json", lora_alpha=6)
    base = base_weights()

    found = merged(base, read_adapter(folder))

    held = load_file(folder / "adapter_model.safetensors")
    stem = "base_model.model.encoder.layer.1.attention.self.query.lora_"
    a, b = (held[f"{stem}{kind}.weight"].astype(np.float64) for kind in "AB")
    assert found[QUERY] - base[QUERY] == pytest.approx(3.0 * b @ a, abs=1e-6)
    bias = "encoder.layer.0.output.dense.bias"
    added = load_file(folder / "head.safetensors")[bias]
    assert found[bias] == pytest.approx(base[bias] + added)
    same = [name for name, array in found.items() if array is base[name]]
    assert len(same) == len(base) - 3


def test_rank_stabilised_factors_are_scaled_by_the_root_of_the_rank(folder: Path) -> None:
    rewrite(folder / "adapter_config.json", use_rslora=True)

    assert read_adapter(folder).scale == pytest.approx(2**0.5)


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")  # of peft
def test_peft_merges_the_same(folder: Path) -> None:
    from peft import PeftModel
    from transformers import BertConfig, BertModel

    config = BertConfig(vocab_size=30522, hidden_size=384, num_hidden_layers=6)
    config.num_attention_heads, config.intermediate_size = 12, 1536
    model = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(
        {name: torch.from_numpy(array) for name, array in base_weights().items()}, strict=False
    )

    whole = PeftModel.from_pretrained(model, str(folder)).merge_and_unload()

    ours = merged(base_weights(), read_adapter(folder))
    theirs = whole.state_dict()[QUERY].numpy()
    assert theirs == pytest.approx(ours[QUERY], abs=1e-6)


def test_what_training_exports_merges_to_the_trained_network(tmp_path: Path) -> None:
    network = CrossEncoder.tiny(width=16)
    base = {name: value.clone() for name, value in network.encoder.state_dict().items()}
    with torch.no_grad():
        for parameter in network.encoder.encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.01)
    export(network, base, tmp_path, rank=16, origin=MINILM, layout=PairLayout())

    found = merged({name: value.numpy() for name, value in base.items()}, read_adapter(tmp_path))

    for name, value in network.encoder.state_dict().items():
        assert found[name] == pytest.approx(value.numpy(), abs=2e-4), name


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="does not exist"):
        read_adapter(tmp_path / "nowhere")


@pytest.mark.parametrize(
    "name", ["adapter_config.json", "adapter_model.safetensors", "head.safetensors", "base.json"]
)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()

    with pytest.raises(ConfigurationError, match=f"has no {name}"):
        read_adapter(folder)
    with pytest.raises(ConfigurationError, match=f"has no {name}"):
        adapter_digest(folder)


@pytest.mark.parametrize(
    "name", ["adapter_config.json", "adapter_model.safetensors", "head.safetensors", "base.json"]
)
@pytest.mark.parametrize("content", [b"", b"{half", b"[1]", b"\xff\xfe\x00\x01" * 9])
def test_a_damaged_file_is_named(folder: Path, name: str, content: bytes) -> None:
    (folder / name).write_bytes(content)

    with pytest.raises(ConfigurationError, match=name):
        read_adapter(folder)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"peft_type": "IA3"}, "'IA3'"),
        ({"use_dora": True}, "'use_dora'"),
        ({"rank_pattern": {"query": 4}}, "'rank_pattern'"),
        ({"r": None}, "'r'"),
        ({"r": 0}, "'r'"),
    ],
)
def test_another_kind_of_adapter_is_refused(
    folder: Path, setting: dict[str, object], said: str
) -> None:
    rewrite(folder / "adapter_config.json", **setting)

    with pytest.raises(ConfigurationError, match=said):
        read_adapter(folder)


@pytest.mark.parametrize("layout", [{"max_words": 3}, [64], {"max_query": 0}, {"max_query": "9"}])
def test_an_unknown_layout_is_refused(folder: Path, layout: object) -> None:
    rewrite(folder / "base.json", layout=layout)

    with pytest.raises(ConfigurationError, match="layout"):
        read_adapter(folder)


def changed_arrays(path: Path, **changed: object) -> None:
    held = load_file(path)
    for name, array in changed.items():
        if array is None:
            del held[name]
        else:
            held[name] = np.asarray(array, np.float32)
    save_file(held, path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"dense.weight": np.zeros((3, 3))}, "'dense.weight' has the shape"),
        ({"out.weight": np.zeros((2, 384))}, "'out.weight' has the shape"),
        ({"encoder.layer.9.output.dense.bias": np.zeros(384)}, "layer.9"),
        ({"encoder.layer.0.output.dense.bias": np.zeros(3)}, "layer.0.output.dense.bias"),
        ({"dense.bias": np.full(384, np.nan)}, "not finite"),
    ],
)
def test_a_head_that_does_not_fit_the_base_is_refused(
    folder: Path, change: dict[str, object], said: str
) -> None:
    changed_arrays(folder / "head.safetensors", **change)

    with pytest.raises(ConfigurationError, match=said):
        merged(base_weights(), read_adapter(folder))


def test_a_head_without_all_its_weights_is_refused(folder: Path) -> None:
    changed_arrays(folder / "head.safetensors", cosine_scale=None)

    with pytest.raises(ConfigurationError, match="lacks 'cosine_scale'"):
        read_adapter(folder)


@pytest.mark.parametrize("lost", ["lora_A", "lora_B"])
def test_factors_without_their_other_half_are_refused(folder: Path, lost: str) -> None:
    stem = "base_model.model.encoder.layer.1.attention.self.query"
    changed_arrays(folder / "adapter_model.safetensors", **{f"{stem}.{lost}.weight": None})

    with pytest.raises(ConfigurationError, match="do not fit each other"):
        merged(base_weights(), read_adapter(folder))


def test_factors_of_a_module_that_the_base_lacks_are_refused(folder: Path) -> None:
    stem = "base_model.model.encoder.layer.7.output.dense"
    both = {f"{stem}.lora_A.weight": np.ones((2, 384)), f"{stem}.lora_B.weight": np.ones((384, 2))}
    changed_arrays(folder / "adapter_model.safetensors", **both)

    with pytest.raises(ConfigurationError, match=r"layer\.7"):
        merged(base_weights(), read_adapter(folder))


def test_another_array_among_the_factors_is_refused(folder: Path) -> None:
    changed_arrays(folder / "adapter_model.safetensors", bias=np.ones(3))

    with pytest.raises(ConfigurationError, match="'bias'"):
        read_adapter(folder)


def test_the_digest_tells_adapters_apart_and_scores_do_not_change_that_of_weights(
    tmp_path: Path,
) -> None:
    one, same = (read_adapter(write_adapter(tmp_path / name)) for name in "ab")
    other = read_adapter(write_adapter(tmp_path / "c", seed=4))
    (tmp_path / "b" / "scores.json").write_text("{}")
    scored = read_adapter(tmp_path / "b")

    assert one.digest == same.digest != other.digest
    assert scored.weights_digest == one.weights_digest != other.weights_digest
    assert scored.digest != one.digest
    assert scored.scores == {}
    (tmp_path / "b" / "README.md").write_text("A card.")
    assert adapter_digest(tmp_path / "b") == scored.digest
