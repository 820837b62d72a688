"""A BERT encoder as an ONNX graph, built straight from its weights.

One text goes in, without padding. Out of the sentence encoder comes one unit vector: mean over
all tokens, then length 1; `ranker/graph.py` puts another head on the same layers. The operators
are those of ONNX Runtime that do a whole attention or normalisation at once. Nothing of torch is
needed, and no exporter that may change what it emits.

Origin: Devlin et al. 2019, arXiv:1810.04805 (the layers); Reimers and Gurevych 2019,
arXiv:1908.10084 (mean pooling).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnx import ModelProto, NodeProto, ValueInfoProto

    Weights: TypeAlias = Mapping[str, NDArray[np.float32]]

INPUT, ROWS, OUTPUT = "tokens", "rows", "vector"
_VENDOR = "com.microsoft"
_OPSET = 17


@dataclass(frozen=True, slots=True)
class BertShape:
    """What the weights alone do not say."""

    layers: int
    heads: int
    epsilon: float


@dataclass(slots=True)
class Graph:
    """Collects nodes and constants; every value is called after the weight or node it is."""

    weights: "Weights"
    shape: BertShape
    nodes: list["NodeProto"] = field(default_factory=list)
    constants: dict[str, "NDArray[np.float32 | np.int64]"] = field(default_factory=dict)
    first_apart: bool = False
    """Whether the first token goes through the products on its own. Its largest numbers are some
    five times those of all others, and values that are rounded together share one scale (Bondarenko
    et al. 2021, arXiv:2109.12948). It costs 3 % of the time."""

    def weight(self, name: str) -> str:
        self.constants[name] = self.weights[name]
        return name

    def node(self, op: str, inputs: list[str], name: str, **attributes: object) -> str:
        """Add an operator of the standard, named after its output."""
        from onnx import helper

        self.nodes.append(
            helper.make_node(op, inputs, [name], None, None, None, None, **attributes)
        )
        return name

    def add(self, op: str, inputs: list[str], name: str, **attributes: float) -> str:
        """Add an operator of ONNX Runtime, named after its output."""
        from onnx import helper

        node = helper.make_node(op, inputs, [name], name, None, _VENDOR, None, **attributes)
        self.nodes.append(node)
        return name

    def product(self, value: str, prefix: str, part: str = "") -> str:
        """Multiply by a linear layer's weight, without its bias."""
        from onnx import helper

        held, name = f"{prefix}.weight", f"{prefix}.product{part}"
        self.constants[held] = self.weights[held].T.copy()
        self.nodes.append(helper.make_node("MatMul", [value, held], [name], name=name))
        return name

    def parts(self, value: str) -> list[tuple[str, str]]:
        """Give what goes through a product on its own, with a suffix for the names of results.

        That is all of the value (1, n, width), or its first token, and the others.
        """
        import numpy as np

        if not self.first_apart:
            return [(value, "")]
        first, rest = f"{value}.first", f"{value}.rest"
        if not any(node.output[0] == first for node in self.nodes):
            places = {"at.0": 0, "at.1": 1, "at.end": np.iinfo(np.int32).max}
            self.constants |= {name: np.array([at], np.int64) for name, at in places.items()}
            self.node("Slice", [value, "at.0", "at.1", "at.1"], first)
            self.node("Slice", [value, "at.1", "at.end", "at.1"], rest)
        return [(first, ".first"), (rest, "")]

    def joined(self, parts: list[str], name: str) -> str:
        """Put the results of the parts together again."""
        return parts[0] if len(parts) == 1 else self.node("Concat", parts, name, axis=1)

    def normalised_sum(self, value: str, residual: str, prefix: str, part: str = "") -> str:
        """Give LayerNorm(value + residual + bias of the linear layer before it)."""
        names = [f"{prefix}.LayerNorm.weight", f"{prefix}.LayerNorm.bias", f"{prefix}.dense.bias"]
        inputs = [value, residual, *map(self.weight, names)]
        epsilon = self.shape.epsilon
        return self.add("SkipLayerNormalization", inputs, f"{prefix}.out{part}", epsilon=epsilon)


def bert_graph(weights: "Weights", shape: BertShape) -> "ModelProto":
    """Build the graph: `tokens` (1, n) of int32 gives `vector` (1, hidden size), of length 1."""
    from onnx import TensorProto, helper

    graph = Graph(weights, shape)
    taken = helper.make_tensor_value_info(INPUT, TensorProto.INT32, [1, "n"])
    return _sentence_encoder(graph, embedded(graph), taken)


def bert_rows_graph(weights: "Weights", shape: BertShape) -> "ModelProto":
    """Build the same for a table of words that stays outside: `rows` (1, n, hidden size) goes in.

    They are the rows of the tokens in that table, as 32-bit floats.
    """
    from onnx import TensorProto, helper

    graph = Graph(weights, shape)
    width = len(weights["embeddings.LayerNorm.weight"])
    taken = helper.make_tensor_value_info(ROWS, TensorProto.FLOAT, [1, "n", width])
    return _sentence_encoder(graph, _placed_rows(graph), taken)


