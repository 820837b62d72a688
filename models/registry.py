"""The models that come with an installation, and whether they are as they should be."""

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Literal

from ..domain.errors import ConfigurationError
from .multilingual.centre import FITTED as CENTRE_FILE
from .ranker.adapter import adapter_digest
from .ranker.shipped import ENGLISH, ShippedAdapter
from .similarity_classifier import FITTED as CLASSIFIER_FILE
from .similarity_ranker import FITTED as RANKER_FILE
from .weights import MINILM, MULTILINGUAL_E5, Pinned, find_weights, sha256_of

Role = Literal["embedder", "ranker", "classifier"]
State = Literal["ok", "missing", "changed", "optional"]
"""`optional`: not installed, and nothing needs it that was not asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """One model file, or one folder; `bytes` and `sha256` are `None` where it is missing."""

    role: Role
    name: str
    file: Path | None
    bytes: int | None
    sha256: str | None
    licence: str
    state: State


def builtin_models(adapter: ShippedAdapter = ENGLISH) -> list[ModelInfo]:
    """List the built-in models; reads each file whole and loads none of them."""
    return [
        _embedder(MINILM, "missing"),
        _embedder(MULTILINGUAL_E5, "optional"),
        _fitted("embedder", "multilingual-centre", CENTRE_FILE),
        _adapter(adapter),
        _fitted("ranker", "similarity", RANKER_FILE),
        _fitted("classifier", "similarity", CLASSIFIER_FILE),
    ]


def _embedder(pinned: Pinned, absent: State) -> ModelInfo:
    try:
        file = find_weights(pinned)
    except ConfigurationError:
        return _info("embedder", pinned.name, None, pinned.licence, absent)
    state: State = "ok" if sha256_of(file) == pinned.sha256 else "changed"
    return _info("embedder", pinned.name, file, pinned.licence, state)


def _adapter(shipped: ShippedAdapter) -> ModelInfo:
    """An adapter is a folder: its sum is over all its files."""
    try:
        digest = adapter_digest(shipped.folder)
    except ConfigurationError:
        return _info("ranker", shipped.folder.name, None, shipped.licence, "missing")
    return ModelInfo(
        role="ranker",
        name=shipped.folder.name,
        file=shipped.folder,
        bytes=sum(file.stat().st_size for file in shipped.folder.iterdir() if file.is_file()),
        sha256=digest,
        licence=shipped.licence,
        state="ok" if digest == shipped.sha256 else "changed",
    )


def _fitted(role: Role, model: str, name: str) -> ModelInfo:
    """A file of coefficients carries the sum of its own numbers."""
    file = Path(str(resources.files(__package__).joinpath("fitted", name)))
    if not file.is_file():
        return _info(role, model, None, "Apache-2.0", "missing")
    try:
        content = json.loads(file.read_text("utf-8"))
        same = content.get("digest") == coefficients_digest(content)
    except (ValueError, AttributeError):
        same = False
    return _info(role, model, file, "Apache-2.0", "ok" if same else "changed")


def coefficients_digest(fitted: dict[str, object]) -> str:
    """Give the SHA-256 of everything in a fitted object except its own `digest`."""
    rest = {key: value for key, value in fitted.items() if key != "digest"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


def _info(
    role: Role,
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
