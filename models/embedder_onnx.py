"""The built-in embedder on the processor: ONNX Runtime, 8-bit products, one text at a time.

`benchmarks/embedder.py` measures what the 8 bits cost in retrieval and gain in time. They round
a text's values by its largest one, so two texts in one batch would change each other's vectors;
each text therefore runs alone, and the cores work on different texts. That also needs no padding.
"""

from array import array
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeAlias

from ..domain.errors import ModelError, ModelOutputError
from ..domain.ports import Vector
from .bert_graph import INPUT, OUTPUT, BertShape, bert_graph
from .cache import write_once
from .embedder_folder import Layout
from .onnx_session import Session, cores, open_session, side_by_side, write_int8
from .tokenizer import TextTokenizer, open_tokenizer
from .weights import Pinned, verified_weights

Feed: TypeAlias = Callable[[list[int]], dict[str, object]]
"""Gives what goes into the graph for the token ids of one text."""

_REVISION = 1
"""Raise it when the graph or its rounding changes: files made before are then left alone."""

MINILM_SHAPE = BertShape(layers=6, heads=12, epsilon=1e-12)


def feed_tokens(tokens: list[int]) -> dict[str, object]:
    """Give the ids themselves, for a graph that holds the table of words."""
    import numpy as np

    return {INPUT: np.array([tokens], dtype=np.int32)}


class OnnxEncoder:
    """Gives the vector of each text; a text's vector never depends on the texts beside it."""

    device = "cpu"

    def __init__(
        self,
        session: Session,
        tokenizer: TextTokenizer,
        *,
        name: str,
        workers: int,
        feed: Feed = feed_tokens,
    ) -> None:
        self.name = name
        self._session = session
        self._tokenize = tokenizer
        self._feed = feed
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")

    @property
    def dimensions(self) -> int:
        return 384

    def encode(self, texts: Sequence[str]) -> list[Vector]:
        """Give a unit vector for each text, in order; blocks until all are there."""
        return side_by_side(self._pool, self._vector, self._tokenize(texts), length=len)

    def _vector(self, tokens: list[int]) -> Vector:
        import numpy as np

        try:
            found = self._session.run([OUTPUT], self._feed(tokens))[0]
        except Exception as error:  # the runtime has one exception class for each status code
            raise ModelError(self.name, f"inference failed: {error}.") from error
        numbers = np.asarray(found, dtype=np.float32).reshape(-1)
        if not np.isfinite(numbers).all():
            raise ModelOutputError(self.name, "a vector holds numbers that are not finite.")
        return array("f", numbers.tobytes())


def open_onnx_encoder(pinned: Pinned, layout: Layout, cache: Path) -> OnnxEncoder:
    """Open the encoder; the first time, its 8-bit graph is made in `cache`, within seconds.

    Raises:
        ConfigurationError: weights missing or wrong, or the cache cannot be written to.
        ModelError: the graph in the cache cannot be loaded.
    """
    weights = verified_weights(pinned, cache)
    graph = cache / f"{pinned.name}-{pinned.sha256[:8]}-int8-{_REVISION}.onnx"
    if not graph.is_file():
        write_once(graph, lambda fresh: _make(weights, fresh))
    return OnnxEncoder(
        open_session(graph, pinned.name),
        open_tokenizer(layout.folder, layout.max_tokens),
        name=f"{pinned.name}-int8",
        workers=cores(),
    )


def _make(weights: Path, target: Path) -> None:
    from safetensors.numpy import load_file

    write_int8(bert_graph(load_file(weights), MINILM_SHAPE), target)
