"""Whether captions show what the annotators marked."""

from collections import defaultdict

from ..record import ResultRow
from .needs import ANSWERABLE, GOLD, RAN, SPANS, Need, gold_of, unmet
from .support import overlap

NEEDS: tuple[Need, ...] = (
    RAN,
    ANSWERABLE,
    GOLD,
    SPANS,
    Need("no gold passage with a span is in the content", lambda row: bool(_marked_in(row))),
)


def caption_hit(row: ResultRow) -> float | None:
    """Give the share of the gold passages in the content whose caption meets a gold span.

    In [0, 1]. One character in common is enough, and one of the pieces of a passage. Only gold
    passages with spans count, and only those that are in the content: whether a passage was found
    is measured apart. `None` without a run, for unanswerable questions, and where no such passage
    is in the content. Origin: own definition.
    """
    if unmet(row, NEEDS):
        return None
    captions: dict[str, list[list[int]]] = defaultdict(list)
    for piece in row.content:
        if piece.caption:
            captions[piece.doc].append(piece.caption)
    marked = _marked_in(row)
    hits = sum(
        any(overlap(caption, span) for caption in captions[doc] for span in spans)
        for doc, spans in marked.items()
    )
    return hits / len(marked)


def _marked_in(row: ResultRow) -> dict[str, list[list[int]]]:
    """Map the gold passages with spans that are in the content to their spans."""
    present = {piece.doc for piece in row.content}
    return {gold.doc: gold.spans for gold in gold_of(row) if gold.spans and gold.doc in present}
