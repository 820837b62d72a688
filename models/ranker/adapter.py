"""What training adds to the base weights, as files: LoRA factors, a head, the base they are for.

`adapter_config.json` and `adapter_model.safetensors` are in the format of peft (Hu et al. 2021,
arXiv:2106.09685), so that peft can load them too. `head.safetensors` holds the head, and what is
added to biases and layer norms of the encoder under their names there. `base.json` names the base
and the layout of pairs that was trained for. `scores.json` says what a logit is worth; an adapter
that is not calibrated yet has none.
"""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from ...domain.errors import ConfigurationError
from ..weights import sha256_of
from .reading import PairLayout
from .scores import SCORES_FILE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = dict[str, NDArray[np.float32]]

CONFIG_FILE = "adapter_config.json"
LORA_FILE = "adapter_model.safetensors"
HEAD_FILE = "head.safetensors"
BASE_FILE = "base.json"
WEIGHT_FILES = (CONFIG_FILE, LORA_FILE, HEAD_FILE, BASE_FILE)
"""The files that decide about logits."""

HEAD = ("dense.weight", "dense.bias", "out.weight", "out.bias", "cosine_scale")

_PREFIX = "base_model.model."
_REFUSED = (
    "use_dora",
    "fan_in_fan_out",
    "rank_pattern",
    "alpha_pattern",
    "layer_replication",
    "modules_to_save",
    "exclude_modules",
)
"""Settings of peft that mean another sum than W + scale B A."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """An adapter as it was read; arrays have 32 bits."""

    folder: Path
    base_name: str
    base_sha256: str
    layout: PairLayout
    scale: float
    """What each product of factors is multiplied by."""
    lora: "Arrays"
    """Factors by module of the encoder: `<module>.lora_A.weight` (r, columns) and B (rows, r)."""
    vectors: "Arrays"
    """What is added to biases and layer norms of the encoder."""
    head: "Arrays"
    """The weights named in `HEAD`."""
    scores: dict[str, object] | None
    """The object of `scores.json`; `None` where the adapter has none."""
    weights_digest: str
    """SHA-256 over the files that decide about logits, in hexadecimal."""
    digest: str
    """The same over these and `scores.json`."""


def is_adapter(folder: Path) -> bool:
    """Tell whether a folder looks like an adapter."""
    return (folder / CONFIG_FILE).is_file()


def read_adapter(folder: Path) -> Adapter:
    """Read an adapter from its folder.

    Raises:
        ConfigurationError: no such folder, a file missing or damaged, or a kind of adapter that
            is not known here.
    """
    _complete(folder)
    config, base = _object(folder / CONFIG_FILE), _object(folder / BASE_FILE)
    arrays = _arrays(folder / HEAD_FILE)
    lost = [name for name in HEAD if name not in arrays]
    if lost:
        _refuse(folder, f"{HEAD_FILE} lacks {lost[0]!r}")
    scores = folder / SCORES_FILE
    return Adapter(
        folder=folder,
        base_name=str(base.get("base_name", "")),
        base_sha256=str(base.get("base_sha256", "")),
        layout=_layout(folder, base),
        scale=_scale(folder, config),
        lora=_factors(folder),
        vectors={name: array for name, array in arrays.items() if name not in HEAD},
        head={name: arrays[name] for name in HEAD},
        scores=_object(scores) if scores.is_file() else None,
        weights_digest=_digest(folder, WEIGHT_FILES),
        digest=adapter_digest(folder),
    )


def adapter_digest(folder: Path) -> str:
    """Give the SHA-256 over an adapter's files, without reading what they mean.

    Raises:
        ConfigurationError: no such folder, or a file is missing.
    """
    _complete(folder)
    scores = (SCORES_FILE,) if (folder / SCORES_FILE).is_file() else ()
    return _digest(folder, WEIGHT_FILES + scores)


def merged(weights: "Mapping[str, NDArray[np.float32]]", adapter: Adapter) -> "Arrays":
    """Give the encoder's weights with the adapter added: W + scale B A, and the vectors.

    Raises:
        ConfigurationError: the adapter changes what the base does not have, or has in another
            shape, or holds numbers that are not finite.
    """
    whole = dict(weights)
    for name, change in _changes(adapter).items():
        if name not in whole or whole[name].shape != change.shape:
            _refuse(adapter.folder, f"it changes {name!r}, which its base has not in this shape")
        whole[name] = whole[name] + change
    _fitting_head(adapter, len(whole["embeddings.LayerNorm.weight"]))
    return whole


def _fitting_head(adapter: Adapter, width: int) -> None:
    shapes = [(width, width), (width,), (1, width), (1,), ()]
    for name, shape in zip(HEAD, shapes, strict=True):
        if adapter.head[name].shape != shape:
            found = adapter.head[name].shape
            _refuse(adapter.folder, f"{name!r} has the shape {found}, its base needs {shape}")


def _changes(adapter: Adapter) -> "Arrays":
    """Give what is added to each weight."""
    import numpy as np

    found = dict(adapter.vectors)
    for module in sorted({name.partition(".lora_")[0] for name in adapter.lora}):
        a = adapter.lora.get(f"{module}.lora_A.weight")
        b = adapter.lora.get(f"{module}.lora_B.weight")
        if a is None or b is None or a.ndim != 2 or b.ndim != 2 or b.shape[1] != a.shape[0]:
            _refuse(adapter.folder, f"the factors of {module!r} do not fit each other")
        found[f"{module}.weight"] = np.float32(adapter.scale) * (b @ a)
    for name, change in (found | adapter.head).items():
        if not np.isfinite(change).all():
            _refuse(adapter.folder, f"what it adds to {name!r} is not finite")
    return found


def _complete(folder: Path) -> None:
    if not folder.is_dir():
        raise ConfigurationError(
            f"The ranker folder {str(folder)!r} does not exist.",
            fix="Name a folder with an adapter, 'builtin' or 'similarity'.",
        )
    lost = [name for name in WEIGHT_FILES if not (folder / name).is_file()]
    if lost:
        _refuse(folder, f"it has no {lost[0]}")


def _factors(folder: Path) -> "Arrays":
    """Read the factors, named after the encoder's modules."""
    found = {
        name.removeprefix(_PREFIX): array for name, array in _arrays(folder / LORA_FILE).items()
    }
    for name in found:
        if not name.endswith((".lora_A.weight", ".lora_B.weight")):
            _refuse(folder, f"{LORA_FILE} holds {name!r}, which is no factor of a matrix")
    return found


