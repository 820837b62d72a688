"""The cross-encoder on the processor: ONNX Runtime, 8-bit products, one pair at a time.

The 8 bits round a pair's values by its largest one. Each pair therefore runs alone, so that its
logit never depends on the pairs beside it; the cores work on different pairs, and nothing is
padding.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ...domain.errors import ModelError, ModelOutputError
from ..bert_graph import INPUT
from ..cache import write_once
from ..embedder_onnx import MINILM_SHAPE
from ..onnx_session import Session, cores, open_session, side_by_side, write_int8
from .adapter import Adapter, merged
from .graph import LOGIT, QUERY, pair_graph
from .reading import Pair

REVISION = 2
"""Raise it when the graph or its rounding changes: files made before, and logits
kept from then, are left alone."""


class OnnxScorer:
    """Scores pairs side by side, each alone; equal pairs get the very same logit."""

    device = "cpu"
    notes: tuple[str, ...] = ()

    def __init__(self, session: Session, *, name: str, workers: int) -> None:
        self.name = name
        self._session = session
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="rank")

    def logits(self, pairs: Sequence[Pair]) -> list[float]:
        return side_by_side(self._pool, self._logit, pairs, length=lambda pair: len(pair.ids))

    def _logit(self, pair: Pair) -> float:
        import numpy as np

        taken: dict[str, object] = {
            INPUT: np.array([pair.ids], dtype=np.int32),
            QUERY: np.array([pair.query], dtype=np.int64),
        }
        try:
            found = self._session.run([LOGIT], taken)[0]
        except Exception as error:  # the runtime has one exception class for each status code
            raise ModelError(self.name, f"inference failed: {error}.") from error
        logit = float(np.asarray(found).item())
        if not np.isfinite(logit):
            raise ModelOutputError(self.name, f"a logit is {logit}, no finite number.")
        return logit


def open_onnx_scorer(adapter: Adapter, weights: Path, *, cache: Path, name: str) -> OnnxScorer:
    """Open the scorer over the base in the file `weights`, which must be the adapter's own.

    The first time, the 8-bit graph of base and adapter is made in `cache`, within seconds.

    Raises:
        ConfigurationError: the adapter does not fit, or the cache cannot be written to.
        ModelError: the graph in the cache cannot be loaded.
    """
    graph = cache / f"{name}-{adapter.weights_digest[:12]}-int8-{REVISION}.onnx"
    if not graph.is_file():
        write_once(graph, lambda fresh: _make(adapter, weights, fresh))
    return OnnxScorer(open_session(graph, name), name=f"{name}-int8", workers=cores())


def _make(adapter: Adapter, weights: Path, target: Path) -> None:
    from safetensors.numpy import load_file

    write_int8(pair_graph(merged(load_file(weights), adapter), adapter.head, MINILM_SHAPE), target)
