"""Captions: the verbatim window of a passage that best shows why it matched."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from .sentences import Span, sentences
from .words import located_terms, terms

CAPTION_CHARS = 300
"""Longest caption, in characters; a longer one shows more context but fewer fit a window."""


class TermWeights:
    """How much each term tells, from the texts at hand: inverse document frequency.

    The weight of a term is ln(1 + (n - df + 0.5) / (df + 0.5)), as in BM25 (Robertson and
    Zaragoza 2009, section 3.1), over the n texts given; always positive.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._frequency: Counter[str] = Counter()
        self._texts = 0
        for text in texts:
            self._frequency.update(set(terms(text)))
            self._texts += 1

    def __call__(self, term: str) -> float:
        df = self._frequency[term]
        return math.log(1.0 + (self._texts - df + 0.5) / (df + 0.5))


def caption(query: str, text: str, weights: TermWeights, *, limit: int = CAPTION_CHARS) -> Span:
    """Find the run of whole sentences, at most `limit` characters, that covers `query` best.

    Coverage is the summed weight of the distinct query terms inside; the shorter and then the
    earlier run wins a tie. Without any term in common the caption is the beginning. A sentence
    longer than `limit` is cut at a word. Empty text gives an empty span.
    """
    wanted = set(terms(query))
    spans = [piece for span in sentences(text) for piece in _pieces(text, span, limit)]
    if not spans:
        return Span(0, 0)
    found = [wanted.intersection(terms(span.of(text))) for span in spans]
    best, best_key = spans[0], (-1.0, 0)
    for first in range(len(spans)):
        covered: set[str] = set()
        for last in range(first, len(spans)):
            window = Span(spans[first].start, spans[last].end)
            if window.end - window.start > limit:
                break
            covered |= found[last]
            key = (sum(map(weights, sorted(covered))), window.start - window.end)
            if key > best_key:
                best, best_key = window, key
    return best


def highlights(query: str, text: str, within: Span) -> list[Span]:
    """Find the words inside `within` that are terms of `query`; touching ones are joined."""
    wanted = set(terms(query))
    marks: list[Span] = []
    for term, start, end in located_terms(within.of(text)):
        if term in wanted:
            start, end = start + within.start, end + within.start
            if marks and start <= marks[-1].end + 1:
                marks[-1] = Span(marks[-1].start, max(end, marks[-1].end))
            else:
                marks.append(Span(start, end))
    return marks


def coverage(query: str, text: str, weights: TermWeights) -> float:
    """Give the share of the query's term weight that `text` holds, in [0, 1]; 0 without terms."""
    wanted = sorted(set(terms(query)))
    total = sum(map(weights, wanted))
    present = set(terms(text))
    return sum(weights(term) for term in wanted if term in present) / total if total else 0.0


def _pieces(text: str, span: Span, limit: int) -> Sequence[Span]:
    """Cut a sentence longer than `limit` at white space, or anywhere where there is none."""
    pieces: list[Span] = []
    start = span.start
    while span.end - start > limit:
        cut = text.rfind(" ", start + limit // 2, start + limit)
        cut = cut if cut > start else start + limit
        pieces.append(Span(start, cut))
        start = cut
        while start < span.end and text[start].isspace():
            start += 1
    if span.end > start:
        pieces.append(Span(start, span.end))
    return pieces
