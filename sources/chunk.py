"""Documents to chunks: by heading and page first, then by sentences, with overlap."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import cast

from ..domain.sentences import Span, sentences
from .document import Chunk, Document, Section

TARGET_TOKENS = 256
"""Most tokens of a chunk. Rankers read 256 tokens of a passage; more would not be seen."""
OVERLAP_TOKENS = 32
"""Most tokens that a chunk repeats of the one before it, in whole sentences."""
TINY_TOKENS = 64
"""Sections below are joined with their neighbours: a heading with one line finds nothing alone."""
_WINDOW = 8_000
"""Characters of a run without a sentence end that are parted at once."""
_BREAK = "\n\n"

TokenCount = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Place:
    """A section in the joined text; `lead` is where its heading begins, if it is written there."""

    lead: int
    text: Span
    heading: list[str]
    page: int | None


@dataclass(frozen=True, slots=True)
class _Block:
    """What is cut together: a section, or several tiny ones. `tokens` counts its text."""

    span: Span
    heading: list[str]
    page: int | None
    tokens: int


def joined_text(document: Document) -> str:
    """Give the text that chunk offsets count in: sections, each new heading on a line above."""
    return _layout(document)[0]


def chunk(
    document: Document,
    count: TokenCount,
    *,
    target: int = TARGET_TOKENS,
    overlap: int = OVERLAP_TOKENS,
) -> Iterator[Chunk]:
    """Cut a document into chunks, in order, each verbatim from `joined_text(document)`.

    No chunk has more than `target` tokens by `count`, unless one character alone has; no
    character of a section that is not white space is lost. A chunk lies in one section, or is a
    run of tiny sections on one page with the same heading above; then it holds their headings.
    """
    text, places = _layout(document)
    prefix = _digest(document.path, document.record)
    number = 0
    for block in _blocks(text, places, count, target):
        for span in _cut(text, block, count, target, overlap):
            yield Chunk(
                id=f"{prefix}-{number}",
                path=document.path,
                text=span.of(text),
                title=document.title,
                heading=block.heading,
                page=block.page,
                start=span.start,
                url=document.url or locator(document),
                language=document.language,
                access=document.access,
                metadata=document.metadata,
            )
            number += 1


def locator(document: Document) -> str:
    """Give the relative reference of a document without a URL of its own: `path#record`."""
    return f"{document.path}#{document.record}" if document.record else document.path


def _digest(path: str, record: str) -> str:
    """Name a document in 12 characters, 60 bits: a million of them collide once in two million."""
    key = f"{path}\0{record}".encode("utf-8", "surrogatepass")
    raw = hashlib.blake2b(key, digest_size=8).digest()
    return base64.b32encode(raw).decode("ascii")[:12].lower()


def _layout(document: Document) -> tuple[str, list[_Place]]:
    parts: list[str] = []
    places: list[_Place] = []
    length, last = 0, [""]
    for section in document.sections:
        lead = length
        if title := _new_heading(section, last):
            parts += [title, _BREAK]
            length += len(title) + len(_BREAK)
        span = Span(length, length + len(section.text))
        places.append(_Place(lead, span, section.heading, section.page))
        parts += [section.text, _BREAK]
        length = span.end + len(_BREAK)
        last = section.heading
    return "".join(parts[:-1]), places


def _new_heading(section: Section, last: list[str]) -> str:
    """Give the heading to write above a section, if it is new and not in the text already."""
    if not section.heading or section.heading == last:
        return ""
    return "" if section.text.startswith(section.heading[-1]) else section.heading[-1]


def _blocks(text: str, places: list[_Place], count: TokenCount, target: int) -> Iterator[_Block]:
    """Join runs of tiny neighbours, as long as they fit one chunk."""
    tiny = min(TINY_TOKENS, target)
    held: _Block | None = None
    first: _Place | None = None
    for place in places:
        tokens = count(place.text.of(text))
        if held and first and held.tokens <= target and tokens < tiny and _akin(first, place):
            heading = _shared(held.heading, place.heading)
            start = first.text.start if heading == first.heading else first.lead
            span = Span(start, place.text.end)
            together = count(span.of(text))
            if together <= target:
                held = _Block(span, heading, place.page, together)
                continue
        if held:
            yield held
        held = _Block(place.text, place.heading, place.page, tokens)
        first = place if tokens < tiny else None
    if held:
        yield held


def _akin(one: _Place, other: _Place) -> bool:
    """Tell whether two sections may share a chunk: same page, same heading above."""
    if one.page != other.page or bool(one.heading) != bool(other.heading):
        return False
    return one.heading[:-1] == other.heading[:-1]


def _shared(one: list[str], other: list[str]) -> list[str]:
    """Give the path that two headings have in common."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


