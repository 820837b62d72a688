"""Logits of a trained adapter for the fit of its scores, kept on disk between fits."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...domain.ports import Scorable
from ..cache import write_once
from ..ranker.adapter import Adapter
from ..ranker.onnx_scorer import REVISION
from ..ranker.opening import open_scorer
from ..ranker.reading import Pair, PairReader
from ..scorer import Scorer

_ROUNDED = 5


class KeptLogits:
    """Gives the best window's logit of passages; what was computed once is remembered.

    Call `keep` at the end, or now and then.
    """

    def __init__(self, reader: PairReader, scorer: Scorer[Pair], file: Path) -> None:
        """Remember in `file`, which belongs to one adapter and one way to round it."""
        self._reader = reader
        self._scorer = scorer
        self._file = file
        self._held: dict[str, float] = {}
        if file.is_file():
            with np.load(file) as held:
                rows = zip(held["keys"].tolist(), held["logits"].tolist(), strict=True)
                self._held = dict(rows)

    def __call__(self, query: str, passages: Sequence[Scorable]) -> list[float | None]:
        """Give a logit for each passage, `None` where nothing can be read. Raises ModelError."""
        windows = self._reader.pairs(query, passages)
        keys = [[_key(pair) for pair in pairs] for pairs in windows]
        new = {
            key: pair
            for pairs, row in zip(windows, keys, strict=True)
            for pair, key in zip(pairs, row, strict=True)
            if key not in self._held
        }
        found = self._scorer.logits(list(new.values()))
        self._held.update(zip(new, (round(logit, _ROUNDED) for logit in found), strict=True))
        return [max((self._held[key] for key in row), default=None) for row in keys]

    def keep(self) -> None:
        """Write all logits to disk. Raises ConfigurationError."""
        keys, logits = np.array(list(self._held)), np.array(list(self._held.values()))
        write_once(self._file, lambda fresh: np.savez(fresh, keys=keys, logits=logits))


def open_logits(adapter: Adapter, cache: Path) -> KeptLogits:
    """Open the network of an adapter, on the processor.

    Raises:
        ConfigurationError: the adapter does not fit its base, or the cache cannot be written to.
        ModelError: the network cannot be loaded.
    """
    reader, scorer = open_scorer(adapter, name="ranker-fit", device="cpu", cache=cache)
    file = cache / f"logits-{adapter.weights_digest[:16]}-int8-{REVISION}.npz"
    return KeptLogits(reader, scorer, file)


def _key(pair: Pair) -> str:
    packed = np.array([pair.query, *pair.ids], dtype=np.int32).tobytes()
    return hashlib.sha256(packed).hexdigest()[:32]
