"""Whether captions show what the annotators marked."""

from collections import defaultdict
from collections.abc import Callable

from ..record import ContentPiece, ResultRow
from .needs import ANSWERABLE, GOLD, RAN, SPANS, Need, gold_of, unmet
from .support import overlap

NEEDS: tuple[Need, ...] = (
    RAN,
    Need("there is no content", lambda row: bool(row.content)),
    ANSWERABLE,
    GOLD,
    SPANS,
    Need("no gold passage with a span is in the content", lambda row: bool(_marked_in(row))),
)


BEGINNING = 200
"""Characters of the beginning that captions are compared with."""


def caption_hit(row: ResultRow) -> float | None:
    """Give the share of the gold passages in the content whose caption meets a gold span.

    In [0, 1]. One character in common is enough, and one of the pieces of a passage. Only gold
    passages with spans count, and only those that are in the content: whether a passage was found
    is measured apart. `None` without a run, for unanswerable questions, and where no such passage
    is in the content. Origin: own definition.
    """
    return _hit(row, lambda piece: piece.caption)


def beginning_hit(row: ResultRow, chars: int = BEGINNING) -> float | None:
    """Give what `caption_hit` would be if captions were the first `chars` characters.

    `None` as there. Origin: own definition; the lead of a text is the usual baseline of extractive
    summaries, Nenkova 2005, "Automatic text summarization of newswire".
    """
    return _hit(row, lambda piece: [piece.start, min(piece.end, piece.start + chars)])


def sentence_hit(row: ResultRow) -> float | None:
    """Give what `caption_hit` would be if captions were the best lexical sentence.

    `None` as there, and where nobody looked for that sentence. Origin: own definition; the
    sentence whose distinct query terms weigh most by inverse document frequency.
    """
    if not any(piece.sentence for piece in row.content):
        return None
    return _hit(row, lambda piece: piece.sentence)


def _hit(row: ResultRow, window: Callable[[ContentPiece], list[int]]) -> float | None:
    if unmet(row, NEEDS):
        return None
    shown: dict[str, list[list[int]]] = defaultdict(list)
    for piece in row.content:
        if window(piece):
            shown[piece.doc].append(window(piece))
    marked = _marked_in(row)
    hits = sum(
        any(overlap(place, span) for place in shown[doc] for span in spans)
        for doc, spans in marked.items()
    )
    return hits / len(marked)


def _marked_in(row: ResultRow) -> dict[str, list[list[int]]]:
    """Map the gold passages with spans that are in the content to their spans."""
    present = {piece.doc for piece in row.content}
    return {gold.doc: gold.spans for gold in gold_of(row) if gold.spans and gold.doc in present}
