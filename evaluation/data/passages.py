"""A part of the passages of a source, chosen evenly."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cut:
    """A smaller corpus: the passages in `keep`, and an even sample of the others.

    Among fewer passages the right one is easier to find, so figures from a cut corpus compare
    with each other only.
    """

    passages: int
    """Most passages of one source; those in `keep` stay even where they are more."""
    keep: frozenset[str] = frozenset()
    """Ids of the passages that have to stay: the gold ones of what is asked."""

    def of(self, ids: Sequence[str]) -> Iterator[int]:
        """Give the numbers of the passages that stay, in order; `ids` are those of all."""
        kept = sum(identity in self.keep for identity in ids)
        others, room = len(ids) - kept, max(0, min(self.passages, len(ids)) - kept)
        seen = 0
        for number, identity in enumerate(ids):
            if identity in self.keep:
                yield number
                continue
            # Of the others that stay, the i-th is the first one past i / room of the way.
            if (seen + 1) * room // others > seen * room // others:
                yield number
            seen += 1
