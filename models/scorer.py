"""What rankers need of a network that reads a query and a passage together."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

Read = TypeVar("Read", contravariant=True)


class Scorer(Protocol[Read]):
    """Gives the logit of what was read, and makes the caller wait for it."""

    @property
    def name(self) -> str: ...

    @property
    def device(self) -> str: ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What went on with less than was wished for, one sentence each; empty as a rule."""
        ...

    def logits(self, sequences: Sequence[Read], /) -> list[float]:
        """Give a finite logit for each, in order; more is better. Raises ModelError."""
        ...
