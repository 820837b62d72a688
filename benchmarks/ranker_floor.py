"""How long the ranker's products alone would take on this machine."""

import statistics
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

LINEAR, ATTENTION = 21.2e6, 9.2e3
"""Operations of the encoder for each token, and for each token and token it looks at."""

SHAPE = (4_096, 384, 1_536)
"""The largest product of a layer, for 4,096 tokens."""

LARGE = (8_192, 8_192, 8_192)
"""The product that an accelerator comes nearest to its peak in."""

RUNS = 12


def flop(lengths: Sequence[int]) -> float:
    """Count the operations for sequences of these lengths, each multiplication and addition."""
    return sum(length * (LINEAR + ATTENTION * length) for length in lengths)


def rates(device: str = "cpu") -> dict[str, float]:
    """Measure operations a second in one large product, all cores, medians of 12 runs."""
    import torch

    rows, inner, columns = LARGE if device == "cuda" else SHAPE
    found: dict[str, float] = {}
    for kind in (torch.float32, torch.bfloat16):
        left = torch.randn(rows, inner, device=device).to(kind)
        right = torch.randn(inner, columns, device=device).to(kind)

        name = str(kind).removeprefix("torch.")
        found[name] = 2.0 * rows * inner * columns / _seconds(partial(_product, left, right))
    if device == "cpu":
        found["int8"] = 2.0 * rows * inner * columns / _seconds(_int8(rows, inner, columns))
    return found


def _product(left: "Tensor", right: "Tensor") -> None:
    import torch

    torch.mm(left, right)
    if left.is_cuda:
        torch.cuda.synchronize()


def _int8(rows: int, inner: int, columns: int) -> Callable[[], None]:
    """Give a product of 8-bit numbers with 32-bit sums, as ONNX Runtime has it."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # ships no types

    rng = np.random.default_rng(1)
    held = numpy_helper.from_array(rng.integers(-64, 64, (inner, columns), dtype=np.int8), "held")
    taken = helper.make_tensor_value_info("taken", TensorProto.UINT8, [rows, inner])
    out = helper.make_tensor_value_info("out", TensorProto.INT32, [rows, columns])
    node = helper.make_node("MatMulInteger", ["taken", "held"], ["out"])
    graph = helper.make_graph([node], "product", [taken], [out], [held])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    session = InferenceSession(model.SerializeToString())
    given = {"taken": rng.integers(0, 128, (rows, inner), dtype=np.uint8)}
    return lambda: session.run(None, given)


def _seconds(product: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(RUNS + 2):
        started = time.perf_counter()
        product()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken[2:])
