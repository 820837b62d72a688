"""Time and identifiers as they really are."""

import time
import uuid
from dataclasses import dataclass, field

from ..domain.ports import Clock, Ids


@dataclass(frozen=True, slots=True)
class SystemClock:
    """Seconds since the epoch that never go backwards within a process.

    Anchored to the wall clock once, so that a run resumed in another process still adds up.
    """

    _offset: float = field(default_factory=lambda: time.time() - time.monotonic())

    def __call__(self) -> float:
        return self._offset + time.monotonic()


def random_id() -> str:
    """Give a new random identifier of 32 hexadecimal digits."""
    return uuid.uuid4().hex


@dataclass(frozen=True, slots=True)
class System:
    """Where a run's time and identifiers come from; replaced to repeat a run exactly."""

    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = random_id