def _cut(text: str, block: _Block, count: TokenCount, target: int, overlap: int) -> Iterator[Span]:
    """Cut a block into spans of about equal size, none above `target` tokens."""
    if block.tokens <= target:
        if trimmed := _trimmed(text, block.span):
            yield trimmed
        return
    overlap = min(overlap, target // 2)
    pieces = list(_pieces(text, block.span, count, target, overlap))
    bounds = [*(piece.start for piece in pieces), block.span.end]
    sizes = [count(text[start:end]) for start, end in pairwise(bounds)]
    first, left = 0, sum(sizes)
    while first < len(pieces):
        end = _reach(sizes, first, _goal(left, target, overlap), target)
        while end - first > 1 and count(text[pieces[first].start : pieces[end - 1].end]) > target:
            end -= 1
        yield Span(pieces[first].start, pieces[end - 1].end)
        room = min(overlap, target - sizes[end]) if end < len(pieces) else 0
        start = _back(sizes, first, end, room)
        left -= sum(sizes[first:start])
        first = start


def _goal(left: int, target: int, overlap: int) -> int:
    """Give the least size of the next chunk so that those to come are about equal.

    n chunks of `target` tokens hold n * (target - overlap) + overlap tokens of text.
    """
    parts = max(1, -(-(left - overlap) // (target - overlap)))
    return -(-(left + (parts - 1) * overlap) // parts)


def _reach(sizes: list[int], first: int, goal: int, target: int) -> int:
    """Give the end of a run of pieces from `first`: up to `goal`, below `target`, at least one."""
    total, end = sizes[first], first + 1
    while end < len(sizes) and total < goal and total + sizes[end] <= target:
        total += sizes[end]
        end += 1
    return end


def _back(sizes: list[int], first: int, end: int, room: int) -> int:
    """Give where the next chunk begins: back from `end` by whole pieces within `room`.

    `room` leaves space for the piece at `end`, so that no chunk repeats without going on.
    """
    total, start = 0, end
    while start - 1 > first and total + sizes[start - 1] <= room:
        total += sizes[start - 1]
        start -= 1
    return start


def _pieces(text: str, span: Span, count: TokenCount, target: int, overlap: int) -> Iterator[Span]:
    """Give sentences; those that are long, such as code or a table in one line, in parts."""
    inside = span.of(text)
    for sentence in sentences(inside):
        place = Span(span.start + sentence.start, span.start + sentence.end)
        if count(place.of(text)) <= target:
            yield place
        else:
            # Half an overlap: fine enough that the overlap can be made of parts.
            yield from _parts(text, place, count, max(1, min(target, overlap // 2 or target // 8)))


def _parts(text: str, span: Span, count: TokenCount, size: int) -> Iterator[Span]:
    """Part a long run at the best places there are: line ends, white space, punctuation."""
    from semchunk.semchunk import chunk as part  # loaded only when a text needs it

    for window in _windows(text, span):
        _, offsets = part(window.of(text), size, count, memoize=False, offsets=True)
        for start, end in cast("list[tuple[int, int]]", offsets):
            if place := _trimmed(text, Span(window.start + start, window.start + end)):
                yield place


def _windows(text: str, span: Span) -> Iterator[Span]:
    """Cut at white space, or anywhere: the splitter recurses once for each length of a gap."""
    start = span.start
    while span.end - start > _WINDOW:
        cut = max(text.rfind(gap, start + _WINDOW // 2, start + _WINDOW) for gap in "\n\t ")
        end = cut if cut > 0 else start + _WINDOW
        yield Span(start, end)
        start = end
    yield Span(start, span.end)


def _trimmed(text: str, span: Span) -> Span | None:
    inside = span.of(text)
    stripped = inside.strip()
    if not stripped:
        return None
    start = span.start + inside.index(stripped[0])
    return Span(start, start + len(stripped))
