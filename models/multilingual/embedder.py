"""The built-in multilingual embedder: multilingual-e5-small, from four bits.

On the processor the encoder runs in 8 bits, and the table of words stays in four: its rows are
decoded as texts need them. On an accelerator all of it becomes a model of torch in 32-bit floats.

Origin: Wang et al. 2024, arXiv:2402.05672; the prefixes are those of the model's card.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from ...domain.ports import Embedder
from ..bert_graph import ROWS, BertShape, bert_rows_graph
from ..cache import write_once
from ..embedder import LocalEmbedder
from ..embedder_folder import Layout
from ..embedder_onnx import Feed, OnnxEncoder
from ..onnx_session import cores, open_session, write_int8
from ..tokenizer import open_tokenizer
from ..weights import MULTILINGUAL_E5, verified_weights
from .bert_weights import WORDS_IN_FILE, bert_weights
from .centre import CentredEncoder, read_centre
from .container import Container, open_container
from .four_bit import FourBitMatrix
from .tokenizer import tokenizer_folder

if TYPE_CHECKING:
    from ..embedder_torch import TorchEncoder

QUERY, PASSAGE = "query: ", "passage: "
TOKENS = 512
"""As many positions as the model has."""

_REVISION = 1
"""Raise it when the tokenizer, the graph or its rounding changes: a part of the embedder's name,
so that indexes made before are refused and files made before are left alone."""


def open_multilingual(cache: Path, device: str) -> Embedder:
    """Open the embedder; `device` is `cpu` or one of torch.

    Raises:
        ConfigurationError: weights missing or wrong, or the cache cannot be written to.
        ModelError: the graph in the cache cannot be loaded.
    """
    encoder = open_onnx(cache) if device == "cpu" else open_torch(cache, device)
    centred = CentredEncoder(encoder, read_centre())
    return LocalEmbedder(centred, query_prefix=QUERY, passage_prefix=PASSAGE)


def open_onnx(cache: Path) -> OnnxEncoder:
    """Open the model itself for the processor; raises what `open_multilingual` does.

    The first time, its files are made in `cache`, within seconds.
    """
    container, layout = _opened(cache)
    graph = cache / f"{_stem()}-int8.onnx"
    if not graph.is_file():
        model = bert_rows_graph(bert_weights(container), shape_of(container))
        write_once(graph, lambda fresh: write_int8(model, fresh))
    return OnnxEncoder(
        open_session(graph, layout.name),
        open_tokenizer(layout.folder, layout.max_tokens),
        name=f"{layout.name}-int8",
        workers=cores(),
        feed=feed_rows(container.matrix(WORDS_IN_FILE, container.head.hidden)),
    )


def open_torch(cache: Path, device: str) -> "TorchEncoder":
    """Open the model itself in 32-bit floats on a device of torch. Raises ConfigurationError."""
    import torch
    from transformers import BertConfig, BertModel

    from ..embedder_torch import TorchEncoder

    container, layout = _opened(cache)
    head = container.head
    config = BertConfig(
        vocab_size=container.pieces,
        hidden_size=head.hidden,
        num_hidden_layers=head.layers,
        num_attention_heads=head.heads,
        intermediate_size=head.wide,
        max_position_embeddings=head.positions,
        type_vocab_size=head.kinds,
        layer_norm_eps=head.epsilon,
        pad_token_id=container.vocabulary.pad,
    )
    model = BertModel(config, add_pooling_layer=False)
    held = {name: torch.from_numpy(w) for name, w in bert_weights(container, words=True).items()}
    model.load_state_dict(held, assign=True)
    tokenizer = open_tokenizer(layout.folder, layout.max_tokens)
    torch.nn.Module.to(model, device).train(mode=False)  # its own methods carry no types
    return TorchEncoder(model, tokenizer, layout, device=device)


def feed_rows(table: FourBitMatrix) -> Feed:
    """Give the rows of a text's tokens, decoded from `table`."""
    return lambda tokens: {ROWS: table.rows(tokens)[None]}


def shape_of(container: Container) -> BertShape:
    """Give what the weights alone do not say."""
    head = container.head
    return BertShape(layers=head.layers, heads=head.heads, epsilon=head.epsilon)


def _opened(cache: Path) -> tuple[Container, Layout]:
    container = open_container(verified_weights(MULTILINGUAL_E5, cache))
    folder = tokenizer_folder(container, cache / f"{_stem()}-tokenizer")
    name = f"{MULTILINGUAL_E5.name}-r{_REVISION}"
    return container, Layout(name=name, folder=folder, max_tokens=TOKENS)


def _stem() -> str:
    """Begin the names of derived files: other weights or another revision give another one."""
    return f"{MULTILINGUAL_E5.name}-{MULTILINGUAL_E5.sha256[:8]}-{_REVISION}"
