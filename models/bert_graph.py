"""A BERT sentence encoder as an ONNX graph, built straight from its weights.

One text goes in, without padding, and one unit vector comes out: mean over all tokens, then
length 1. The operators are those of ONNX Runtime that do a whole attention or normalisation at
once. Nothing of torch is needed, and no exporter that may change what it emits.

Origin: Devlin et al. 2019, arXiv:1810.04805 (the layers); Reimers and Gurevych 2019,
arXiv:1908.10084 (mean pooling).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnx import ModelProto, NodeProto

    Weights: TypeAlias = Mapping[str, NDArray[np.float32]]

INPUT, OUTPUT = "tokens", "vector"
_VENDOR = "com.microsoft"
_OPSET = 17


@dataclass(frozen=True, slots=True)
class BertShape:
    """What the weights alone do not say."""

    layers: int
    heads: int
    epsilon: float


@dataclass(slots=True)
class _Graph:
    """Collects nodes and constants; every value is called after the weight or node it is."""

    weights: "Weights"
    shape: BertShape
    nodes: list["NodeProto"] = field(default_factory=list)
    constants: dict[str, "NDArray[np.float32]"] = field(default_factory=dict)

    def weight(self, name: str) -> str:
        self.constants[name] = self.weights[name]
        return name

    def add(self, op: str, inputs: list[str], name: str, **attributes: float) -> str:
        from onnx import helper

        node = helper.make_node(op, inputs, [name], name, None, _VENDOR, None, **attributes)
        self.nodes.append(node)
        return name

    def product(self, value: str, prefix: str) -> str:
        """Multiply by a linear layer's weight, without its bias."""
        from onnx import helper

        held, name = f"{prefix}.weight", f"{prefix}.product"
        self.constants[held] = self.weights[held].T.copy()
        self.nodes.append(helper.make_node("MatMul", [value, held], [name], name=name))
        return name

    def normalised_sum(self, value: str, residual: str, prefix: str) -> str:
        """Give LayerNorm(value + residual + bias of the linear layer before it)."""
        names = [f"{prefix}.LayerNorm.weight", f"{prefix}.LayerNorm.bias", f"{prefix}.dense.bias"]
        inputs = [value, residual, *map(self.weight, names)]
        epsilon = self.shape.epsilon
        return self.add("SkipLayerNormalization", inputs, f"{prefix}.out", epsilon=epsilon)


def bert_graph(weights: "Weights", shape: BertShape) -> "ModelProto":
    """Build the graph: `tokens` (1, n) of int32 gives `vector` (1, hidden size), of length 1."""
    from onnx import TensorProto, helper, numpy_helper

    graph = _Graph(weights, shape)
    value = _embeddings(graph)
    for layer in range(shape.layers):
        value = _layer(graph, value, f"encoder.layer.{layer}")
    mean = helper.make_node("ReduceMean", [value], ["mean"], axes=[1], keepdims=0)
    unit = helper.make_node("LpNormalization", ["mean"], [OUTPUT], axis=1, p=2)
    width = weights["embeddings.word_embeddings.weight"].shape[1]
    built = helper.make_graph(
        [*graph.nodes, mean, unit],
        "bert",
        [helper.make_tensor_value_info(INPUT, TensorProto.INT32, [1, "n"])],
        [helper.make_tensor_value_info(OUTPUT, TensorProto.FLOAT, [1, width])],
        [numpy_helper.from_array(array, name) for name, array in graph.constants.items()],
    )
    versions = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_VENDOR, 1)]
    return helper.make_model(built, opset_imports=versions, ir_version=8)


def _embeddings(graph: _Graph) -> str:
    """Word + position + kind of the only segment, normalised."""
    import numpy as np
    from onnx import helper

    prefix = "embeddings"
    segment = graph.weights[f"{prefix}.token_type_embeddings.weight"][0]
    position = f"{prefix}.position_embeddings.weight"
    graph.constants[position] = (graph.weights[position] + segment).astype(np.float32)
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


def _layer(graph: _Graph, value: str, prefix: str) -> str:
    attended = _attention(graph, value, f"{prefix}.attention")
    wide = graph.product(attended, f"{prefix}.intermediate.dense")
    bias = graph.weight(f"{prefix}.intermediate.dense.bias")
    active = graph.add("BiasGelu", [wide, bias], f"{prefix}.intermediate.out")
    narrow = graph.product(active, f"{prefix}.output.dense")
    return graph.normalised_sum(narrow, attended, f"{prefix}.output")


def _attention(graph: _Graph, value: str, prefix: str) -> str:
    import numpy as np

    parts = [f"{prefix}.self.{part}" for part in ("query", "key", "value")]
    bias = f"{prefix}.self.bias"
    graph.constants[bias] = np.concatenate([graph.weights[f"{part}.bias"] for part in parts])
    mixed = graph.add(
        "MultiHeadAttention",
        [*(graph.product(value, part) for part in parts), bias],
        f"{prefix}.self.out",
        num_heads=graph.shape.heads,
    )
    return graph.normalised_sum(
        graph.product(mixed, f"{prefix}.output.dense"), value, f"{prefix}.output"
    )
