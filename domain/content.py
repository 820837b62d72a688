"""What of a passage goes into the content, and whether two passages say the same."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .words import terms

SHINGLE = 3
"""Terms a shingle; longer ones call fewer passages alike."""

ALIKE = 0.8
"""Share of the smaller passage's shingles that a near-duplicate has in common; at lower values
passages of one template, such as tickets, start to swallow each other."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


def rendered(title: str, text: str) -> str:
    """Put a passage as it stands in the content: title, then text."""
    return f"{title}\n{text}" if title else text


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What two passages are compared by; `numbers` are those of the title as well."""

    shingles: frozenset[tuple[str, ...]]
    numbers: frozenset[str]

    @classmethod
    def of(cls, title: str, text: str) -> "Fingerprint":
        """Take the fingerprint of a text; one shorter than a shingle is one shingle itself.

        A text without any term, such as one of emoji alone, repeats only its like.
        """
        words = terms(text) or [text.strip()]
        starts = range(max(1, len(words) - SHINGLE + 1))
        shingles = frozenset(tuple(words[i : i + SHINGLE]) for i in starts)
        return cls(shingles, frozenset(_NUMBER.findall(rendered(title, text))))

    def repeats(self, other: "Fingerprint") -> bool:
        """Tell whether this text adds nothing to `other`.

        At least `ALIKE` of its shingles are in the other one (containment, Broder 1997), and so
        are all its numbers: two texts that differ in a figure contradict each other, or speak of
        two models or versions, and both are wanted.
        """
        shared = len(self.shingles & other.shingles) / len(self.shingles)
        return shared >= ALIKE and self.numbers <= other.numbers


def repeated_by(text: Fingerprint, kept: Iterable[tuple[str, Fingerprint]]) -> str | None:
    """Name the first of the kept passages that says all that `text` says."""
    return next((key for key, other in kept if text.repeats(other)), None)
