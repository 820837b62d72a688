"""What the cross-encoder reads of a query and a passage: token ids, the same in training and use.

A passage is its title, its heading and its content. What does not fit is condensed to the
sentences that bear most on the query; content far too long is read through several windows.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...domain.errors import ConfigurationError
from ...domain.ports import Scorable
from ..tokenizer import beginning, load_tokenizer
from ..tokens import well_formed
from .condensing import Sentences, excerpt, stems

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Encoding, Tokenizer

MAX_WINDOWS = 4
"""Windows of one passage. Each is a pair of its own to the network, and costs as much as one."""


@dataclass(frozen=True, slots=True)
class PairLayout:
    """How much is read, in tokens. An adapter is trained for one layout and served with it."""

    max_query: int = 64
    max_title: int = 128
    max_heading: int = 128
    max_content: int = 2_000
    """Content in one window, before it is condensed."""
    max_passage: int = 256
    """Title, heading and condensed content together; at least half is left to the content."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A query and a passage as one sequence: start, query, end, passage, end.

    All tokens are of the first type. `query` counts the ids up to and with the first end.
    """

    ids: list[int]
    query: int


class PairReader:
    """Makes pairs. A pair depends on nothing but its query, its passage and the layout.

    The tokenizer becomes the reader's own: its padding and truncation are switched off. `start`
    and `end` are the ids of the marks around the parts. Safe in many threads at once.
    """

    def __init__(self, tokenizer: "Tokenizer", layout: PairLayout, *, start: int, end: int) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        self.layout = layout
        self._tokenizer = tokenizer
        self._start = start
        self._end = end

    def pairs(self, query: str, passages: Sequence[Scorable]) -> list[list[Pair]]:
        """Give the windows of each passage, in text order; none where there is nothing to read."""
        wanted = stems(query)
        asked = beginning(query, self.layout.max_query)
        contents = [excerpt(well_formed(passage.text), wanted) for passage in passages]
        titles = [beginning(passage.title, self.layout.max_title) for passage in passages]
        headings = [beginning(_heading(passage), self.layout.max_heading) for passage in passages]
        read = self._read([asked, *contents, *titles, *headings])
        opening = [self._start, *read[asked].ids[: self.layout.max_query], self._end]
        return [
            [
                Pair([*opening, *passage, self._end], len(opening))
                for passage in self._windows(
                    _Parts(read[title], read[heading], read[content], content), wanted
                )
            ]
            for title, heading, content in zip(titles, headings, contents, strict=True)
        ]

    def _read(self, texts: Sequence[str]) -> "dict[str, Encoding]":
        """Tokenize all texts in one go, equal ones once."""
        different = list(dict.fromkeys(texts))
        found = self._tokenizer.encode_batch(different, add_special_tokens=False)
        return dict(zip(different, found, strict=True))

    def _windows(self, parts: "_Parts", wanted: Set[str]) -> Iterator[list[int]]:
        """Give the ids of a passage, once for each window."""
        layout, content = self.layout, parts.content.ids
        above = [*parts.title.ids[: layout.max_title], *parts.heading.ids[: layout.max_heading]]
        if not content:
            return
        # Titles and headings give way where content is waiting, down to half of what is read.
        del above[max(layout.max_passage // 2, layout.max_passage - len(content)) :]
        room = layout.max_passage - len(above)
        if len(content) <= room:
            yield above + content
            return
        starts = [start for start, _ in parts.content.offsets]
        found = Sentences.of(parts.text, starts, wanted, most=room)
        for window in found.windows(layout.max_content, MAX_WINDOWS):
            yield above + [content[place] for place in found.condensed(window, room)]


def open_reader(folder: "Path", layout: PairLayout) -> PairReader:
    """Open the reader of pairs for a BERT in `folder`, by the marks in its vocabulary.

    Raises:
        ConfigurationError: the tokenizer is missing or broken, or has no such marks.
    """
    tokenizer = load_tokenizer(folder)
    start, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    if start is None or end is None:
        raise ConfigurationError(
            f"The tokenizer in {str(folder)!r} lacks the marks [CLS] and [SEP].",
            fix="Get the model again.",
        )
    return PairReader(tokenizer, layout, start=start, end=end)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A passage in tokens; `text` is the content that was tokenised."""

    title: "Encoding"
    heading: "Encoding"
    content: "Encoding"
    text: str


def _heading(passage: Scorable) -> str:
    """Give the heading, unless it only repeats the title."""
    return "" if passage.heading == passage.title else passage.heading
