"""Small files in the layout of the container, written by the description of it."""

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HIDDEN, WIDE, LAYERS, HEADS, POSITIONS, ROWS = 32, 64, 2, 4, 10, 8
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "a", "水"]

_MATRICES = [("q", HIDDEN), ("k", HIDDEN), ("v", HIDDEN), ("ao", HIDDEN), ("fi", HIDDEN)]
_BIASES = {"q": HIDDEN, "k": HIDDEN, "v": HIDDEN, "ao": HIDDEN, "fi": WIDE, "fo": HIDDEN}


def four_bits(numbers: NDArray[np.int_], scales: NDArray[np.float16]) -> bytes:
    """Pack whole numbers in -8 to 7, (blocks, 32), with a scale for each block."""
    nibbles = (numbers + 8).astype(np.uint8)
    packed = nibbles[:, :16] | nibbles[:, 16:] << 4
    return b"".join(
        scale.tobytes() + row.tobytes() for scale, row in zip(scales, packed, strict=True)
    )


def write_container(
    path: Path, *, pieces: Sequence[str] = PIECES, magic: bytes = b"E5S1", version: int = 1
) -> Path:
    """Write a whole container with weights drawn by a seed."""
    sizes = (HIDDEN, LAYERS, HEADS, WIDE, ROWS, POSITIONS, 2)
    head = struct.pack("<4sI7ifi", magic, version, *sizes, 1e-12, 32)
    letters = [piece.encode() for piece in pieces]
    ends = np.cumsum([0, *map(len, letters)]).astype("<u4")
    run = b"".join(letters)
    held = struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, len(run)) + ends.tobytes()
    held += (-np.arange(len(pieces)).astype("<f4")).tobytes() + run
    held += struct.pack("<iI", 1, 9) + struct.pack("<IBI", 0xFF5E, 1, 0x7E)
    tensors = _tensors(np.random.default_rng(4))
    directory = sum(2 + len(name) + 21 for name, *_ in tensors) + 4
    offset = len(head) + len(held) + directory
    listed = struct.pack("<i", len(tensors))
    for name, kind, count, content in tensors:
        listed += struct.pack("<H", len(name)) + name.encode()
        listed += struct.pack("<BIQQ", kind, count, offset, len(content))
        offset += len(content)
    path.write_bytes(head + held + listed + b"".join(content for *_, content in tensors))
    return path


def _tensors(rng: np.random.Generator) -> list[tuple[str, int, int, bytes]]:
    def floats(name: str, count: int) -> tuple[str, int, int, bytes]:
        return name, 0, count, rng.normal(0.5, 0.2, count).astype("<f4").tobytes()

    def matrix(name: str, count: int) -> tuple[str, int, int, bytes]:
        scales = rng.uniform(0.01, 0.05, count // 32).astype(np.float16)
        return name, 1, count, four_bits(rng.integers(-8, 8, (count // 32, 32)), scales)

    found = [matrix("emb.word", ROWS * HIDDEN), floats("emb.pos", POSITIONS * HIDDEN)]
    found += [floats("emb.type", 2 * HIDDEN)]
    found += [floats(f"emb.ln.{part}", HIDDEN) for part in "wb"]
    for layer in (f"l{i}" for i in range(LAYERS)):
        found += [matrix(f"{layer}.{name}.w", _BIASES[name] * width) for name, width in _MATRICES]
        found += [matrix(f"{layer}.fo.w", HIDDEN * WIDE)]
        found += [floats(f"{layer}.{name}.b", count) for name, count in _BIASES.items()]
        found += [floats(f"{layer}.{n}.{part}", HIDDEN) for n in ("aln", "oln") for part in "wb"]
    return found
