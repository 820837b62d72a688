"""Open an embedder: the built-in one, one from a folder, or one of the hub."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from ..domain.ports import Embedder, Vector
from .cache import cache_folder
from .device import chosen_device
from .embedder_folder import Layout, read_layout
from .hub import hub_folder, is_hub_id
from .weights import MINILM, verified_weights

BUILTIN, BUILTIN_MULTILINGUAL = "builtin", "builtin-multilingual"
BUILTIN_TOKENS = 256
"""Longer texts are cut: the built-in model was trained on no more (its card)."""


class Encoder(Protocol):
    """Turns texts into unit vectors, and makes the caller wait for them."""

    name: str
    device: str

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> list[Vector]: ...


class LocalEmbedder:
    """The `Embedder` port over a model in this process; the work is done in a worker thread."""

    def __init__(
        self, encoder: Encoder, *, query_prefix: str = "", passage_prefix: str = ""
    ) -> None:
        self._encoder = encoder
        self._query_prefix = query_prefix
        self._passage_prefix = passage_prefix

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def device(self) -> str:
        return self._encoder.device

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    async def embed_queries(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embed(self._query_prefix, texts)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return await self._embed(self._passage_prefix, texts)

    async def _embed(self, prefix: str, texts: Sequence[str]) -> list[Vector]:
        if not texts:
            return []
        return await asyncio.to_thread(self._encoder.encode, [prefix + text for text in texts])


def open_embedder(
    name: str = BUILTIN, *, device: str = "auto", cache: Path | None = None
) -> Embedder:
    """Open a built-in embedder, a folder, or a model of the hub by its id.

    `builtin` is all-MiniLM-L6-v2, for English; `builtin-multilingual` is multilingual-e5-small, and
    needs the extra `multilingual`. Both need no network and, on the processor, no torch. `cache` is
    where derived files go, see `cache_folder`. A folder wins over a hub id of the same name.

    Raises:
        ConfigurationError: unknown device, missing or wrong weights, unsupported model.
        ModelError: a derived file is damaged, or the hub cannot be reached.
    """
    chosen = chosen_device(device)
    if name == BUILTIN:
        return _builtin(chosen, cache_folder(cache))
    if name == BUILTIN_MULTILINGUAL:
        from .multilingual.embedder import open_multilingual

        return open_multilingual(cache_folder(cache), chosen)
    folder = Path(name).expanduser()
    if not folder.is_dir() and not is_hub_id(name):
        read_layout(folder, name)  # raises: it is neither
    layout = read_layout(folder if folder.is_dir() else hub_folder(name), _short(name))
    return _torch(layout, chosen)


def _builtin(device: str, cache: Path) -> Embedder:
    weights = verified_weights(MINILM, cache)
    layout = replace(read_layout(weights.parent, MINILM.name), max_tokens=BUILTIN_TOKENS)
    if device != "cpu":
        return _torch(layout, device)
    from .embedder_onnx import open_onnx_encoder

    return LocalEmbedder(open_onnx_encoder(MINILM, layout, cache))


def _torch(layout: Layout, device: str) -> Embedder:
    from .embedder_torch import open_torch_encoder

    return LocalEmbedder(
        open_torch_encoder(layout, device),
        query_prefix=layout.query_prefix,
        passage_prefix=layout.passage_prefix,
    )


def _short(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2] or name
