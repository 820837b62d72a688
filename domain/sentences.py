"""Sentences with their places in the text."""

import re
from dataclasses import dataclass
from functools import lru_cache

_PASSAGE = 4_000
"""Characters; longer texts are not passages, and their sentences are not kept."""

# A line that opens a list item, a table row, a heading or a field (`date: …`) starts anew, as
# after a blank line.
_LINE = r"\n\s*\n|\n(?=\s*(?:[-*•|#\d]|[^\W\d][\w -]{0,30}: ))"
_END = re.compile(rf"[.!?…][\"'”’»)\]]*\s+|[。！？；]+[”’」』）]*|{_LINE}")
_NEW_LINE = re.compile(_LINE)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Zdz]|[A-Za-z]\.[A-Za-z]|Mr|Mrs|Ms|Dr|Prof|St|No|Nr|Fig|Sec|Art|vs|etc|cf"
    r"|ca|approx|incl|excl|min|max|art|al|p|pp|n|Abs|bzw|ggf|vgl|Inc|Ltd|Corp|Co)\.$"
    r"|^\s*\d{1,2}\.$"  # the number of a list item
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
    return list(_split_once(text)) if len(text) <= _PASSAGE else list(_split(text))


def _split(text: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match.group()[0] == "." and _abbreviates(text, start, match):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return tuple(spans)


_split_once = lru_cache(maxsize=2_048)(_split)
"""Splits a passage once for all who ask: rankers that condense it, captions, quotes."""


def _abbreviates(text: str, start: int, match: re.Match[str]) -> bool:
    """Tell whether a full stop belongs to an abbreviation; none reaches into a new line's item."""
    before = text[max(start, match.start() - 11) : match.start() + 1]
    new_line = _NEW_LINE.search(text, match.start(), match.end() + 1)
    return _ABBREVIATION.search(before) is not None and new_line is None


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    stripped = piece.strip()
    if stripped:
        first = start + piece.index(stripped[0])
        spans.append(Span(first, first + len(stripped)))
