"""What a reranker reads of a passage: title, heading and text, the long ones in windows."""

from collections.abc import Sequence, Set
from typing import TYPE_CHECKING

from ...domain.ports import Scorable
from ..ranker.condensing import excerpt, stems
from ..tokenizer import beginning
from ..tokens import well_formed
from .forms import Encoded, PairForm

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MAX_TITLE, MAX_HEADING = 128, 128
"""Tokens, as the built-in ranker reads them."""

MAX_WINDOWS = 8
"""Windows of one passage; at 512 tokens about 2,500 of its content. Each costs a pair."""

_OVERLAP = 4
"""Neighbouring windows share this part (a quarter), so that no sentence is only read halved."""


class PassageReader:
    """Makes the sequences of a query with each of its passages; safe in many threads at once.

    A query is never cut for a passage's sake, only where it alone would take more than half of
    what the model reads. The tokenizer is that of the form.
    """

    def __init__(self, tokenizer: "Tokenizer", form: PairForm) -> None:
        self._tokenizer = tokenizer
        self._form = form

    def pairs(self, query: str, passages: Sequence[Scorable]) -> list[list[Encoded]]:
        """Give the windows of each passage, in text order; none for text that is blank."""
        asked = self._cut(query, self._form.max_tokens // 2)
        wanted = stems(query)
        read = [i for i, passage in enumerate(passages) if passage.text.strip()]
        above = {i: self._above(passages[i]) for i in read}
        contents = {i: well_formed(excerpt(passages[i].text, wanted)) for i in read}
        whole = self._form.encode(asked, [_join(above[i], contents[i]) for i in read])
        found: list[list[Encoded]] = [[] for _ in passages]
        for i, pair in zip(read, whole, strict=True):
            if pair.whole:
                found[i] = [pair]
            else:
                found[i] = self._form.encode(
                    asked, self._windows(asked, above[i], contents[i], wanted)
                )
        return found

    def _above(self, passage: Scorable) -> str:
        """Give title and heading, one a line; a heading that repeats the title adds nothing."""
        heading = "" if passage.heading == passage.title else passage.heading
        title = self._cut(passage.title, MAX_TITLE)
        return _join(title, self._cut(heading, MAX_HEADING))

    def _windows(self, query: str, above: str, content: str, wanted: Set[str]) -> list[str]:
        """Divide content that does not fit; each window has the title and heading above it."""
        room = max(2, self._form.max_tokens - self._form.cost(query))
        above = self._cut(above, room // 2)
        size = max(1, room - self._length(f"{above}\n" if above else ""))
        spans = self._tokenizer.encode(content, add_special_tokens=False).offsets
        if not spans:  # nothing that a token stands for: what is above it is all there is to read
            return [above]
        step = max(1, size - size // _OVERLAP)
        starts = range(0, max(1, len(spans) - size // _OVERLAP), step)
        texts = [content[spans[i][0] : spans[min(i + size, len(spans)) - 1][1]] for i in starts]
        return [_join(above, text) for text in _best(texts, wanted)]

    def _cut(self, text: str, tokens: int) -> str:
        """Give the beginning of a text that is made of at most so many tokens."""
        text = beginning(text, tokens)
        spans = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return text if len(spans) <= tokens else text[: spans[tokens - 1][1]]

    def _length(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False))


def _best(texts: list[str], wanted: Set[str]) -> list[str]:
    """Of too many windows, keep those with most of the query's terms, in text order."""
    if len(texts) <= MAX_WINDOWS:
        return texts
    held = [len(wanted & stems(text)) for text in texts]
    best = sorted(range(len(texts)), key=lambda i: -held[i])[:MAX_WINDOWS]
    return [texts[i] for i in sorted(best)]


def _join(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
