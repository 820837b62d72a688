"""The file that holds multilingual-e5-small in four bits, read as plain data.

Little-endian throughout: a head, the pieces of the tokenizer, a directory of tensors, the tensors.
The package that carries the file also has an engine for it; none of that is run or needed.

Origin: Wang et al. 2024, "Multilingual E5 Text Embeddings", arXiv:2402.05672 (the model).
"""

import struct
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...domain.errors import ConfigurationError
from .four_bit import BLOCK, BLOCK_BYTES, FourBitMatrix

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_MAGIC, _VERSION = b"E5S1", 1
_HEAD = struct.Struct("<4sI7ifi")
_PIECES = struct.Struct("<5iQ")
_REPLACEMENTS = struct.Struct("<iI")
_ENTRY = struct.Struct("<BIQQ")
_FLOATS, _FOUR_BIT = 0, 1


@dataclass(frozen=True, slots=True)
class Head:
    """Sizes of the network; `rows` counts embedding rows, more than there are pieces."""

    hidden: int
    layers: int
    heads: int
    wide: int
    rows: int
    positions: int
    kinds: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Pieces with their log-probabilities, by id, and the ids that mean something else."""

    pieces: list[str]
    scores: list[float]
    start: int
    end: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    count: int
    offset: int


class Container:
    """The opened file. Tensors are views of it until they are asked for as numbers.

    `head` has the sizes; `pieces` counts those of the tokenizer.
    """

    head: Head
    pieces: int

    def __init__(self, data: "NDArray[np.uint8]", path: Path) -> None:
        """Read head and directory. Raises ConfigurationError where they do not add up."""
        self._data = data
        self._path = path
        self._read()

    def floats(self, name: str) -> "NDArray[np.float32]":
        """Give a tensor of 32-bit floats as one row of numbers."""
        return self._floats(self._tensor(name, _FLOATS, 1))

    def rows(self, name: str, columns: int) -> "NDArray[np.float32]":
        """Give a tensor of 32-bit floats as (rows, columns)."""
        return self._floats(self._tensor(name, _FLOATS, columns)).reshape(-1, columns)

    def matrix(self, name: str, columns: int) -> FourBitMatrix:
        """Give a four-bit matrix by its number of columns, still in four bits."""
        tensor = self._tensor(name, _FOUR_BIT, columns)
        if columns % BLOCK:
            raise self._damaged(f"{name!r} has rows of {columns} numbers")
        held = self._bytes(tensor.offset, tensor.count // BLOCK * BLOCK_BYTES)
        return FourBitMatrix(held.reshape(tensor.count // columns, -1))

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The pieces of the tokenizer; read when first asked for. Raises ConfigurationError."""
        import numpy as np

        count, start, end, pad, unknown, letters = self._unpack(_PIECES, _HEAD.size)
        place = _HEAD.size + _PIECES.size
        ends = self._bytes(place, 4 * (count + 1)).view(np.dtype("<u4")).tolist()
        place += 4 * (count + 1)
        scores = self._bytes(place, 4 * count).view(np.dtype("<f4")).tolist()
        run = self._bytes(place + 4 * count, letters).tobytes()
        try:
            pieces = [run[a:b].decode() for a, b in pairwise(ends)]
        except UnicodeDecodeError as error:
            raise self._damaged(str(error)) from error
        return Vocabulary(pieces, scores, start, end, pad, unknown)

    def _read(self) -> None:
        magic, version, *sizes, epsilon, block = self._unpack(_HEAD, 0)
        if (magic, version, block) != (_MAGIC, _VERSION, BLOCK):
            raise self._damaged(f"it begins with {magic!r}, version {version}, blocks of {block}")
        self.head = Head(*(*sizes, epsilon))
        self.pieces, *_, letters = self._unpack(_PIECES, _HEAD.size)
        place = _HEAD.size + _PIECES.size + 8 * self.pieces + 4 + letters
        _, replacements = self._unpack(_REPLACEMENTS, place)
        self._read_directory(place + _REPLACEMENTS.size + replacements)

    def _read_directory(self, place: int) -> None:
        (count,) = self._unpack(struct.Struct("<i"), place)
        place += 4
        self._tensors: dict[str, _Tensor] = {}
        for _ in range(count):
            (length,) = self._unpack(struct.Struct("<H"), place)
            name = self._bytes(place + 2, length).tobytes().decode("ascii", "replace")
            kind, numbers, offset, _ = self._unpack(_ENTRY, place + 2 + length)
            self._tensors[name] = _Tensor(kind, numbers, offset)
            place += 2 + length + _ENTRY.size

    def _tensor(self, name: str, kind: int, columns: int) -> _Tensor:
        tensor = self._tensors.get(name)
        if tensor is None or tensor.kind != kind:
            raise self._damaged(f"the tensor {name!r} is missing or of another kind")
        if tensor.count < 1 or columns < 1 or tensor.count % columns:
            raise self._damaged(f"{name!r} has no rows of {columns} numbers")
        return tensor

    def _floats(self, tensor: _Tensor) -> "NDArray[np.float32]":
        import numpy as np

        return self._bytes(tensor.offset, 4 * tensor.count).view(np.dtype("<f4"))

    def _unpack(self, form: struct.Struct, place: int) -> tuple[Any, ...]:
        return form.unpack(self._bytes(place, form.size).tobytes())

    def _bytes(self, place: int, count: int) -> "NDArray[np.uint8]":
        if count < 0 or place < 0 or place + count > len(self._data):
            raise self._damaged(f"it ends at byte {len(self._data)}, inside a part of it")
        return self._data[place : place + count]

    def _damaged(self, what: str) -> ConfigurationError:
        return ConfigurationError(
            f"The model file {str(self._path)!r} is damaged: {what}.",
            fix="Install the package that carries it again.",
        )


def open_container(path: Path) -> Container:
    """Open the file; it is mapped, so that only what is used takes memory.

    Raises:
        ConfigurationError: the file cannot be read, or is none of this kind.
    """
    import numpy as np

    try:
        data = np.memmap(path, dtype=np.uint8, mode="r")
    except (OSError, ValueError) as error:  # ValueError: the file is empty
        raise ConfigurationError(
            f"The model file {str(path)!r} cannot be read: {error}.",
            fix="Install the package that carries it again.",
        ) from error
    return Container(data, path)
