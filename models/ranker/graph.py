"""The cross-encoder as an ONNX graph: one pair in, without padding, one logit out.

The encoder is that of `bert_graph`; the head is that of `network.py`, which the tests compare it
with. Only the encoder's products are of the kind that is rounded to 8 bits: the head keeps 32. The
first token is kept apart in them, so that its large numbers do not make those of others coarse.
"""

from typing import TYPE_CHECKING

from ..bert_graph import INPUT, BertShape, Graph, built, embedded, encoded

if TYPE_CHECKING:
    from onnx import ModelProto

    from ..bert_graph import Weights

QUERY, LOGIT = "query", "logit"

_TINY = 1e-8
"""The least length a vector is divided by: a query without tokens then has the cosine 0."""


def pair_graph(encoder: "Weights", head: "Weights", shape: BertShape) -> "ModelProto":
    """Build the graph: `tokens` (1, n) of int32 and `query` (1,) of int64 give `logit` (1, 1).

    `query` counts the tokens up to and with the first end, as `Pair.query` does.
    """
    from onnx import TensorProto, helper

    graph = Graph({**encoder, **head}, shape, first_apart=True)
    states = encoded(graph, embedded(graph))
    graph.node("Add", [_judged(graph, states), _agreement(graph, states)], LOGIT)
    taken = [
        helper.make_tensor_value_info(INPUT, TensorProto.INT32, [1, "n"]),
        helper.make_tensor_value_info(QUERY, TensorProto.INT64, [1]),
    ]
    return built(graph, taken, helper.make_tensor_value_info(LOGIT, TensorProto.FLOAT, [1, 1]))


def _judged(graph: Graph, states: str) -> str:
    """Read the first token: out . tanh(dense . state)."""
    import numpy as np

    graph.constants["place.first"] = np.array(0, np.int64)
    first = graph.node("Gather", [states, "place.first"], "head.first", axis=1)
    dense = [first, graph.weight("dense.weight"), graph.weight("dense.bias")]
    active = graph.node("Tanh", [graph.node("Gemm", dense, "head.dense", transB=1)], "head.active")
    out = [active, graph.weight("out.weight"), graph.weight("out.bias")]
    return graph.node("Gemm", out, "head.judged", transB=1)


def _agreement(graph: Graph, states: str) -> str:
    """Multiply the cosine of the query's and the passage's mean states by its scale."""
    import numpy as np

    graph.constants["place.one"] = np.ones(1, np.int64)
    graph.constants["place.last"] = np.array([-1], np.int64)
    graph.constants["least"] = np.full((1, 1), _TINY, np.float32)
    query_end = graph.node("Sub", [QUERY, "place.one"], "query.end")
    query = _summed(graph, states, "place.one", query_end)
    passage = _summed(graph, states, QUERY, "place.last")
    product = graph.node("Mul", [query, passage], "cosine.products")
    dot = graph.node("ReduceSum", [product, "place.one"], "cosine.dot")
    lengths = [_length(graph, part) for part in (query, passage)]
    over = graph.node("Mul", lengths, "cosine.lengths")
    cosine = graph.node("Div", [dot, over], "cosine")
    return graph.node("Mul", [cosine, graph.weight("cosine_scale")], "head.agreement")


def _summed(graph: Graph, states: str, first: str, end: str) -> str:
    """Sum the states from `first` up to `end`: as good as their mean to a cosine."""
    name = f"between.{first}"
    part = graph.node("Slice", [states, first, end, "place.one"], name)
    return graph.node("ReduceSum", [part, "place.one"], f"{name}.sum", keepdims=0)


def _length(graph: Graph, vector: str) -> str:
    found = graph.node("ReduceL2", [vector], f"{vector}.length", axes=[1])
    return graph.node("Max", [found, "least"], f"{vector}.divisor")
