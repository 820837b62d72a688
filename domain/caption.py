"""Captions: the verbatim window of a passage that best shows why it matched."""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence

from .sentences import Span, sentences
from .words import located_terms, term_places, terms

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
    earlier run wins a tie. The run then grows to `limit`, first by the sentences that follow,
    since a heading often holds all terms and what comes after it the answer. Without any term in
    common the caption is the beginning. A sentence longer than `limit` is cut at a word. Empty
    text gives an empty span.
    """
    spans = [piece for span in sentences(text) for piece in _pieces(text, span, limit)]
    if not spans:
        return Span(0, 0)
    first, last = _core(spans, _places(query, text, spans), weights, limit)
    while last + 1 < len(spans) and spans[last + 1].end - spans[first].start <= limit:
        last += 1
    while first > 0 and spans[last].end - spans[first - 1].start <= limit:
        first -= 1
    return Span(spans[first].start, spans[last].end)


def _places(query: str, text: str, spans: Sequence[Span]) -> dict[int, set[str]]:
    """Map the number of a span to the query terms inside, in reading order; bare spans left out."""
    wanted = set(terms(query))
    starts = [span.start for span in spans]
    places: dict[int, set[str]] = {}
    for term, start in term_places(wanted, text):
        places.setdefault(bisect_right(starts, start) - 1, set()).add(term)
    return places


def _core(
    spans: Sequence[Span], places: dict[int, set[str]], weights: TermWeights, limit: int
) -> tuple[int, int]:
    """Give the first and last span of the shortest run that covers most; (0, 0) without terms."""
    best, best_key = (0, 0), (0.0, 0)
    for first in places:
        covered: set[str] = set()
        for last in places:
            length = spans[last].end - spans[first].start
            if last < first or places[last] <= covered:
                continue
            if length > limit:
                break
            covered |= places[last]
            # Rounded: the same terms must weigh the same, in whatever order they are added.
            key = (round(sum(map(weights, covered)), 9), -length)
            if key > best_key:
                best, best_key = (first, last), key
    return best


def highlights(query: str, text: str, within: Span) -> list[Span]:
    """Find the words inside `within` that are terms of `query`; touching ones are joined."""
    wanted = set(terms(query))
    marks: list[Span] = []
    for term, start, end in located_terms(within.of(text)):
        if term not in wanted:
            continue
        mark = Span(start + within.start, end + within.start)
        if marks and mark.start <= marks[-1].end + 1:
            mark = Span(marks[-1].start, max(mark.end, marks.pop().end))
        marks.append(mark)
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
        cut = max(text.rfind(blank, start + limit // 2, start + limit) for blank in " \n\t\u3000")
        cut = cut if cut > start else start + limit
        pieces.append(Span(start, start + len(text[start:cut].rstrip())))
        start = cut
        while start < span.end and text[start].isspace():
            start += 1
    return [*pieces, Span(start, span.end)]
