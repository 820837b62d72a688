"""Adapters of random numbers, as training writes them, on the real base or a tiny one."""

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from headwater.models.weights import MINILM, find_weights

WIDTH = 384


def base_weights() -> dict[str, NDArray[np.float32]]:
    """The weights of the built-in base."""
    return load_file(find_weights(MINILM))


def write_adapter(
    folder: Path,
    *,
    rank: int = 2,
    seed: int = 3,
    base_sha256: str = MINILM.sha256,
    scores: object = None,
) -> Path:
    """Write an adapter that changes two matrices and a bias of the base."""
    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)

    def normal(*shape: int, spread: float = 0.05) -> NDArray[np.float32]:
        return random.normal(0.0, spread, shape).astype(np.float32)

    lora = {}
    for module, rows in (("attention.self.query", WIDTH), ("intermediate.dense", 4 * WIDTH)):
        stem = f"base_model.model.encoder.layer.1.{module}"
        lora[f"{stem}.lora_A.weight"] = normal(rank, WIDTH).astype(np.float16)
        lora[f"{stem}.lora_B.weight"] = normal(rows, rank).astype(np.float16)
    head = {
        "dense.weight": normal(WIDTH, WIDTH),
        "dense.bias": normal(WIDTH),
        "out.weight": normal(1, WIDTH, spread=0.2),
        "out.bias": normal(1),
        "cosine_scale": np.array(10.0, np.float32),
        "encoder.layer.0.output.dense.bias": normal(WIDTH),
    }
    save_file(lora, folder / "adapter_model.safetensors", {"format": "pt"})
    save_file(head, folder / "head.safetensors", {"format": "pt"})
    config = {
        "peft_type": "LORA",
        "r": rank,
        "lora_alpha": rank,
        "bias": "none",
        "inference_mode": True,
        "target_modules": r"encoder\.layer\.1\.(attention\.self\.query|intermediate\.dense)",
    }
    base = {"base_name": MINILM.name, "base_sha256": base_sha256}
    (folder / "adapter_config.json").write_text(json.dumps(config))
    (folder / "base.json").write_text(json.dumps(base))
    if scores is not None:
        (folder / "scores.json").write_text(json.dumps(scores))
    return folder
