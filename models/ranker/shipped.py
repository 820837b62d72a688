"""The adapters that come with this package, known to the last bit."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from ..weights import MINILM, Pinned


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedAdapter:
    """An adapter in its folder; `sha256` is what `adapter_digest` gives for it."""

    folder: Path
    sha256: str
    base: Pinned = MINILM
    licence: str = "Apache-2.0"


def own_folder(name: str) -> Path:
    """Give the folder of an adapter of this package, whether or not it is there."""
    models = resources.files(__package__.rpartition(".")[0])
    return Path(str(models.joinpath("adapters", name)))


ENGLISH = ShippedAdapter(
    folder=own_folder("ranker-english"),
    sha256="231f6d63f8af0cbc09d97644fdcc14274b51c025f5dcfb1219d2ea5b478c1a90",
)
"""Another file in its folder has another sum: give that of `adapter_digest` here."""
