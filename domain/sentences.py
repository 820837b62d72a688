"""Sentences with their places in the text."""

import re
from dataclasses import dataclass

_END = re.compile(
    r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？；])[”’」』）]*|\n\s*\n|\n(?=\s*[-*•|#\d])"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Z]|[A-Za-z]\.[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Fig|Sec|Art|vs|etc|cf|ca"
    r"|approx|incl|excl|min|max|art|al|p|pp|n|Inc|Ltd|Corp|Co)\.$"
)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range of characters."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Cut this span out of `text`."""
        return text[self.start : self.end]


def sentences(text: str) -> list[Span]:
    """Split `text` into sentences, list items and table rows, without surrounding white space.

    Spans come in order and do not overlap; what lies between them is white space.
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if _ABBREVIATION.search(text[max(start, match.start() - 12) : match.start()]):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        first = start + piece.index(stripped[0])
        spans.append(Span(first, first + len(stripped)))
