"""ONNX Runtime on the processor: one thread a run, and the cores work on different runs."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from ..domain.errors import ModelError

if TYPE_CHECKING:
    from onnx import ModelProto

Item = TypeVar("Item")
Value = TypeVar("Value")


class Session(Protocol):
    """What is used of an ONNX Runtime session; safe in many threads at once."""

    def run(self, outputs: list[str], inputs: dict[str, object]) -> Sequence[object]: ...


def side_by_side(
    pool: Executor,
    work: Callable[[Item], Value],
    items: Sequence[Item],
    *,
    length: Callable[[Item], int],
) -> list[Value]:
    """Do the work for each item, and give what came of it in order; a single one needs no pool."""
    if len(items) < 2:
        return [work(item) for item in items]
    # Longest first, so that the cores finish together.
    order = sorted(range(len(items)), key=lambda i: -length(items[i]))
    found = dict(zip(order, pool.map(work, [items[i] for i in order]), strict=True))
    return [found[i] for i in range(len(items))]


def cores() -> int:
    """Count the processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def open_session(graph: Path, name: str) -> Session:
    """Load a graph for one thread a run. Raises ModelError."""
    from onnxruntime import (  # type: ignore[import-untyped]  # ships no types
        InferenceSession,
        SessionOptions,
    )

    options = SessionOptions()
    options.intra_op_num_threads = 1  # the cores work on different texts
    options.inter_op_num_threads = 1
    try:
        session: Session = InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # the runtime has one exception class for each status code
        raise ModelError(
            name, f"{str(graph)!r} cannot be loaded.", fix="Delete this file: it is made anew."
        ) from error
    return session


def write_int8(model: "ModelProto", target: Path) -> None:
    """Write a graph with the linear layers in 8 bits, one scale for each output."""
    from onnxruntime.quantization import (  # type: ignore[import-untyped]  # ships no types
        QuantType,
        quantize_dynamic,
    )

    # Without this mark the quantiser writes a hint to the root logger of the host.
    model.metadata_props.add(key="onnx.quant.pre_process", value="onnxruntime.quant")
    quantize_dynamic(
        model,
        str(target),
        op_types_to_quantize=["MatMul"],
        per_channel=True,
        # 7 of the 8 bits: older x86 processors overflow with all of them, and vectors must
        # mean the same on every machine.
        reduce_range=True,
        weight_type=QuantType.QInt8,
        extra_options={"DefaultTensorType": 1},
    )
