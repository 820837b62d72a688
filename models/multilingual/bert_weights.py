"""The weights of the container under the names that BERT's have everywhere else."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .container import Container

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WORDS_IN_FILE = "emb.word"
"""The table of words, in four bits: one row an id, and a few rows that no piece has."""

_LINEAR = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "fi": "intermediate.dense",
    "fo": "output.dense",
}
_NORMALISED = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}


def bert_weights(container: Container, *, words: bool = False) -> "dict[str, NDArray[np.float32]]":
    """Decode the encoder, 86 MB of 32-bit floats; with the table of words another 384 MB.

    Linear layers are (outputs, inputs). There is no pooler. Raises ConfigurationError.
    """
    import numpy as np

    return {name: np.array(value) for name, value in _tensors(container, words=words)}


def _tensors(container: Container, *, words: bool) -> "Iterator[tuple[str, NDArray[np.floating]]]":
    head = container.head
    if words:
        table = container.matrix(WORDS_IN_FILE, head.hidden)
        yield "embeddings.word_embeddings.weight", table.whole()[: container.pieces]
    for here, there in (("pos", "position"), ("type", "token_type")):
        yield f"embeddings.{there}_embeddings.weight", container.rows(f"emb.{here}", head.hidden)
    yield "embeddings.LayerNorm.weight", container.floats("emb.ln.w")
    yield "embeddings.LayerNorm.bias", container.floats("emb.ln.b")
    for layer in range(head.layers):
        yield from _layer(container, layer)


def _layer(container: Container, layer: int) -> "Iterator[tuple[str, NDArray[np.floating]]]":
    here, there = f"l{layer}", f"encoder.layer.{layer}"
    for short, name in _LINEAR.items():
        columns = container.head.wide if short == "fo" else container.head.hidden
        yield f"{there}.{name}.weight", container.matrix(f"{here}.{short}.w", columns).whole()
        yield f"{there}.{name}.bias", container.floats(f"{here}.{short}.b")
    for short, name in _NORMALISED.items():
        yield f"{there}.{name}.weight", container.floats(f"{here}.{short}.w")
        yield f"{there}.{name}.bias", container.floats(f"{here}.{short}.b")