def _sentence_encoder(graph: Graph, value: str, taken: "ValueInfoProto") -> "ModelProto":
    """Put the layers and the pooling on top of embedded tokens."""
    from onnx import TensorProto, helper

    mean = graph.node("ReduceMean", [encoded(graph, value)], "mean", axes=[1], keepdims=0)
    graph.node("LpNormalization", [mean], OUTPUT, axis=1, p=2)
    width = len(graph.weights["embeddings.LayerNorm.weight"])
    return built(
        graph, [taken], helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [1, width])
    )


def encoded(graph: Graph, value: str) -> str:
    """Run embedded tokens through all layers: gives the states (1, n, hidden size)."""
    for layer in range(graph.shape.layers):
        value = _layer(graph, value, f"encoder.layer.{layer}")
    return value


def built(graph: Graph, taken: "Sequence[ValueInfoProto]", given: "ValueInfoProto") -> "ModelProto":
    """Make a model of what was collected, with these inputs and this output."""
    from onnx import helper, numpy_helper

    made = helper.make_graph(
        graph.nodes,
        "bert",
        taken,
        [given],
        [numpy_helper.from_array(array, name) for name, array in graph.constants.items()],
    )
    versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_VENDOR, 1)]
    return helper.make_model(made, opset_imports=versions, ir_version=8)


def embedded(graph: Graph) -> str:
    """Give word + position + kind of the only segment, normalised, of the input `tokens`."""
    from onnx import helper

    prefix = "embeddings"
    position = _positions(graph)
    words = graph.weight(f"{prefix}.word_embeddings.weight")
    gamma = graph.weight(f"{prefix}.LayerNorm.weight")
    beta = graph.weight(f"{prefix}.LayerNorm.bias")
    graph.nodes.append(
        helper.make_node(
            "EmbedLayerNormalization",
            [INPUT, "", words, position, "", gamma, beta],
            [f"{prefix}.out", f"{prefix}.mask"],
            domain=_VENDOR,
            epsilon=graph.shape.epsilon,
        )
    )
    return f"{prefix}.out"


def _placed_rows(graph: Graph) -> str:
    """The same, where the rows of the words come in: as many positions as there are rows."""
    import numpy as np
    from onnx import helper

    prefix = "embeddings"
    graph.constants["first"] = np.zeros(1, np.int64)
    graph.nodes.append(helper.make_node("Shape", [ROWS], ["count"], start=1, end=2))
    taken = [_positions(graph), "first", "count", "first"]
    graph.nodes.append(helper.make_node("Slice", taken, [f"{prefix}.positions"]))
    inputs = [ROWS, f"{prefix}.positions"]
    inputs += map(graph.weight, (f"{prefix}.LayerNorm.weight", f"{prefix}.LayerNorm.bias"))
    epsilon = graph.shape.epsilon
    return graph.add("SkipLayerNormalization", inputs, f"{prefix}.out", epsilon=epsilon)


def _positions(graph: Graph) -> str:
    """Position + kind of the only segment, one row a position."""
    import numpy as np

    segment = graph.weights["embeddings.token_type_embeddings.weight"][0]
    position = "embeddings.position_embeddings.weight"
    graph.constants[position] = (graph.weights[position] + segment).astype(np.float32)
    return position


def _layer(graph: Graph, value: str, prefix: str) -> str:
    attended = _attention(graph, value, f"{prefix}.attention")
    fed = [_feed_forward(graph, value, prefix, part) for value, part in graph.parts(attended)]
    return graph.joined(fed, f"{prefix}.joined")


def _feed_forward(graph: Graph, attended: str, prefix: str, part: str) -> str:
    wide = graph.product(attended, f"{prefix}.intermediate.dense", part)
    bias = graph.weight(f"{prefix}.intermediate.dense.bias")
    active = graph.add("BiasGelu", [wide, bias], f"{prefix}.intermediate.out{part}")
    narrow = graph.product(active, f"{prefix}.output.dense", part)
    return graph.normalised_sum(narrow, attended, f"{prefix}.output", part)


def _projected(graph: Graph, value: str, prefix: str) -> str:
    products = [graph.product(each, prefix, part) for each, part in graph.parts(value)]
    return graph.joined(products, f"{prefix}.joined")


def _attention(graph: Graph, value: str, prefix: str) -> str:
    import numpy as np

    parts = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
    bias = f"{prefix}.self.bias"
    graph.constants[bias] = np.concatenate([graph.weights[f"{part}.bias"] for part in parts])
    mixed = graph.add(
        "MultiHeadAttention",
        [*(_projected(graph, value, part) for part in parts), bias],
        f"{prefix}.self.out",
        num_heads=graph.shape.heads,
    )
    return graph.normalised_sum(
        graph.product(mixed, f"{prefix}.output.dense"), value, f"{prefix}.output"
    )
