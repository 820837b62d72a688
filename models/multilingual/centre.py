"""Takes out what all vectors of e5 share, so that its cosines mean what others mean by them.

The vectors of e5 lie in a narrow cone: two texts that have nothing to do with each other have a
cosine of almost 0.8. Less their mean, and of length 1 again, unrelated texts come near 0.2 and
answers near 0.5, as with the English embedder: whatever reads a cosine then reads both alike. The
order of passages changes a little; `python -m benchmarks.embedder --languages` shows what that
costs.

Origin: Mu and Viswanath 2018, "All-but-the-Top", arXiv:1702.01417, of which this is the first of
two steps. `models/fitted/multilingual_centre.json` says on which data, and what it changes.
"""

import hashlib
import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...domain.errors import ConfigurationError
from ..logistic import numbers, read_fitted

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ...domain.ports import Vector
    from ..embedder import Encoder

FITTED = "multilingual_centre.json"


@dataclass(frozen=True, slots=True)
class Centre:
    """The mean of unit vectors of running text."""

    mean: tuple[float, ...]

    @property
    def digest(self) -> str:
        """Tells this centre from others, in eight letters."""
        return hashlib.sha256(json.dumps(self.mean).encode()).hexdigest()[:8]


class CentredEncoder:
    """Another encoder's vectors, each less the centre and of length 1 again."""

    def __init__(self, encoder: "Encoder", centre: Centre) -> None:
        """Raises ConfigurationError where the centre has another number of dimensions."""
        if len(centre.mean) != encoder.dimensions:
            raise ConfigurationError(
                f"The centre has {len(centre.mean)} dimensions, the vectors of {encoder.name} "
                f"have {encoder.dimensions}.",
                fix="Reinstall headwater.",
            )
        self.name = f"{encoder.name}-centred-{centre.digest}"
        self.device = encoder.device
        self._encoder = encoder
        self._centre = centre

    @property
    def dimensions(self) -> int:
        return self._encoder.dimensions

    def encode(self, texts: Sequence[str]) -> "list[Vector]":
        """Give a unit vector for each text, in order; blocks until all are there."""
        import numpy as np

        mean = np.array(self._centre.mean, dtype=np.float32)
        return [_unit(np.frombuffer(v, "f4") - mean) for v in self._encoder.encode(texts)]


def read_centre() -> Centre:
    """Read the centre that is part of this package. Raises ConfigurationError."""
    return Centre(numbers(read_fitted(FITTED), "centre"))


def _unit(numbers: "NDArray[np.float32]") -> "Vector":
    import numpy as np

    # A text right in the centre has no direction, whose length 0 must not make NaN of it.
    length = max(float(np.linalg.norm(numbers)), 1e-12)
    return array("f", (numbers / length).astype(np.float32).tobytes())
