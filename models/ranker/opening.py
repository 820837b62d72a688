"""Open the ranker that a knowledge base names."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from ...domain.errors import ConfigurationError
from ...domain.ports import Embedder, Ranker
from ..cache import cache_folder
from ..device import chosen_device
from ..hub import is_hub_id
from ..scorer import Scorer
from ..similarity_ranker import open_similarity_ranker
from ..weights import MINILM, Pinned, verified_weights
from .adapter import Adapter, is_adapter, read_adapter
from .onnx_scorer import open_onnx_scorer
from .ranker import CrossEncoderRanker
from .reading import Pair, PairReader, open_reader
from .scores import SCORES_FILE, read_combination
from .shipped import ENGLISH, ShippedAdapter

BUILTIN, SIMILARITY, BUILTIN_ENGLISH = "builtin", "similarity", "builtin-english"

_BASES = {pinned.sha256: pinned for pinned in (MINILM,)}
"""The weights that an adapter can be for."""


class ThresholdRanker(Ranker, Protocol):
    """A ranker that knows below which score a passage is better dropped, in [0, 4]."""

    @property
    def threshold(self) -> float: ...


def open_ranker(
    name: str, embedder: Embedder, *, device: str = "auto", cache: Path | None = None
) -> ThresholdRanker:
    """Open `builtin`, `builtin-english`, `similarity`, the adapter in a folder, or a reranker.

    `builtin` is the similarity ranker, which serves at once and every embedder. A reranker is any
    that `open_reranker` knows: in a folder, or of the hub by its id. `cache` is where derived
    files go, see `cache_folder`.

    Raises:
        ConfigurationError: there is no such ranker or device, or its files are missing, damaged
            or not those that belong together.
        ModelError: a derived file is damaged, or the hub cannot be reached.
    """
    if name in (BUILTIN, SIMILARITY):
        return open_similarity_ranker(embedder)
    if name == BUILTIN_ENGLISH:
        return open_shipped_ranker(ENGLISH, embedder, device=device, cache=cache)
    folder = Path(name).expanduser()
    if is_adapter(folder):
        return open_adapter_ranker(folder, embedder, device=device, cache=cache)
    if not folder.is_dir() and not is_hub_id(name):
        raise ConfigurationError(
            f"The ranker {name!r} is neither built in nor a folder nor a model of the hub.",
            fix=f"Name {BUILTIN!r}, {BUILTIN_ENGLISH!r}, a folder, or an id such as "
            "'BAAI/bge-reranker-v2-m3'.",
        )
    from ..rerankers.opening import open_reranker

    return open_reranker(name, device=device)


def open_shipped_ranker(
    shipped: ShippedAdapter,
    embedder: Embedder,
    *,
    device: str = "auto",
    cache: Path | None = None,
) -> CrossEncoderRanker:
    """Open a ranker that ships with this version.

    Raises:
        ConfigurationError: its files are missing, or are not those that were published; or it was
            calibrated beside another embedder.
        ModelError: a derived file is damaged.
    """
    adapter = read_adapter(shipped.folder)
    if adapter.digest != shipped.sha256:
        raise ConfigurationError(
            f"The ranker in {str(shipped.folder)!r} is not the one that was published: its "
            f"SHA-256 is {adapter.digest}.",
            fix="Reinstall headwater.",
        )
    return _opened(adapter, embedder, name="headwater-ranker-en", device=device, cache=cache)


def open_adapter_ranker(
    folder: Path, embedder: Embedder, *, device: str = "auto", cache: Path | None = None
) -> CrossEncoderRanker:
    """Open an adapter that was trained with `headwater.models.training.ranker`.

    Raises:
        ConfigurationError: files are missing or damaged, it is for other base weights, or it is
            not calibrated.
        ModelError: a derived file is damaged.
    """
    adapter = read_adapter(folder)
    name = folder.resolve().name
    return _opened(adapter, embedder, name=name, device=device, cache=cache)


def open_scorer(
    adapter: Adapter, *, name: str, device: str = "auto", cache: Path | None = None
) -> tuple[PairReader, Scorer[Pair]]:
    """Open what reads pairs and what scores them; an adapter needs no calibration for this.

    Raises:
        ConfigurationError: the adapter is for other base weights, or these are not there.
        ModelError: a derived file is damaged.
    """
    folder, chosen = cache_folder(cache), chosen_device(device)
    weights = verified_weights(_base(adapter), folder)
    reader = open_reader(weights.parent, adapter.layout)
    if chosen == "cpu":
        return reader, open_onnx_scorer(adapter, weights, cache=folder, name=name)
    from .torch_scorer import open_torch_scorer

    return reader, open_torch_scorer(adapter, weights, device=chosen, name=name)


def _opened(
    adapter: Adapter, embedder: Embedder, *, name: str, device: str, cache: Path | None
) -> CrossEncoderRanker:
    if adapter.scores is None:
        raise ConfigurationError(
            f"The ranker in {str(adapter.folder)!r} has no {SCORES_FILE}: it is not calibrated.",
            fix="Make it with: python -m headwater.models.training.scores",
        )
    combination = read_combination(adapter.scores)
    _check_embedder(adapter.scores, embedder, ranker=name)
    reader, scorer = open_scorer(adapter, name=name, device=device, cache=cache)
    return CrossEncoderRanker(embedder, reader, scorer, combination, name=name)


def _check_embedder(scores: Mapping[str, object], embedder: Embedder, *, ranker: str) -> None:
    """Refuse another embedder than the one whose cosines the scores were fitted to.

    One model has a name for each of its numeric forms, which begin alike.
    """
    origin = scores.get("origin")
    fitted = origin.get("embedder") if isinstance(origin, Mapping) else None
    if isinstance(fitted, str) and not fitted.startswith(embedder.name.removesuffix("-int8")):
        raise ConfigurationError(
            f"The ranker {ranker!r} is calibrated for the embedder {fitted!r}, not for "
            f"{embedder.name!r}.",
            fix=f"Set `ranker = {BUILTIN!r}`, or another embedder.",
        )


def _base(adapter: Adapter) -> Pinned:
    pinned = _BASES.get(adapter.base_sha256)
    if pinned is None:
        raise ConfigurationError(
            f"The ranker in {str(adapter.folder)!r} is for other weights "
            f"({adapter.base_name!r}, SHA-256 {adapter.base_sha256 or 'not given'}).",
            fix=f"Train it on {MINILM.name}, SHA-256 {MINILM.sha256}.",
        )
    return pinned
