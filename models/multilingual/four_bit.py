"""Matrices in four bits, decoded row by row on demand.

Each 32 numbers share a 16-bit float, their scale; the numbers are the nibbles of the 16 bytes
after it, the low ones first, less 8, times the scale: 18 bytes in all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BLOCK = 32
BLOCK_BYTES = 18


@dataclass(frozen=True, slots=True)
class FourBitMatrix:
    """`blocks` is (rows, columns / 32 * 18) of bytes."""

    blocks: "NDArray[np.uint8]"

    @property
    def shape(self) -> tuple[int, int]:
        rows, held = self.blocks.shape
        return rows, held // BLOCK_BYTES * BLOCK

    def rows(self, places: Sequence[int]) -> "NDArray[np.float32]":
        """Give the rows at these places, in order: (places, columns)."""
        return decoded(self.blocks[places])

    def whole(self) -> "NDArray[np.float32]":
        """Give all rows: eight times the memory of the four bits, and as much again meanwhile."""
        return decoded(self.blocks)


def decoded(blocks: "NDArray[np.uint8]") -> "NDArray[np.float32]":
    """Decode rows of blocks: (n, blocks * 18) of bytes to (n, blocks * 32)."""
    import numpy as np

    shape = (len(blocks), blocks.shape[1] // BLOCK_BYTES)
    held = np.ascontiguousarray(blocks).reshape(*shape, BLOCK_BYTES)
    scales = np.ascontiguousarray(held[..., :2]).view(np.dtype("<f2")).astype(np.float32)
    nibbles = held[..., 2:]
    numbers = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).astype(np.float32)
    numbers -= 8
    numbers *= scales
    return numbers.reshape(len(blocks), shape[1] * BLOCK)
