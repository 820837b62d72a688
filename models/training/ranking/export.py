"""What was learned as an adapter: low-rank factors of each matrix's change, and the rest whole.

All of the encoder is trained, and each matrix's change is then cut to its largest singular
values: the best approximation of that rank there is (Eckart and Young 1936). The factors are
written in the format of peft's LoRA (Hu et al. 2021, arXiv:2106.09685), which adds
`alpha / r * B @ A` to a matrix; changes of biases and of layer norms are small and written whole.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.numpy import save_file

from ...ranker.adapter import BASE_FILE, CONFIG_FILE, HEAD, HEAD_FILE, LORA_FILE
from ...ranker.network import CrossEncoder
from ...ranker.reading import PairLayout
from ...weights import Pinned
from .loop import trained

Arrays: TypeAlias = dict[str, NDArray[np.float32]]

TARGETS = (
    r"encoder\.layer\.\d+\.(attention\.self\.(query|key|value)"
    r"|attention\.output\.dense|intermediate\.dense|output\.dense)"
)
"""The matrices that change, as a pattern that peft matches whole names of modules with."""

_ENCODER = "encoder."
_PEFT = "base_model.model."


def changes(model: CrossEncoder, base: Mapping[str, torch.Tensor]) -> Arrays:
    """Give learned minus base for each parameter of the encoder that was trained.

    `base` holds the encoder's weights before training, by the same names.
    """
    return {
        name.removeprefix(_ENCODER): (value - base[name.removeprefix(_ENCODER)]).numpy()
        for name, value in trained(model).items()
        if name not in HEAD
    }


def low_rank(change: NDArray[np.float32], rank: int) -> tuple[NDArray[np.float16], ...]:
    """Give the factors A (rank, columns) and B (rows, rank) whose product B @ A is nearest.

    They have 16 bits. A rank above the matrix's own is filled up with zeros.
    """
    left, values, right = np.linalg.svd(change.astype(np.float64), full_matrices=False)
    kept = min(rank, len(values))
    roots = np.sqrt(values[:kept])
    a = np.zeros((rank, change.shape[1]), dtype=np.float16)
    b = np.zeros((change.shape[0], rank), dtype=np.float16)
    a[:kept] = roots[:, None] * right[:kept]
    b[:, :kept] = left[:, :kept] * roots
    return a, b


def factors(changed: Arrays, rank: int) -> dict[str, NDArray[np.float16]]:
    """Give the factors of every matrix, under the names that peft looks for."""
    found: dict[str, NDArray[np.float16]] = {}
    for name, change in changed.items():
        if change.ndim == 2:
            module = _PEFT + name.removesuffix(".weight")
            a, b = low_rank(change, rank)
            found |= {f"{module}.lora_A.weight": a, f"{module}.lora_B.weight": b}
    return found


def cut(model: CrossEncoder, base: Mapping[str, torch.Tensor], rank: int) -> None:
    """Put into the model what an adapter of this rank would make of it."""
    held = factors(changes(model, base), rank)
    parameters = dict(model.encoder.named_parameters())
    with torch.no_grad():
        for name, parameter in parameters.items():
            a = held.get(f"{_PEFT}{name.removesuffix('.weight')}.lora_A.weight")
            if a is not None:
                b = held[f"{_PEFT}{name.removesuffix('.weight')}.lora_B.weight"]
                product = b.astype(np.float32) @ a.astype(np.float32)
                parameter.copy_(base[name] + torch.from_numpy(product))


def export(
    model: CrossEncoder,
    base: Mapping[str, torch.Tensor],
    out: Path,
    *,
    rank: int,
    origin: Pinned,
    layout: PairLayout,
) -> None:
    """Write adapter, head, and what they belong to, into the folder `out`."""
    changed = changes(model, base)
    vectors = {name: change for name, change in changed.items() if change.ndim < 2}
    head = {name: value.numpy() for name, value in trained(model).items() if name in HEAD}
    for name, arrays in ((LORA_FILE, factors(changed, rank)), (HEAD_FILE, vectors | head)):
        save_file(arrays, out / name, {"format": "pt"})
        (out / name).chmod(0o644)  # safetensors lets nobody else read it
    write_json(out / CONFIG_FILE, _peft_config(rank, origin))
    facts = {"base_name": origin.name, "base_sha256": origin.sha256, "layout": asdict(layout)}
    write_json(out / BASE_FILE, facts)


def write_json(path: Path, value: Mapping[str, object]) -> None:
    """Write an object, indented."""
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _peft_config(rank: int, origin: Pinned) -> dict[str, object]:
    return {
        "peft_type": "LORA",
        "task_type": "FEATURE_EXTRACTION",
        "base_model_name_or_path": f"sentence-transformers/{origin.name}",
        "inference_mode": True,
        "r": rank,
        "lora_alpha": rank,
        "lora_dropout": 0.0,
        "bias": "none",
        "fan_in_fan_out": False,
        "target_modules": TARGETS,
    }