def _scale(folder: Path, config: Mapping[str, object]) -> float:
    if config.get("peft_type") != "LORA":
        _refuse(folder, f"its type is {config.get('peft_type')!r}, not 'LORA'")
    for setting in _REFUSED:
        if config.get(setting):
            _refuse(folder, f"its setting {setting!r} is not supported")
    rank, alpha = config.get("r"), config.get("lora_alpha")
    if not isinstance(rank, int) or not isinstance(alpha, int | float) or rank < 1:
        _refuse(folder, f"{CONFIG_FILE} has no 'r' and 'lora_alpha'")
    return float(alpha) / (math.sqrt(rank) if config.get("use_rslora") else rank)


def _layout(folder: Path, base: Mapping[str, object]) -> PairLayout:
    """Read the layout; an adapter that says nothing was trained for the usual one."""
    given = base.get("layout", {})
    known = {field.name for field in fields(PairLayout)}
    if not isinstance(given, Mapping) or not set(given) <= known:
        _refuse(folder, f"the 'layout' in {BASE_FILE} is not known")
    if not all(isinstance(value, int) and value > 0 for value in given.values()):
        _refuse(folder, f"the 'layout' in {BASE_FILE} holds no whole numbers above 0")
    return PairLayout(**given)


def _arrays(path: Path) -> "Arrays":
    """Read a file of arrays, as 32-bit floats."""
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return {name: array.astype(np.float32) for name, array in load_file(path).items()}
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        _refuse(path.parent, f"{path.name} cannot be read: {error}")


def _object(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        _refuse(path.parent, f"{path.name} cannot be read: {error}")
    if not isinstance(found, dict):
        _refuse(path.parent, f"{path.name} holds no object")
    return found


def _digest(folder: Path, names: tuple[str, ...]) -> str:
    sums = "".join(f"{sha256_of(folder / name)}  {name}\n" for name in sorted(names))
    return hashlib.sha256(sums.encode()).hexdigest()


def _refuse(folder: Path, cause: str) -> NoReturn:
    raise ConfigurationError(
        f"The ranker in {str(folder)!r} cannot be used: {cause}.",
        fix="Get the adapter again, or train it anew.",
    )
