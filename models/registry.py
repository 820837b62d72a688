"""The models that come with an installation, and whether they are as they should be."""

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from ..domain.errors import ConfigurationError
from .similarity_classifier import FITTED as CLASSIFIER_FILE
from .similarity_ranker import FITTED as RANKER_FILE
from .weights import MINILM, find_weights, sha256_of

State = Literal["ok", "missing", "changed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """One model file. `bytes` and `sha256` are those found, `None` where the file is missing."""

    role: Literal["embedder", "ranker", "classifier"]
    name: str
    file: Path | None
    bytes: int | None
    sha256: str | None
    licence: str
    state: State


def builtin_models() -> list[ModelInfo]:
    """List the built-in models; reads each file whole and loads none of them."""
    return [
        _embedder(),
        _fitted("ranker", RANKER_FILE),
        _fitted("classifier", CLASSIFIER_FILE),
    ]


def _embedder() -> ModelInfo:
    try:
        file = find_weights(MINILM)
    except ConfigurationError:
        return _info("embedder", MINILM.name, None, MINILM.licence, "missing")
    state: State = "ok" if sha256_of(file) == MINILM.sha256 else "changed"
    return _info("embedder", MINILM.name, file, MINILM.licence, state)


def _fitted(role: Literal["ranker", "classifier"], name: str) -> ModelInfo:
    """A file of coefficients carries the sum of its own numbers."""
    file = Path(str(resources.files(__package__).joinpath("fitted", name)))
    if not file.is_file():
        return _info(role, "similarity", None, "Apache-2.0", "missing")
    try:
        content = json.loads(file.read_text("utf-8"))
        same = content.get("digest") == coefficients_digest(content)
    except (ValueError, AttributeError):
        same = False
    return _info(role, "similarity", file, "Apache-2.0", "ok" if same else "changed")


def coefficients_digest(fitted: dict[str, object]) -> str:
    """Give the SHA-256 of everything in a fitted object except its own `digest`."""
    rest = {key: value for key, value in fitted.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _info(
    role: Literal["embedder", "ranker", "classifier"],
    name: str,
    file: Path | None,
    licence: str,
    state: State,
) -> ModelInfo:
    return ModelInfo(
        role=role,
        name=name,
        file=file,
        bytes=file.stat().st_size if file else None,
        sha256=sha256_of(file) if file else None,
        licence=licence,
        state=state,
    )
